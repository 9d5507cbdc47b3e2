package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Standing;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.Joined;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.testkit.PostgresServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/**
 * A ledger is copied while people join, and opened elsewhere: everybody who was in it stands where
 * they stood, and the same secrets speak for them.
 */
@Tag("process")
class BackupTest {

  private static final QueueId QUEUE = new QueueId("BACKUP", "1");
  private static final int PEOPLE = 50;

  /** As the manual says: VACUUM INTO, which reads one state of the file, whoever writes. */
  @Test
  void sqlite_copiedWhileInUse_hasEverybody(@TempDir Path directory) throws Exception {
    Path original = directory.resolve("ledger.db");
    Path copy = directory.resolve("copy.db");

    assertMoved(
        new Ledger.Config("jdbc:sqlite:" + original, null, null, false),
        () -> {
          try (var connection = DriverManager.getConnection("jdbc:sqlite:" + original);
              var statement = connection.createStatement()) {
            statement.execute("VACUUM INTO '" + copy + "'");
          }
          return new Ledger.Config("jdbc:sqlite:" + copy, null, null, false);
        });
  }

  /**
   * What pg_dump and pg_restore do, which the PostgreSQL of the tests comes without: all tables out
   * of one snapshot, into another cluster.
   */
  @Test
  void postgres_dumpedWhileInUse_andRestoredIntoAnotherCluster_hasEverybody() throws Exception {
    PostgresServer one = PostgresServer.shared();
    try (var other = PostgresServer.start("fsync=off")) {
      String url = one.fresh();
      assertMoved(
          new Ledger.Config(url, one.user(), one.password(), false),
          () -> {
            var restored = new Ledger.Config(other.url(), other.user(), other.password(), true);
            // The tables, as pg_restore would make them.
            Ledger.open(restored, InstantSource.system()).close();
            try (var from = one.connect(url);
                var to = other.connect()) {
              copy(from, to);
            }
            return restored;
          });
    }
  }

  private static void copy(Connection from, Connection to) throws Exception {
    from.setAutoCommit(false);
    from.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    to.setAutoCommit(false);
    execute(to, "SET session_replication_role = replica");
    for (String table :
        texts(
            from,
            """
            SELECT table_name FROM information_schema.tables
            WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
            """)) {
      var rows = new ByteArrayOutputStream();
      from.unwrap(PGConnection.class).getCopyAPI().copyOut("COPY " + table + " TO STDOUT", rows);
      execute(to, "DELETE FROM " + table);
      to.unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn("COPY " + table + " FROM STDIN", new ByteArrayInputStream(rows.toByteArray()));
    }
    for (String sequence :
        texts(
            from,
            """
            SELECT format('SELECT setval(%L, %s)', sequencename, last_value)
            FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL
            """)) {
      execute(to, sequence);
    }
    to.commit();
    from.commit();
  }

  /** Makes a copy, and says where it is. */
  private interface Backup {
    Ledger.Config make() throws Exception;
  }

  private static void assertMoved(Ledger.Config original, Backup backup) throws Exception {
    Map<String, Place> before = new LinkedHashMap<>();
    Ledger.Config restored;
    String id;
    try (var server = new LedgerFixture(original, new MemoryCopy())) {
      var queues = server.ledger().queues();
      get(queues.edit(QUEUE, Edit.activate(Map.of("maxCapacity", 1, "entryIntervalSeconds", 60))));
      for (int i = 0; i < PEOPLE; i++) {
        join(server, "user-" + i);
      }
      for (int i = 0; i < PEOPLE; i++) {
        before.put("user-" + i, placeOf(server, "user-" + i));
      }
      id = server.ledger().id();
      server.ledger().shared("secret", "of the original");
      var isOver = new AtomicBoolean();
      var hasBegun = new CountDownLatch(1);
      List<String> late = new ArrayList<>();
      Thread others =
          Thread.ofVirtual()
              .start(
                  () -> {
                    while (!isOver.get()) {
                      late.add("late-" + late.size());
                      join(server, late.getLast());
                      hasBegun.countDown();
                    }
                  });
      assertThat(hasBegun.await(30, SECONDS)).as("somebody joins meanwhile").isTrue();
      restored = backup.make();
      isOver.set(true);
      others.join();
    }

    try (var server = new LedgerFixture(restored, new MemoryCopy())) {
      assertThat(server.ledger().id()).isEqualTo(id);
      assertThat(server.ledger().shared("secret", "another")).isEqualTo("of the original");
      for (var person : before.entrySet()) {
        Place place = placeOf(server, person.getKey());
        assertThat(place.entry().key()).isEqualTo(person.getValue().entry().key());
        assertThat(place.ahead()).isEqualTo(person.getValue().ahead());
      }
      Place next = ((Joined.Waiting) join(server, "next")).place();
      assertThat(next.ahead()).isGreaterThanOrEqualTo(PEOPLE);
      assertThat(server.ledger().troubles()).isEmpty();
    }
  }

  private static Joined join(LedgerFixture server, String user) {
    try {
      return get(server.ledger().queues().join(QUEUE, user));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static Place placeOf(LedgerFixture server, String user) throws Exception {
    return ((Standing.Found) get(server.ledger().line().locate(QUEUE, user))).place();
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String> texts(Connection connection, String sql) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (var statement = connection.createStatement();
        var result = statement.executeQuery(sql)) {
      while (result.next()) {
        texts.add(result.getString(1));
      }
    }
    return texts;
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }
}
