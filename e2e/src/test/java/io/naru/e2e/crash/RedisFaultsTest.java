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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The faults that need a Redis of another kind, and so servers of their own. */
@Timeout(value = 2, unit = MINUTES)
class RedisFaultsTest {

  @Test
  void f4_killRedisWithAppendOnlyFile(@TempDir Path data) throws Exception {
    try (var redis =
            RedisServer.start(
                RedisBinary.embedded(), "--appendonly", "yes", "--appendfsync", "everysec");
        var stage = new Stage(data, redis.uri(), redis::connect, Stage::delivered)) {
      underLoad(
          stage,
          "F4",
          run -> {
            long pid = redis.pid();
            redis.restart();
            InvalidRun.unless(redis.pid() != pid, "Redis was not killed");
            InvalidRun.unless(
                redis.log().contains("DB loaded from append only file")
                    || redis.log().contains("DB loaded from base file"),
                "Redis began empty:\n" + redis.log());
          });
    }
  }

  @Test
  void f6_failOverToAStaleReplica(@TempDir Path data) throws Exception {
    try (var redis = RedisPair.start(RedisBinary.embedded());
        var stage = new Stage(data, redis.uri(), () -> connect(redis), Stage::delivered)) {
      underLoad(
          stage,
          "F6",
          run -> {
            String inside = run.queue().key("entered");
            redis.swallowReplication();
            // Until people went in of whom the replica knows nothing: they must not reappear.
            await()
                .until(
                    () ->
                        !members(redis.master(), inside).equals(members(redis.replica(), inside)));
            InvalidRun.unless(redis.swallowed() > 0, "the replica heard everything");
            redis.failOver();
            try (var promoted = connect(redis)) {
              InvalidRun.unless(
                  promoted.call("INFO", "replication").contains("role:master"), "no fail-over");
            }
          });
    }
  }

  private static RedisConnection connect(RedisPair redis) {
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
