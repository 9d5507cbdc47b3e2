package io.naru.queue;

/**
 * How much there is for those who go in, in short: what travels with every place that is read.
 *
 * @param remaining units that nobody has
 * @param held units that somebody inside has and has not paid for
 * @param at when that was said, in microseconds; 0 if nothing was
 */
public record Units(long remaining, long held, long at) {

  public static final Units NONE = new Units(0, 0, 0);

  public boolean isKnown() {
    return at > 0;
  }

  /** Before the text of a {@link State}, for copies; empty if nothing was said. */
  public String text() {
    return isKnown() ? "+" + remaining + "," + held + "," + at + " " : "";
  }

  /** What is behind the text of units, if there is one. */
  public static String behind(String text) {
    return text.startsWith("+") ? text.substring(text.indexOf(' ') + 1) : text;
  }

  /** The inverse of {@link #text()}, whatever is behind it. */
  public static Units ofText(String text) {
    if (!text.startsWith("+")) {
      return NONE;
    }
    String[] figures = text.substring(1, text.indexOf(' ')).split(",", 3);
    return new Units(
        Long.parseLong(figures[0]), Long.parseLong(figures[1]), Long.parseLong(figures[2]));
  }
}
