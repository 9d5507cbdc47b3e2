package io.naru.bench.servers;

import io.naru.bench.load.Mixed;
import io.naru.bench.load.Target;
import io.naru.bench.load.Template;
import io.naru.bench.load.Traffic;
import io.naru.bench.load.Users;
import io.naru.testkit.RedisConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;

/**
 * A sorted set and nothing around it: what Redis does when every request is a command of its own.
 */
public final class RawRedis implements AutoCloseable {

  private final InetSocketAddress address;
  private final String key = "bench:raw:" + Queue.newId();
  private final Users users = new Users();

  public RawRedis(InetSocketAddress address) {
    this.address = address;
  }

  public Target target() {
    return Target.redis(address);
  }

  public Users users() {
    return users;
  }

  public Traffic zadd() {
    // All scores are equal, so the set orders by id: as much work as other scores would be.
    return Template.redis("ZADD", key, "1763164800000").byNewcomers(users);
  }

  public Traffic zrank() {
    return Template.redis("ZRANK", key).byKnown(users);
  }

  public Traffic mixed() {
    return new Mixed(zadd(), zrank());
  }

  @Override
  public void close() {
    try (var redis = new RedisConnection(address)) {
      // Not in the background: the next scenario may look at memory.
      redis.call("DEL", key);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + key, e);
    }
  }
}
