package io.naru.line;

import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.QueueId;

/**
 * An entry as it stands now, as far as a copy needs to know it.
 *
 * @param joined when it joined, which names it
 * @param score where it stands; if nowhere yet, in the band of those, see {@link Score#unsettled}
 * @param entered when admitted, 0 before that
 * @param until when the right to be inside ends or ended, 0 before that
 * @param ticket the how-manieth of its lane it was to join; 0 where that does not matter
 */
public record Fact(
    String user, long joined, long score, Status status, long entered, long until, long ticket) {

  public Fact(String user, long joined, long score, Status status, long entered, long until) {
    this(user, joined, score, status, entered, until, 0);
  }

  public static Fact waiting(String user, long joined, long score) {
    return waiting(user, joined, score, 0);
  }

  public static Fact waiting(String user, long joined, long score, long ticket) {
    return new Fact(user, joined, score, Status.WAITING, 0, 0, ticket);
  }

  /** Whether it waits at a score that does not tell when it joined. */
  public boolean isApart() {
    return status == Status.WAITING && score - Score.laneFrom(score) != joined;
  }

  public Entry in(QueueId queue) {
    return new Entry(new EntryKey(queue, user, joined), status, entered, until);
  }
}
