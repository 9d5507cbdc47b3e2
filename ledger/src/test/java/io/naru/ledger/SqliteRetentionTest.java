package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteRetentionTest extends RetentionContract {

  @TempDir private Path directory;

  @Override
  Ledger.Config database() {
    return new Ledger.Config("jdbc:sqlite:" + directory.resolve("ledger.db"), null, null, false);
  }

  @Test
  void run_minutesOfOneQueueCannotBeDeleted_thoseOfOthersAre_andItIsSaid() throws Exception {
    get(queues().edit(new QueueId("KEPT", "2"), Edit.activate(Map.of())));
    long first = count("SELECT min(id) FROM waiting_queues");
    putMinutes(first, 3);
    putMinutes(count("SELECT max(id) FROM waiting_queues"), 3);
    execute(
        "CREATE TRIGGER keeping BEFORE DELETE ON queue_minutes WHEN old.queue_id = "
            + first
            + " BEGIN SELECT RAISE(ABORT, 'these stay'); END");
    server.advance(Duration.ofDays(400));

    server.ledger().retention().run();

    assertThat(minutes()).isEqualTo(3);
    assertThat(server.ledger().retention().troubles())
        .singleElement()
        .asString()
        .startsWith("old minutes cannot be deleted, and pile up: ")
        .contains("these stay");
  }
}
