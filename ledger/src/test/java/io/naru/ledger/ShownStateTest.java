package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.line.Standing;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two servers whose copies are apart, so that one of them is behind for a moment. */
@Tag("process")
class ShownStateTest {

  private static final QueueId QUEUE = new QueueId("SHOWN", "1");

  private final MemoryCopy twoCopy = new MemoryCopy();
  private LedgerFixture one;
  private LedgerFixture two;

  @BeforeEach
  void start() {
    Ledger.Config config = LedgerFixture.postgres();
    one = new LedgerFixture(config, new MemoryCopy());
    two = new LedgerFixture(config, twoCopy);
  }

  @AfterEach
  void stop() {
    one.close();
    two.close();
  }

  @Test
  void join_alreadyInside_noOlderStateIsShownAfterwards() {
    get(one.ledger().queues().edit(QUEUE, Edit.activate(Map.of("maxCapacity", 10L))));
    get(one.ledger().queues().join(QUEUE, "alice"));
    get(one.ledger().queues().join(QUEUE, "bob"));
    awaitCopy("bob");

    get(one.ledger().queues().admit(QUEUE, new Admission.ByHand(1, Actor.SYSTEM)));
    var joined = (Joined.AlreadyIn) get(two.ledger().queues().join(QUEUE, "alice"));
    Standing bob = get(two.ledger().line().locate(QUEUE, "bob"));

    assertThat(changeOf(bob)).isGreaterThanOrEqualTo(joined.place().line().change());
  }

  /** Waits until the copy of the second server has followed by itself. */
  private void awaitCopy(String user) {
    var of = QueueLists.original(QUEUE, two.ledger().id(), 1);
    await().until(() -> changeOf(get(twoCopy.locate(of, user))) > 0);
  }

  private static long changeOf(Standing standing) {
    return standing instanceof Standing.Found(var place) ? place.line().change() : 0;
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
