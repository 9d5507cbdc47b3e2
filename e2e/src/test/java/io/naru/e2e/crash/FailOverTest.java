package io.naru.e2e.crash;

import static io.naru.e2e.crash.Faults.underLoad;
import static java.util.concurrent.TimeUnit.MINUTES;

import io.naru.testkit.PostgresPair;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A PostgreSQL with a synchronous standby that takes over. */
@Timeout(value = 3, unit = MINUTES)
class FailOverTest {

  @Test
  void f20_primaryKilledAndStandbyPromoted_oldPrimaryBackAsItWas(@TempDir Path data)
      throws Exception {
    try (var redis = RedisServer.start(RedisBinary.embedded());
        var pair = PostgresPair.start();
        var stage = new Stage(data, redis, pair)) {
      underLoad(
          stage,
          "F20",
          run -> {
            long from = run.history().now();
            long pid = pair.first().pid();
            pair.failOver();
            InvalidRun.unless(
                run.history().count(call -> call.answered() >= from && !call.isOk()) > 0,
                "nobody noticed anything");
            run.awaitPlaces(100);
            pair.first().restart();
            InvalidRun.unless(pair.first().pid() != pid, "the old primary is not back");
          });
    }
  }
}
