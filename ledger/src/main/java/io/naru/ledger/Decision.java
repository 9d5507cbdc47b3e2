package io.naru.ledger;

import io.naru.admission.Admission;
import io.naru.admission.Allowance;
import io.naru.line.Change;
import io.naru.line.Fact;
import io.naru.line.Score;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.Ended;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.InvalidValue;
import io.naru.queue.Joined;
import io.naru.queue.Joined.Reason;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.Place;
import io.naru.queue.Redeemed;
import io.naru.queue.Settings;
import io.naru.queue.Stay.CompletedBy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one transaction decides about one queue, on what was read under the queue's lock: who gets
 * which place, who goes in, who is out. Pure: no SQL and no clock in here. The transaction reads
 * what the requests need, asks for each, and writes what was touched.
 *
 * <p>All that happens in one transaction is one change: {@code change + 1}, on the queue and on
 * every entry touched.
 */
final class Decision {

  static final long MINUTE = 60 * Micros.PER_SECOND;

  private final QueueRow queue;
  private final long now;
  private final long changeBefore;

  /** Every row that was read or made, by score, so that each is one object however it was found. */
  private final TreeMap<Long, EntryRow> rows = new TreeMap<>();

  /** The rows of the users asked about, oldest first. */
  private final Map<String, List<EntryRow>> byUser = new HashMap<>();

  /**
   * How those completed who are asked about, however long ago, where that may be done once only.
   */
  private final Map<String, EntryRow> completed = new HashMap<>();

  private final TreeMap<Long, EntryRow> touched = new TreeMap<>();
  private final List<EntryRow> made = new ArrayList<>();
  private boolean isQueueTouched;
  private boolean isEdited;

  Decision(QueueRow queue, long now) {
    this.queue = queue;
    this.now = now;
    this.changeBefore = queue.change;
  }

  QueueRow queue() {
    return queue;
  }

  /** Takes in rows that were read; a row read twice is the same row. */
  void read(Collection<EntryRow> read) {
    for (EntryRow row : read) {
      rows.putIfAbsent(row.score, row);
    }
  }

  /**
   * Takes in all rows of some users that may matter: live ones, those ended recently, and where
   * that counts, those completed at any time.
   *
   * @param recent who ended later than this did so recently
   */
  void readOfUsers(List<EntryRow> all, long recent) {
    for (EntryRow row : all) {
      if (row.status == Status.COMPLETED) {
        completed.put(row.user, row);
      }
    }
    List<EntryRow> read = all.stream().filter(row -> row.isLive() || row.ended > recent).toList();
    read(read);
    for (EntryRow row : read) {
      byUser.computeIfAbsent(row.user, _ -> new ArrayList<>(1)).add(known(row.score));
    }
  }

  private EntryRow known(long score) {
    EntryRow row = rows.get(score);
    if (row == null) {
      throw new IllegalStateException("no entry with score " + score + " was read");
    }
    return row;
  }

  /**
   * @throws InvalidValue if a setting is out of range; nothing is changed then
   */
  Edited edit(Edit edit) {
    if (edit.ifVersion().isPresent() && edit.ifVersion().getAsLong() != queue.version) {
      return new Edited.Conflict(queue.version);
    }
    boolean isNew = queue.version == 0;
    Settings changed = queue.settings.with(edit.changes());
    boolean nowActive =
        switch (edit.activity()) {
          case KEEP -> queue.active;
          case ACTIVATE -> true;
          case DEACTIVATE -> false;
        };
    if (isNew || !changed.equals(queue.settings) || nowActive != queue.active) {
      queue.version++;
      isEdited = true;
      touchQueue();
    }
    queue.allowance = queue.allowance.repaced(queue.settings.pacing(), changed.pacing(), now);
    queue.settings = changed;
    if (isNew) {
      queue.createdAt = now;
      // Nobody joins before the queue was made, whatever the clock does.
      queue.lastScore = now - 1;
    }
    if (nowActive && !queue.active) {
      if (queue.activatedAt == 0) {
        queue.allowance = Allowance.full(changed.pacing(), now);
      }
      queue.activatedAt = now;
    } else if (!nowActive && queue.active) {
      queue.deactivatedAt = now;
    }
    queue.active = nowActive;
    return isNew ? new Edited.Created(overview()) : new Edited.Updated(overview());
  }

  private Overview overview() {
    return new Overview(queue.asQueue(), queue.figures(longestWait()));
  }

  Ended leave(EntryKey key) {
    EntryRow row = find(key);
    if (row == null || !(row.isWaiting() || row.isInside(now))) {
      return Ended.UNKNOWN;
    }
    end(row, Status.LEFT);
    queue.left++;
    return Ended.DONE;
  }

  Ended complete(EntryKey key, CompletedBy by) {
    EntryRow row = find(key);
    if (row == null || row.status == Status.LEFT) {
      return Ended.UNKNOWN;
    }
    if (row.isInside(now)) {
      if (queue.settings.stay().keepsFromCompleting(by)) {
        return Ended.SITE_ONLY;
      }
      end(row, Status.COMPLETED);
      completed.put(row.user, row);
      queue.completed++;
      return Ended.DONE;
    }
    return row.status == Status.COMPLETED ? Ended.DONE : Ended.NOT_INSIDE;
  }

  Redeemed redeem(EntryKey key, String session) {
    EntryRow row = find(key);
    if (row == null || row.status == Status.LEFT) {
      return Redeemed.UNKNOWN;
    }
    if (!row.isInside(now)) {
      return Redeemed.NOT_INSIDE;
    }
    if (row.redeemedBy.isEmpty()) {
      row.redeemedBy = session;
      touch(row);
    }
    return row.redeemedBy.equals(session) ? Redeemed.DONE : Redeemed.OTHER_SESSION;
  }

  /** Only a user's latest entry can be meant; what was before is over. */
  private @Nullable EntryRow find(EntryKey key) {
    List<EntryRow> rows = byUser.getOrDefault(key.user(), List.of());
    return !rows.isEmpty() && rows.getLast().is(key) ? rows.getLast() : null;
  }

  /**
   * How many of the first in line an admission may need to see, if nobody ends in this transaction
   * and nobody edits: one more than can go in, to know who is first then.
   */
  static int frontNeeded(QueueRow queue, long now, Admission admission) {
    long wanted = wanted(admission, queue.allowance.at(now, queue.settings.pacing()));
    return (int) Math.min(Admission.MAX_STEP, wanted) + 1;
  }

  private static long wanted(Admission admission, Allowance allowance) {
    return switch (admission) {
      case Admission.Paced _ -> allowance.tokens();
      case Admission.ByHand(int count) -> count;
    };
  }

  /** Whether a step back of the clock left stays that reach too far. */
  static boolean mayCutStays(QueueRow queue, long now) {
    return now < queue.lastEnteredAt;
  }

  /** The right to be inside ends at most one pass life from now, whatever the clock did. */
  static long furthestStay(QueueRow queue, long now) {
    return now + queue.settings.stay().passTtlSeconds() * Micros.PER_SECOND;
  }

  /**
   * One step of admission over the rows that were read: overdue ones, stays that reach too far, and
   * the first in line.
   */
  Admitted admit(Admission admission) {
    cutStays();
    List<EntryRow> overdue = expireOverdue();
    int expired = overdue.size();
    if (!queue.active) {
      requeue(overdue);
      return new Admitted.NotActive(expired, queue.figures(longestWait()));
    }
    if (now < queue.allowance.refilledAt()) {
      touchQueue();
    }
    queue.allowance = queue.allowance.at(now, queue.settings.pacing());
    long wanted = wanted(admission, queue.allowance);
    int step = Math.min(Admission.MAX_STEP, queue.places(wanted));
    List<Entry> entries = new ArrayList<>();
    long until = furthestStay(queue, now);
    long front = queue.frontScore;
    for (EntryRow row : rows.values()) {
      // Those made by this transaction stand behind people who were not even read.
      if (row.isWaiting() && !isMade(row)) {
        if (entries.size() == step) {
          front = row.score;
          break;
        }
        row.status = Status.ENTERED;
        row.entered = now;
        row.until = until;
        touch(row);
        entries.add(row.in(queue.queue));
        front = row.score + 1;
      }
    }
    // Also if nobody goes in: those before the first one have left.
    queue.frontScore = front;
    if (!entries.isEmpty()) {
      queue.waiting -= entries.size();
      queue.inside += entries.size();
      queue.entered += entries.size();
      queue.lastEnteredAt = Math.max(queue.lastEnteredAt, now);
      if (admission instanceof Admission.Paced) {
        queue.allowance = queue.allowance.spend(entries.size());
      }
    }
    requeue(overdue);
    boolean more =
        expired == Admission.MAX_STEP
            || (queue.waiting > 0 && queue.places(wanted - entries.size()) > 0);
    long nextRefill = queue.allowance.nextRefillAt(queue.settings.pacing()) - now;
    return new Admitted.Done(entries, expired, more, nextRefill, queue.figures(longestWait()));
  }

  private void cutStays() {
    if (!mayCutStays(queue, now)) {
      return;
    }
    long furthest = furthestStay(queue, now);
    int cut = 0;
    for (EntryRow row : rows.values()) {
      if (row.status == Status.ENTERED && row.until > furthest) {
        row.until = furthest;
        touch(row);
        cut++;
      }
    }
    if (cut < Admission.MAX_STEP) {
      queue.lastEnteredAt = now;
      touchQueue();
    }
  }

  /** Those whose time is up, by their scores. */
  private List<EntryRow> expireOverdue() {
    List<EntryRow> overdue =
        rows.values().stream().filter(row -> row.isOverdue(now)).limit(Admission.MAX_STEP).toList();
    overdue.forEach(this::expire);
    return overdue;
  }

  /** Gives those who expired new places at the end of the line, if that is the queue's rule. */
  private void requeue(List<EntryRow> expired) {
    if (queue.settings.stay().requeues()) {
      expired.forEach(row -> append(row.user));
    }
  }

  private void expire(EntryRow row) {
    end(row, Status.EXPIRED);
    queue.expired++;
  }

  private void end(EntryRow row, Status status) {
    if (row.isWaiting()) {
      queue.waiting--;
    } else {
      queue.inside--;
    }
    row.status = status;
    row.ended = now;
    touch(row);
  }

  /** A place at the end of the line for somebody whose rows were read. */
  JoinDecision join(String user) {
    List<EntryRow> earlier = byUser.computeIfAbsent(user, _ -> new ArrayList<>(1));
    EntryRow last = earlier.isEmpty() ? null : earlier.getLast();
    if (last != null && (last.isWaiting() || last.isInside(now))) {
      return new JoinDecision.Already(last);
    }
    if (last != null && last.isOverdue(now) && queue.settings.stay().requeues()) {
      expire(last);
      return new JoinDecision.Already(append(user));
    }
    EntryRow done = queue.settings.stay().once() ? completed.get(user) : null;
    // They are deleted some time after that; until when one is refused must not depend on it.
    if (done != null && done.ended + Retention.ENDED_KEPT > now) {
      return new JoinDecision.Over(done);
    }
    if (!queue.active) {
      return refuse(Reason.NOT_ACTIVE, 0);
    }
    if (queue.waiting >= queue.settings.door().maxWaiting()) {
      return refuse(Reason.LINE_FULL, 0);
    }
    if (last != null && last.isOverdue(now)) {
      expire(last);
    }
    long wait = enterLimitWait(earlier);
    if (wait > 0) {
      return refuse(Reason.TOO_OFTEN, Math.ceilDiv(wait, Micros.PER_SECOND));
    }
    long ahead = queue.waiting;
    return new JoinDecision.New(append(user), ahead);
  }

  private EntryRow append(String user) {
    queue.lastScore = Score.next(queue.lastScore, now);
    EntryRow row = EntryRow.joining(user, queue.lastScore);
    rows.put(row.score, row);
    byUser.computeIfAbsent(user, _ -> new ArrayList<>(1)).add(row);
    made.add(row);
    touchQueue();
    if (queue.waiting == 0) {
      queue.frontScore = row.score;
    }
    queue.waiting++;
    queue.joined++;
    return row;
  }

  /** Whether this transaction made it: whatever it makes has a higher score than all before. */
  private boolean isMade(EntryRow row) {
    return !made.isEmpty() && row.score >= made.getFirst().score;
  }

  private static JoinDecision refuse(Reason reason, long retryAfterSeconds) {
    return new JoinDecision.Refused(new Joined.Refused(reason, retryAfterSeconds));
  }

  /** How long until this user may take another new place, in microseconds; 0 if they may now. */
  private long enterLimitWait(List<EntryRow> earlier) {
    int limit = queue.settings.door().newPlacesPerMinute();
    if (limit == 0 || earlier.size() < limit) {
      return 0;
    }
    // Scores run ahead of the clock when many arrive in one microsecond; a minute does not get
    // longer by that. What lies ahead is left from before the clock went back.
    long[] recent =
        earlier.stream()
            .filter(row -> !row.isLive())
            .mapToLong(row -> Math.min(row.joined(), row.ended))
            .filter(at -> at > now - MINUTE && at <= now)
            .toArray();
    return recent.length < limit ? 0 : recent[recent.length - limit] + MINUTE - now;
  }

  /** What came of a join, before the change it belongs to has its final figures. */
  sealed interface JoinDecision {

    record New(EntryRow row, long ahead) implements JoinDecision {}

    record Already(EntryRow row) implements JoinDecision {}

    /** Was inside and has completed, which may be done once only. */
    record Over(EntryRow row) implements JoinDecision {}

    record Refused(Joined.Refused answer) implements JoinDecision {}
  }

  /** The place of a new entry, once nothing more is decided in this transaction. */
  Place placeOf(JoinDecision.New join) {
    return new Place(join.row.in(queue.queue), join.ahead, queue.lineState());
  }

  /** The place of somebody who is or was inside. */
  Place placeBeyond(EntryRow row) {
    return new Place(row.in(queue.queue), 0, queue.lineState());
  }

  private long longestWait() {
    if (queue.waiting == 0) {
      return 0;
    }
    for (EntryRow row : rows.values()) {
      if (row.isWaiting()) {
        return Math.max(0, now - row.joined());
      }
    }
    return 0;
  }

  private void touch(EntryRow row) {
    touched.put(row.score, row);
    touchQueue();
  }

  private void touchQueue() {
    if (!isQueueTouched) {
      isQueueTouched = true;
      queue.change = changeBefore + 1;
      queue.changedMinute = now / MINUTE;
    }
  }

  /** Whether there is anything to write. */
  boolean isTouched() {
    return isQueueTouched;
  }

  List<EntryRow> made() {
    return made;
  }

  Collection<EntryRow> touched() {
    return touched.values();
  }

  boolean hasRoom() {
    return queue.hasRoom(now);
  }

  /** What the copy must be told. */
  Change change() {
    List<Fact> facts = new ArrayList<>(touched.size() + made.size());
    touched.values().forEach(row -> facts.add(row.fact()));
    made.forEach(row -> facts.add(row.fact()));
    return new Change(
        changeBefore,
        queue.change,
        facts,
        queue.waiting,
        queue.inside,
        isEdited ? queue.rules() : null);
  }
}
