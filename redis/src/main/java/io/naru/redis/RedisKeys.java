package io.naru.redis;

import io.lettuce.core.KeyValue;
import io.naru.audit.Act;
import io.naru.keys.KeyStore;
import io.naru.queue.QueueUnavailable;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Signing keys in Redis: one hash, replaced only at the version that was read.
 *
 * <pre>
 * HMGET naru:signing-keys version content
 * EVALSHA replace 1 naru:signing-keys read version content
 * </pre>
 */
final class RedisKeys implements KeyStore {

  private final Redis redis;
  private final Script replace = Script.alone("replace");

  RedisKeys(Redis redis) {
    this.redis = redis;
  }

  @Override
  public Text read() {
    try {
      List<KeyValue<String, String>> fields =
          await(redis.commands().hmget(Keys.SIGNING_KEYS, "version", "content"));
      return fields.get(0).hasValue() && fields.get(1).hasValue()
          ? new Text(Long.parseLong(fields.get(0).getValue()), fields.get(1).getValue())
          : Text.NONE;
    } catch (CompletionException e) {
      throw Redis.unavailable("read the signing keys", e);
    }
  }

  /** Acts are not kept here. */
  @Override
  public boolean replace(Text read, Text next, @Nullable Act act) {
    try {
      List<Object> reply =
          await(
              redis.run(
                  replace,
                  new String[] {Keys.SIGNING_KEYS},
                  Long.toString(read.version()),
                  Long.toString(next.version()),
                  next.content()));
      return new Reply(reply).number() == 1;
    } catch (CompletionException e) {
      throw e.getCause() instanceof QueueUnavailable known
          ? known
          : Redis.unavailable("keep the signing keys", e);
    }
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
