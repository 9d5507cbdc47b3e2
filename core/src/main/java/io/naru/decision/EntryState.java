package io.naru.decision;

import io.naru.history.Course;
import io.naru.history.Past;
import io.naru.line.Fact;
import io.naru.line.Score;
import io.naru.queue.EndReason;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.Micros;
import io.naru.queue.Owed;
import io.naru.queue.QueueId;
import io.naru.transfer.MovedEntry;

/** An entry as it is stored, which a {@link Decision} changes. */
public final class EntryState {

  /** How one's turn ended is known for an hour. */
  public static final long ENDED_KNOWN = 3_600 * Micros.PER_SECOND;

  /** That one has completed where this may be done once only, and all that is stored, 30 days. */
  public static final long ENDED_KEPT = 30 * 24 * ENDED_KNOWN;

  /** New places are counted per minute, also those that were left. */
  public static final long LEFT_KNOWN = 60 * Micros.PER_SECOND;

  /** In place of since when somebody is away, of one that was passed over since it owes. */
  public static final long OWING = QueueState.NEVER;

  public final String user;

  /** When it joined: what names this entry, whatever becomes of its place. */
  public final long joined;

  /** Where it stands in the line; see {@link #isUnsettled}. */
  public long score;

  /** The how-manieth of its lane it was to join. */
  public long ticket;

  public Status status;
  public long entered;
  public long until;

  /** Of somebody inside who came back, when their pass ends, which their stay does before. */
  public long ended;

  /** A hash of the session it belongs to; empty if to none. */
  public String redeemedBy;

  public EndReason reason;

  /**
   * Of a turn that was over while its visitor, who had come back, was to try again: until when that
   * would have gone on, and the passes that were made then do. Else 0, also if it was read.
   */
  public long cut;

  /** Whether it stands elsewhere by now than it was read. */
  public boolean isMoved;

  /** When its visitor was last seen, as far as that is known and was asked for. */
  public long seen;

  /** Whether its turn came and others went in before it; as long as it waits, that is kept. */
  public boolean isPassed;

  /**
   * Of one that was passed over, since when, or {@link #OWING}; 0 once its visitor was seen again,
   * or owes nothing more.
   */
  public long absentSince;

  /** What its visitor still owes, as far as it was asked for. */
  public Owed owed = Owed.NOTHING;

  /** Of one that was passed over for that, until when that is so; else 0. */
  public long owedUntil;

  public EntryState(
      String user,
      long joined,
      long score,
      Status status,
      long entered,
      long until,
      long ended,
      String redeemedBy,
      EndReason reason) {
    this.user = user;
    this.joined = joined;
    this.score = score;
    this.status = status;
    this.entered = entered;
    this.until = until;
    this.ended = ended;
    this.redeemedBy = redeemedBy;
    this.reason = reason;
  }

  public static EntryState joining(String user, long joined, long score) {
    return new EntryState(user, joined, score, Status.WAITING, 0, 0, 0, "", EndReason.NONE);
  }

  public EntryState copy() {
    var copy =
        new EntryState(user, joined, score, status, entered, until, ended, redeemedBy, reason);
    copy.ticket = ticket;
    copy.cut = cut;
    return copy;
  }

  /** The same, of somebody who owes something. */
  public EntryState owing(Owed what, long until) {
    owed = what;
    owedUntil = until;
    return this;
  }

  /** As if it had never been passed over, and owed nothing. */
  void forgetPresence() {
    isPassed = false;
    absentSince = 0;
    owed = Owed.NOTHING;
    owedUntil = 0;
  }

  /** Whether it may not go in yet. */
  public boolean owes() {
    return owed != Owed.NOTHING;
  }

  /** The same, of somebody who was passed over. */
  public EntryState passed(long since) {
    isPassed = true;
    absentSince = since;
    return this;
  }

  boolean is(EntryKey key) {
    return user.equals(key.user()) && joined == key.joined();
  }

  public boolean isWaiting() {
    return status == Status.WAITING;
  }

  /** Whether it waits and its place is not decided yet. */
  public boolean isUnsettled() {
    return isWaiting() && Score.isUnsettled(Score.lane(score));
  }

  public boolean isLive() {
    return isWaiting() || status == Status.ENTERED;
  }

  /** Inside, and still in time. */
  public boolean isInside(long now) {
    return status == Status.ENTERED && until > now;
  }

  /** Inside, and its time is up: only nobody has noticed yet. */
  public boolean isOverdue(long now) {
    return status == Status.ENTERED && until <= now;
  }

  /** Whether its turn was over before its pass was, which the gates must hear of. */
  public boolean isOverEarly() {
    return !isLive() && until > ended;
  }

  public Entry in(QueueId queue) {
    return in(queue, status);
  }

  private Entry in(QueueId queue, Status as) {
    return new Entry(new EntryKey(queue, user, joined), as, entered, until, toldReason(as));
  }

  /** Why it ended, where its visitor is to hear of that. */
  private EndReason toldReason(Status as) {
    boolean isTold =
        switch (reason) {
          case ABSENT, UNPROVEN, RETURNED -> as == Status.EXPIRED;
          case HANDOFF -> true;
          case NONE, REMOVED, REVOKED -> false;
        };
    return isTold ? reason : EndReason.NONE;
  }

  /** Whether its visitor is told how it ended: of a place that was left there is nothing to say. */
  public boolean isTold() {
    return status != Status.LEFT || reason == EndReason.HANDOFF;
  }

  /** As {@link #in}, and expired if its time is up. */
  public Entry in(QueueId queue, long now) {
    return in(queue, isOverdue(now) ? Status.EXPIRED : status);
  }

  public Past past(QueueId queue, long now) {
    long over = isOverdue(now) ? until : isLive() ? 0 : ended;
    return new Past(in(queue, now), over, reason, absentSince == OWING ? 0 : absentSince, owed);
  }

  public Course course() {
    return new Course(
        joined, entered, until, isLive() ? 0 : ended, status, !redeemedBy.isEmpty(), reason);
  }

  /** As it came from another ledger. */
  static EntryState of(MovedEntry moved) {
    var entry =
        new EntryState(
            moved.user(),
            moved.joined(),
            moved.score(),
            moved.status(),
            moved.entered(),
            moved.until(),
            moved.ended(),
            moved.redeemedBy(),
            moved.reason());
    entry.ticket = moved.ticket();
    return entry;
  }

  /** As it is moved to another ledger. */
  public MovedEntry moved() {
    return new MovedEntry(
        user, joined, score, ticket, status, entered, until, ended, redeemedBy, reason, owed);
  }

  /** Whether nothing is known of it but that it waits. */
  public boolean isPlain() {
    return isWaiting()
        && entered == 0
        && until == 0
        && ended == 0
        && redeemedBy.isEmpty()
        && reason == EndReason.NONE;
  }

  public Fact fact() {
    return new Fact(user, joined, score, status, entered, until, ticket);
  }
}
