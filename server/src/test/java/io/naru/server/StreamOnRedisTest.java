package io.naru.server;

import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("process")
class StreamOnRedisTest extends StreamContract {

  @TempDir private static Path data;
  private static RedisServer redis;
  private static TestServer server;

  @BeforeAll
  static void start() {
    redis = RedisServer.start(RedisBinary.embedded());
    server = TestServer.start(TestServer.config(data, redis.uri()));
  }

  @AfterAll
  static void stop() {
    server.close();
    redis.close();
  }

  @Override
  TestServer server() {
    return server;
  }

  @Override
  void overstay(String user) {
    RedisTurns.end(redis, queue, user);
  }
}
