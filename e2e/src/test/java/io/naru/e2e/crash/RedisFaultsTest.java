package io.naru.e2e.crash;

import static io.naru.e2e.crash.Faults.underLoad;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisPair;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The faults that need a Redis with an append-only file and a replica, on the same servers. */
@Timeout(value = 2, unit = MINUTES)
@TestMethodOrder(MethodOrderer.MethodName.class)
class RedisFaultsTest {

  private static RedisPair redis;
  private static Stage stage;

  @BeforeAll
  static void start(@TempDir Path data) {
    redis =
        RedisPair.start(RedisBinary.embedded(), "--appendonly", "yes", "--appendfsync", "everysec");
    stage =
        new Stage(Database.POSTGRES, data, redis.uri(), RedisFaultsTest::connect, Stage::delivered);
  }

  @AfterAll
  static void end() {
    stage.close();
    redis.close();
  }

  @Test
  void f4_killRedisWithAppendOnlyFile() throws Exception {
    underLoad(
        stage,
        "F4",
        run -> {
          RedisServer master = redis.master();
          long pid = master.pid();
          master.restart();
          InvalidRun.unless(master.pid() != pid, "Redis was not killed");
          InvalidRun.unless(
              master.log().contains("DB loaded from"), "Redis began empty:\n" + master.log());
        });
  }

  /** The last one: it leaves the replica alone. */
  @Test
  void f6_failOverToAStaleReplica() throws Exception {
    redis.awaitReplica();
    underLoad(
        stage,
        "F6",
        run -> {
          String inside = run.queue().key("entered");
          redis.swallowReplication();
          // Until people went in of whom the replica knows nothing: they must not reappear.
          await()
              .until(
                  () -> !members(redis.master(), inside).equals(members(redis.replica(), inside)));
          InvalidRun.unless(redis.swallowed() > 0, "the replica heard everything");
          redis.failOver();
          try (var promoted = connect()) {
            InvalidRun.unless(
                promoted.call("INFO", "replication").contains("role:master"), "no fail-over");
          }
        });
  }

  private static RedisConnection connect() {
    try {
      return new RedisConnection(URI.create(redis.uri()).getPort());
    } catch (IOException e) {
      throw new IllegalStateException("no Redis behind " + redis.uri(), e);
    }
  }

  private static String members(RedisServer server, String key) throws IOException {
    try (var connection = server.connect()) {
      return connection.call("ZRANGE", key, "0", "-1");
    }
  }
}
