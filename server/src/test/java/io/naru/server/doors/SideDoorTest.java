package io.naru.server.doors;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.server.http.Problem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SideDoorTest {

  private static final long HERE = 1;
  private static final long THERE = 2;

  private final List<String> begun = new ArrayList<>();
  private final Map<String, CompletableFuture<String>> underWay = new HashMap<>();
  private long nanos;
  private @Nullable Duration delay;
  private Runnable next = () -> {};

  private final SideDoor door =
      new SideDoor(
          (after, step) -> {
            delay = after;
            next = step;
          },
          () -> nanos);

  private CompletionStage<String> pass(long network, String who) {
    return door.pass(
        network,
        () -> {
          begun.add(who);
          return underWay.computeIfAbsent(who, _ -> new CompletableFuture<>());
        });
  }

  private CompletableFuture<String> answer(String who) {
    return Objects.requireNonNull(underWay.remove(who));
  }

  /** All who have begun are answered; then it is some time later. */
  private void answerAll() {
    underWay.values().forEach(answer -> answer.complete("in"));
    underWay.clear();
    next.run();
  }

  @Test
  void pass_alone_goesOnAtOnce() {
    CompletionStage<String> result = pass(HERE, "ann");

    assertThat(begun).containsExactly("ann");
    answer("ann").complete("in");
    assertThat(result).isCompletedWithValue("in");
  }

  @Test
  void pass_whileOthersAreAtIt_waits_andThenAFewGoTogether() {
    pass(HERE, "first");
    for (int i = 0; i < SideDoor.TOGETHER + 5; i++) {
      pass(HERE, "p" + i);
    }
    assertThat(begun).containsExactly("first");

    answerAll();
    assertThat(begun).hasSize(1 + SideDoor.TOGETHER).startsWith("first", "p0", "p1");

    answerAll();
    assertThat(begun).hasSize(1 + SideDoor.TOGETHER + 5);
  }

  @Test
  void pass_manyOfOneNetwork_oneOfAnotherIsAmongTheNext() {
    pass(HERE, "first");
    for (int i = 0; i < 1_000; i++) {
      pass(HERE, "p" + i);
    }
    pass(THERE, "other");

    answerAll();

    assertThat(begun.indexOf("other")).isBetween(1, 2);
  }

  @Test
  void pass_whatTookLong_othersHaveAsLong() {
    pass(HERE, "ann");
    nanos += TimeUnit.MILLISECONDS.toNanos(70);
    answer("ann").complete("in");

    assertThat(delay).isEqualTo(Duration.ofMillis(70));
  }

  @Test
  void pass_oneFails_theyHearOfIt_andOthersGoOn() {
    CompletionStage<String> failing = pass(HERE, "ann");
    CompletionStage<String> thrown =
        door.pass(
            HERE,
            () -> {
              throw new IllegalArgumentException("at once");
            });
    pass(HERE, "cho");

    answer("ann").completeExceptionally(new IllegalStateException("later"));
    next.run();

    assertThat(failing).isCompletedExceptionally();
    assertThat(thrown).isCompletedExceptionally();
    assertThat(begun).containsExactly("ann", "cho");
    answerAll();
    pass(HERE, "dan");
    assertThat(begun).endsWith("dan");
  }

  @Test
  void pass_moreThanMayWait_areToldToComeAgain_othersNot() {
    pass(HERE, "first");
    for (int i = 0; i < SideDoor.MAX_OF_A_NETWORK; i++) {
      pass(HERE, "p" + i);
    }

    CompletionStage<String> oneMore = pass(HERE, "too many");

    assertThat(oneMore.toCompletableFuture())
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            Problem.Found.class,
            found -> assertThat(found.problem().retryAfterSeconds()).isPositive());
    assertThat(pass(THERE, "other").toCompletableFuture()).isNotCompleted();
  }

  @Test
  void pass_ofManyNetworks_isBoundedToo() {
    pass(0, "first");
    for (int i = 0; i < SideDoor.MAX_WAITING; i++) {
      pass(i, "p" + i);
    }

    assertThat(pass(-1, "too many").toCompletableFuture())
        .isCompletedExceptionally()
        .satisfies(
            future -> assertThat(future.exceptionNow()).isNotInstanceOf(CompletionException.class));
  }
}
