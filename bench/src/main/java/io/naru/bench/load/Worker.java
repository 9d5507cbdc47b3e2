package io.naru.bench.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.naru.load.wire.ReplyParser;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/** One thread's share of a run: its connections and its counts, touched by that thread only. */
final class Worker {

  private static final long MAX_MICROS = 60_000_000;

  private final EventLoop loop;
  private final Target target;
  private final Traffic traffic;
  private final int depth;
  private final ReplyParser parser;
  private final Bootstrap bootstrap;
  private final Histogram latency = new Histogram(MAX_MICROS, 3);
  private final Set<Connection> connections = new LinkedHashSet<>();
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  /** Connections with nothing under way, the one that rests longest first. */
  private final Deque<Connection> resting = new ArrayDeque<>();

  private Schedule schedule = new Schedule.Busy(0);
  private long deadline;
  private int connects;
  private boolean waking;
  private boolean running;
  private int busy;
  private long answers;
  private long failures;
  private String firstFailure = "";

  Worker(EventLoop loop, Target target, Traffic traffic, int depth) {
    this.loop = loop;
    this.target = target;
    this.traffic = traffic;
    this.depth = depth;
    this.parser = target.parser().get();
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(8 * 1024))
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Connection(Worker.this));
                  }
                });
  }

  /** Opens one more connection. */
  CompletableFuture<Void> connect() {
    var connected = new CompletableFuture<Void>();
    bootstrap
        .connect(target.address(connects++))
        .addListener(
            opened -> {
              if (opened.isSuccess()) {
                connected.complete(null);
              } else {
                connected.completeExceptionally(opened.cause());
              }
            });
    return connected;
  }

  /** Sets all connections going; completes when the last reply is in. */
  CompletableFuture<Void> start(Schedule plan, long deadlineNanos) {
    loop.execute(
        () -> {
          schedule = plan;
          deadline = deadlineNanos;
          running = true;
          busy = connections.size();
          if (busy == 0) {
            done.complete(null);
          }
          var now = System.nanoTime();
          Set.copyOf(connections).forEach(connection -> connection.fill(now));
        });
    return done;
  }

  Sample sample(long nanos) {
    return new Sample(answers, nanos, failures, firstFailure, latency);
  }

  void close() {
    loop.submit(
            () -> {
              running = false;
              Set.copyOf(connections).forEach(Connection::close);
            })
        .syncUninterruptibly();
  }

  ReplyParser parser() {
    return parser;
  }

  Traffic traffic() {
    return traffic;
  }

  int depth() {
    return depth;
  }

  Schedule schedule() {
    return schedule;
  }

  void opened(Connection connection) {
    connections.add(connection);
    if (running) {
      connection.fill(System.nanoTime());
    }
  }

  void answered(byte[] bytes, int from, int to, long sentAt, long now) {
    latency.recordValue(Math.min((now - sentAt) / 1_000, MAX_MICROS));
    if (!parser.success()) {
      failed(1, () -> oneLine(bytes, from, to));
    } else if (now - deadline < 0) {
      answers++;
    }
  }

  private static String oneLine(byte[] bytes, int from, int to) {
    return new String(bytes, from, Math.min(to - from, 600), UTF_8).replaceAll("\\s+", " ");
  }

  /** A connection has nothing under way and nothing to send yet. */
  void resting(Connection connection) {
    resting.addLast(connection);
    if (!waking) {
      waking = true;
      wakeSoon();
    }
  }

  private void wakeSoon() {
    // Not for each request by itself: waking up that often would take time from the server. What
    // that delays counts as latency, since latency counts from when a request was due.
    var _ = loop.schedule(this::wake, 1, MILLISECONDS);
  }

  /** Lets connections that rest send what has become due, or learn that nothing will. */
  private void wake() {
    var now = System.nanoTime();
    while (!resting.isEmpty() && (schedule.isDue(now) || schedule.isOver(now))) {
      resting.removeFirst().fill(now);
    }
    waking = !resting.isEmpty();
    if (waking) {
      wakeSoon();
    }
  }

  /** A connection has nothing under way and nothing more to send. */
  void idle() {
    if (--busy == 0) {
      done.complete(null);
    }
  }

  void closed(Connection connection, boolean idle, int lost) {
    connections.remove(connection);
    resting.remove(connection);
    if (idle || !running || done.isDone()) {
      return;
    }
    failed(lost, () -> "connection closed with " + lost + " requests under way");
    if (schedule.isOver(System.nanoTime())) {
      idle();
      return;
    }
    // Some servers close after a hundred requests; what reconnecting costs is theirs to bear.
    var _ =
        connect()
            .whenComplete(
                (_, cause) -> {
                  if (cause != null) {
                    broken(cause);
                  }
                });
  }

  void broken(Throwable cause) {
    done.completeExceptionally(cause);
  }

  private void failed(int count, Supplier<String> what) {
    if (count > 0 && firstFailure.isEmpty()) {
      firstFailure = what.get();
    }
    failures += count;
  }
}
