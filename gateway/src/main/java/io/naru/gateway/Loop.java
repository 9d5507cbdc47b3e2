package io.naru.gateway;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's share of all: visitors, and the connections that serve them. Nothing of it is
 * seen by another thread.
 */
final class Loop {

  static final long SWEEP_MILLIS = 250;

  /** So much of bodies is gathered by all loops; beyond that they go on as they come. */
  private static final long MAX_GATHERED = 64L << 20;

  private final EventLoop loop;
  private final Class<? extends Channel> kind;
  private final Parts parts;
  private final int loops;
  private final Set<Front> fronts = new HashSet<>();
  private final Map<Upstream, Pool> pools = new HashMap<>();
  private long gathered;
  private boolean isStopping;

  /** What all loops share. */
  record Parts(
      Supplier<Rules> rules,
      Upstream naru,
      Wire wire,
      Completions completions,
      Connections connections,
      Patience patience,
      Meters meters,
      @Nullable AccessLog log) {}

  /**
   * @param loops how many share what there may be
   */
  Loop(EventLoop loop, Class<? extends Channel> kind, Parts parts, int loops) {
    this.loop = loop;
    this.kind = kind;
    this.parts = parts;
    this.loops = loops;
  }

  Rules rules() {
    return parts.rules().get();
  }

  Upstream naru() {
    return parts.naru();
  }

  Wire wire() {
    return parts.wire();
  }

  Completions completions() {
    return parts.completions();
  }

  Meters meters() {
    return parts.meters();
  }

  /** What will be logged of a request; null if nothing is. */
  @Nullable Account account(@Nullable Asked asked, Caller caller) {
    return parts.log() == null ? null : new Account(asked, caller);
  }

  void log(Account account, boolean isCut) {
    if (parts.log() != null) {
      parts.log().add(account.line(isCut));
    }
  }

  boolean isStopping() {
    return isStopping;
  }

  Pool pool(Upstream upstream) {
    return pools.computeIfAbsent(
        upstream,
        _ ->
            new Pool(
                upstream,
                loop,
                kind,
                parts.patience(),
                Math.max(1, Math.ceilDiv(upstream.connections(), loops))));
  }

  /** Notes that so much more of a body is kept here; whether there is room for that. */
  boolean gather(int bytes) {
    gathered += bytes;
    return gathered <= MAX_GATHERED / loops;
  }

  void letGo(int bytes) {
    gathered -= bytes;
  }

  void opened(Front front) {
    fronts.add(front);
  }

  void closed(Front front) {
    fronts.remove(front);
    parts.connections().closed(front.caller());
  }

  /** Ends what takes too long, a few times a second: a timer for each would cost more. */
  void sweep() {
    long now = System.nanoTime();
    for (Front front : new ArrayList<>(fronts)) {
      front.check(now, parts.patience());
    }
    pools.values().forEach(pool -> pool.check(now));
    pools.entrySet().removeIf(pool -> pool.getKey().isRetired() && pool.getValue().isEmpty());
  }

  /** Nobody's next request is waited for any more. */
  void stop() {
    isStopping = true;
    for (Front front : new ArrayList<>(fronts)) {
      if (front.isIdle()) {
        front.channel().close();
      }
    }
  }

  int open() {
    return fronts.size();
  }
}
