package io.naru.ledger;

import static java.util.concurrent.CompletableFuture.completedStage;
import static java.util.concurrent.CompletableFuture.failedStage;

import io.naru.batch.BatchObserver;
import io.naru.batch.NaturalBatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * What anybody may look at as often as they like, and nobody's place depends on: how a queue is,
 * its draw, its log, what somebody owes, whether a made-up queue is there. Of each kind one read
 * answers all who ask meanwhile, and all kinds take turns: together they have one connection,
 * however many ask, and the others are there for those who decide and follow. Who comes when too
 * many wait for the same kind is refused at once.
 */
final class Asides {

  private static final int MAX_BATCH = 16;
  private static final int MAX_PENDING = 1_024;

  private final Background background;
  private final BatchObserver observer;
  private final OneByOne turns;

  Asides(Background background, BatchObserver observer) {
    this.background = background;
    this.observer = observer;
    this.turns = new OneByOne(background);
  }

  /** Reads what these are, each of them once; blocks. What is not among the answers is not. */
  interface Reading<Q, A> {
    Map<Q, A> read(List<Q> asked) throws Exception;
  }

  /** Something that can be asked for. */
  interface Kind<Q, A> {
    CompletionStage<Optional<A>> find(Q asked);
  }

  /**
   * @param name of the kind, for the metrics
   * @param what is done then, for whoever hears that it cannot be done
   */
  <Q, A> Kind<Q, A> kind(String name, String what, Reading<Q, A> reading) {
    var batch =
        new NaturalBatch<Q, CompletionStage<Optional<A>>>(
            name,
            MAX_BATCH,
            MAX_PENDING,
            observer,
            asked -> call(what, () -> read(what, reading, asked)));
    return asked -> batch.submit(asked).thenCompose(Function.identity());
  }

  /** Something else that takes its turn with them; by one who asks once at a time. */
  <T> CompletionStage<T> call(String what, Callable<T> task) {
    return background.callInTurn(what, turns, task);
  }

  /** One queue's trouble is its own: where some cannot be read together, each is by itself. */
  private <Q, A> List<CompletionStage<Optional<A>>> read(
      String what, Reading<Q, A> reading, List<Q> asked) throws Exception {
    List<Q> different = asked.stream().distinct().toList();
    Map<Q, CompletionStage<Optional<A>>> answers = new HashMap<>();
    try {
      Map<Q, A> found = reading.read(different);
      different.forEach(
          each -> answers.put(each, completedStage(Optional.ofNullable(found.get(each)))));
    } catch (Exception e) {
      if (background.failures().isOfAll(e)) {
        throw e;
      }
      for (Q each : different) {
        answers.put(each, different.size() == 1 ? failed(what, e) : readAlone(what, reading, each));
      }
    }
    List<CompletionStage<Optional<A>>> all = new ArrayList<>(asked.size());
    asked.forEach(each -> all.add(answers.get(each)));
    return all;
  }

  private <Q, A> CompletionStage<Optional<A>> readAlone(String what, Reading<Q, A> reading, Q asked)
      throws Exception {
    try {
      return completedStage(Optional.ofNullable(reading.read(List.of(asked)).get(asked)));
    } catch (Exception e) {
      if (background.failures().isOfAll(e)) {
        throw e;
      }
      return failed(what, e);
    }
  }

  private <A> CompletionStage<Optional<A>> failed(String what, Exception e) {
    return failedStage(background.failures().unavailable(what, e));
  }
}
