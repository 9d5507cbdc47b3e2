package io.naru.queue;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the values of a setting may be. From outside and from stores they come as JSON has them.
 *
 * @param <V> what the value is in its record
 */
interface Kind<V> {

  /** What would be right, in words. */
  String allowed();

  /** The value, if it is of this kind at all. */
  V read(String field, @Nullable Object given);

  /** The value as it is kept, if it is allowed. */
  default V check(String field, V value) {
    return value;
  }

  /** Refuses what comes in and was not refused by an earlier version that kept it. */
  default void checkNew(String field, @Nullable Object given) {}

  /** As JSON has it. */
  default Object plain(V value) {
    return value;
  }

  /** Whole numbers. */
  record Whole(int min, int max) implements Kind<Integer> {

    @Override
    public String allowed() {
      return min + ".." + max;
    }

    @Override
    public Integer read(String field, @Nullable Object given) {
      return switch (given) {
        case Integer i -> i;
        case Long l when l >= min && l <= max -> l.intValue();
        case Long l -> throw new InvalidValue(field, allowed(), "is " + l);
        case BigInteger huge -> throw new InvalidValue(field, allowed(), "is " + huge);
        case null, default -> throw new InvalidValue(field, allowed(), "is not a whole number");
      };
    }

    @Override
    public Integer check(String field, Integer value) {
      if (value < min || value > max) {
        throw new InvalidValue(field, allowed(), "is " + value);
      }
      return value;
    }
  }

  /** True or false. */
  record YesOrNo() implements Kind<Boolean> {

    @Override
    public String allowed() {
      return "true or false";
    }

    @Override
    public Boolean read(String field, @Nullable Object given) {
      if (given instanceof Boolean yes) {
        return yes;
      }
      throw new InvalidValue(field, allowed(), "is neither of them");
    }
  }

  /** One of a few words. */
  record OneOf<E extends Enum<E>>(Class<E> words) implements Kind<E> {

    @Override
    public String allowed() {
      return Arrays.stream(words.getEnumConstants())
          .map(Enum::name)
          .collect(Collectors.joining(" or "));
    }

    @Override
    public E read(String field, @Nullable Object given) {
      for (E each : words.getEnumConstants()) {
        if (each.name().equals(given)) {
          return each;
        }
      }
      throw new InvalidValue(field, allowed(), "is neither of them");
    }

    @Override
    public Object plain(E value) {
      return value.name();
    }
  }

  /** Text that can be shown. */
  record Text(int max) implements Kind<String> {

    @Override
    public String allowed() {
      return "at most " + max + " characters, none of them a control character";
    }

    @Override
    public String read(String field, @Nullable Object given) {
      return text(field, given, max);
    }

    @Override
    public String check(String field, String text) {
      // Half a surrogate pair is no character: no store could give it back.
      if (text.length() > max
          || text.codePoints().anyMatch(c -> Character.isISOControl(c) || isSurrogate(c))) {
        throw new InvalidValue(
            field, allowed(), "is too long or has characters that cannot be shown");
      }
      return text;
    }

    private static boolean isSurrogate(int codePoint) {
      return Character.getType(codePoint) == Character.SURROGATE;
    }
  }

  /**
   * A web address, or none; kept as it is sent.
   *
   * @param problem what is wrong with any other
   */
  record Address(String problem) implements Kind<String> {

    private static final int MAX = 2_000;

    @Override
    public String allowed() {
      return "empty, or an absolute http:// or https:// URL of at most "
          + MAX
          + " characters, percent-encoded";
    }

    @Override
    public String read(String field, @Nullable Object given) {
      return text(field, given, MAX);
    }

    @Override
    public String check(String field, String given) {
      String url = WebAddress.encoded(given);
      if (!url.isEmpty() && !WebAddress.isOne(url)) {
        throw new InvalidValue(field, allowed(), problem);
      }
      return url;
    }

    /** An earlier version kept addresses that are longer once encoded. */
    @Override
    public void checkNew(String field, @Nullable Object given) {
      if (given instanceof String url && WebAddress.encoded(url).length() > MAX) {
        throw new InvalidValue(field, allowed(), "is too long");
      }
    }
  }

  /** A colour, or none. */
  record Color() implements Kind<String> {

    private static final Pattern COLOR = Pattern.compile("(#[0-9A-Fa-f]{6})?");

    @Override
    public String allowed() {
      return "empty, or #rrggbb";
    }

    @Override
    public String read(String field, @Nullable Object given) {
      if (given instanceof String color) {
        return color;
      }
      throw new InvalidValue(field, allowed(), "is not text");
    }

    @Override
    public String check(String field, String color) {
      if (!COLOR.matcher(color).matches()) {
        throw new InvalidValue(field, allowed(), "is not a colour");
      }
      return color;
    }
  }

  private static String text(String field, @Nullable Object given, int max) {
    if (given instanceof String text) {
      return text;
    }
    throw new InvalidValue(field, "text of at most " + max + " characters", "is not text");
  }
}
