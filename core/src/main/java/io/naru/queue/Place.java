package io.naru.queue;

/**
 * An entry and where it stands; somebody who waits may have no place yet, see {@link #isSettled}.
 *
 * @param score by which it stands in line; 0 once it is no longer waiting
 * @param ahead how many are waiting before it in its lane; 0 once it is no longer waiting. Means
 *     nothing to people as long as their place is not settled
 * @param ticket the how-manieth of its lane it was to join; 0 once it is no longer waiting, and
 *     where nobody counts
 */
public record Place(Entry entry, long score, long ahead, long ticket, LineState line) {

  public Place {
    if (entry.isWaiting() && line.state().isEnded()) {
      // The end is for everybody at once, although a long line is ended step by step.
      entry = entry.as(Entry.Status.EXPIRED);
      score = 0;
      ahead = 0;
      ticket = 0;
    }
  }

  /** Of somebody who is, or was, beyond the line. */
  public static Place beyond(Entry entry, LineState line) {
    return new Place(entry, 0, 0, 0, line);
  }

  /**
   * Whether it has a place: false of one that waits and will get one, by a draw or by chance. Then
   * nobody is shown a position.
   */
  public boolean isSettled() {
    return !entry.isWaiting() || !Band.isUnsettled(Band.of(score));
  }

  /** For people, who count from 1. */
  public long position() {
    return ahead + 1;
  }

  public long estimatedWaitSeconds() {
    return line.settings().pacing().estimatedWaitSeconds(position());
  }

  /**
   * When asking again makes sense: the further from the front, the later. Where it matters who is
   * there, soon enough to count as present.
   */
  public long askAgainSeconds() {
    if (!isSettled()) {
      return line.drawing().phase() == Drawing.Phase.LOBBY ? 10 : 1;
    }
    return Math.clamp(estimatedWaitSeconds() / 10, 1, line.looksAt(ahead) ? 4 : 30);
  }
}
