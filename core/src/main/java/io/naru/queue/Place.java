package io.naru.queue;

/**
 * An entry and where it stands.
 *
 * @param ahead how many are waiting before it; 0 once it is no longer waiting
 */
public record Place(Entry entry, long ahead, LineState line) {

  /** For people, who count from 1. */
  public long position() {
    return ahead + 1;
  }

  public long estimatedWaitSeconds() {
    return line.settings().pacing().estimatedWaitSeconds(position());
  }

  /** When asking again makes sense: the further from the front, the later. */
  public long askAgainSeconds() {
    return Math.clamp(estimatedWaitSeconds() / 10, 1, 30);
  }
}
