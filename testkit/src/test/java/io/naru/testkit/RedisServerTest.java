package io.naru.testkit;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RedisServerTest {

  static RedisBinary[] binaries() {
    return new RedisBinary[] {RedisBinary.embedded(), RedisBinary.preferInstalled()};
  }

  @ParameterizedTest
  @MethodSource("binaries")
  void start_anyBinary_answersPing(RedisBinary binary) throws IOException {
    assertThat(binary.describe()).startsWith("redis-server ");
    try (var server = RedisServer.start(binary);
        var redis = server.connect()) {
      assertThat(redis.call("PING")).isEqualTo("PONG");
      assertThat(redis.call("CONFIG", "GET", "save")).isEqualTo("save\n");
      assertThat(redis.call("INFO", "server")).contains("process_id:" + server.pid());
      assertThat(server.uri()).isEqualTo("redis://127.0.0.1:" + server.port());
    }
  }

  @Test
  void restart_afterKill_keepsPortAndForgets() throws IOException {
    try (var server = RedisServer.start(RedisBinary.embedded())) {
      try (var redis = server.connect()) {
        redis.call("SET", "a", "1");
      }
      server.kill();
      assertThatThrownBy(server::connect).isInstanceOf(UncheckedIOException.class);
      server.restart();
      try (var redis = server.connect()) {
        assertThat(redis.call("GET", "a")).isEmpty();
      }
    }
  }

  @Test
  void restart_replicaThatTookOver_staysTheMaster() throws IOException {
    try (var master = RedisServer.start(RedisBinary.embedded());
        var replica = master.startReplica(RedisBinary.embedded())) {
      master.kill();
      replica.promote();
      replica.restart();
      try (var redis = replica.connect()) {
        assertThat(redis.call("SET", "a", "1")).isEqualTo("OK");
      }
    }
  }

  @Test
  void restart_withAppendOnlyFile_remembers() throws IOException {
    var args = new String[] {"--appendonly", "yes", "--appendfsync", "always"};
    try (var server = RedisServer.start(RedisBinary.embedded(), args)) {
      try (var redis = server.connect()) {
        redis.call("SET", "a", "1");
      }
      server.restart();
      try (var redis = server.connect()) {
        assertThat(redis.call("GET", "a")).isEqualTo("1");
      }
    }
  }

  @Test
  void freeze_thenThaw_carriesOutWhatWasSent() throws Exception {
    try (var server = RedisServer.start(RedisBinary.embedded());
        var redis = server.connect()) {
      server.freeze();
      var ghost = CompletableFuture.supplyAsync(() -> call(redis, "INCR", "a"));
      assertThatThrownBy(() -> ghost.get(200, MILLISECONDS)).isInstanceOf(TimeoutException.class);

      server.thaw();

      assertThat(ghost.get(20, SECONDS)).isEqualTo("1");
    }
  }

  private static String call(RedisConnection redis, String... words) {
    try {
      return redis.call(words);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void call_wrongCommand_throwsWhatRedisSays() throws IOException {
    try (var server = RedisServer.start(RedisBinary.embedded());
        var redis = server.connect()) {
      assertThatThrownBy(() -> redis.call("NONSENSE")).hasMessageContaining("unknown command");
      assertThat(redis.call("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void start_badArgument_saysWhy() {
    assertThatThrownBy(() -> RedisServer.start(RedisBinary.embedded(), "--nonsense", "1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nonsense");
  }

  /** Starts Redis, prints its process id, and stays until killed. */
  static final class Host {
    public static void main(String[] args) throws InterruptedException {
      System.out.println(RedisServer.start(RedisBinary.embedded()).pid());
      Thread.sleep(60_000);
    }
  }

  @Test
  void start_whenItsJvmIsKilled_endsToo() throws IOException {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var path = System.getProperty("java.class.path");
    var host = new ProcessBuilder(java, "-cp", path, Host.class.getName()).start();
    try (var lines = host.inputReader()) {
      var redis = ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
      assertThat(redis.isAlive()).isTrue();
      host.destroyForcibly();
      await().until(() -> !redis.isAlive());
    }
  }
}
