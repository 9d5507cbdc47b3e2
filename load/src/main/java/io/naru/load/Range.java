package io.naru.load;

import java.util.Locale;

/** What may be asked for. Whoever asks for something else is told what may be. */
public final class Range {

  private Range() {}

  /**
   * @param option as it is written on the command line
   * @throws IllegalArgumentException if the value is outside
   */
  public static void check(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "%s: must be %d..%d, is %d", option, least, most, value));
    }
  }

  /** The same of a number with a fraction, which may also be none at all. */
  public static void check(String option, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "%s: must be %s..%s, is %s", option, plain(least), plain(most), value));
    }
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }
}
