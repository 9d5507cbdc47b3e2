package io.naru.ledger;

import io.naru.line.Fact;
import io.naru.line.Score;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.QueueId;

/** A row of {@code queue_entries}, which a {@link Decision} changes. */
final class EntryRow {

  final String user;
  final long score;
  Status status;
  long entered;
  long until;
  long ended;

  /** A hash of the session it belongs to; empty if to none. */
  String redeemedBy;

  EntryRow(
      String user,
      long score,
      Status status,
      long entered,
      long until,
      long ended,
      String redeemedBy) {
    this.user = user;
    this.score = score;
    this.status = status;
    this.entered = entered;
    this.until = until;
    this.ended = ended;
    this.redeemedBy = redeemedBy;
  }

  static EntryRow joining(String user, long score) {
    return new EntryRow(user, score, Status.WAITING, 0, 0, 0, "");
  }

  long joined() {
    return Score.micros(score);
  }

  boolean is(EntryKey key) {
    return user.equals(key.user()) && joined() == key.joined();
  }

  boolean isWaiting() {
    return status == Status.WAITING;
  }

  boolean isLive() {
    return isWaiting() || status == Status.ENTERED;
  }

  /** Inside, and still in time. */
  boolean isInside(long now) {
    return status == Status.ENTERED && until > now;
  }

  /** Inside, and its time is up: only nobody has noticed yet. */
  boolean isOverdue(long now) {
    return status == Status.ENTERED && until <= now;
  }

  Entry in(QueueId queue) {
    return new Entry(new EntryKey(queue, user, joined()), status, entered, until);
  }

  Fact fact() {
    return new Fact(user, score, status, entered, until);
  }
}
