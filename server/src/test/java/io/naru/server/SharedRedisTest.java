package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Redis remembers who decides the lines it holds; whoever else comes is told so. */
@Tag("process")
class SharedRedisTest {

  private RedisServer redis;

  @BeforeEach
  void start() {
    redis = RedisServer.start(RedisBinary.embedded());
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private Naru.Config withLedger(Path data) {
    return TestServer.config(data, redis.uri(), TestServer.onSqlite(data).ledger());
  }

  private Naru.Config withoutLedger(Path data) {
    return TestServer.config(data, redis.uri());
  }

  @Test
  void start_anotherLedgersLines_areRefused(@TempDir Path one, @TempDir Path two) {
    try (TestServer first = TestServer.start(withLedger(one))) {
      first.activate("SALE/1", "\"maxCapacity\":1").is(201);

      assertThatThrownBy(() -> Naru.start(withLedger(two)))
          .isInstanceOf(StartFailure.class)
          .hasMessageContainingAll("--redis: ", "lines of another ledger");
      assertThat(first.enter("SALE/1", "ann").status()).isEqualTo(201);
    }
  }

  @Test
  void start_sameLedgerAgain_isWelcome(@TempDir Path data) {
    TestServer.start(withLedger(data)).close();

    TestServer.start(withLedger(data)).close();
  }

  @Test
  void start_withoutTheLedgerThatDecides_isRefused(@TempDir Path data) {
    TestServer.start(withLedger(data)).close();

    assertThatThrownBy(() -> Naru.start(withoutLedger(data)))
        .isInstanceOf(StartFailure.class)
        .hasMessageContainingAll("--ledger: ", "name that ledger");
  }

  @Test
  void start_linesThatRedisDecides_areNotTakenOver(@TempDir Path data) {
    try (TestServer alone = TestServer.start(withoutLedger(data))) {
      alone.activate("SALE/1", "\"maxCapacity\":1").is(201);
    }

    assertThatThrownBy(() -> Naru.start(withLedger(data)))
        .isInstanceOf(StartFailure.class)
        .hasMessageContainingAll("--redis: ", "no ledger decides");
  }
}
