package io.naru.ledger;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.naru.line.LineCopy;
import io.naru.line.Standing;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.Entry.Status;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A queue whose ledger lost commits, and whose line, which all servers share, was not brought the
 * last of them: they were shown by the ledger. What is left of what people were told is in the
 * line.
 */
class FrozenLineTest {

  private static final QueueId QUEUE = new QueueId("FROZEN", "line");

  private static final List<String> TABLES = List.of("waiting_queues", "queue_entries");

  private final LineCopy copy = new MemoryCopy();
  private volatile boolean takesChanges = true;
  private volatile boolean answers = true;
  private LedgerFixture server;
  private long seen;

  @BeforeEach
  void start() throws Exception {
    server = new LedgerFixture(LedgerFixture.sqlite(), shared());
    var settings = Map.<String, Object>of("entryIntervalSeconds", 60, "passTtlSeconds", 60);
    get(server.ledger().queues().edit(QUEUE, Edit.activate(settings)));
    join("ann");
    join("bob");
    admitOne();
    join("cid");
    forEachTable("CREATE TABLE old_%1$s AS SELECT * FROM %1$s");
    join("dan");
    admitOne();
    join("eve");
    takesChanges = false;
    join("fay");
    seen = place("fay", 0).line().change();
    assertThat(place("eve", seen).ahead()).as("from the ledger").isEqualTo(2);

    forEachTable("DELETE FROM %1$s");
    forEachTable("INSERT INTO %1$s (%2$s) SELECT %2$s FROM old_%1$s");
    await("nobody may change it")
        .untilAsserted(
            () -> assertThatThrownBy(() -> join("gil")).hasMessageContaining("lost commits"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void admitOne() throws Exception {
    get(server.ledger().queues().admit(QUEUE, new Admission.ByHand(1, Actor.SYSTEM)));
  }

  private void forEachTable(String statement) throws SQLException {
    try (var connection = server.connect();
        var executed = connection.createStatement()) {
      for (String table : TABLES) {
        executed.execute(statement.formatted(table, columns(executed, table)));
      }
    }
  }

  /** Without those that are worked out of others. */
  private static String columns(Statement statement, String table) throws SQLException {
    try (var names =
        statement.executeQuery("SELECT name FROM pragma_table_info('" + table + "')")) {
      var all = new StringJoiner(", ");
      while (names.next()) {
        all.add(names.getString(1));
      }
      return all.toString();
    }
  }

  /** As Redis, which may be away. */
  private LineCopy shared() {
    return (LineCopy)
        Proxy.newProxyInstance(
            LineCopy.class.getClassLoader(),
            new Class<?>[] {LineCopy.class},
            (_, method, args) ->
                switch (method.getName()) {
                  case "isOwn" -> false;
                  case "apply" -> takesChanges ? ask(method, args) : away();
                  default ->
                      answers || !CompletionStage.class.equals(method.getReturnType())
                          ? ask(method, args)
                          : away();
                });
  }

  private Object ask(Method method, Object... args) throws Throwable {
    try {
      return method.invoke(copy, args);
    } catch (InvocationTargetException e) {
      throw requireNonNull(e.getCause());
    }
  }

  private static CompletionStage<?> away() {
    return CompletableFuture.failedStage(new QueueUnavailable(Kind.DISCONNECTED, "away"));
  }

  @Test
  void f16_lineLacksWhatWasSeen_placesAreThoseOfTheLine() throws Exception {
    assertThat(place("cid", seen).ahead()).isZero();
    assertThat(place("dan", seen).ahead()).isEqualTo(1);
    assertThat(place("eve", seen).ahead()).isEqualTo(2);
    assertThat(place("eve", 0).ahead()).isEqualTo(2);
    assertThat(place("bob", seen).entry().status()).isEqualTo(Status.ENTERED);
  }

  /** The ledger does not know that bob went in, so it cannot say that his time is up. */
  @Test
  void f16_timeInsideIsUp_isSaidAsFarAsTheLedgerKnows() throws Exception {
    server.advance(Duration.ofMinutes(2));

    assertThat(place("ann", seen).entry().status()).isEqualTo(Status.EXPIRED);
    assertThat(place("bob", seen).entry().status()).isEqualTo(Status.ENTERED);
  }

  @Test
  void f16_lineAway_nobodyIsShownThePlacesOfTheLedger() {
    answers = false;

    for (String user : List.of("cid", "dan", "eve")) {
      assertThatThrownBy(() -> place(user, seen))
          .hasCauseInstanceOf(QueueUnavailable.class)
          .hasMessageContaining("cannot be asked, and its ledger lost commits");
    }
  }

  private void join(String user) throws Exception {
    get(server.ledger().queues().join(QUEUE, user));
  }

  private Place place(String user, long change) throws Exception {
    return ((Standing.Found) get(server.ledger().line().locate(QUEUE, user, change))).place();
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }
}
