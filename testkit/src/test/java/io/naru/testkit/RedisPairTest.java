package io.naru.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import org.junit.jupiter.api.Test;

class RedisPairTest {

  @Test
  void failOver_afterReplicationWasSwallowed_promotesTheStaleOne() throws IOException {
    try (var pair = RedisPair.start(RedisBinary.embedded())) {
      assertThat(call(pair, "SET", "a", "known")).isEqualTo("OK");
      await().until(() -> "known".equals(read(pair.replica())));

      pair.swallowReplication();
      assertThat(call(pair, "SET", "a", "lost")).isEqualTo("OK");
      await().until(() -> pair.swallowed() > 0);
      pair.failOver();

      assertThat(call(pair, "GET", "a")).isEqualTo("known");
      assertThat(call(pair, "SET", "a", "new")).isEqualTo("OK");
    }
  }

  private static String call(RedisPair pair, String... words) throws IOException {
    try (var redis = new RedisConnection(URI.create(pair.uri()).getPort())) {
      return redis.call(words);
    }
  }

  private static String read(RedisServer server) throws IOException {
    try (var redis = server.connect()) {
      return redis.call("GET", "a");
    }
  }
}
