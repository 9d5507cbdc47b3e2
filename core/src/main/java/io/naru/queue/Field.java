package io.naru.queue;

import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One setting: its name, what it may be, where it is found. {@link Settings#FIELDS} has all of
 * them; HTTP, documents and stores ask there and know none by itself. Values come and go as JSON
 * has them.
 *
 * @param <R> the record that it belongs to
 * @param <V> what it is there
 */
public class Field<R, V> {

  private static final int MAX_URL = 2_000;
  private static final String URL_ALLOWED =
      "empty, or an absolute http:// or https:// URL of at most %s characters, percent-encoded"
          .formatted(MAX_URL);
  private static final Pattern COLOR = Pattern.compile("(#[0-9A-Fa-f]{6})?");

  private static final Instant EARLIEST = Instant.parse("2000-01-01T00:00:00Z");
  private static final Instant LATEST = Instant.parse("2100-01-01T00:00:00Z");

  private final String name;
  private final String allowed;
  private final Function<R, V> getter;
  private final String otherwise;
  private final Function<@Nullable Object, @Nullable V> cast;
  private final Function<V, @Nullable String> problem;
  private boolean needsLedger;

  /**
   * @param otherwise what is wrong with what is none of this kind
   * @param cast the value, or null if it is none of this kind
   * @param problem what is wrong with the value, or null if it is allowed
   */
  private Field(
      String name,
      String allowed,
      Function<R, V> getter,
      String otherwise,
      Function<@Nullable Object, @Nullable V> cast,
      Function<V, @Nullable String> problem) {
    this.name = name;
    this.allowed = allowed;
    this.getter = getter;
    this.otherwise = otherwise;
    this.cast = cast;
    this.problem = problem;
  }

  static <R> Field<R, Integer> whole(String name, int min, int max, Function<R, Integer> getter) {
    String allowed = min + ".." + max;
    return new Field<>(
        name,
        allowed,
        getter,
        "is not a whole number",
        given -> whole(name, allowed, min, max, given),
        value -> value < min || value > max ? "is " + value : null);
  }

  /** Something that checks itself while it is read. */
  static <R, V> Field<R, V> of(
      String name,
      String allowed,
      Function<R, V> getter,
      String otherwise,
      Function<@Nullable Object, @Nullable V> cast) {
    return new Field<>(name, allowed, getter, otherwise, cast, _ -> null);
  }

  /** The same, or nothing. */
  static <R> Field<R, Optional<Integer>> wholeOrNone(
      String name, int min, int max, Function<R, Optional<Integer>> getter) {
    String allowed = "null, or " + min + ".." + max;
    return new Field<>(
        name,
        allowed,
        getter,
        "is not a whole number",
        given -> {
          Integer whole = whole(name, allowed, min, max, given);
          return given != null && whole == null ? null : Optional.ofNullable(whole);
        },
        value -> value.filter(n -> n < min || n > max).map(n -> "is " + n).orElse(null));
  }

  private static @Nullable Integer whole(
      String name, String allowed, int min, int max, @Nullable Object given) {
    return switch (given) {
      case Integer i -> i;
      case Long l when l >= min && l <= max -> l.intValue();
      case Long l -> throw new InvalidValue(name, allowed, "is " + l);
      case BigInteger huge -> throw new InvalidValue(name, allowed, "is " + huge);
      case null, default -> null;
    };
  }

  static <R> Field<R, Boolean> yesOrNo(String name, Function<R, Boolean> getter) {
    return new Field<>(
        name,
        "true or false",
        getter,
        "is neither of them",
        given -> given instanceof Boolean yes ? yes : null,
        _ -> null);
  }

  static <R, E extends Enum<E>> Field<R, E> oneOf(
      String name, Class<E> words, Function<R, E> getter) {
    E[] all = words.getEnumConstants();
    return new Field<>(
        name,
        Arrays.stream(all).map(Enum::name).collect(Collectors.joining(" or ")),
        getter,
        "is neither of them",
        given ->
            Arrays.stream(all).filter(each -> each.name().equals(given)).findFirst().orElse(null),
        _ -> null);
  }

  /** Text that can be shown. */
  static <R> Field<R, String> text(String name, int max, Function<R, String> getter) {
    return new Field<>(
        name,
        "at most " + max + " characters, none of them a control character",
        getter,
        "is not text",
        Field::text,
        text ->
            canBeShown(text, max) ? null : "is too long or has characters that cannot be shown");
  }

  /** The same by language, or in one for all. */
  static <R> Field<R, Words> words(String name, int max, Function<R, Words> getter) {
    return new Field<>(
        name,
        "text of at most "
            + max
            + " characters, none of them a control character; or such texts by language,"
            + " {\"ko\": …, \"en\": …}, at most "
            + Words.MAX_LANGUAGES,
        getter,
        "is neither text nor texts by language",
        Words::ofPlain,
        words ->
            words.texts().values().stream().allMatch(text -> canBeShown(text, max))
                ? null
                : "is too long or has characters that cannot be shown");
  }

  private static boolean canBeShown(String text, int max) {
    return text.length() <= max && text.codePoints().allMatch(Field::isShown);
  }

  /** Half a surrogate pair is no character: no store could give it back. */
  private static boolean isShown(int codePoint) {
    return !Character.isISOControl(codePoint)
        && Character.getType(codePoint) != Character.SURROGATE;
  }

  static <R> Field<R, String> color(String name, Function<R, String> getter) {
    return new Field<>(
        name,
        "empty, or #rrggbb",
        getter,
        "is not text",
        Field::text,
        color -> COLOR.matcher(color).matches() ? null : "is not a colour");
  }

  /** A web address, or none; kept as it is sent. */
  static <R> Field<R, String> address(String name, String problem, Function<R, String> getter) {
    return new Field<>(
        name,
        URL_ALLOWED,
        getter,
        "is not text",
        Field::text,
        url -> url.isEmpty() || WebAddress.isOne(url) ? null : problem) {
      @Override
      String check(String url) {
        return super.check(WebAddress.encoded(url));
      }

      // An earlier version kept addresses that are longer once encoded.
      @Override
      void checkNew(@Nullable Object given) {
        if (given instanceof String url && WebAddress.encoded(url).length() > MAX_URL) {
          throw refuse("is too long");
        }
      }
    };
  }

  /** A moment that a calendar has, or none. */
  static <R> Field<R, Optional<Instant>> instant(
      String name, Function<R, Optional<Instant>> getter) {
    String allowed = "null, or an instant as 2026-12-24T20:00:00Z, with any offset";
    return new Field<>(
        name,
        allowed,
        getter,
        "is not an instant",
        given ->
            switch (given) {
              case null -> Optional.empty();
              case String text when isInstant(text) -> Optional.of(instant(text));
              default -> throw new InvalidValue(name, allowed, "is not an instant");
            },
        instant ->
            instant.filter(at -> at.isBefore(EARLIEST) || !at.isBefore(LATEST)).isPresent()
                ? "is not of this century"
                : null);
  }

  /** How a rate follows something, or nothing. */
  static <R> Field<R, Optional<Adaptive>> adaptive(
      String name, Function<R, Optional<Adaptive>> getter) {
    return new Field<>(
        name,
        Adaptive.ALLOWED,
        getter,
        "is not an object",
        given ->
            switch (given) {
              case null -> Optional.empty();
              case Map<?, ?> values -> Optional.of(Adaptive.of(values));
              default -> null;
            },
        _ -> null);
  }

  /** What newcomers must show, or nothing. */
  static <R> Field<R, Optional<Doors>> doors(String name, Function<R, Optional<Doors>> getter) {
    return new Field<>(
        name,
        Doors.ALLOWED,
        getter,
        "is not an object",
        given ->
            switch (given) {
              case null -> Optional.empty();
              case Map<?, ?> values -> Optional.of(Doors.of(values));
              default -> null;
            },
        _ -> null);
  }

  private static boolean isInstant(String text) {
    try {
      instant(text);
      return true;
    } catch (DateTimeException e) {
      return false;
    }
  }

  private static Instant instant(String text) {
    return DateTimeFormatter.ISO_OFFSET_DATE_TIME
        .parse(text, Instant::from)
        .truncatedTo(ChronoUnit.MICROS);
  }

  private static @Nullable String text(@Nullable Object given) {
    return given instanceof String text ? text : null;
  }

  /** For a setting that queues without a ledger cannot keep to. */
  Field<R, V> withLedger() {
    needsLedger = true;
    return this;
  }

  public String name() {
    return name;
  }

  /** What it may be, in words. */
  public String allowed() {
    return allowed;
  }

  /** Whether only a queue with a ledger can have it at anything but its default. */
  public boolean needsLedger() {
    return needsLedger;
  }

  @Nullable Object plain(R from) {
    return switch (getter.apply(from)) {
      case Enum<?> word -> word.name();
      case Words words -> words.plain();
      case List<?> lanes ->
          lanes.isEmpty() ? null : lanes.stream().map(lane -> ((Lane) lane).plain()).toList();
      case Optional<?> perhaps -> perhaps.map(Field::plainOf).orElse(null);
      case Object value -> value;
    };
  }

  private static Object plainOf(Object value) {
    return switch (value) {
      case Instant at -> at.toString();
      case Adaptive rule -> rule.plain();
      case Doors doors -> doors.plain();
      case Supply.Bound bound -> bound.plain();
      case Reporting.Kinds kinds -> kinds.plain();
      default -> value;
    };
  }

  V read(Map<String, ? extends @Nullable Object> values) {
    V value = cast.apply(values.get(name));
    if (value == null) {
      throw refuse(otherwise);
    }
    return value;
  }

  /** As it is kept, if it is allowed. */
  V check(V value) {
    String wrong = problem.apply(value);
    if (wrong != null) {
      throw refuse(wrong);
    }
    return value;
  }

  /** Refuses what comes in and was not refused by an earlier version that kept it. */
  void checkNew(@Nullable Object given) {}

  InvalidValue refuse(String wrong) {
    return new InvalidValue(name, allowed, wrong);
  }
}
