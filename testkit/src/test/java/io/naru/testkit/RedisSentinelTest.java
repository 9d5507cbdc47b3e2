package io.naru.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RedisSentinelTest {

  @Test
  void kill_theMaster_promotesTheReplica() {
    try (var all = RedisSentinel.start(RedisBinary.embedded())) {
      assertThat(all.masterPort()).isEqualTo(all.master().port());

      all.master().kill();

      await().atMost(Duration.ofSeconds(30)).until(() -> all.masterPort() == all.replica().port());
    }
  }
}
