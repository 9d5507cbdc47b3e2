package io.naru.queue;

/**
 * One visitor's place in a queue.
 *
 * @param entered when admitted, in microseconds; 0 while waiting
 * @param until when the right to be inside ends, or ended; 0 while waiting
 * @param reason why it ended, where that is told to its visitor
 */
public record Entry(EntryKey key, Status status, long entered, long until, EndReason reason) {

  public Entry(EntryKey key, Status status, long entered, long until) {
    this(key, status, entered, until, EndReason.NONE);
  }

  /** Where an entry is on its way. {@code WAITING → ENTERED → COMPLETED}, or out on the way. */
  public enum Status {
    WAITING,
    ENTERED,
    COMPLETED,
    EXPIRED,
    LEFT
  }

  public static Entry waiting(EntryKey key) {
    return new Entry(key, Status.WAITING, 0, 0);
  }

  /** The same entry on another part of its way. */
  public Entry as(Status now) {
    return new Entry(key, now, entered, until, reason);
  }

  /** The same entry with another end. */
  public Entry until(long end) {
    return new Entry(key, status, entered, end, reason);
  }

  /** Whether it expired because nobody was there when its turn came. */
  public boolean isAbsent() {
    return reason == EndReason.ABSENT;
  }

  /** Whether it expired because its visitor did not bring the proof that they owed. */
  public boolean isUnproven() {
    return reason == EndReason.UNPROVEN;
  }

  /** Whether its visitor came back from it after a failed payment, and has another place since. */
  public boolean isReturned() {
    return reason == EndReason.RETURNED;
  }

  /** Whether its visitor took the place along to another device. */
  public boolean isHandedOff() {
    return reason == EndReason.HANDOFF;
  }

  /** Whether it expired in line because the queue ended. */
  public boolean isEndedWithQueue() {
    return status == Status.EXPIRED && entered == 0 && !isAbsent() && !isUnproven();
  }

  public boolean isWaiting() {
    return status == Status.WAITING;
  }

  /** Waiting or inside: while one has a live entry, there is no second one. */
  public boolean isLive() {
    return status == Status.WAITING || status == Status.ENTERED;
  }
}
