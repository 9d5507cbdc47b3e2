package io.naru.server;

import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

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

  /** The clock is that of Redis; what can be moved is when the pass ends. */
  @Override
  void overstay(String user) {
    String keys = "queue:{" + queue.replace('/', ':') + "}:";
    try (RedisConnection connection = redis.connect()) {
      String[] record = connection.call("HGET", keys + "entries", user).split(" ", -1);
      record[3] = "1";
      connection.call("HSET", keys + "entries", user, String.join(" ", record));
      connection.call("ZADD", keys + "entered", record[3], user);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
