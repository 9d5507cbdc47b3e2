package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two servers that start at once on a Redis that decides alone. */
@Tag("process")
class PassOnRedisTest extends PassContract {

  @TempDir private static Path dataOne;
  @TempDir private static Path dataTwo;
  private static RedisServer redis;
  private static TestServer one;
  private static TestServer two;

  @BeforeAll
  static void start() {
    redis = RedisServer.start(RedisBinary.embedded());
    var starting = CompletableFuture.supplyAsync(() -> server(dataOne));
    two = server(dataTwo);
    one = starting.join();
  }

  private static TestServer server(Path data) {
    return TestServer.start(TestServer.named(TestServer.config(data, redis.uri()), ISSUER));
  }

  @AfterAll
  static void stop() {
    one.close();
    two.close();
    redis.close();
  }

  @Override
  TestServer one() {
    return one;
  }

  @Override
  TestServer two() {
    return two;
  }

  @Test
  void redis_atRest_showsNoPrivateKey() throws IOException {
    try (RedisConnection connection = redis.connect()) {
      assertThat(connection.call("HGET", "naru:signing-keys", "content"))
          .contains("IN_USE")
          .doesNotContain("\"d\"", "\"kty\"");
    }
  }

  @Test
  void redis_emptied_getsTheKeysBack() throws IOException {
    String before = one.client().get("/.well-known/jwks.json").body();
    try (RedisConnection connection = redis.connect()) {
      connection.call("DEL", "naru:signing-keys");

      await().until(() -> connection.call("EXISTS", "naru:signing-keys").equals("1"));
    }
    assertThat(one.client().get("/.well-known/jwks.json").body()).isEqualTo(before);
  }
}
