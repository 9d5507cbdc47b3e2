package io.naru.redis;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.FaultProxy;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A connection to what was the master, or is none, is found out. */
class RoleTest {

  @Test
  void f18_masterDemotedAndConnectionKept_anotherIsMadeToTheMaster() throws Exception {
    try (var first = RedisServer.start(RedisBinary.embedded());
        var second = RedisServer.start(RedisBinary.embedded());
        var address = FaultProxy.to(first.port());
        var redis = Redis.connect("redis://127.0.0.1:" + address.port())) {
      assertThat(set(redis)).isEqualTo("OK");

      address.retargetNew(second.port());
      call(first, "REPLICAOF", "127.0.0.1", "" + second.port());
      assertThatThrownBy(() -> set(redis)).hasMessageContaining("READONLY");

      await()
          .atMost(Duration.ofSeconds(10))
          .ignoreExceptions()
          .until(() -> set(redis).equals("OK"));
      assertThat(call(second, "GET", "who")).isEqualTo("me");
    }
  }

  @Test
  void claimFor_replica_saysWhatToDo() throws Exception {
    try (var master = RedisServer.start(RedisBinary.embedded());
        var replica = master.startReplica(RedisBinary.embedded());
        var redis = Redis.connect(replica.uri())) {
      assertThat(redis.claimFor("a-ledger")).contains("READONLY", "not its replica");
    }
  }

  private static String set(Redis redis) throws Exception {
    return redis.commands().set("who", "me").toCompletableFuture().get(5, SECONDS);
  }

  private static String call(RedisServer server, String... words) throws IOException {
    try (var connection = server.connect()) {
      return connection.call(words);
    }
  }
}
