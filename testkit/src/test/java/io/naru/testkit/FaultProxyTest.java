package io.naru.testkit;

import static io.naru.testkit.FaultProxy.Way.TO_CLIENT;
import static io.naru.testkit.FaultProxy.Way.TO_SERVER;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** In front of a Redis, which says what has arrived. */
class FaultProxyTest {

  private static RedisServer server;

  private FaultProxy proxy;
  private RedisConnection direct;

  @BeforeAll
  static void startServer() {
    server = RedisServer.start(RedisBinary.embedded());
  }

  @AfterAll
  static void endServer() {
    server.close();
  }

  @BeforeEach
  void connect() throws IOException {
    proxy = FaultProxy.to(server.port());
    direct = server.connect();
    direct.call("FLUSHALL");
  }

  @AfterEach
  void close() throws IOException {
    direct.close();
    proxy.close();
  }

  @Test
  void noFault_passesBothWaysAndCounts() throws IOException {
    try (var redis = through()) {
      String text = "x".repeat(1_000_000);
      redis.call("SET", "a", text);
      assertThat(redis.call("GET", "a")).isEqualTo(text);
    }
    assertThat(proxy.connections()).isEqualTo(1);
    assertThat(proxy.passed(TO_SERVER)).isGreaterThan(1_000_000);
    await().until(() -> proxy.passed(TO_CLIENT) > 1_000_000);
    assertThat(proxy.swallowed(TO_SERVER)).isZero();
    assertThat(proxy.swallowed(TO_CLIENT)).isZero();
  }

  @Test
  void delay_eachWay_answersLaterButInOrder() throws IOException {
    try (var redis = through()) {
      proxy.delay(TO_SERVER, Duration.ofMillis(100));
      proxy.delay(TO_CLIENT, Duration.ofMillis(100));
      long start = System.nanoTime();
      assertThat(redis.call("INCR", "a")).isEqualTo("1");
      assertThat(redis.call("INCR", "a")).isEqualTo("2");
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(400_000_000L);
    }
  }

  @Test
  void swallow_toServer_requestNeverArrives() throws Exception {
    try (var redis = through()) {
      proxy.swallow(TO_SERVER);
      var answer = send(redis, "SET", "a", "1");

      assertThatThrownBy(() -> answer.get(200, MILLISECONDS)).isInstanceOf(TimeoutException.class);
      assertThat(direct.call("GET", "a")).isEmpty();
      assertThat(proxy.swallowed(TO_SERVER)).isPositive();

      proxy.heal();
      assertThatThrownBy(answer::join).hasRootCauseInstanceOf(IOException.class);
    }
    assertHealed();
  }

  @Test
  void swallow_toClient_requestIsDoneAndNobodyHears() throws Exception {
    try (var redis = through()) {
      proxy.swallow(TO_CLIENT);
      var answer = send(redis, "SET", "a", "1");

      await().until(() -> direct.call("GET", "a").equals("1"));
      assertThatThrownBy(() -> answer.get(200, MILLISECONDS)).isInstanceOf(TimeoutException.class);
      assertThat(proxy.swallowed(TO_CLIENT)).isPositive();
      assertThat(proxy.swallowed(TO_SERVER)).isZero();

      proxy.heal();
      assertThatThrownBy(answer::join).hasRootCauseInstanceOf(IOException.class);
    }
    assertHealed();
  }

  @Test
  void refuse_endsWhatIsThereAndTurnsAwayWhoComes() throws IOException {
    try (var redis = through()) {
      assertThat(redis.call("PING")).isEqualTo("PONG");
      proxy.refuse();
      assertThatThrownBy(() -> redis.call("PING")).isInstanceOf(IOException.class);
    }
    assertThat(proxy.resets()).isEqualTo(1);
    assertThatThrownBy(() -> ping()).isInstanceOf(IOException.class);
    assertThat(proxy.refusals()).isEqualTo(1);
    proxy.heal();
    assertHealed();
  }

  @Test
  void reset_endsOnlyWhatIsThere() throws IOException {
    try (var redis = through()) {
      assertThat(redis.call("PING")).isEqualTo("PONG");
      proxy.reset();
      assertThatThrownBy(() -> redis.call("PING")).isInstanceOf(IOException.class);
    }
    assertThat(proxy.resets()).isEqualTo(1);
    assertHealed();
  }

  @Test
  void cutAfter_aRequest_isDoneAndItsAnswerIsLost() throws IOException {
    proxy.cutAfter("SET");
    try (var one = through();
        var two = through()) {
      assertThat(one.call("GET", "a")).as("another request").isEmpty();
      assertThatThrownBy(() -> one.call("SET", "a", "1")).isInstanceOf(IOException.class);

      assertThat(direct.call("GET", "a")).isEqualTo("1");
      assertThat(proxy.cuts()).isEqualTo(1);
      assertThat(proxy.swallowed(TO_CLIENT)).isEqualTo("+OK\r\n".length());
      assertThat(two.call("SET", "a", "2")).as("only one is cut").isEqualTo("OK");
    }
  }

  @Test
  void retarget_leadsElsewhere() throws IOException {
    try (var other = RedisServer.start(RedisBinary.embedded());
        var old = through()) {
      assertThat(old.call("INFO", "server")).contains("process_id:" + server.pid());
      proxy.retarget(other.port());
      assertThatThrownBy(() -> old.call("PING")).isInstanceOf(IOException.class);
      try (var redis = through()) {
        assertThat(redis.call("INFO", "server")).contains("process_id:" + other.pid());
      }
    }
  }

  @Test
  void serverAway_clientIsReset() {
    try (var nowhere = FaultProxy.to(Tether.freePort())) {
      assertThatThrownBy(
              () -> {
                try (var redis = new RedisConnection(nowhere.port())) {
                  redis.call("PING");
                }
              })
          .isInstanceOf(IOException.class);
      assertThat(nowhere.connections()).isZero();
    }
  }

  private RedisConnection through() throws IOException {
    return new RedisConnection(proxy.port());
  }

  private String ping() throws IOException {
    try (var redis = through()) {
      return redis.call("PING");
    }
  }

  private void assertHealed() throws IOException {
    assertThat(ping()).isEqualTo("PONG");
  }

  private static CompletableFuture<String> send(RedisConnection redis, String... words) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return redis.call(words);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }
}
