package io.naru.server.wait;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.queue.Figures;
import io.naru.queue.Overview;
import io.naru.queue.Queue;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Queues;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Words;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Pages cost the store little, outlive it, and names that somebody makes up fill nothing. */
class HallsTest {

  private static final QueueId SALE = new QueueId("SALE", "1");

  /** The questions that a store was asked, in order; a test answers them. */
  private final List<CompletableFuture<Optional<Overview>>> asked = new ArrayList<>();

  private final Halls halls = new Halls(store());

  private Queues store() {
    return (Queues)
        Proxy.newProxyInstance(
            Queues.class.getClassLoader(),
            new Class<?>[] {Queues.class},
            (_, method, _) -> {
              assertThat(method.getName()).isEqualTo("find");
              var answer = new CompletableFuture<Optional<Overview>>();
              asked.add(answer);
              return answer;
            });
  }

  private static Optional<Overview> titled(QueueId id, String title) {
    Settings settings = Settings.DEFAULT.with(Map.of("title", title));
    return Optional.of(new Overview(new Queue(id, settings, State.OPEN, 1, 1, 1, 0), Figures.NONE));
  }

  private static QueueUnavailable away() {
    return new QueueUnavailable(QueueUnavailable.Kind.DISCONNECTED, "away");
  }

  private CompletableFuture<Optional<Hall>> find(QueueId id) {
    return halls.find(id).toCompletableFuture();
  }

  private Hall kept(String title) {
    var found = find(SALE);
    asked.getLast().complete(titled(SALE, title));
    return found.join().orElseThrow();
  }

  /** Asks until the store is asked, which it is again when what is kept is no longer fresh. */
  private CompletableFuture<Optional<Hall>> findWhenStale() {
    int before = asked.size();
    var last = new ArrayList<CompletableFuture<Optional<Hall>>>();
    await()
        .until(
            () -> {
              last.add(find(SALE));
              return asked.size() > before;
            });
    return last.getLast();
  }

  @Test
  void find_manyAtOnce_askOnce() {
    var one = find(SALE);
    var two = find(SALE);

    asked.getFirst().complete(titled(SALE, "a"));

    assertThat(asked).hasSize(1);
    assertThat(one.join()).isEqualTo(two.join());
    assertThat(find(SALE).join()).isEqualTo(one.join());
    assertThat(asked).hasSize(1);
  }

  @Test
  void find_unchanged_keepsItsPages() {
    Hall before = kept("a");

    var again = findWhenStale();
    asked.getLast().complete(titled(SALE, "a"));
    assertThat(again.join()).contains(before);

    var changed = findWhenStale();
    asked.getLast().complete(titled(SALE, "b"));
    assertThat(changed.join().orElseThrow().settings().look().title()).isEqualTo(Words.of("b"));
  }

  @Test
  void find_storeFails_isAsItWas() {
    Hall before = kept("a");

    var again = findWhenStale();
    asked.getLast().completeExceptionally(away());

    assertThat(again.join()).contains(before);
  }

  @Test
  void find_storeSaysNothing_isAsItWasSoon() {
    Hall before = kept("a");

    var again = findWhenStale();

    await().until(again::isDone);
    assertThat(again.join()).contains(before);
    asked.getLast().complete(titled(SALE, "late"));
    assertThat(find(SALE).join().orElseThrow().settings().look().title())
        .isEqualTo(Words.of("late"));
  }

  @Test
  void find_neverSeenAndStoreFails_fails() {
    var found = find(SALE);
    asked.getFirst().completeExceptionally(away());

    assertThat(found).isCompletedExceptionally();
    find(SALE);
    assertThat(asked).hasSize(2);
  }

  @Test
  void find_deleted_isGone() {
    kept("a");

    var again = findWhenStale();
    asked.getLast().complete(Optional.empty());
    assertThat(again.join()).isEmpty();

    var then = find(SALE);
    asked.getLast().completeExceptionally(away());
    assertThat(then).isCompletedExceptionally();
  }

  @Test
  void find_manyMadeUpNames_areRefusedBeyondABound() {
    Hall before = kept("a");
    for (int i = 0; i < 1_000; i++) {
      find(new QueueId("MADE", "up-" + i));
    }

    assertThat(asked).hasSize(1 + 64);
    var refused = find(new QueueId("MADE", "up-999"));
    assertThat(refused).isCompletedExceptionally();
    assertThat(requireNonNull(refused.exceptionNow())).isInstanceOf(QueueUnavailable.class);
    // Whoever was seen before is still served, whatever the others do.
    assertThat(find(SALE).join()).contains(before);
  }

  @Test
  void find_moreQueuesThanAreKept_forgetsTheOneLongestUnused() {
    kept("a");
    for (int i = 0; i < 256; i++) {
      var id = new QueueId("OTHER", "" + i);
      find(id);
      asked.getLast().complete(titled(id, ""));
    }
    int before = asked.size();

    find(SALE);

    assertThat(asked).hasSize(before + 1);
    find(new QueueId("OTHER", "255"));
    assertThat(asked).hasSize(before + 1);
  }
}
