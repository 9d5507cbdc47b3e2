package io.naru.e2e.concert;

import io.naru.testkit.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;

/** Somebody who has locked the sales of a shop nearly all the time. */
final class Busy implements AutoCloseable {

  private static final Duration LOCKED = Duration.ofMillis(2_500);
  private static final Duration FREE = Duration.ofMillis(100);

  private final Thread thread;
  private volatile boolean isOver;

  Busy(PostgresServer postgres, String sales) {
    thread = Thread.ofVirtual().name("busy").start(() -> lock(postgres, sales));
  }

  private void lock(PostgresServer postgres, String sales) {
    try (var connection = postgres.connect(sales);
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      while (!isOver) {
        statement.execute("LOCK TABLE reservations IN ACCESS EXCLUSIVE MODE");
        Thread.sleep(LOCKED);
        connection.commit();
        Thread.sleep(FREE);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("cannot lock the sales", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    isOver = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
