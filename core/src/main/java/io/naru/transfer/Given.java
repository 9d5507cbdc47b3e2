package io.naru.transfer;

import io.naru.queue.InvalidValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Fields that came from outside, by name: each is there, and in its range. */
record Given(Map<String, ? extends @Nullable Object> fields) {

  /** Beyond any number that a queue has, and still one that every reader of JSON keeps. */
  private static final long MOST = 1L << 53;

  /** Of what is counted, and of moments, in microseconds since 2026-01-01. */
  long number(String name) {
    return number(name, 0, MOST);
  }

  long number(String name, long least, long most) {
    if (fields.get(name) instanceof Number number
        && (number instanceof Integer || number instanceof Long)
        && number.longValue() >= least
        && number.longValue() <= most) {
      return number.longValue();
    }
    throw new InvalidValue(name, least + ".." + most, "is not a whole number in range");
  }

  long score(String name) {
    return number(name, -MOST, MOST);
  }

  boolean flag(String name) {
    if (fields.get(name) instanceof Boolean flag) {
      return flag;
    }
    throw new InvalidValue(name, "true, false", "is neither");
  }

  String text(String name, int most) {
    if (fields.get(name) instanceof String text && text.length() <= most) {
      return text;
    }
    throw new InvalidValue(name, "text of at most " + most + " characters", "is not");
  }

  /** One of a kind, by its name. */
  <E extends Enum<E>> E one(String name, Class<E> kind) {
    try {
      return Enum.valueOf(kind, text(name, 32));
    } catch (IllegalArgumentException e) {
      throw new InvalidValue(name, List.of(kind.getEnumConstants()).toString(), "is not");
    }
  }

  Map<String, @Nullable Object> object(String name) {
    if (fields.get(name) instanceof Map<?, ?> given) {
      Map<String, @Nullable Object> object = new LinkedHashMap<>();
      given.forEach((key, value) -> object.put(String.valueOf(key), value));
      return object;
    }
    throw new InvalidValue(name, "an object", "is not");
  }
}
