package io.naru.server.entry;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.admission.Estimate;
import io.naru.line.Standing;
import io.naru.memory.MemoryQueues;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.LineState;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Signal;
import io.naru.queue.Stay.CompletedBy;
import io.naru.support.SettableClock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who is watched, and what that costs. */
class ForecastsTest {

  private static final QueueId SALE = new QueueId("SALE", "1");

  private final SettableClock clock = SettableClock.atOpening();
  private final MemoryQueues memory = new MemoryQueues(clock);
  private final List<Set<QueueId>> reads = new ArrayList<>();
  private long nanos;
  private final Forecasts forecasts =
      new Forecasts(counted(memory), new Pauses(_ -> false, clock), () -> nanos);

  /** The queues, with a note of who was read together. */
  private Queues counted(MemoryQueues queues) {
    return (Queues)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Queues.class},
            (_, method, args) -> {
              if (method.getName().equals("findAll")) {
                reads.add(asked(args[0]));
              }
              return method.invoke(queues, args);
            });
  }

  @SuppressWarnings("unchecked") // What the port is called with.
  private static Set<QueueId> asked(Object queues) {
    return (Set<QueueId>) queues;
  }

  @BeforeEach
  void open() {
    memory.edit(SALE, Edit.activate(Map.of("maxCapacity", 5, "passTtlSeconds", 100)));
    for (int i = 0; i < 100; i++) {
      memory.join(SALE, "user" + i);
    }
    memory.admit(SALE, new Admission.Paced());
  }

  /** Where the rate follows the site, what it was set to begin with says nothing. */
  @Test
  void pacing_rateThatFollows_isThatOfNow() {
    var rule = Map.of("mode", "AIMD", "floorPerSecond", 5, "startPerSecond", 500);
    memory.edit(SALE, Edit.put(Map.of("adaptive", rule), OptionalLong.empty()));
    forecasts.of(SALE, 0, line(SALE));
    assertThat(forecasts.pacing(SALE, line(SALE)).perSecond()).isEqualTo(500);

    memory.signal(SALE, new Signal("shop", 100, 0, 9_000, 0));
    clock.advance(Duration.ofSeconds(4));
    memory.signal(SALE, new Signal("shop", 100, 0, 9_000, 0));
    forecasts.beat();

    assertThat(forecasts.pacing(SALE, line(SALE)).perSecond()).isEqualTo(5);
  }

  private LineState line(QueueId queue) {
    return memory.find(queue).toCompletableFuture().join().orElseThrow().line();
  }

  private @Nullable Estimate ask() {
    return forecasts.of(SALE, 9, line(SALE));
  }

  private void beat() {
    clock.advance(Duration.ofMillis(Forecasts.BEAT_MILLIS));
    nanos += TimeUnit.MILLISECONDS.toNanos(Forecasts.BEAT_MILLIS);
    forecasts.beat();
  }

  @Test
  void of_firstAsked_isKnownWithTheNextBeat() {
    assertThat(ask()).isNull();
    beat();

    // Ten turns of 100 seconds through five places.
    assertThat(requireNonNull(ask()).highSeconds()).isBetween(200L, 400L);
  }

  @Test
  void beat_nobodyAsks_readsNothing() {
    beat();
    assertThat(reads).isEmpty();

    ask();
    beat();
    assertThat(reads).containsExactly(Set.of(SALE));
    for (int i = 0; i < 40; i++) {
      beat();
    }
    assertThat(reads).hasSizeLessThan(35);
  }

  @Test
  void beat_manyAsk_isOneRead() {
    QueueId other = new QueueId("SALE", "2");
    memory.edit(other, Edit.activate(Map.of()));
    for (int i = 0; i < 1_000; i++) {
      ask();
      forecasts.of(other, i, line(other));
    }
    for (int i = 0; i < 2_000; i++) {
      forecasts.of(new QueueId("MADEUP", "q" + i), 1, line(SALE));
    }
    beat();

    assertThat(reads).hasSize(1);
    assertThat(reads.getFirst()).hasSizeLessThanOrEqualTo(512).contains(SALE, other);
    beat();
    assertThat(reads.getLast()).as("those that exist").isEqualTo(Set.of(SALE, other));
  }

  @Test
  void beat_whatHappens_isWhatIsTold() {
    ask();
    beat();
    for (int i = 0; i < 60; i++) {
      // Each stays for about five seconds: one second's worth of five places.
      for (int done = 0; done < 2; done++) {
        completeOne(2 * i + done);
      }
      memory.admit(SALE, new Admission.ByHand(2, Actor.SYSTEM));
      memory.join(SALE, "late" + 2 * i);
      memory.join(SALE, "late" + (2 * i + 1));
      ask();
      beat();
    }

    assertThat(requireNonNull(ask()).highSeconds()).as("ten at one a second").isBetween(9L, 20L);
  }

  private void completeOne(int number) {
    String user = number < 100 ? "user" + number : "late" + (number - 100);
    if (memory.locate(SALE, user).toCompletableFuture().join()
        instanceof Standing.Found(var place)) {
      memory.complete(place.entry().key(), CompletedBy.VISITOR);
    }
  }
}
