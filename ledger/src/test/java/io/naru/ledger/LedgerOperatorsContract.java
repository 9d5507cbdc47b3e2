package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.access.AccessKey;
import io.naru.access.AccessKeys;
import io.naru.access.AccessKeys.Kept;
import io.naru.access.OperatorsContract;
import io.naru.access.Reach;
import io.naru.access.Role;
import io.naru.audit.Act;
import io.naru.audit.AuditTrail;
import io.naru.keys.KeyStore;
import io.naru.keys.KeyStore.Text;
import io.naru.queue.Actor;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Queues;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Operators of a ledger, whatever its database. */
abstract class LedgerOperatorsContract extends OperatorsContract {

  private static final Actor BY = new Actor("admin", "admin", "203.0.113.9");
  private static final QueueId QUEUE = new QueueId("ATOMIC", "1");

  abstract LedgerFixture fixture();

  @Override
  protected AccessKeys keys() {
    return fixture().ledger().access();
  }

  @Override
  protected AuditTrail trail() {
    return fixture().ledger().audit();
  }

  @Override
  protected Queues queues() {
    return fixture().ledger().queues();
  }

  @Override
  protected void empty() throws Exception {
    for (var overview : get(queues().list(null, 100))) {
      get(queues().delete(overview.queue().id(), BY));
    }
    execute("DELETE FROM access_keys", "DELETE FROM audit_rows", "DELETE FROM signing_keys");
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }

  private void execute(String... statements) throws SQLException {
    try (Connection connection = fixture().connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private int kept() {
    return trail().list(null, Long.MAX_VALUE, 1_000).size();
  }

  private CompletionStage<?> capacity(int capacity) {
    return queues()
        .edit(QUEUE, Edit.put(Map.of("maxCapacity", capacity), OptionalLong.empty()).by(BY));
  }

  private long version() throws Exception {
    return get(queues().find(QUEUE)).orElseThrow().queue().version();
  }

  /** What is asked fails while a table is not to be found. */
  private void without(String table, Failing failing) throws Exception {
    execute("ALTER TABLE " + table + " RENAME TO hidden");
    try {
      failing.run();
    } finally {
      execute("ALTER TABLE hidden RENAME TO " + table);
    }
  }

  private interface Failing {
    void run() throws Exception;
  }

  /** The last thing in a transaction is its mark; an act and what it changed are before. */
  @Test
  void act_whoseTransactionFails_isNotKept() throws Exception {
    empty();
    get(capacity(30));

    without(
        "writers",
        () -> {
          assertThat(capacity(50).toCompletableFuture()).failsWithin(Duration.ofSeconds(10));
          assertThat(queues().delete(QUEUE, BY).toCompletableFuture())
              .failsWithin(Duration.ofSeconds(10));
        });

    assertThat(kept()).isEqualTo(1);
    assertThat(version()).isEqualTo(1);
  }

  @Test
  void act_thatCannotBeKept_isNotDone() throws Exception {
    empty();
    get(capacity(30));
    keys().add(key("01"), BY);
    signing().replace(Text.NONE, new Text(1, "first"), rotation());
    int before = kept();

    without(
        "audit_rows",
        () -> {
          assertThat(capacity(50).toCompletableFuture()).failsWithin(Duration.ofSeconds(10));
          assertThat(queues().delete(QUEUE, BY).toCompletableFuture())
              .failsWithin(Duration.ofSeconds(10));
          assertFails(() -> keys().add(key("02"), BY));
          assertFails(() -> keys().revoke("01", 9, BY));
          assertFails(() -> signing().replace(new Text(1, ""), new Text(2, "next"), rotation()));
        });

    assertThat(version()).isEqualTo(1);
    assertThat(keys().kept()).containsExactly(key("01"));
    assertThat(signing().read()).isEqualTo(new Text(1, "first"));
    assertThat(kept()).isEqualTo(before);
  }

  private static void assertFails(Runnable step) {
    assertThatThrownBy(step::run).isInstanceOf(QueueUnavailable.class);
  }

  private static Kept key(String id) {
    var key = new AccessKey(id, "key-" + id, Role.VIEWER, Reach.ALL, 1, "admin", 0, 0, 0);
    return new Kept(key, "ef".repeat(32));
  }

  private KeyStore signing() {
    return fixture().ledger().keys();
  }

  private static Act rotation() {
    return new Act(BY, Act.Kind.ROTATE_KEY, null, Map.of("kid", "a"), Map.of("kid", "b"));
  }

  @Test
  void signingKeys_replaced_isAnAct_andNotIfAnotherWasFirst() throws Exception {
    empty();

    assertThat(signing().replace(Text.NONE, new Text(1, "first"), rotation())).isTrue();
    assertThat(signing().replace(Text.NONE, new Text(1, "late"), rotation())).isFalse();
    assertThat(signing().replace(new Text(1, ""), new Text(2, "tidied"))).isTrue();

    assertThat(trail().list(null, Long.MAX_VALUE, 9)).hasSize(1);
  }

  @Test
  void acts_olderThan400Days_areForgotten() throws Exception {
    empty();
    get(capacity(30));
    keys().add(key("01"), BY);
    keys().revoke("01", 1, BY);
    keys().add(key("02"), BY);
    fixture().advance(Duration.ofDays(399));
    fixture().ledger().retention().run();
    assertThat(kept()).isEqualTo(4);

    fixture().advance(Duration.ofDays(2));
    get(capacity(40));
    fixture().ledger().retention().run();

    assertThat(trail().list(null, Long.MAX_VALUE, 9))
        .map(row -> row.act().after())
        .isEqualTo(List.of(Map.of("maxCapacity", 40)));
    assertThat(keys().list(null, 9)).map(AccessKey::id).containsExactly("02");
  }
}
