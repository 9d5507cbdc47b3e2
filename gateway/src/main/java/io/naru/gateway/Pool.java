package io.naru.gateway;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * One event loop's connections to one upstream: so many and no more, kept alive, the one used last
 * first. Who finds none free waits in order, for a bounded time and with a bounded number of
 * others; so a slow site holds up nobody but its own visitors.
 */
final class Pool {

  private static final int MAX_WAITING = 1_024;

  /** Sooner than servers close what is idle; many do after five seconds. */
  private static final Duration IDLE = Duration.ofSeconds(4);

  /** What changes something goes only where we know that somebody has just been there. */
  private static final Duration FRESH = Duration.ofSeconds(1);

  private final Upstream upstream;
  private final EventLoop loop;
  private final Class<? extends Channel> kind;
  private final Patience patience;
  private final int most;
  private final Deque<Back> idle = new ArrayDeque<>();
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private int open;

  private record Waiting(Exchange exchange, long since) {}

  /**
   * @param most how many connections
   */
  Pool(
      Upstream upstream,
      EventLoop loop,
      Class<? extends Channel> kind,
      Patience patience,
      int most) {
    this.upstream = upstream;
    this.loop = loop;
    this.kind = kind;
    this.patience = patience;
    this.most = most;
  }

  void take(Exchange exchange) {
    Back found = idle.pollFirst();
    if (found != null && !exchange.isSafe() && !isFresh(found)) {
      found.channel().close();
      found = null;
    }
    if (found != null) {
      found.begin(exchange);
    } else if (open < most) {
      open(exchange);
    } else if (waiting.size() < MAX_WAITING) {
      waiting.addLast(new Waiting(exchange, System.nanoTime()));
    } else {
      exchange.failed(Failing.BUSY);
    }
  }

  private static boolean isFresh(Back back) {
    return System.nanoTime() - back.idleSince() < FRESH.toNanos();
  }

  /** Connects anew. */
  void open(Exchange exchange) {
    InetSocketAddress address = upstream.address();
    if (address == null) {
      exchange.failed(Failing.DOWN);
      return;
    }
    open++;
    ChannelFuture connecting = bootstrap().connect(address);
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            failed(exchange, done.cause());
            return;
          }
          Channel channel = connecting.channel();
          SslHandler tls = channel.pipeline().get(SslHandler.class);
          if (tls == null) {
            connected(exchange, channel);
          } else {
            tls.handshakeFuture()
                .addListener(
                    shaken -> {
                      if (shaken.isSuccess()) {
                        connected(exchange, channel);
                      } else {
                        channel.close();
                        failed(exchange, shaken.cause());
                      }
                    });
          }
        });
  }

  private Bootstrap bootstrap() {
    return new Bootstrap()
        .group(loop)
        .channel(kind)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) patience.connect().toMillis())
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                SslContext context = upstream.tls();
                if (context != null) {
                  channel
                      .pipeline()
                      .addLast(
                          context.newHandler(channel.alloc(), upstream.host(), upstream.port()));
                }
              }
            });
  }

  private void connected(Exchange exchange, Channel channel) {
    var back = new Back(this, channel);
    channel.pipeline().addLast(back);
    if (exchange.front().isOpen(exchange)) {
      back.begin(exchange);
    } else {
      release(back);
    }
  }

  private void failed(Exchange exchange, Throwable cause) {
    open--;
    if (exchange.front().isOpen(exchange)) {
      exchange.failed(cause instanceof ConnectTimeoutException ? Failing.SLOW : Failing.DOWN);
    }
    next();
  }

  /** It is free for the next one. */
  void release(Back back) {
    for (Waiting first = waiting.pollFirst(); first != null; first = waiting.pollFirst()) {
      if (first.exchange.front().isOpen(first.exchange)) {
        back.begin(first.exchange);
        return;
      }
    }
    idle.addFirst(back);
  }

  /** One of ours counts no more, and stays open. */
  void left() {
    open--;
    next();
  }

  void closed(Back back) {
    open--;
    idle.remove(back);
    next();
  }

  private void next() {
    while (open < most && !waiting.isEmpty()) {
      Exchange exchange = waiting.removeFirst().exchange;
      if (exchange.front().isOpen(exchange)) {
        open(exchange);
      }
    }
  }

  boolean isEmpty() {
    return open == 0 && waiting.isEmpty();
  }

  /** Ends what has waited for too long. */
  void check(long now) {
    while (!idle.isEmpty() && now - idle.getLast().idleSince() > IDLE.toNanos()) {
      idle.removeLast().channel().close();
    }
    while (!waiting.isEmpty() && now - waiting.getFirst().since > patience.connect().toNanos()) {
      Exchange late = waiting.removeFirst().exchange;
      if (late.front().isOpen(late)) {
        late.failed(Failing.BUSY);
      }
    }
  }
}
