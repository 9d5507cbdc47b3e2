package io.naru.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.queue.QueueUnavailable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future.State;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NaturalBatchTest {

  /** Calls that the test answers when it likes. */
  private final List<List<Integer>> calls = new ArrayList<>();

  private final List<CompletableFuture<List<String>>> answers = new ArrayList<>();

  private final List<String> observed = new ArrayList<>();

  private final NaturalBatch<Integer, String> batch = batch(4, 6, this::call);

  private NaturalBatch<Integer, String> batch(
      int maxBatch, int maxPending, Function<List<Integer>, CompletionStage<List<String>>> call) {
    return new NaturalBatch<>("test", maxBatch, maxPending, this::observe, call);
  }

  private CompletionStage<List<String>> call(List<Integer> requests) {
    calls.add(requests);
    answers.add(new CompletableFuture<>());
    return answers.getLast();
  }

  private void observe(String operation, int size, long nanos, @Nullable Throwable failure) {
    assertThat(nanos).isNotNegative();
    observed.add(operation + " " + size + (failure == null ? "" : " " + failure.getMessage()));
  }

  private void answer(int call) {
    answers.get(call).complete(echo(calls.get(call)));
  }

  private static List<String> echo(List<Integer> requests) {
    return requests.stream().map(i -> "answer " + i).toList();
  }

  private List<CompletableFuture<String>> submit(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(batch::submit).toList();
  }

  @Test
  void submit_idle_goesAtOnceAlone() throws Exception {
    CompletableFuture<String> one = batch.submit(1);

    assertThat(calls).containsExactly(List.of(1));
    assertThat(one).isNotDone();
    answer(0);
    assertThat(one.get()).isEqualTo("answer 1");
    assertThat(calls).hasSize(1);
    submit(2, 2);
    assertThat(calls).containsExactly(List.of(1), List.of(2));
  }

  @Test
  void submit_duringACall_goesTogetherInOrder() {
    CompletableFuture<String> one = batch.submit(1);
    List<CompletableFuture<String>> others = submit(2, 4);
    assertThat(calls).hasSize(1);

    answer(0);

    assertThat(one).isCompletedWithValue("answer 1");
    assertThat(calls).containsExactly(List.of(1), List.of(2, 3, 4));
    assertThat(others).noneMatch(CompletableFuture::isDone);
    answer(1);
    assertThat(others.stream().map(CompletableFuture::join))
        .containsExactly("answer 2", "answer 3", "answer 4");
  }

  @Test
  void submit_moreThanABatchCollected_goesInSeveral() {
    submit(1, 1);
    submit(2, 7);

    answer(0);
    assertThat(calls.getLast()).containsExactly(2, 3, 4, 5);
    assertThat(calls).hasSize(2);
    answer(1);
    assertThat(calls.getLast()).containsExactly(6, 7);
  }

  @Test
  void submit_moreThanMayWait_isOverloadedAtOnce() {
    submit(1, 1);
    List<CompletableFuture<String>> waiting = submit(2, 7);

    CompletableFuture<String> tooMany = batch.submit(8);

    assertThat(tooMany).isCompletedExceptionally();
    assertThatThrownBy(tooMany::get)
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            QueueUnavailable.class,
            e -> assertThat(e.kind()).isEqualTo(QueueUnavailable.Kind.OVERLOADED))
        .hasMessageContaining("6")
        .hasMessageContaining("test");
    answer(0);
    assertThat(batch.submit(9)).isNotDone();
    answer(1);
    answer(2);
    assertThat(waiting).allMatch(future -> !future.isCompletedExceptionally());
    assertThat(calls.stream().flatMap(List::stream)).containsExactly(1, 2, 3, 4, 5, 6, 7, 9);
  }

  @Test
  void submit_callFails_failsThoseBehindAndGoesOn() {
    CompletableFuture<String> one = batch.submit(1);
    List<CompletableFuture<String>> behind = submit(2, 7);

    answers.get(0).completeExceptionally(new IllegalStateException("broken"));

    assertThat(one).isCompletedExceptionally();
    assertThat(behind).allMatch(CompletableFuture::isCompletedExceptionally);
    assertThatThrownBy(one::get).cause().isInstanceOf(IllegalStateException.class);
    assertThat(behind)
        .allSatisfy(
            future -> assertThatThrownBy(future::get).cause().hasMessageContaining("broken"));
    assertThat(calls).hasSize(1);
    CompletableFuture<String> later = batch.submit(8);
    answer(1);
    assertThat(later).isCompletedWithValue("answer 8");
    assertThat(calls).containsExactly(List.of(1), List.of(8));
  }

  @Test
  void submit_callThrows_failsAndGoesOn() {
    assertFailsOnceThenGoesOn(
        () -> {
          throw new IllegalStateException("broken");
        });
  }

  @Test
  void submit_callThrowsAnError_failsAndGoesOn() {
    assertFailsOnceThenGoesOn(
        () -> {
          throw new LinkageError("broken");
        });
  }

  @Test
  @SuppressWarnings("NullAway") // What a careless caller might do.
  void submit_callReturnsNothing_failsAndGoesOn() {
    assertFailsOnceThenGoesOn(() -> null);
  }

  @Test
  void submit_tooFewAnswers_failsAndGoesOn() {
    assertFailsOnceThenGoesOn(() -> CompletableFuture.completedFuture(List.of()));
  }

  @Test
  void submit_tooManyAnswers_failsAndGoesOn() {
    assertFailsOnceThenGoesOn(() -> CompletableFuture.completedFuture(List.of("a", "b")));
  }

  private interface Failure {
    CompletionStage<List<String>> happen();
  }

  private void assertFailsOnceThenGoesOn(Failure failure) {
    NaturalBatch<Integer, String> failing =
        batch(
            4,
            6,
            requests ->
                requests.contains(1)
                    ? failure.happen()
                    : CompletableFuture.completedFuture(echo(requests)));

    CompletableFuture<String> one = failing.submit(1);

    assertThat(one).isCompletedExceptionally();
    assertThat(failing.submit(2)).isCompletedWithValue("answer 2");
    assertThat(observed).hasSize(2);
  }

  @Test
  void submit_answeredAtOnceForLong_doesNotDeepenTheStack() {
    var made = new ArrayList<CompletableFuture<String>>();
    var self = new ArrayList<NaturalBatch<Integer, String>>();
    self.add(
        batch(
            4,
            6,
            requests -> {
              int next = requests.getLast() + 1;
              if (next <= 100_000) {
                made.add(self.getFirst().submit(next));
              }
              return CompletableFuture.completedFuture(echo(requests));
            }));

    made.add(self.getFirst().submit(1));

    assertThat(made.size()).isEqualTo(100_000);
    assertThat(made.stream().filter(future -> future.state() != State.SUCCESS)).isEmpty();
  }

  @Test
  void submit_laterOnesAnsweredAtOnce_doNotHoldEarlierAnswersBack() {
    var self = new ArrayList<NaturalBatch<Integer, String>>();
    var first = new ArrayList<CompletableFuture<String>>();
    var firstDone = new ArrayList<Boolean>();
    self.add(
        batch(
            1,
            6,
            requests -> {
              int number = requests.getFirst();
              if (number == 1) {
                return call(requests);
              }
              firstDone.add(first.getFirst().isDone());
              if (number < 5) {
                var _ = self.getFirst().submit(number + 1);
              }
              return CompletableFuture.completedFuture(echo(requests));
            }));
    first.add(self.getFirst().submit(1));
    first.add(self.getFirst().submit(2));

    answer(0);

    assertThat(firstDone).containsExactly(false, true, true, true);
  }

  @Test
  void observer_anyBatch_seesSizeAndFailure() {
    submit(1, 1);
    submit(2, 4);
    answer(0);
    answers.get(1).completeExceptionally(new IllegalStateException("broken"));

    assertThat(observed).containsExactly("test 1", "test 3 broken");
  }

  @Test
  void observer_thatThrows_costsNobodyTheAnswer() {
    var unlucky =
        new NaturalBatch<Integer, String>(
            "test",
            4,
            6,
            (_, _, _, _) -> {
              throw new IllegalStateException("no metrics today");
            },
            this::call);
    CompletableFuture<String> one = unlucky.submit(1);
    CompletableFuture<String> two = unlucky.submit(2);

    answer(0);
    answer(1);

    assertThat(one).isCompletedWithValue("answer 1");
    assertThat(two).isCompletedWithValue("answer 2");
  }

  @Test
  void submit_manyThreads_answersEachInBoundedBatchesOneAtATime() throws Exception {
    var sizes = Collections.synchronizedList(new ArrayList<Integer>());
    try (var store = Executors.newSingleThreadExecutor();
        var callers = Executors.newFixedThreadPool(4)) {
      var underWay = new AtomicInteger();
      var busy =
          new NaturalBatch<Integer, String>(
              "test",
              16,
              100_000,
              BatchObserver.NONE,
              requests -> {
                assertThat(underWay.incrementAndGet()).isEqualTo(1);
                sizes.add(requests.size());
                return CompletableFuture.supplyAsync(
                    () -> {
                      underWay.decrementAndGet();
                      return echo(requests);
                    },
                    store);
              });
      var all =
          IntStream.range(0, 4)
              .mapToObj(
                  t ->
                      callers.submit(
                          () ->
                              IntStream.range(t * 5_000, (t + 1) * 5_000)
                                  .mapToObj(busy::submit)
                                  .toList()))
              .toList();
      for (int t = 0; t < 4; t++) {
        List<CompletableFuture<String>> mine = all.get(t).get(30, TimeUnit.SECONDS);
        for (int i = 0; i < mine.size(); i++) {
          assertThat(mine.get(i).get(30, TimeUnit.SECONDS)).isEqualTo("answer " + (t * 5_000 + i));
        }
      }
    }
    assertThat(sizes).allMatch(size -> size >= 1 && size <= 16);
    assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(20_000);
  }
}
