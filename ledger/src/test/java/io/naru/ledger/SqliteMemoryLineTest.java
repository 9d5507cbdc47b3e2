package io.naru.ledger;

import io.naru.line.Line;
import io.naru.line.LineContract;
import io.naru.memory.MemoryCopy;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class SqliteMemoryLineTest extends LineContract {

  private static LedgerFixture fixture;

  @BeforeAll
  static void start(@TempDir Path directory) {
    String url = "jdbc:sqlite:" + directory.resolve("ledger.db");
    fixture = new LedgerFixture(new Ledger.Config(url, null, null, false), new MemoryCopy());
  }

  @AfterAll
  static void stop() {
    fixture.close();
  }

  @Override
  protected Queues queues() {
    return fixture.ledger.queues();
  }

  @Override
  protected Line line() {
    return fixture.ledger.line();
  }

  @Override
  protected void advance(QueueId queue, Duration by) {
    fixture.advance(by);
  }
}
