package io.naru.redis;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.group.ChannelGroup;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection on which questions stay unanswered. A Redis that is frozen, or whose machine
 * is gone, does not close it; the kernel would keep it for a quarter of an hour, and so long nobody
 * would ask Sentinel or the cluster where the master is now. Reconnecting does.
 *
 * <p>A command that blocks (XREAD BLOCK) must wait for less than the limit, or be silence too.
 */
final class SilenceGuard extends ChannelDuplexHandler {

  private static final long NEVER = 0;

  private final long limitNanos;

  /** When the first question since the last answer was sent. */
  private long askedAt = NEVER;

  private @Nullable Future<?> watch;

  private SilenceGuard(Duration limit) {
    limitNanos = limit.toNanos();
  }

  /**
   * Guards every connection, also those made by reconnecting.
   *
   * @param open where those are kept that are open
   */
  static NettyCustomizer onEveryConnection(Duration limit, ChannelGroup open) {
    return new NettyCustomizer() {
      @Override
      public void afterChannelInitialized(Channel channel) {
        channel.pipeline().addFirst(new SilenceGuard(limit));
        open.add(channel);
      }
    };
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    watch =
        context
            .executor()
            .scheduleWithFixedDelay(
                () -> closeIfSilent(context), limitNanos / 4, limitNanos / 4, TimeUnit.NANOSECONDS);
    context.fireChannelActive();
  }

  private void closeIfSilent(ChannelHandlerContext context) {
    if (askedAt != NEVER && System.nanoTime() - askedAt > limitNanos) {
      context.close();
    }
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (askedAt == NEVER) {
      askedAt = System.nanoTime();
    }
    context.write(message, promise);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    askedAt = NEVER;
    context.fireChannelRead(message);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (watch != null) {
      watch.cancel(false);
    }
    context.fireChannelInactive();
  }
}
