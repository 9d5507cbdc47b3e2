package io.naru.bench.viewers;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.naru.load.wire.StreamParser;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * Viewers in this process, on one thread. It may open as many files as the system allows it, so for
 * tens of thousands there are several processes ({@link AudienceProcess}).
 */
public final class Audience implements Watchers {

  /** As many connect at once: a crowd, but not one that overruns what the kernel lets wait. */
  private static final int CONNECTING = 256;

  /** Without any first event for that long, the server takes no more viewers. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
  private final EventLoop loop = group.next();
  private final StreamParser.Scratch scratch = new StreamParser.Scratch();
  private final Subscription subscription;
  private final Bootstrap bootstrap;

  // What follows belongs to the loop.
  private final Seen seen = new Seen();
  private final Deque<String> queued = new ArrayDeque<>();
  private final Map<Integer, String> passes = new HashMap<>();
  private final Set<Channel> channels = new HashSet<>();
  private int opened;
  private int connecting;
  private long lastProgress;
  private CompletableFuture<Void> settled = CompletableFuture.completedFuture(null);

  public Audience(Subscription subscription) {
    this.subscription = subscription;
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
            .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(4 * 1024))
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(PATIENCE.toMillis()));
  }

  /** Lets one more watch; the n-th call's viewer has the number n, from 0. */
  public void open(String token) {
    loop.execute(
        () -> {
          queued.add(token);
          connectMore();
        });
  }

  private void connectMore() {
    while (connecting < CONNECTING && !queued.isEmpty()) {
      connecting++;
      connect(opened++, queued.remove());
    }
  }

  private void connect(int number, String token) {
    var viewer = new Viewer(this, number, subscription.request(token));
    var now = System.nanoTime();
    seen.asked(number, now);
    if (connecting == 1) {
      lastProgress = now;
    }
    // A copy, since connecting takes the handler from the bootstrap later on.
    bootstrap
        .clone()
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(viewer);
              }
            })
        .connect(subscription.server())
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                seen.failed("cannot connect: " + connected.cause());
                began(/* well= */ false);
              }
            });
  }

  StreamParser.Scratch scratch() {
    return scratch;
  }

  Seen record() {
    return seen;
  }

  void letIn(int number, String pass) {
    passes.put(number, pass);
  }

  void joined(Channel channel) {
    channels.add(channel);
  }

  void left(Channel channel) {
    channels.remove(channel);
  }

  /** One that was connecting has its first event, or never will. */
  void began(boolean well) {
    connecting--;
    if (well) {
      lastProgress = System.nanoTime();
    }
    connectMore();
    if (connecting == 0 && queued.isEmpty()) {
      settled.complete(null);
    }
  }

  @Override
  public void settle() {
    try {
      var pending = loop.submit(this::whenSettled).get();
      while (true) {
        try {
          pending.get(500, MILLISECONDS);
          return;
        } catch (TimeoutException _) {
          loop.execute(this::giveUpIfStuck);
        }
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("viewers failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private CompletableFuture<Void> whenSettled() {
    settled = new CompletableFuture<>();
    if (connecting == 0 && queued.isEmpty()) {
      settled.complete(null);
    }
    return settled;
  }

  private void giveUpIfStuck() {
    if (System.nanoTime() - lastProgress > PATIENCE.toNanos() && !settled.isDone()) {
      seen.failed(
          "%,d connected without a first event within %d s"
              .formatted(connecting, PATIENCE.toSeconds()));
      queued.clear();
      settled.complete(null);
    }
  }

  @Override
  public Seen seen() {
    return loop.submit(seen::copy).syncUninterruptibly().getNow();
  }

  /** When each was told to be let in, by number; 0 for those who were not. */
  public long[] whenEntered() {
    return loop.submit(seen::whenEntered).syncUninterruptibly().getNow();
  }

  /** The passes of those who were let in, by number. */
  public Map<Integer, String> passes() {
    return loop.submit(() -> Map.copyOf(passes)).syncUninterruptibly().getNow();
  }

  @Override
  public void close() {
    loop.submit(
            () -> {
              queued.clear();
              for (var channel : Set.copyOf(channels)) {
                // They go because we do: nothing that happens from here on is anybody's failure.
                channel.pipeline().removeLast();
                var _ = channel.close();
              }
            })
        .syncUninterruptibly();
    group.shutdownGracefully(0, 10_000, MILLISECONDS).syncUninterruptibly();
  }
}
