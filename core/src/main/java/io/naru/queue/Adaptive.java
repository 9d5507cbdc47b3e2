package io.naru.queue;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How the rate of a queue follows the site behind it.
 *
 * @param floorPerSecond it is never slower, whatever is said about the site
 * @param ceilingPerSecond it is never faster
 * @param startPerSecond until something is said
 * @param safePerSecond at most, when nothing has been said for long
 * @param slowMillis the site is slow when 5 of 100 requests take longer
 * @param errorPercent and it fails when so many of 100 do
 * @param increase by what it grows while all is well
 * @param decrease by what it is cut when it is not
 * @param everyMillis how often to look
 */
public record Adaptive(
    Mode mode,
    double floorPerSecond,
    double ceilingPerSecond,
    double startPerSecond,
    double safePerSecond,
    int slowMillis,
    double errorPercent,
    double increase,
    double decrease,
    int everyMillis) {

  /** By which rule. */
  public enum Mode {
    /** Moves how many may be inside, and lets in what leaves and what is missing. */
    STEADY,
    /** Moves the rate itself: up by a factor while all is well, else down by another. */
    AIMD
  }

  static final String ALLOWED =
      "null, or an object with mode, floorPerSecond, ceilingPerSecond, startPerSecond,"
          + " safePerSecond, slowMillis, errorPercent, increase, decrease and everyMillis, all or"
          + " some";

  private static final String NAME = "adaptive";

  private static final Part FLOOR = new Part("floorPerSecond", 0.01, 100_000, 100, false);
  private static final Part CEILING = new Part("ceilingPerSecond", 0.01, 100_000, 5_000, false);
  private static final Part START = new Part("startPerSecond", 0.01, 100_000, 1_000, false);
  private static final Part SAFE = new Part("safePerSecond", 0.01, 100_000, 100, false);
  private static final Part SLOW = new Part("slowMillis", 1, 60_000, 500, true);
  private static final Part ERRORS = new Part("errorPercent", 0.01, 100, 1, false);
  private static final Part INCREASE = new Part("increase", 1.001, 10, 1.1, false);
  private static final Part DECREASE = new Part("decrease", 0.01, 0.99, 0.8, false);
  private static final Part EVERY = new Part("everyMillis", 100, 60_000, 100, true);

  private static final List<String> NAMES =
      Stream.concat(
              Stream.of("mode"),
              Stream.of(FLOOR, CEILING, START, SAFE, SLOW, ERRORS, INCREASE, DECREASE, EVERY)
                  .map(Part::name))
          .toList();

  /** One number of it. */
  private record Part(String name, double min, double max, double standard, boolean isWhole) {

    double read(Map<?, ?> values, double otherwise) {
      if (!values.containsKey(name)) {
        return otherwise;
      }
      if (!(values.get(name) instanceof Number number)) {
        throw refuse(allowed(), "is not a number");
      }
      double value = number.doubleValue();
      // Also what is no number at all is not within.
      if (!(value >= min && value <= max)) {
        throw refuse(allowed(), "is " + number);
      }
      if (isWhole && value != Math.rint(value)) {
        throw refuse(allowed(), "is not a whole number");
      }
      return value;
    }

    double read(Map<?, ?> values) {
      return read(values, standard);
    }

    String allowed() {
      return plain(min) + ".." + plain(max);
    }

    InvalidValue refuse(String allowed, String wrong) {
      return new InvalidValue(NAME + "." + name, allowed, wrong);
    }
  }

  /**
   * @throws InvalidValue if the rates do not go together
   */
  public Adaptive {
    if (ceilingPerSecond < floorPerSecond) {
      throw CEILING.refuse(
          plain(floorPerSecond) + ".." + plain(CEILING.max) + ", as floorPerSecond is",
          "is below floorPerSecond");
    }
    within(START, startPerSecond, floorPerSecond, ceilingPerSecond);
    within(SAFE, safePerSecond, floorPerSecond, ceilingPerSecond);
  }

  private static void within(Part part, double value, double floor, double ceiling) {
    if (value < floor || value > ceiling) {
      throw part.refuse(
          plain(floor) + ".." + plain(ceiling) + ", from floorPerSecond to ceilingPerSecond",
          "is " + plain(value));
    }
  }

  /**
   * What JSON has; what is left out has its default, as far as floor and ceiling allow.
   *
   * @throws InvalidValue if something in it is not known or not allowed
   */
  static Adaptive of(Map<?, ?> values) {
    for (Object name : values.keySet()) {
      if (!NAMES.contains(name)) {
        throw new InvalidValue(NAME + "." + name, String.join(", ", NAMES), "is not known");
      }
    }
    double floor = FLOOR.read(values);
    double ceiling = CEILING.read(values, Math.max(floor, CEILING.standard));
    double most = Math.max(floor, ceiling);
    return new Adaptive(
        mode(values.containsKey("mode") ? values.get("mode") : Mode.STEADY.name()),
        floor,
        ceiling,
        START.read(values, Math.clamp(START.standard, floor, most)),
        SAFE.read(values, Math.clamp(SAFE.standard, floor, most)),
        (int) SLOW.read(values),
        ERRORS.read(values),
        INCREASE.read(values),
        DECREASE.read(values),
        (int) EVERY.read(values));
  }

  private static Mode mode(@Nullable Object word) {
    return Arrays.stream(Mode.values())
        .filter(mode -> mode.name().equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                new InvalidValue(
                    NAME + ".mode",
                    Arrays.stream(Mode.values())
                        .map(Enum::name)
                        .collect(Collectors.joining(" or ")),
                    "is neither of them"));
  }

  /** The inverse of {@link #of}. */
  Map<String, Object> plain() {
    Map<String, Object> plain = new LinkedHashMap<>();
    plain.put("mode", mode.name());
    plain.put(FLOOR.name, plain(floorPerSecond));
    plain.put(CEILING.name, plain(ceilingPerSecond));
    plain.put(START.name, plain(startPerSecond));
    plain.put(SAFE.name, plain(safePerSecond));
    plain.put(SLOW.name, slowMillis);
    plain.put(ERRORS.name, plain(errorPercent));
    plain.put(INCREASE.name, plain(increase));
    plain.put(DECREASE.name, plain(decrease));
    plain.put(EVERY.name, everyMillis);
    return Collections.unmodifiableMap(plain);
  }

  private static Number plain(double value) {
    return value == Math.rint(value) ? (Number) (int) value : (Number) value;
  }

  /** Within floor and ceiling. */
  public double clamp(double perSecond) {
    return Math.clamp(perSecond, floorPerSecond, ceilingPerSecond);
  }
}
