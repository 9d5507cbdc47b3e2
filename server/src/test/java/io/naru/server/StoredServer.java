package io.naru.server;

import static java.util.Objects.requireNonNull;

import io.naru.ledger.Ledger;
import io.naru.testkit.DatabaseServer;
import io.naru.testkit.MariaDbServer;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisCluster;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A server on one of the stores that it can run on: what is promised over HTTP is tried on each. As
 * an extension it lives as long as its test class.
 */
final class StoredServer implements BeforeAllCallback, AfterAllCallback, AutoCloseable {

  /** Where the line is, and what decides about it. */
  enum Store {
    MEMORY,
    REDIS,
    SQLITE,
    POSTGRES_AND_REDIS,
    POSTGRES_AND_CLUSTER,
    MARIADB_AND_REDIS
  }

  private final Store store;
  private final MovableClock clock = new MovableClock();
  private final Path data = newFolder();
  private @Nullable RedisServer redis;
  private @Nullable RedisCluster cluster;
  private Ledger.@Nullable Config ledger;
  private @Nullable TestServer server;

  private StoredServer(Store store) {
    this.store = store;
  }

  static StoredServer on(Store store) {
    return new StoredServer(store);
  }

  Store store() {
    return store;
  }

  private static Path newFolder() {
    try {
      Path folder = Files.createTempDirectory("naru-stored-");
      folder.toFile().deleteOnExit();
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    start(UnaryOperator.identity());
  }

  /**
   * @param more what the server needs besides its store
   */
  StoredServer start(UnaryOperator<Naru.Config> more) {
    switch (store) {
      case MEMORY -> {}
      case REDIS -> redis = RedisServer.start(RedisBinary.embedded());
      case SQLITE -> ledger = TestServer.onSqlite(data).ledger();
      case POSTGRES_AND_REDIS -> shareOn(PostgresServer.shared(), PostgresServer.shared().fresh());
      case POSTGRES_AND_CLUSTER -> {
        cluster = RedisCluster.start(RedisBinary.embedded());
        ledger = ledger(PostgresServer.shared(), PostgresServer.shared().fresh());
      }
      case MARIADB_AND_REDIS -> shareOn(MariaDbServer.shared(), MariaDbServer.shared().fresh());
    }
    String uri = cluster != null ? cluster.uri() : redis != null ? redis.uri() : null;
    server = TestServer.start(more.apply(TestServer.config(data, uri, ledger)), clock);
    return this;
  }

  private void shareOn(DatabaseServer database, String url) {
    redis = RedisServer.start(RedisBinary.embedded());
    ledger = ledger(database, url);
  }

  private static Ledger.Config ledger(DatabaseServer database, String url) {
    return new Ledger.Config(url, database.user(), database.password(), false);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    close();
  }

  @Override
  public void close() {
    if (server != null) {
      server.close();
    }
    if (redis != null) {
      redis.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  TestServer server() {
    return requireNonNull(server);
  }

  /**
   * Makes somebody inside stay longer than their turn lasts: time is moved where that can be done,
   * else the end of the turn.
   *
   * @param queue as in a path: {@code SALE/1}
   */
  void overstay(String queue, String user) {
    RedisServer holder = cluster == null ? redis : RedisTurns.holder(cluster, queue);
    if (holder != null && ledger != null) {
      endInLedger(ledger, queue, user);
    }
    if (holder == null) {
      clock.advance(Duration.ofSeconds(301));
    } else {
      RedisTurns.end(holder, queue, user);
    }
  }

  private static void endInLedger(Ledger.Config ledger, String queue, String user) {
    try (var connection =
            DriverManager.getConnection(ledger.url(), ledger.user(), ledger.password());
        var update =
            connection.prepareStatement(
                """
                UPDATE queue_entries SET expires_at = 1 WHERE user_id = ? AND live = 1 AND queue_id =
                (SELECT id FROM waiting_queues WHERE event_type = ? AND event_id = ?)
                """)) {
      update.setString(1, user);
      String[] name = queue.split("/", 2);
      update.setString(2, name[0]);
      update.setString(3, name[1]);
      update.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
