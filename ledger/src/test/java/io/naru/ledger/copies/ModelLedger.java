package io.naru.ledger.copies;

import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.Fact;
import io.naru.line.LineCopy;
import io.naru.line.Original;
import io.naru.line.Rules;
import io.naru.queue.Entry.Status;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;

/** A ledger of one queue that remembers every state it was ever in. */
final class ModelLedger implements Source {

  private static final Rules RULES = new Rules(1, io.naru.queue.State.OPEN, Settings.DEFAULT);

  static final Original OF = new Original(new QueueId("SIM", "1"), "ledger/1");

  /** Everybody who was ever there, by score, as they stand at one change; and when touched last. */
  private record State(TreeMap<Long, Fact> facts, TreeMap<Long, Long> touched) {

    long count(Status status) {
      return facts.values().stream().filter(fact -> fact.status() == status).count();
    }
  }

  /** How many are read at a time. */
  private static final int PART = 20;

  private final List<State> states = new ArrayList<>();
  private final boolean isRequeueing;
  private int users;
  private long lastScore = 1_000_000;

  /** What happens while somebody reads: others do not wait for that. */
  Runnable whileReading = () -> {};

  /**
   * @param isRequeueing whether those who expire have a new place with the same change
   */
  ModelLedger(boolean isRequeueing) {
    this.isRequeueing = isRequeueing;
    states.add(new State(new TreeMap<>(), new TreeMap<>()));
  }

  long change() {
    return states.size() - 1L;
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
    State last = states.getLast();
    var next = new State(new TreeMap<>(last.facts), new TreeMap<>(last.touched));
    long number = change() + 1;
    for (int i = 0; i < people; i++) {
      put(next, number, joining("u" + users));
      users++;
    }
    states.add(next);
    return between(number - 1, number);
  }

  /** Some expire, some join, some are admitted, some leave: one change. */
  Change commit(Random random) {
    State last = states.getLast();
    var next = new State(new TreeMap<>(last.facts), new TreeMap<>(last.touched));
    long number = change() + 1;
    List<Fact> inside =
        next.facts.values().stream().filter(f -> f.status() == Status.ENTERED).toList();
    for (Fact over : inside.subList(0, Math.min(random.nextInt(3), inside.size()))) {
      put(
          next,
          number,
          new Fact(
              over.user(), over.score(), over.score(), Status.EXPIRED, over.entered(), number));
      if (isRequeueing) {
        put(next, number, joining(over.user()));
      }
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      put(next, number, joining("u" + users));
      users++;
    }
    List<Fact> waiting =
        next.facts.values().stream().filter(f -> f.status() == Status.WAITING).toList();
    for (Fact first : waiting.subList(0, Math.min(random.nextInt(3), waiting.size()))) {
      put(
          next,
          number,
          new Fact(first.user(), first.score(), first.score(), Status.ENTERED, number, number + 9));
    }
    List<Fact> live = next.facts.values().stream().filter(ModelLedger::isLive).toList();
    if (!live.isEmpty() && random.nextInt(3) == 0) {
      Fact gone = live.get(random.nextInt(live.size()));
      put(next, number, new Fact(gone.user(), gone.score(), gone.score(), Status.LEFT, 0, 0));
    }
    states.add(next);
    return between(number - 1, number);
  }

  private Fact joining(String user) {
    lastScore++;
    return Fact.waiting(user, lastScore, lastScore);
  }

  private static boolean isLive(Fact fact) {
    return fact.status() == Status.WAITING || fact.status() == Status.ENTERED;
  }

  private static void put(State state, long number, Fact fact) {
    state.facts.put(fact.score(), fact);
    state.touched.put(fact.score(), number);
  }

  private Change between(long from, long to) {
    State then = states.get((int) to);
    List<Fact> facts = new ArrayList<>();
    then.touched.forEach(
        (score, number) -> {
          Fact fact = then.facts.get(score);
          if (number > from && fact != null) {
            facts.add(fact);
          }
        });
    return new Change(
        from,
        to,
        facts,
        then.count(Status.WAITING),
        then.count(Status.ENTERED),
        from == 0 ? RULES : null);
  }

  /** How many were before this user at a change; -1 if they were not in line. */
  long aheadAt(long change, String user) {
    long ahead = 0;
    for (Fact fact : states.get((int) change).facts.values()) {
      if (fact.status() == Status.WAITING) {
        if (fact.user().equals(user)) {
          return ahead;
        }
        ahead++;
      }
    }
    return -1;
  }

  /** The score by which this user was inside at a change; -1 if they were not. */
  long insideAt(long change, String user) {
    return states.get((int) change).facts.values().stream()
        .filter(fact -> fact.user().equals(user) && fact.status() == Status.ENTERED)
        .mapToLong(Fact::score)
        .findFirst()
        .orElse(-1);
  }

  @Override
  public Optional<Source.Reached> reached(Original of) {
    return Optional.of(reached(change()));
  }

  private Source.Reached reached(long change) {
    State state = states.get((int) change);
    return new Source.Reached(
        change, state.count(Status.WAITING), state.count(Status.ENTERED), RULES);
  }

  @Override
  public Optional<Change> since(Original of, long change, int maxFacts) {
    // As if retention had deleted what was long ago.
    if (change < change() - 30 || change > change()) {
      return Optional.empty();
    }
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
    // By change and then by score, as the ledger reads them.
    List<Fact> touched =
        state.facts.values().stream()
            .filter(fact -> touchedAt(state, fact) > since)
            .sorted(Comparator.comparingLong(fact -> touchedAt(state, fact)))
            .toList();
    read(touched, taker);
    return reached(change);
  }

  private static long touchedAt(State state, Fact fact) {
    return state.touched.getOrDefault(fact.score(), 0L);
  }

  private void read(List<Fact> facts, Source.Taker taker) throws Exception {
    for (int from = 0; from < facts.size(); from += PART) {
      whileReading.run();
      taker.take(facts.subList(from, Math.min(facts.size(), from + PART)));
    }
  }

  private List<Fact> live(long change) {
    return states.get((int) change).facts.values().stream().filter(ModelLedger::isLive).toList();
  }

  /** Builds a copy as it was at a change, in one go. */
  CompletionStage<CopyState> copyAt(long change, LineCopy.Rebuild into) {
    Source.Reached then = reached(change);
    return into.add(1, live(change))
        .thenCompose(_ -> into.finish(then.change(), then.waiting(), then.inside(), then.rules()));
  }
}
