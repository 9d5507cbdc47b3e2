package io.naru.ledger;

import static io.naru.testkit.FaultProxy.Way.TO_SERVER;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.Original;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.testkit.PostgresPair;
import io.naru.testkit.PostgresServer;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A PostgreSQL with a synchronous standby: what the standby does not have is lost with the primary,
 * so nobody is told of it, however the primary answers.
 */
@Tag("process")
@Timeout(90)
class StandbyTest {

  private static final QueueId QUEUE = new QueueId("STANDBY", "1");

  private PostgresPair pair;
  private LedgerFixture server;

  @BeforeEach
  void start() throws Exception {
    pair = PostgresPair.start();
    var config =
        new Ledger.Config(pair.url(), pair.primary().user(), pair.primary().password(), false);
    server = new LedgerFixture(config, new MemoryCopy());
    get(server.ledger().queues().edit(QUEUE, Edit.activate(Map.of("maxCapacity", 1))));
    assertThat(get(join("ann"))).isInstanceOf(Joined.Waiting.class);
  }

  @AfterEach
  void stop() {
    server.close();
    pair.close();
  }

  @Test
  void f21_join_waitForTheStandbyCancelled_isNotToldBeforeTheStandbyHasIt() throws Exception {
    pair.swallowReplication();
    CompletableFuture<Joined> bob = join("bob");
    pair.awaitWaitingCommit();
    assertThat(pair.cancelWaitingCommits()).isEqualTo(1);

    assertUnavailable(bob);
    assertUnavailable(join("bob"));

    pair.healReplication();
    Place found = retry("bob");
    assertThat(found.ahead()).isEqualTo(1);
    assertThat(retry("cid").ahead()).isEqualTo(2);
    assertThat(server.ledger().troubles()).isEmpty();
  }

  @Test
  void f21_join_waitCancelledAndPrimaryLost_retryFindsWhatIsTrue() throws Exception {
    pair.swallowReplication();
    CompletableFuture<Joined> bob = join("bob");
    pair.awaitWaitingCommit();
    // Only the answer to the commit gets through: nobody reads what will be lost.
    pair.front().swallow(TO_SERVER);
    assertThat(pair.cancelWaitingCommits()).isEqualTo(1);

    assertUnavailable(bob);

    pair.failOver();
    pair.front().heal();
    assertThat(retry("cid").ahead()).isEqualTo(1);
    assertThat(retry("bob").ahead()).isEqualTo(2);
    assertThat(server.ledger().troubles()).isEmpty();
  }

  @Test
  void f21_join_primaryRestartedWithWhatTheStandbyLacks_isNotToldBeforeTheStandbyHasIt()
      throws Exception {
    pair.swallowReplication();
    CompletableFuture<Joined> bob = join("bob");
    pair.awaitWaitingCommit();
    pair.first().restart();

    assertUnavailable(bob);
    assertUnavailable(join("bob"));

    pair.healReplication();
    pair.first().awaitStandby();
    assertThat(retry("bob").ahead()).isEqualTo(1);
    assertThat(server.ledger().troubles()).isEmpty();
  }

  @Test
  void f21_join_standbyAway_isNotSeenByAnybodyBeforeTheStandbyHasIt() throws Exception {
    pair.swallowReplication();
    CompletableFuture<Joined> bob = join("bob");
    pair.awaitWaitingCommit();

    assertUnavailable(bob);
    assertUnavailable(join("cid"));
    try (var connection = pair.primary().connect();
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT count(*) FROM queue_entries")) {
      rows.next();
      assertThat(rows.getInt(1)).as("what nobody may be shown yet").isEqualTo(1);
    }

    pair.healReplication();
    assertThat(retry("bob").ahead()).isEqualTo(1);
  }

  @Test
  void f20_failOver_whatWasTold_isThere() throws Exception {
    EntryKey bob = retry("bob").entry().key();

    pair.failOver();

    Place found = retry("bob");
    assertThat(found.entry().key()).isEqualTo(bob);
    assertThat(retry("cid").ahead()).isEqualTo(2);
    assertThat(server.ledger().troubles()).isEmpty();
  }

  @Test
  void f20_failOver_severalHostsInTheAddress_findsThePrimary() throws Exception {
    server.close();
    var config =
        new Ledger.Config(
            pair.urlOfBoth(), pair.primary().user(), pair.primary().password(), false);
    server = new LedgerFixture(config, new MemoryCopy());
    EntryKey bob = retry("bob").entry().key();

    pair.failOver();

    assertThat(retry("bob").entry().key()).isEqualTo(bob);
    assertThat(retry("cid").ahead()).isEqualTo(2);
  }

  /**
   * As behind a network that is parted: its standby has taken over elsewhere, and the line has what
   * was committed there. Whether that is so, or commits are lost, says who can commit.
   */
  @Test
  void f20_primaryBehindTheLine_freezesNothingBeforeItHasCommitted() throws Exception {
    Original of = QueueLists.original(QUEUE, server.ledger().id(), 1);
    pair.swallowReplication();
    long at = ((CopyState.At) get(server.copy().state(of))).change();
    var elsewhere = new Change(at, at + 1, List.of(), 1, 0, null);
    assertThat(get(server.copy().apply(of, elsewhere))).isEqualTo(new CopyState.At(at + 1));
    try (var connection = pair.first().connect();
        var statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE application_name LIKE 'naru%'");
    }

    assertUnavailable(join("bob"));
    pair.awaitWaitingCommit();
    assertThat(server.ledger().frozenQueues()).isEmpty();

    pair.healReplication();
    await("it is frozen when a commit is answered")
        .atMost(Duration.ofSeconds(40))
        .until(
            () -> {
              join("bob").exceptionally(_ -> null).get(10, SECONDS);
              return server.ledger().frozenQueues().equals(List.of(QUEUE));
            });
  }

  /** It lags behind what was seen, and whoever reads that would take commits for lost. */
  @Test
  void standbyBehindTheAddress_isRefusedByName() {
    var timelines = new Timelines();
    PostgresServer standby = pair.second();
    var properties = new Properties();
    properties.setProperty("user", standby.user());
    properties.setProperty("password", standby.password());

    assertThatThrownBy(() -> timelines.connect(standby.url(), properties))
        .isInstanceOf(SQLNonTransientConnectionException.class)
        .hasMessageContainingAll(":" + standby.port(), "is a standby", "name the primary");
  }

  @Test
  void severalHostsInTheAddress_standbyFirst_leadsToThePrimary() throws Exception {
    PostgresServer primary = pair.primary();
    var properties = new Properties();
    properties.setProperty("user", primary.user());
    properties.setProperty("password", primary.password());
    String both =
        primary
            .url()
            .replace("//", "//127.0.0.1:" + pair.second().port() + ",")
            .replace("?targetServerType=primary", "");

    try (var connection = new Timelines().connect(both, properties)) {
      assertThat(connection.getMetaData().getURL()).contains(":" + primary.port());
    }
  }

  /** It would take what it is told, and says that it is the primary, which it was. */
  @Test
  void f20_oldPrimaryBehindTheAddress_isRefusedByName() throws Exception {
    pair.failOver();
    assertThat(retry("bob").ahead()).isEqualTo(1);
    pair.firstIsBack();

    pair.front().retarget(pair.first().port());

    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> join("cid").get(10, SECONDS))
                    .hasRootCauseInstanceOf(SQLException.class)
                    .rootCause()
                    .hasMessageContainingAll(
                        "on timeline 1", "promoted to 2", "came back as it was", "pg_rewind"));
    try (var connection = pair.first().connect();
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT count(*) FROM queue_entries")) {
      rows.next();
      assertThat(rows.getInt(1)).as("only ann").isEqualTo(1);
    }
    pair.front().retarget(pair.second().port());
    assertThat(retry("cid").ahead()).isEqualTo(2);
    assertThat(server.ledger().troubles()).isEmpty();
  }

  /**
   * As behind an address that leads to a standby by now, over a connection that was made before.
   */
  @Test
  void f20_primaryDemoted_isLeftForAnotherOne() throws Exception {
    try (var connection = pair.first().connect();
        var statement = connection.createStatement()) {
      statement.execute("ALTER DATABASE postgres SET default_transaction_read_only = on");
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE application_name LIKE 'naru%'");
    }
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> join("bob").get(10, SECONDS))
                    .hasMessageContaining("read-only by now"));

    try (var connection = pair.first().connect();
        var statement = connection.createStatement()) {
      statement.execute("SET default_transaction_read_only = off");
      statement.execute("ALTER DATABASE postgres RESET default_transaction_read_only");
    }

    // The writer's connection is the old one as long as nobody ends it; nobody but it does.
    assertThat(retry("bob").ahead()).isEqualTo(1);
  }

  private CompletableFuture<Joined> join(String user) {
    return server.ledger().queues().join(QUEUE, user).toCompletableFuture();
  }

  /** What a visitor does who was told to try again. */
  private Place retry(String user) {
    Joined told =
        await("a place for " + user)
            .atMost(Duration.ofSeconds(40))
            .until(() -> join(user).exceptionally(_ -> null).get(10, SECONDS), Objects::nonNull);
    return switch (told) {
      case Joined.Waiting(var place) -> place;
      case Joined.AlreadyIn(var place) -> place;
      case Joined other -> throw new AssertionError(user + " has no place: " + other);
    };
  }

  private static void assertUnavailable(CompletableFuture<Joined> answer) throws Exception {
    assertThatThrownBy(() -> answer.get(10, SECONDS)).hasCauseInstanceOf(QueueUnavailable.class);
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }
}
