package io.naru.ledger.copies;

import io.naru.decision.Book;
import io.naru.decision.Decision;
import io.naru.decision.EntryState;
import io.naru.decision.Needs;
import io.naru.decision.Outcome;
import io.naru.decision.QueueState;
import io.naru.decision.Request;
import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.Fact;
import io.naru.line.Held;
import io.naru.line.LineCopy;
import io.naru.line.Original;
import io.naru.line.Part;
import io.naru.line.Score;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Claim;
import io.naru.queue.Edit;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A ledger of one queue that remembers every state it was ever in. What happens, is decided. */
final class ModelLedger implements Source {

  static final Original OF = new Original(new QueueId("SIM", "1"), "ledger/1");

  /** Turns are short, so that some end while others begin. */
  private static final int TURN_SECONDS = 10;

  /** How many are read at a time. */
  private static final int PART = 20;

  /**
   * All that is known at one change.
   *
   * @param entries everybody who was ever there, by when they joined
   * @param touched at which change each was touched last
   * @param edited at which change the queue was edited last
   */
  private record State(
      QueueState queue,
      TreeMap<Long, EntryState> entries,
      TreeMap<Long, Long> touched,
      long edited) {

    List<Fact> facts(Predicate<EntryState> which) {
      return entries.values().stream().filter(which).map(EntryState::fact).toList();
    }

    long touchedAt(Fact fact) {
      return touched.getOrDefault(fact.joined(), 0L);
    }
  }

  private final List<State> states = new ArrayList<>();
  private final boolean isRequeueing;
  private int users;
  private long now = 86_400 * Micros.PER_SECOND;

  /** Whether it has lost the whole queue. */
  boolean hasLostAll;

  /** How many commits whoever reads does not see yet, as from a standby. */
  int lag;

  /** What happens while somebody reads: others do not wait for that. */
  Runnable whileReading = () -> {};

  /**
   * @param isRequeueing whether those who expire have a new place with the same change
   */
  ModelLedger(boolean isRequeueing) {
    this.isRequeueing = isRequeueing;
    states.add(new State(new QueueState(OF.queue()), new TreeMap<>(), new TreeMap<>(), 0));
  }

  long change() {
    return states.size() - 1L - lag;
  }

  int users() {
    return users;
  }

  /** The last commits are gone, as after a fail-over to a standby that had not got them. */
  void lose(int commits) {
    states.subList(states.size() - commits, states.size()).clear();
  }

  /** So many join at once: one change. */
  Change fill(int people) {
    List<Request<?>> requests = new ArrayList<>();
    for (int i = 0; i < people; i++) {
      requests.add(joining());
    }
    return decide(requests);
  }

  /** So many go in at once: one change. */
  Change admit(int people) {
    return decide(
        new ArrayList<>(
            List.of(new Request.Admit(OF.queue(), new Admission.ByHand(people, Actor.SYSTEM)))));
  }

  /** Some expire, some join, some are admitted, some leave: one change. */
  Change commit(Random random) {
    now += random.nextLong(3 * Micros.PER_SECOND);
    List<Request<?>> requests = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      requests.add(joining());
    }
    int admitted = random.nextInt(3);
    if (admitted > 0) {
      requests.add(new Request.Admit(OF.queue(), new Admission.ByHand(admitted, Actor.SYSTEM)));
    }
    List<EntryState> live =
        states.getLast().entries.values().stream().filter(EntryState::isLive).toList();
    if (!live.isEmpty() && random.nextInt(3) == 0) {
      EntryState gone = live.get(random.nextInt(live.size()));
      requests.add(new Request.Leave(new EntryKey(OF.queue(), gone.user, gone.joined)));
    }
    if (!live.isEmpty() && random.nextInt(8) == 0) {
      String user = live.get(random.nextInt(live.size())).user;
      String lane = "lane" + (1 + random.nextInt(3));
      requests.add(new Request.Move(OF.queue(), user, lane, Actor.SYSTEM));
    }
    if (random.nextInt(10) == 0) {
      int capacity = 1_000 + random.nextInt(1_000);
      requests.add(new Request.Alter(OF.queue(), Edit.activate(Map.of("maxCapacity", capacity))));
    }
    if (random.nextInt(15) == 0) {
      requests.add(new Request.Alter(OF.queue(), Edit.activate(lanes(random))));
    }
    return decide(requests);
  }

  /** Lanes come and go, as far as nobody waits in them. */
  private static Map<String, Object> lanes(Random random) {
    List<Object> lanes = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      lanes.add(Map.of("name", "lane" + i, "share", 1 + random.nextInt(9)));
    }
    return Map.of("lanes", lanes, "laneOrder", random.nextInt(4) == 0 ? "STRICT" : "SHARES");
  }

  private Request<?> joining() {
    String user = "u" + users;
    users++;
    return new Request.Join(OF.queue(), user, new Claim("lane" + users % 4, ""));
  }

  /** Decides until something changes. */
  private Change decide(List<Request<?>> requests) {
    if (change() == 0) {
      requests.add(new Request.Alter(OF.queue(), Edit.activate(settings())));
    }
    Outcome outcome = Decision.make(new Draft(), requests, now, false);
    return outcome.isTouched() ? outcome.change() : fill(1);
  }

  private Map<String, Object> settings() {
    return Map.of("passTtlSeconds", TURN_SECONDS, "onExpiry", isRequeueing ? "REQUEUE" : "END");
  }

  /** A decision works on copies, so that what was, stays as it was. */
  private final class Draft implements Book<RuntimeException> {
    private final State last = states.getLast();
    private final QueueState draft = last.queue.copy();

    @Override
    public QueueState queue() {
      return draft;
    }

    /** All of them: nothing is decided by what was read without need. */
    @Override
    public List<EntryState> fetch(Needs needs) {
      return last.entries.values().stream().map(EntryState::copy).toList();
    }

    @Override
    public List<EntryState> passed(Needs.Passed needs) {
      return List.of();
    }

    @Override
    public Map<Long, Long> seen(Collection<Long> joined) {
      return Map.of();
    }

    @Override
    public Map<Long, Debt> owed(Collection<Long> joined) {
      return Map.of();
    }

    @Override
    public Map<String, String> codes(Set<String> hashes) {
      return Map.of();
    }

    @Override
    public void write(Outcome outcome) {
      long number = outcome.change().to();
      var next =
          new State(
              outcome.queue(),
              new TreeMap<>(last.entries),
              new TreeMap<>(last.touched),
              outcome.change().rules() == null ? last.edited : number);
      Stream.concat(outcome.touched().stream(), outcome.made().stream())
          .forEach(
              entry -> {
                next.entries.put(entry.joined, entry);
                next.touched.put(entry.joined, number);
              });
      states.add(next);
    }
  }

  private Change between(long from, long to) {
    State then = states.get((int) to);
    return new Change(
        from,
        to,
        then.facts(entry -> then.touched.getOrDefault(entry.joined, 0L) > from),
        then.queue.waiting,
        then.queue.bands.counts(),
        then.queue.inside,
        then.edited > from ? then.queue.rules() : null);
  }

  /** How many were before this user in their lane at a change; -1 if they were not in line. */
  long aheadAt(long change, String user) {
    Collection<EntryState> all = states.get((int) change).entries.values();
    for (EntryState own : all) {
      if (own.isWaiting() && own.user.equals(user)) {
        return all.stream().filter(each -> each.isWaiting() && isBefore(each, own)).count();
      }
    }
    return -1;
  }

  /** The ticket of this user, who was in line at a change. */
  long ticketAt(long change, String user) {
    return states.get((int) change).entries.values().stream()
        .filter(entry -> entry.isWaiting() && entry.user.equals(user))
        .mapToLong(entry -> entry.ticket)
        .findFirst()
        .orElse(-1);
  }

  private static boolean isBefore(EntryState first, EntryState second) {
    return first.score < second.score && Score.lane(first.score) == Score.lane(second.score);
  }

  /** When the entry joined by which this user was inside at a change; -1 if they were not. */
  long insideAt(long change, String user) {
    return states.get((int) change).entries.values().stream()
        .filter(entry -> entry.user.equals(user) && entry.status == Status.ENTERED)
        .mapToLong(entry -> entry.joined)
        .findFirst()
        .orElse(-1);
  }

  @Override
  public Optional<Source.Reached> reached(Original of) {
    return hasLostAll ? Optional.empty() : Optional.of(reached(change()));
  }

  private Source.Reached reached(long change) {
    QueueState queue = states.get((int) change).queue;
    return new Source.Reached(
        change, queue.waiting, queue.bands.counts(), queue.inside, queue.rules());
  }

  @Override
  public Optional<Source.Extent> part(Original of, boolean isInside, long after, int limit) {
    long change = change();
    var all = new Part(isInside, after, Part.END);
    List<Fact> found =
        live(change).stream().filter(all::contains).sorted(Part.ORDER).map(Part::known).toList();
    long end = found.size() <= limit ? Part.END : Part.at(found.get(limit - 1));
    var part = new Part(isInside, after, end);
    whileReading.run();
    return Optional.of(
        new Source.Extent(part, new Held(change, found.stream().filter(part::contains).toList())));
  }

  @Override
  public Optional<Change> since(Original of, long change, int maxFacts) {
    // As if retention had deleted what was long ago.
    if (hasLostAll || change < change() - 30) {
      return Optional.empty();
    }
    // To an earlier one, if that is all there is.
    Change missing = between(change, change());
    whileReading.run();
    return missing.facts().size() > maxFacts ? Optional.empty() : Optional.of(missing);
  }

  @Override
  public Source.Reached everybody(Original of, Source.Taker taker) throws Exception {
    long change = change();
    read(live(change), taker);
    return reached(change);
  }

  @Override
  public Source.Reached touched(Original of, long since, Source.Taker taker) throws Exception {
    long change = change();
    State state = states.get((int) change);
    // By change and then by when they joined, as the ledger reads them.
    List<Fact> touched =
        state.facts(_ -> true).stream()
            .filter(fact -> state.touchedAt(fact) > since)
            .sorted(Comparator.comparingLong(state::touchedAt))
            .toList();
    read(touched, taker);
    return reached(change);
  }

  private void read(List<Fact> facts, Source.Taker taker) throws Exception {
    for (int from = 0; from < facts.size(); from += PART) {
      whileReading.run();
      taker.take(facts.subList(from, Math.min(facts.size(), from + PART)));
    }
  }

  private List<Fact> live(long change) {
    return states.get((int) change).facts(EntryState::isLive);
  }

  /** Builds a copy as it was at a change, in one go. */
  CompletionStage<CopyState> copyAt(long change, LineCopy.Rebuild into) {
    Source.Reached then = reached(change);
    return into.add(1, live(change))
        .thenCompose(
            _ ->
                into.finish(
                    then.change(), then.waiting(), then.lanes(), then.inside(), then.rules()));
  }
}
