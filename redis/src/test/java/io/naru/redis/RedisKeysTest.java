package io.naru.redis;

import io.naru.keys.KeyStore;
import io.naru.keys.KeyStoreContract;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisKeysTest extends KeyStoreContract {

  private static RedisServer server;
  private static Redis redis;

  @BeforeAll
  static void start() {
    server = RedisServer.start(RedisBinary.embedded());
    redis = Redis.connect(server.uri());
  }

  @AfterAll
  static void stop() {
    redis.close();
    server.close();
  }

  @Override
  protected KeyStore store() {
    return redis.keys();
  }

  @Override
  protected void empty() {
    redis.commands().del(Keys.SIGNING_KEYS).toCompletableFuture().join();
  }
}
