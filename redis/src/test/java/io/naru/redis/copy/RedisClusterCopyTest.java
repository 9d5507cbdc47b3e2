package io.naru.redis.copy;

import io.naru.batch.BatchObserver;
import io.naru.line.LineCopy;
import io.naru.line.LineCopyContract;
import io.naru.redis.Redis;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisClusterCopyTest extends LineCopyContract {

  private static RedisCluster store;
  private static Redis redis;
  private static LineCopy copy;

  @BeforeAll
  static void start() {
    store = RedisCluster.start(RedisBinary.embedded());
    redis = Redis.connect(store.uri());
    copy = new RedisCopy(redis, BatchObserver.NONE);
  }

  @AfterAll
  static void stop() {
    redis.close();
    store.close();
  }

  @Override
  protected LineCopy copy() {
    return copy;
  }
}
