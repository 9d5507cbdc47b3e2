package io.naru.memory;

import static java.util.Objects.requireNonNull;

import io.naru.admission.Admission;
import io.naru.admission.Allowance;
import io.naru.line.Departures;
import io.naru.line.Moved;
import io.naru.line.OverTurn;
import io.naru.line.RecentMoves;
import io.naru.line.Score;
import io.naru.line.Standing;
import io.naru.line.Told;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.Ended;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.Figures;
import io.naru.queue.Joined;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.Place;
import io.naru.queue.Queue;
import io.naru.queue.QueueId;
import io.naru.queue.Redeemed;
import io.naru.queue.Settings;
import io.naru.queue.Stay.CompletedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One queue in memory. Every method is one atomic step under the queue's lock. */
final class MemoryQueue {

  private static final long MINUTE = 60 * Micros.PER_SECOND;
  private static final long FINISHED_KEPT = 60 * MINUTE;
  private static final long COMPLETED_KEPT = 30 * 24 * FINISHED_KEPT;
  private static final int MAX_FINISHED = 1_000_000;
  private static final int MAX_OVER = 2_000_000;
  private static final long[] NONE = {};

  private final QueueId id;
  private final long createdAt;
  private final MemoryLine line = new MemoryLine();
  private final Map<String, Entry> inside = new HashMap<>();
  private final TreeSet<Entry> insideByExpiry =
      new TreeSet<>(
          Comparator.comparingLong(Entry::until).thenComparingLong(e -> e.key().joined()));

  /** To which session those inside belong who are bound to one. */
  private final Map<String, String> sessions = new HashMap<>();

  /** Completed and expired ones, in the order in which they ended. */
  private final LinkedHashMap<String, Finished> finished = new LinkedHashMap<>();

  /** How the entry before the present one ended, for whoever comes with its token. */
  private final LinkedHashMap<String, Finished> earlier = new LinkedHashMap<>();

  /** Those who completed more than an hour ago, where that may be done once only. */
  private final LinkedHashMap<String, Finished> completed = new LinkedHashMap<>();

  /** When ended entries of the last minute had joined, in the order in which they ended. */
  private final LinkedHashMap<String, long[]> recentJoins = new LinkedHashMap<>();

  /** Turns that were over before their pass was, in the order in which they ended. */
  private final ArrayDeque<OverTurn> over = new ArrayDeque<>();

  private Settings settings = Settings.DEFAULT;
  private boolean active;
  private long version;
  private long activatedAt;
  private long deactivatedAt;
  private Allowance allowance = new Allowance(0, 0);
  private final RecentMoves moves = new RecentMoves(0);
  private long lastScore;
  private long change;
  private long joinedTotal;
  private long enteredTotal;
  private long completedTotal;
  private long leftTotal;
  private long expiredTotal;

  private record Finished(Entry entry, long endedAt) {}

  MemoryQueue(QueueId id, long createdAt) {
    this.id = id;
    this.createdAt = createdAt;
    // Nobody joins before the queue was made, whatever the clock does.
    this.lastScore = createdAt - 1;
  }

  synchronized Joined join(String user, long now) {
    Place place = placeOf(user, now);
    if (place != null && place.entry().isLive()) {
      return new Joined.AlreadyIn(place);
    }
    if (settings.stay().requeues() && isOver(user, now)) {
      requeue(List.of(expire(user, now)), now);
      change++;
      return new Joined.AlreadyIn(requireNonNull(placeOf(user, now)));
    }
    Entry done = settings.stay().once() ? completedBy(user, now) : null;
    if (done != null) {
      return new Joined.Over(new Place(done, 0, state()));
    }
    if (!active) {
      return new Joined.Refused(Joined.Reason.NOT_ACTIVE, 0);
    }
    if (line.size() >= settings.door().maxWaiting()) {
      return new Joined.Refused(Joined.Reason.LINE_FULL, 0);
    }
    if (isOver(user, now)) {
      expire(user, now);
      change++;
    }
    long wait = enterLimitWait(user, now);
    if (wait > 0) {
      return new Joined.Refused(Joined.Reason.TOO_OFTEN, Math.ceilDiv(wait, Micros.PER_SECOND));
    }
    setAside(user);
    append(user, now);
    change++;
    var entry = Entry.waiting(new EntryKey(id, user, Score.micros(lastScore)));
    return new Joined.Waiting(new Place(entry, line.size() - 1L, state()));
  }

  synchronized Standing locate(String user, long now) {
    Place place = placeOf(user, now);
    return place == null ? new Standing.Unknown() : new Standing.Found(place);
  }

  synchronized Standing earlier(EntryKey key, long now) {
    return Stream.of(finished, earlier)
        .flatMap(all -> Stream.ofNullable(all.get(key.user())))
        .filter(ended -> ended.entry.key().equals(key) && ended.endedAt + FINISHED_KEPT > now)
        .<Standing>map(ended -> new Standing.Found(new Place(ended.entry, 0, state())))
        .findFirst()
        .orElse(new Standing.Unknown());
  }

  synchronized Moved since(long changeThen) {
    return moves.since(changeThen, state());
  }

  synchronized Told over(long after, long now, Deque<OverTurn> into) {
    forget(now);
    // From the last one backwards: those that are new are few.
    var latest = over.descendingIterator();
    while (latest.hasNext()) {
      OverTurn turn = latest.next();
      if (turn.change() <= after && after <= change) {
        break;
      }
      if (turn.entry().until() > now) {
        into.addFirst(turn);
      }
    }
    return new Told.UpTo(createdAt, change);
  }

  synchronized Ended leave(EntryKey key, long now) {
    if (isWaiting(key)) {
      long score = line.scoreOf(key.user()).orElseThrow();
      line.leave(key.user());
      moves.add(change, change + 1, Departures.of(0, score));
    } else if (!isInside(key, now)) {
      return Ended.UNKNOWN;
    } else {
      endTurn(key.user(), now);
      sessions.remove(key.user());
    }
    setAside(key.user());
    rememberJoin(key, now);
    change++;
    leftTotal++;
    return Ended.DONE;
  }

  synchronized Ended complete(EntryKey key, CompletedBy by, long now) {
    if (isInside(key, now)) {
      if (settings.stay().keepsFromCompleting(by)) {
        return Ended.SITE_ONLY;
      }
      finish(endTurn(key.user(), now), Status.COMPLETED, now);
      change++;
      completedTotal++;
      return Ended.DONE;
    }
    if (isWaiting(key)) {
      return Ended.NOT_INSIDE;
    }
    Place place = placeOf(key.user(), now);
    if (place == null || !place.entry().key().equals(key)) {
      return Ended.UNKNOWN;
    }
    return place.entry().status() == Status.COMPLETED ? Ended.DONE : Ended.NOT_INSIDE;
  }

  synchronized Redeemed redeem(EntryKey key, String session, long now) {
    if (isInside(key, now)) {
      String first = sessions.putIfAbsent(key.user(), session);
      return first == null || first.equals(session) ? Redeemed.DONE : Redeemed.OTHER_SESSION;
    }
    Place place = placeOf(key.user(), now);
    return place != null && place.entry().key().equals(key)
        ? Redeemed.NOT_INSIDE
        : Redeemed.UNKNOWN;
  }

  synchronized Admitted admit(Admission admission, long now) {
    forget(now);
    noticeClock(now);
    List<Entry> expired = expireOverdue(now);
    if (!active) {
      requeue(expired, now);
      change += expired.isEmpty() ? 0 : 1;
      return new Admitted.NotActive(expired.size(), figures(now));
    }
    allowance = allowance.at(now, settings.pacing());
    int wanted =
        switch (admission) {
          case Admission.Paced _ -> allowance.tokens();
          case Admission.ByHand(int count) -> count;
        };
    int step = Math.min(Admission.MAX_STEP, places(wanted));
    long until = now + settings.stay().passTtlSeconds() * Micros.PER_SECOND;
    List<Entry> entries =
        line.take(step).stream()
            .map(first -> new EntryKey(id, first.user(), Score.micros(first.score())))
            .map(key -> new Entry(key, Status.ENTERED, now, until))
            .toList();
    entries.forEach(this::goIn);
    enteredTotal += entries.size();
    requeue(expired, now);
    if (!entries.isEmpty() || !expired.isEmpty()) {
      moves.add(change, change + 1, Departures.of(entries.size()));
      change++;
    }
    if (admission instanceof Admission.Paced) {
      allowance = allowance.spend(entries.size());
    }
    boolean more =
        expired.size() == Admission.MAX_STEP
            || (line.size() > 0 && places(wanted - entries.size()) > 0);
    return new Admitted.Done(
        entries,
        expired.size(),
        more,
        allowance.nextRefillAt(settings.pacing()) - now,
        figures(now));
  }

  synchronized Edited edit(Edit edit, long now) {
    if (edit.ifVersion().isPresent() && edit.ifVersion().getAsLong() != version) {
      return new Edited.Conflict(version);
    }
    boolean isNew = version == 0;
    Settings changed = settings.with(edit.changes());
    boolean nowActive =
        switch (edit.activity()) {
          case KEEP -> active;
          case ACTIVATE -> true;
          case DEACTIVATE -> false;
        };
    if (isNew || !changed.equals(settings) || nowActive != active) {
      version++;
    }
    noticeClock(now);
    allowance = allowance.repaced(settings.pacing(), changed.pacing(), now);
    settings = changed;
    if (nowActive && !active) {
      if (activatedAt == 0) {
        allowance = Allowance.full(settings.pacing(), now);
      }
      activatedAt = now;
    } else if (!nowActive && active) {
      deactivatedAt = now;
    }
    active = nowActive;
    return isNew ? new Edited.Created(overview(now)) : new Edited.Updated(overview(now));
  }

  synchronized Overview overview(long now) {
    var queue = new Queue(id, settings, active, version, createdAt, activatedAt, deactivatedAt);
    return new Overview(queue, figures(now));
  }

  /** Whether people wait who could go in now. */
  synchronized boolean hasRoom(long now) {
    return active && line.size() > 0 && places(allowance.at(now, settings.pacing()).tokens()) > 0;
  }

  /** Whether a step of admission has something to do now. */
  synchronized boolean isDue(long now) {
    return hasRoom(now) || hasOverstayed(now) || hasForgettable(now);
  }

  /** Whether somebody's time inside is up, or reaches too far since the clock went back. */
  private boolean hasOverstayed(long now) {
    return !insideByExpiry.isEmpty()
        && (insideByExpiry.first().until() <= now || now < allowance.refilledAt());
  }

  /** Whether somebody is remembered who need not be any more. */
  private boolean hasForgettable(long now) {
    return isOver(finished, FINISHED_KEPT, now)
        || isOver(completed, COMPLETED_KEPT, now)
        || (!recentJoins.isEmpty()
            && withinMinute(recentJoins.firstEntry().getValue(), now).length == 0);
  }

  private static boolean isOver(SequencedMap<String, Finished> oldest, long kept, long now) {
    return !oldest.isEmpty() && oldest.firstEntry().getValue().endedAt + kept <= now;
  }

  /** How many are kept only to be answered about: finished ones, and joins of the last minute. */
  synchronized int remembered() {
    return finished.size() + earlier.size() + completed.size() + recentJoins.size();
  }

  private int places(int wanted) {
    return Allowance.places(settings.pace().maxCapacity(), inside.size(), wanted);
  }

  private @Nullable Place placeOf(String user, long now) {
    int ahead = line.ahead(user);
    if (ahead >= 0) {
      long joined = Score.micros(line.scoreOf(user).orElseThrow());
      return new Place(Entry.waiting(new EntryKey(id, user, joined)), ahead, state());
    }
    Entry in = inside.get(user);
    if (in != null) {
      return new Place(in.until() > now ? in : as(in, Status.EXPIRED), 0, state());
    }
    Finished done = finished.get(user);
    return done == null || done.endedAt + FINISHED_KEPT <= now
        ? null
        : new Place(done.entry, 0, state());
  }

  private LineState state() {
    return new LineState(change, line.size(), active, settings);
  }

  private Figures figures(long now) {
    var first = line.first();
    long longest = first == null ? 0 : Math.max(0, now - Score.micros(first.score()));
    return new Figures(
        change,
        line.size(),
        inside.size(),
        longest,
        joinedTotal,
        enteredTotal,
        completedTotal,
        leftTotal,
        expiredTotal);
  }

  private boolean isWaiting(EntryKey key) {
    var score = line.scoreOf(key.user());
    return score.isPresent() && Score.micros(score.getAsLong()) == key.joined();
  }

  private boolean isInside(EntryKey key, long now) {
    Entry in = inside.get(key.user());
    return in != null && in.key().joined() == key.joined() && in.until() > now;
  }

  private void goIn(Entry entry) {
    setAside(entry.key().user());
    inside.put(entry.key().user(), entry);
    insideByExpiry.add(entry);
  }

  private Entry goOut(String user) {
    Entry entry = inside.remove(user);
    if (entry == null) {
      throw new IllegalStateException(user + " is not inside " + id);
    }
    insideByExpiry.remove(entry);
    return entry;
  }

  /** All who are inside no longer come through here, and what is over too early is noted. */
  private Entry endTurn(String user, long now) {
    Entry entry = goOut(user);
    if (entry.until() > now) {
      over.add(new OverTurn(entry, change + 1));
    }
    return entry;
  }

  /** If the clock went back, nobody may stay longer than one pass life because of it. */
  private void noticeClock(long now) {
    if (now >= allowance.refilledAt()) {
      return;
    }
    long until = now + settings.stay().passTtlSeconds() * Micros.PER_SECOND;
    while (!insideByExpiry.isEmpty() && insideByExpiry.last().until() > until) {
      Entry far = goOut(insideByExpiry.last().key().user());
      goIn(new Entry(far.key(), far.status(), far.entered(), until));
    }
  }

  /** Those whose time is up, as they were; a bounded number at a time. */
  private List<Entry> expireOverdue(long now) {
    List<Entry> expired = new ArrayList<>();
    while (expired.size() < Admission.MAX_STEP
        && !insideByExpiry.isEmpty()
        && insideByExpiry.first().until() <= now) {
      expired.add(expire(insideByExpiry.first().key().user(), now));
    }
    return expired;
  }

  private boolean isOver(String user, long now) {
    Entry in = inside.get(user);
    return in != null && in.until() <= now;
  }

  private Entry expire(String user, long now) {
    Entry expired = endTurn(user, now);
    finish(expired, Status.EXPIRED, now);
    expiredTotal++;
    return expired;
  }

  /** Puts these at the end of the line, in the order in which they were in it before. */
  private void requeue(List<Entry> expired, long now) {
    if (settings.stay().requeues()) {
      expired.stream()
          .sorted(Comparator.comparingLong(entry -> entry.key().joined()))
          .forEach(entry -> append(entry.key().user(), now));
    }
  }

  private void append(String user, long now) {
    lastScore = Score.next(lastScore, now);
    line.join(user, lastScore);
    joinedTotal++;
  }

  private @Nullable Entry completedBy(String user, long now) {
    Finished done = finished.getOrDefault(user, completed.get(user));
    return done != null
            && done.entry.status() == Status.COMPLETED
            && done.endedAt + COMPLETED_KEPT > now
        ? done.entry
        : null;
  }

  private void finish(Entry entry, Status status, long now) {
    sessions.remove(entry.key().user());
    finished.put(entry.key().user(), new Finished(as(entry, status), now));
    rememberJoin(entry.key(), now);
  }

  /** There is a newer entry of the same user; how the last one ended is known all the same. */
  private void setAside(String user) {
    Finished ended = finished.remove(user);
    if (ended != null) {
      earlier.putLast(user, ended);
    }
  }

  private static Entry as(Entry entry, Status status) {
    return new Entry(entry.key(), status, entry.entered(), entry.until());
  }

  private void rememberJoin(EntryKey ended, long now) {
    // With every one that comes, not only with the beat: more may come and go than a beat drops.
    forget(now);
    if (ended.joined() <= now - MINUTE || settings.door().newPlacesPerMinute() == 0) {
      return;
    }
    long[] earlier = recentJoins.remove(ended.user());
    long[] kept = earlier == null ? NONE : withinMinute(earlier, now);
    long[] all = Arrays.copyOf(kept, kept.length + 1);
    // Scores run ahead of the clock when many arrive in one microsecond; a minute does not get
    // longer by that.
    all[kept.length] = Math.min(ended.joined(), now);
    recentJoins.put(ended.user(), all);
  }

  /** How long until {@code user} may take another new place, in microseconds; 0 if they may now. */
  private long enterLimitWait(String user, long now) {
    int limit = settings.door().newPlacesPerMinute();
    long[] recent = withinMinute(recentJoins.getOrDefault(user, NONE), now);
    return limit == 0 || recent.length < limit ? 0 : recent[recent.length - limit] + MINUTE - now;
  }

  /** Those of the last minute. What lies ahead is left from before the clock went back. */
  private static long[] withinMinute(long[] joins, long now) {
    return Arrays.stream(joins).filter(at -> at > now - MINUTE && at <= now).toArray();
  }

  /** Drops what has been kept long enough, a bounded number at a time. */
  private void forget(long now) {
    Iterator<Finished> oldest = finished.values().iterator();
    for (int i = 0; i < Admission.MAX_STEP && oldest.hasNext(); i++) {
      Finished old = oldest.next();
      if (old.endedAt + FINISHED_KEPT > now && finished.size() <= MAX_FINISHED) {
        break;
      }
      oldest.remove();
      if (settings.stay().once() && old.entry.status() == Status.COMPLETED) {
        completed.putLast(old.entry.key().user(), old);
      }
    }
    Iterator<Finished> before = earlier.values().iterator();
    for (int i = 0; i < Admission.MAX_STEP && before.hasNext(); i++) {
      if (before.next().endedAt + FINISHED_KEPT > now && earlier.size() <= MAX_FINISHED) {
        break;
      }
      before.remove();
    }
    Iterator<Finished> done = completed.values().iterator();
    for (int i = 0; i < Admission.MAX_STEP && done.hasNext(); i++) {
      if (done.next().endedAt + COMPLETED_KEPT > now && completed.size() <= MAX_FINISHED) {
        break;
      }
      done.remove();
    }
    for (int i = 0; i < Admission.MAX_STEP && !over.isEmpty(); i++) {
      if (over.getFirst().entry().until() > now && over.size() <= MAX_OVER) {
        break;
      }
      over.removeFirst();
    }
    Iterator<long[]> joins = recentJoins.values().iterator();
    for (int i = 0; i < Admission.MAX_STEP && joins.hasNext(); i++) {
      if (withinMinute(joins.next(), now).length > 0) {
        break;
      }
      joins.remove();
    }
  }
}
