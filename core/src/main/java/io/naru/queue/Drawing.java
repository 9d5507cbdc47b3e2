package io.naru.queue;

/**
 * How far the draw of a queue is, as far as it matters for the places in it: what travels with
 * every place that is read.
 *
 * @param lastJoined when the last one joined who is drawn; 0 as long as others may
 * @param settled the first so many of the drawn order stand in line
 */
public record Drawing(Phase phase, long lastJoined, long settled) {

  private static final String SIGN = "!";

  /** Of a queue in which nothing is drawn. */
  public static final Drawing NONE = new Drawing(Phase.NONE, 0, 0);

  /** Before the opening, through the draw, to the line. */
  public enum Phase {
    NONE,
    /** People come, and nobody has a place. */
    LOBBY,
    /** Who is drawn is fixed, the order is not known; who comes now stands behind all of them. */
    CLOSED,
    /** The order is known, and the line is being made of it. */
    DRAWN,
    /** Everybody stands in line. */
    DONE
  }

  /** Whether people are without a place because of the draw. */
  public boolean isUnderWay() {
    return phase == Phase.CLOSED || phase == Phase.DRAWN;
  }

  /** In front of another text, for copies; empty if there is none. */
  public String text() {
    return phase == Phase.NONE ? "" : SIGN + phase + "," + lastJoined + "," + settled + " ";
  }

  /** What is behind the text of a draw, if there is one. */
  public static String behind(String text) {
    return text.startsWith(SIGN) ? text.substring(text.indexOf(' ') + 1) : text;
  }

  /** The inverse of {@link #text()}, whatever is behind it. */
  public static Drawing ofText(String text) {
    if (!text.startsWith(SIGN)) {
      return NONE;
    }
    String[] figures = text.substring(1, text.indexOf(' ')).split(",", 3);
    return new Drawing(
        Phase.valueOf(figures[0]), Long.parseLong(figures[1]), Long.parseLong(figures[2]));
  }
}
