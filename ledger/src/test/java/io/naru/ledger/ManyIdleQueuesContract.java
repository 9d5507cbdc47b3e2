package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.Queues;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** And idle ones cost nothing, on a database that counts what is read. */
abstract class ManyIdleQueuesContract extends ManyQueuesContract {

  /** The question how many rows of queues were ever read in a database, as it counts them. */
  abstract String rowsRead();

  @Test
  void idleOnes_areNotLookedAt() throws Exception {
    Ledger.Config config = database();
    try (var server = new LedgerFixture(config, new MemoryCopy())) {
      get(server.ledger().queues().edit(FIRST, Edit.activate(Map.of())));
    }
    multiply(config, 1_500);
    try (Connection connection = connect(config);
        var statement = connection.createStatement()) {
      statement.execute("UPDATE waiting_queues SET changed_minute = 0");
    }
    var copy = new Asked(1);
    try (var server = new LedgerFixture(config, copy)) {
      Queues queues = server.ledger().queues();
      get(queues.edit(BUSY, Edit.activate(Map.of())));
      get(queues.join(BUSY, "ann"));
      await().until(() -> copy.queues().size() == 1_502);
      await().until(() -> rowsRead(config) > 1_500);
      // The heartbeat has looked at all of them once; from now on, at what is busy. The database
      // counts what was read a little later, so the first looks may still count what was before.
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> readInThreeBeats(config, queues, copy) < 1_000);
    }
  }

  private long readInThreeBeats(Ledger.Config config, Queues queues, Asked copy) throws Exception {
    long before = rowsRead(config);
    long from = copy.of(BUSY);
    for (int i = 0; i < 20; i++) {
      assertThat(get(queues.due())).containsExactly(BUSY);
    }
    await().until(() -> copy.of(BUSY) >= from + 3);
    return rowsRead(config) - before;
  }

  private long rowsRead(Ledger.Config config) throws SQLException {
    try (Connection connection = connect(config)) {
      return Long.parseLong(Dialect.value(connection, rowsRead()));
    }
  }
}
