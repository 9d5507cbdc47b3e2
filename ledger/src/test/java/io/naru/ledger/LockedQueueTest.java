package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Somebody keeps one queue's row locked: its visitors are refused, those of others are not. */
@Tag("process")
class LockedQueueTest {

  private static final QueueId LOCKED = new QueueId("LOCK", "locked");
  private static final QueueId FREE = new QueueId("LOCK", "free");

  Ledger.Config database() {
    return LedgerFixture.postgres();
  }

  @Test
  void rowLockedByAnother_othersAreServed() throws Exception {
    try (var server = new LedgerFixture(database(), new MemoryCopy());
        Connection other = server.connect();
        var statement = other.createStatement()) {
      Queues queues = server.ledger().queues();
      for (QueueId queue : List.of(LOCKED, FREE)) {
        get(queues.edit(queue, Edit.activate(Map.of())));
      }
      other.setAutoCommit(false);
      statement.execute(
          "SELECT * FROM waiting_queues WHERE event_type = 'LOCK' AND event_id = 'locked' FOR UPDATE");

      for (int round = 0; round < 3; round++) {
        List<CompletableFuture<Joined>> free = new ArrayList<>();
        List<CompletableFuture<Joined>> locked = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
          locked.add(queues.join(LOCKED, "user" + round + i).toCompletableFuture());
          free.add(queues.join(FREE, "user" + round + i).toCompletableFuture());
        }
        for (CompletableFuture<Joined> join : free) {
          assertThat(join.get(10, SECONDS)).isInstanceOf(Joined.Waiting.class);
        }
        for (CompletableFuture<Joined> join : locked) {
          assertThat(join.handle((_, failure) -> failure).get(10, SECONDS)).isNotNull();
        }
      }

      other.rollback();
      assertThat(get(queues.join(LOCKED, "late"))).isInstanceOf(Joined.Waiting.class);
    }
  }

  /** What is read together with the lock must not be locked with it. */
  @Test
  void twoTransactions_ofTwoQueues_doNotWaitForEachOther() throws Exception {
    Ledger.Config config = database();
    Dialect dialect = Dialect.of(config.url(), InstantSource.system());
    try (var server = new LedgerFixture(config, new MemoryCopy());
        Connection one = server.connect();
        Connection two = server.connect()) {
      for (QueueId queue : List.of(LOCKED, FREE)) {
        get(server.ledger().queues().edit(queue, Edit.activate(Map.of())));
      }
      one.setAutoCommit(false);
      two.setAutoCommit(false);
      assertThat(new Rows(one, dialect).queues().lock(LOCKED)).isPresent();

      var other = new CompletableFuture<Boolean>();
      Thread.startVirtualThread(
          () -> {
            try {
              other.complete(new Rows(two, dialect).queues().lock(FREE).isPresent());
            } catch (SQLException e) {
              other.completeExceptionally(e);
            }
          });
      assertThat(other.get(10, SECONDS)).isTrue();
    }
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }
}
