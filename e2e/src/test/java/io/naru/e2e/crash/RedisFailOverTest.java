package io.naru.e2e.crash;

import static io.naru.e2e.crash.Faults.underLoad;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisCluster;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisSentinel;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Redis that finds another master by itself, with Sentinel and as a cluster. */
@Timeout(value = 3, unit = MINUTES)
class RedisFailOverTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** The old master is not dead, only silent: it wakes up as the master that it was. */
  @Test
  void f18_sentinelPromotesUnderLoad(@TempDir Path data) throws Exception {
    try (var redis = RedisSentinel.start(RedisBinary.embedded());
        var stage =
            new Stage(
                Database.POSTGRES,
                data,
                redis.uri(),
                () -> connect(redis.masterPort()),
                Stage::delivered)) {
      underLoad(
          stage,
          "F18",
          run -> {
            int before = redis.masterPort();
            redis.master().freeze();
            await("another master").atMost(PATIENCE).until(() -> redis.masterPort() != before);
            say("F18: the copy on the new master", run.awaitFollowing(FailOvers.BOUND));
            redis.master().thaw();
            run.awaitPlaces(50);
          });
    }
  }

  @Test
  void f19_slotMovedAndMasterKilledWhilePeopleJoin(@TempDir Path data) throws Exception {
    String key = new QueueName("CRASH", "F19", false, false).key("waiting");
    try (var redis = RedisCluster.start(RedisBinary.embedded())) {
      RedisServer first = redis.ownerOf(key).orElseThrow();
      RedisServer next =
          redis.nodes().stream().filter(node -> node != first).findFirst().orElseThrow();
      RedisServer replica = redis.addReplicaOf(next);
      try (var stage =
          new Stage(
              Database.POSTGRES,
              data,
              redis.uri(),
              () -> redis.ownerOf(key).orElseThrow().connect(),
              Stage::delivered)) {
        underLoad(
            stage,
            "F19",
            run -> {
              InvalidRun.unless(redis.moveSlot(key, next) > 0, "there was nothing to move");
              say("F19: the copy in its new place", run.awaitFollowing(FailOvers.BOUND));
              run.awaitPlaces(50);
              next.kill();
              await("another master")
                  .atMost(PATIENCE)
                  .until(() -> redis.ownerOf(key).filter(replica::equals).isPresent());
              say("F19: the copy on the replica", run.awaitFollowing(FailOvers.BOUND));
            });
      }
    }
  }

  private static void say(String what, Duration after) {
    System.out.printf("%s follows after %d ms%n", what, after.toMillis());
  }

  private static RedisConnection connect(int port) {
    try {
      return new RedisConnection(port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
