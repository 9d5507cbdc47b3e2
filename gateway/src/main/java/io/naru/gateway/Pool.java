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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One event loop's connections to one upstream: so many and no more, kept alive, the one used last
 * first. Who finds none free waits in order, for a bounded time and with a bounded number of
 * others; so a slow site holds up nobody but its own visitors. One address has a part of them at a
 * time, and the rest of its visitors wait for each other: so who reads or sends slowly, however
 * often at once, holds up nobody but who comes from the same place.
 */
final class Pool {

  private static final int MAX_WAITING = 1_024;

  /** Of the connections, for one address; and at least so many, as a browser or two need them. */
  private static final int PART = 8;

  private static final int LEAST_PART = 8;

  /** Sooner than servers close what is idle; many do after five seconds. */
  private static final Duration IDLE = Duration.ofSeconds(4);

  /** What changes something goes only where we know that somebody has just been there. */
  private static final Duration FRESH = Duration.ofSeconds(1);

  private final Upstream upstream;
  private final EventLoop loop;
  private final Class<? extends Channel> kind;
  private final Patience patience;
  private final int most;
  private final int perAddress;
  private final Map<Long, Share> shares = new HashMap<>();
  private final Deque<Back> idle = new ArrayDeque<>();
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private int open;

  private record Waiting(Exchange exchange, long since) {

    static Waiting of(Exchange exchange) {
      return new Waiting(exchange, System.nanoTime());
    }

    boolean isOpen() {
      return exchange.front().isOpen(exchange);
    }
  }

  /** What one address has: connections, or a place among those who wait for one. */
  final class Share {
    private final long host;
    private final Deque<Waiting> more = new ArrayDeque<>();
    private int held;

    private Share(long host) {
      this.host = host;
    }

    private void take(Exchange exchange) {
      if (held < perAddress) {
        held++;
        exchange.counted(this);
        Pool.this.find(exchange);
      } else {
        more.addLast(Waiting.of(exchange));
      }
    }

    /** One of its visitors is done. */
    void giveBack() {
      held--;
      Waiting next = more.pollFirst();
      while (next != null && !next.isOpen()) {
        next = more.pollFirst();
      }
      if (next != null) {
        take(next.exchange);
      } else if (held == 0) {
        shares.remove(host);
      }
    }
  }

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
    this.perAddress = Math.max(Math.min(most, LEAST_PART), most / PART);
  }

  /** Finds a connection for it, now or later; listed proxies stand for many, and have all. */
  void take(Exchange exchange) {
    Caller caller = exchange.front().caller();
    if (caller.isProxy()) {
      find(exchange);
    } else {
      shares.computeIfAbsent(caller.host(), Share::new).take(exchange);
    }
  }

  private void find(Exchange exchange) {
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
      waiting.addLast(Waiting.of(exchange));
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
      if (first.isOpen()) {
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
      Waiting first = waiting.removeFirst();
      if (first.isOpen()) {
        open(first.exchange);
      }
    }
  }

  boolean isEmpty() {
    return open == 0 && waiting.isEmpty() && shares.isEmpty();
  }

  /** Ends what has waited for too long. */
  void check(long now) {
    while (!idle.isEmpty() && now - idle.getLast().idleSince() > IDLE.toNanos()) {
      idle.removeLast().channel().close();
    }
    giveUp(waiting, now);
    // A copy: whoever is given up may be the last of their address.
    for (Share share : List.copyOf(shares.values())) {
      giveUp(share.more, now);
    }
  }

  private void giveUp(Deque<Waiting> queue, long now) {
    while (!queue.isEmpty() && now - queue.getFirst().since > patience.connect().toNanos()) {
      Waiting late = queue.removeFirst();
      if (late.isOpen()) {
        late.exchange.failed(Failing.BUSY);
      }
    }
  }
}
