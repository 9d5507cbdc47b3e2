package io.naru.memory;

import io.naru.audit.AuditTrail;
import io.naru.decision.Book;
import io.naru.decision.Decision;
import io.naru.decision.EntryState;
import io.naru.decision.Needs;
import io.naru.decision.Outcome;
import io.naru.decision.QueueState;
import io.naru.decision.Request;
import io.naru.history.Course;
import io.naru.history.Minute;
import io.naru.history.Past;
import io.naru.history.Period;
import io.naru.journal.Happened;
import io.naru.journal.Journaled;
import io.naru.line.Fact;
import io.naru.line.Moved;
import io.naru.line.OverTurn;
import io.naru.line.Score;
import io.naru.line.Standing;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.line.Told;
import io.naru.queue.Admission;
import io.naru.queue.DrawView;
import io.naru.queue.Draws;
import io.naru.queue.EndReason;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.LaneCount;
import io.naru.queue.LobbyEntry;
import io.naru.queue.Overview;
import io.naru.queue.Owed;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.rate.RatePoint;
import io.naru.rate.RateView;
import io.naru.transfer.MovedEntry;
import io.naru.transfer.MovedQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One queue in memory: the entries as they were last decided, found in the ways that decisions ask
 * for them. Not thread-safe: {@link MemoryQueues} holds its lock.
 */
final class MemoryBook {

  private static final int MAX_ENDED = 1_000_000;
  private static final int MAX_OVER = 2_000_000;
  private static final long MINUTES_KEPT = EntryState.ENDED_KEPT / Minute.MICROS;

  /** An hour of seconds. */
  private static final int POINTS_KEPT = 3_600;

  private final MovingLine line;

  /** All that is known of a user, oldest first. */
  private final Map<String, List<EntryState>> byUser = new HashMap<>();

  private final TreeSet<EntryState> inside =
      new TreeSet<>(
          Comparator.<EntryState>comparingLong(e -> e.until).thenComparingLong(e -> e.joined));

  /** What has ended, in that order: each is known as long as the rules ask for it. */
  private final Deque<EntryState> left = new ArrayDeque<>();

  private final Deque<EntryState> ended = new ArrayDeque<>();
  private final Deque<EntryState> completed = new ArrayDeque<>();

  /** Turns that were over before their pass was, in the order in which they ended. */
  private final Deque<OverTurn> over = new ArrayDeque<>();

  /** Those who wait and were passed over. */
  private final PassedOver passed = new PassedOver();

  /** Those who wait and owe something. */
  private final Owing owing = new Owing();

  /** When those were last seen who were near the front, by when they joined. */
  private final Map<Long, Long> seen = new HashMap<>();

  /** Hashes of codes that can be used, with their lanes. */
  private final Map<String, String> codes = new HashMap<>();

  private final Courses courses = new Courses();

  /** All that was counted up to the end of each minute in which something changed. */
  private final TreeMap<Long, Minute> minutes = new TreeMap<>();

  /** The rate, if it follows something. */
  private final Deque<RatePoint> points = new ArrayDeque<>();

  /** What is kept for draws, by who fixed the list and by the number of the part. */
  private final Map<String, Map<Integer, byte[]>> leaves = new HashMap<>(0);

  private QueueState queue;
  private boolean isDeleted;
  private final AuditTrail trail;
  private final MemoryLog log;
  private final MemoryFeed feed;

  /** When what is written was decided. */
  private long now;

  /**
   * @param number no other queue has it, also not one of the same name
   */
  MemoryBook(QueueId id, AuditTrail trail, MemoryFeed feed, long number) {
    this.trail = trail;
    this.feed = feed;
    this.log = new MemoryLog(number, id, "memory/" + number);
    this.queue = new QueueState(id);
    this.line = new MovingLine(id);
  }

  /** A decision works on copies: what fails on its way has changed nothing. */
  private final class Draft implements Book<RuntimeException> {
    private final QueueState draft = queue.copy();

    @Override
    public QueueState queue() {
      return draft;
    }

    @Override
    public List<EntryState> fetch(Needs needs) {
      return MemoryBook.this.fetch(needs).stream().map(EntryState::copy).toList();
    }

    @Override
    public List<EntryState> passed(Needs.Passed needs) {
      return passed
          .find(needs.and(owing.first(needs.owing())))
          .map(
              mark ->
                  of(mark.user()).stream()
                      .filter(entry -> entry.joined == mark.joined())
                      .findFirst()
                      .orElseThrow()
                      .copy()
                      .passed(mark.since()))
          .toList();
    }

    @Override
    public Map<Long, Long> seen(Collection<Long> joined) {
      Map<Long, Long> found = new HashMap<>();
      for (long each : joined) {
        Long at = seen.get(each);
        if (at != null) {
          found.put(each, at);
        }
      }
      return found;
    }

    @Override
    public Map<Long, Debt> owed(Collection<Long> joined) {
      return owing.of(joined);
    }

    @Override
    public Map<String, String> codes(Set<String> hashes) {
      Map<String, String> found = new HashMap<>(codes);
      found.keySet().retainAll(hashes);
      return found;
    }

    @Override
    public void write(Outcome outcome) {
      MemoryBook.this.write(outcome);
    }
  }

  Outcome decide(List<? extends Request<?>> requests, long now) {
    forget(now);
    this.now = now;
    return Decision.make(new Draft(), requests, now, feed.hasReaders());
  }

  private List<EntryState> fetch(Needs needs) {
    List<EntryState> found = new ArrayList<>();
    needs.users().forEach(user -> found.addAll(of(user)));
    inside.stream()
        .takeWhile(entry -> entry.isOverdue(needs.now()))
        .limit(needs.overdue())
        .forEach(found::add);
    needs
        .stayingBeyond()
        .ifPresent(
            until ->
                inside.descendingSet().stream()
                    .takeWhile(entry -> entry.until > until)
                    .limit(Admission.MAX_STEP)
                    .forEach(found::add));
    for (Needs.Front front : needs.allFronts()) {
      line.from(front.from(), front.count())
          .forEach(first -> found.add(of(first.user()).getLast()));
    }
    needs.entries().forEach(joined -> found.addAll(unsettled(joined)));
    return found;
  }

  /** Whoever joined then and has no place yet stands in one of few places. */
  private List<EntryState> unsettled(long joined) {
    return queue.bands.counts().stream()
        .filter(LaneCount::isUnsettled)
        .map(lane -> Score.inBand(lane.band(), joined))
        .flatMap(score -> line.from(score, 1).stream().filter(fact -> fact.score() == score))
        .map(fact -> of(fact.user()).getLast())
        .toList();
  }

  private List<EntryState> of(String user) {
    return byUser.getOrDefault(user, List.of());
  }

  private void write(Outcome outcome) {
    queue = outcome.queue();
    isDeleted = outcome.isDeleted();
    if (outcome.closed() != null) {
      minutes.put(outcome.closed().number(), outcome.closed());
      minutes.headMap(queue.changedMinute - MINUTES_KEPT).clear();
    }
    if (outcome.point() != null) {
      points.add(outcome.point());
      if (points.size() > POINTS_KEPT) {
        points.remove();
      }
    }
    if (outcome.noted() != null) {
      note(outcome.noted());
    }
    outcome.touched().forEach(this::replace);
    outcome.erased().keySet().forEach(this::forget);
    outcome
        .made()
        .forEach(
            entry -> {
              byUser.computeIfAbsent(entry.user, _ -> new ArrayList<>(1)).add(entry);
              if (entry.joined >= queue.createdAt) {
                courses.add(entry.course());
              }
              keep(entry);
            });
    if (outcome.isTouched() && !line.apply(outcome.change())) {
      throw new IllegalStateException("the line of " + queue.queue + " does not add up");
    }
    codes.putAll(outcome.newCodes());
    codes.keySet().removeAll(outcome.usedCodes());
    outcome.acts().forEach(trail::note);
    if (!outcome.events().isEmpty() && !isDeleted) {
      log.note(new Journaled(queue.change, now, outcome.events()));
    }
    if (!outcome.told().isEmpty()) {
      var happened = new Happened(outcome.toldAs(), now, outcome.told());
      feed.note(log.id(), queue.queue, happened, isDeleted);
    }
  }

  MemoryLog log() {
    return log;
  }

  private void note(Outcome.Noted noted) {
    if (noted.isOver()) {
      passed.clear();
      owing.clear();
      seen.clear();
    }
    noted.passed().forEach(passed::put);
    noted.owing().forEach(owing::put);
    noted.seen().forEach(joined -> seen.put(joined, noted.at()));
    seen.values().removeIf(at -> at < noted.forgotten());
  }

  /** Their times and their order are kept without any name anyway. */
  private void forget(String user) {
    byUser.remove(user);
    left.removeIf(entry -> entry.user.equals(user));
    ended.removeIf(entry -> entry.user.equals(user));
    completed.removeIf(entry -> entry.user.equals(user));
    over.removeIf(turn -> turn.entry().key().user().equals(user));
  }

  private void replace(EntryState entry) {
    of(entry.user)
        .replaceAll(
            known -> {
              if (known.joined != entry.joined) {
                return known;
              }
              inside.remove(known);
              return entry;
            });
    keep(entry);
    courses.replace(entry.course());
  }

  /** Notes where it is found, beside who it is of. */
  private void keep(EntryState entry) {
    switch (entry.status) {
      case WAITING -> {}
      case ENTERED -> inside.add(entry);
      // Who took their place along is told so as long as anybody is told of an end.
      case LEFT -> (entry.isTold() ? ended : left).add(entry);
      case COMPLETED, EXPIRED -> ended.add(entry);
    }
    if (entry.isOverEarly()) {
      Entry admitted = entry.in(queue.queue).as(Status.ENTERED);
      over.addAll(OverTurn.of(admitted, entry.cut, queue.change));
    }
  }

  /** Drops what is not needed any more, a bounded number at a time. */
  void forget(long now) {
    courses.forget(now - EntryState.ENDED_KEPT);
    for (int i = 0; i < Admission.MAX_STEP && isOver(left, EntryState.LEFT_KNOWN, now); i++) {
      EntryState entry = left.remove();
      if (of(entry.user).size() > 1) {
        // As long as something earlier is known, that this was the last must be, too.
        ended.add(entry);
      } else {
        drop(entry);
      }
    }
    for (int i = 0; i < Admission.MAX_STEP && isOver(ended, EntryState.ENDED_KNOWN, now); i++) {
      EntryState entry = ended.remove();
      if ((entry.status == Status.COMPLETED && queue.settings.stay().once())
          || entry.reason == EndReason.RETURNED) {
        completed.add(entry);
      } else {
        drop(entry);
      }
    }
    for (int i = 0; i < Admission.MAX_STEP && isOver(completed, EntryState.ENDED_KEPT, now); i++) {
      drop(completed.remove());
    }
    for (int i = 0; i < Admission.MAX_STEP && !over.isEmpty(); i++) {
      if (over.element().entry().until() > now && over.size() <= MAX_OVER) {
        break;
      }
      over.remove();
    }
  }

  private static boolean isOver(Deque<EntryState> oldest, long known, long now) {
    return !oldest.isEmpty()
        && (oldest.element().ended + known <= now || oldest.size() > MAX_ENDED);
  }

  private void drop(EntryState entry) {
    List<EntryState> known = of(entry.user);
    known.remove(entry);
    if (known.isEmpty()) {
      byUser.remove(entry.user);
    }
  }

  /** Those who joined from one moment on and before another, the first of them. */
  List<Course> courses(long from, long to, int limit) {
    return courses.some(from, to, limit);
  }

  /** What happened in each minute of a time. */
  List<Minute> timeline(Period period, long now) {
    TreeMap<Long, Minute> totals = new TreeMap<>(minutes);
    Minute last = queue.lastMinute();
    totals.put(last.number(), last);
    return Minute.timeline(
        List.copyOf(totals.values()), queue.createdAt, period.in(queue.createdAt, now));
  }

  /** The rate, now and from some moment on. */
  RateView rate(long from, long now) {
    return new RateView(
        queue.rateNow(now),
        queue.rate,
        points.stream().filter(point -> point.at() >= from).toList());
  }

  /** What is still known of one person, the latest first. */
  List<Past> entries(String user, long before, int limit, long now) {
    return of(user).reversed().stream()
        .filter(entry -> entry.joined < before)
        .limit(limit)
        .map(this::asPassed)
        .map(entry -> entry.past(queue.queue, now))
        .toList();
  }

  private EntryState asPassed(EntryState entry) {
    Book.Debt debt = owing.of(entry.joined);
    return entry.copy().passed(passed.since(entry.joined)).owing(debt.owed(), debt.until());
  }

  Owed owed(EntryKey entry) {
    return owing.of(entry.joined()).owed();
  }

  /** An operator's question: nothing is kept in order to answer it quickly. */
  Optional<Past> entry(long joined, long now) {
    return byUser.values().stream()
        .flatMap(List::stream)
        .filter(entry -> entry.joined == joined)
        .map(entry -> entry.past(queue.queue, now))
        .findFirst();
  }

  long createdAt() {
    return queue.createdAt;
  }

  /** How many are kept only to be answered about. */
  int remembered() {
    return left.size() + ended.size() + completed.size();
  }

  /** All that is known, as of now; those who do not wait first. */
  Optional<Taken> taken() {
    if (queue.isBeingRestored()) {
      return Optional.empty();
    }
    List<EntryState> all = new ArrayList<>();
    byUser.values().forEach(all::addAll);
    return Optional.of(new Taken(queue.moved(), all, owing.all()));
  }

  /**
   * A queue as it was when it was read. Entries are replaced, never changed, so these stay as they
   * are.
   */
  record Taken(MovedQueue queue, List<EntryState> entries, Map<Long, Owed> owed) {

    /** In the order in which they are moved. */
    List<MovedEntry> moved() {
      return entries.stream()
          .map(e -> e.copy().owing(owed.getOrDefault(e.joined, Owed.NOTHING), 0).moved())
          .sorted(MovedEntry.ORDER)
          .toList();
    }
  }

  /** Whether there is such a queue: not before it is made, and not after it was deleted. */
  boolean exists() {
    return queue.version > 0 && !isDeleted;
  }

  boolean isDeleted() {
    return isDeleted;
  }

  Overview overview(long now) {
    long first = line.first(1).stream().mapToLong(Fact::joined).findFirst().orElse(now);
    return new Overview(
        queue.asQueue(now), queue.figures(queue.longestWait(first, now)), queue.rateNow(now));
  }

  /** Whether a step of admission has something to do now. */
  boolean isDue(long now) {
    return queue.hasRoom(now)
        || queue.turnsAt(now)
        || (!queue.state.admissionPaused()
            && queue.waiting > 0
            && now < queue.allowance.refilledAt())
        || (!inside.isEmpty() && (inside.first().isOverdue(now) || queue.isAheadOf(now)));
  }

  boolean isDrawUnderWay(long now) {
    return queue.isDrawUnderWay(now);
  }

  Optional<DrawView> draw(long now) {
    return queue.drawView(now);
  }

  /** Some who are to be drawn, see {@link Draws#lobby}. */
  List<LobbyEntry> lobby(int lane, long after, int limit, long now) {
    return queue
        .toDraw(lane, after, now)
        .map(
            range ->
                line.between(range, limit).stream()
                    .map(fact -> new LobbyEntry(fact.joined(), fact.user()))
                    .toList())
        .orElse(List.of());
  }

  Map<Integer, byte[]> leaves(String sealId) {
    return leaves.computeIfAbsent(sealId, _ -> new HashMap<>());
  }

  void forgetLeaves(String sealId) {
    if (queue.draw == null || !queue.draw.sealId().equals(sealId)) {
      leaves.remove(sealId);
    }
  }

  Tickets tickets() {
    return line.tickets();
  }

  Tile tile(Tile.Block block) {
    return line.tile(block);
  }

  Standing locate(String user, long now) {
    Standing standing = line.locate(user);
    if (standing instanceof Standing.Found(Place place)
        && (place.entry().isWaiting() || place.entry().until() > now)) {
      return standing;
    }
    List<EntryState> all = of(user);
    return all.isEmpty() ? new Standing.Unknown() : beyond(all.getLast(), now);
  }

  Standing earlier(EntryKey key, long now) {
    return of(key.user()).stream()
        .filter(entry -> entry.joined == key.joined())
        .map(entry -> beyond(entry, now))
        .findFirst()
        .orElse(new Standing.Unknown());
  }

  private Standing beyond(EntryState entry, long now) {
    boolean isKnown =
        entry.isTold() && (entry.isLive() || entry.ended + EntryState.ENDED_KNOWN > now);
    return isKnown
        ? new Standing.Found(Place.beyond(entry.in(queue.queue, now), line.state()))
        : new Standing.Unknown();
  }

  Moved since(long then) {
    return line.since(then);
  }

  /** Names the turns that are over, in the order of their changes. */
  Told over(long after, long now, Collection<OverTurn> into) {
    forget(now);
    Deque<OverTurn> found = new ArrayDeque<>();
    // From the last one backwards: those that are new are few.
    var latest = over.descendingIterator();
    while (latest.hasNext()) {
      OverTurn turn = latest.next();
      if (turn.change() <= after && after <= queue.change) {
        break;
      }
      if (turn.entry().until() > now) {
        found.addFirst(turn);
      }
    }
    into.addAll(found);
    return new Told.UpTo(queue.born(), queue.change);
  }
}
