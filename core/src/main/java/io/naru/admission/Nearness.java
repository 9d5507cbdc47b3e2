package io.naru.admission;

/**
 * Who is so near the front of a line that their turn may come at any moment. Those ask for
 * themselves, and it matters whether they are there; all others can live on what everybody is told.
 */
public final class Nearness {

  /** In these the turn of somebody near may come: time enough to notice, and to ask. */
  private static final int SECONDS = 10;

  /**
   * Where it matters who is there, these: nobody is known to be away who was not near for a while,
   * in which others have gone in before them.
   */
  private static final int LOOKED_SECONDS = 30;

  private static final int LEAST = 1_000;
  private static final int MOST = 20_000;

  private Nearness() {}

  /**
   * Who has fewer than these before them is near: as many as could go in within the next seconds,
   * between two bounds.
   *
   * @param fastest the rate, or the highest that it may come to by itself
   */
  public static int front(Pacing fastest) {
    return within(SECONDS, fastest);
  }

  /** The same where it matters who is there: these are looked at. */
  public static int looked(Pacing fastest) {
    return within(LOOKED_SECONDS, fastest);
  }

  private static int within(int seconds, Pacing fastest) {
    double soon = fastest.atOnce() + seconds * fastest.perSecond();
    return (int) Math.clamp(Math.ceil(soon), LEAST, MOST);
  }
}
