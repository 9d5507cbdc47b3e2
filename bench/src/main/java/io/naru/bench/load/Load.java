package io.naru.bench.load;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;

/**
 * Sends requests over a number of connections and counts. Usually every connection sends its next
 * request when a reply arrives, so the load follows the server; nothing is scheduled, queued or
 * shared on that path. {@link #offer} sends at a rate instead.
 */
public final class Load implements AutoCloseable {

  /** Long enough for any single reply: whoever answers later does not answer. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final Duration UNBOUNDED = Duration.ofHours(1);

  /**
   * From connecting until the first request is due. Else the time it takes a server to accept a
   * thousand connections at once would count, and visitors do not come in one moment.
   */
  private static final Duration LEAD = Duration.ofMillis(500);

  private final MultiThreadIoEventLoopGroup group;
  private final List<EventLoop> loops = new ArrayList<>();

  public Load(int threads) {
    group = new MultiThreadIoEventLoopGroup(threads, transport());
    for (int i = 0; i < threads; i++) {
      loops.add(group.next());
    }
  }

  private static IoHandlerFactory transport() {
    return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
  }

  /** Sends traffic for that long, over so many connections with one request under way on each. */
  public Sample run(Target target, Traffic traffic, int connections, Duration duration) {
    return run(target, traffic, connections, 1, Duration.ZERO, duration, busy(duration));
  }

  /**
   * Sends so many requests per second for that long, each when it is due, whether or not earlier
   * ones were answered. Latency counts from when a request was due.
   *
   * @param connections as many as may be under way at once; what is due beyond that goes out with
   *     the next reply
   */
  public Sample offer(
      Target target, Traffic traffic, int connections, double perSecond, Duration duration) {
    var share = perSecond / loops.size();
    LongFunction<Schedule> plan = start -> new Timetable(start, share, duration.toNanos());
    return run(target, traffic, connections, 1, LEAD, duration, plan);
  }

  /** Sends traffic until it ends, {@code depth} requests at a time on each connection. */
  public Sample drain(Target target, Traffic traffic, int connections, int depth) {
    return run(target, traffic, connections, depth, Duration.ZERO, UNBOUNDED, busy(UNBOUNDED));
  }

  private static LongFunction<Schedule> busy(Duration duration) {
    return start -> new Schedule.Busy(start + duration.toNanos());
  }

  private Sample run(
      Target target,
      Traffic traffic,
      int connections,
      int depth,
      Duration lead,
      Duration duration,
      LongFunction<Schedule> plan) {
    var workers = loops.stream().map(loop -> new Worker(loop, target, traffic, depth)).toList();
    try {
      await(all(connect(workers, connections)), PATIENCE, target);
      var start = System.nanoTime() + lead.toNanos();
      var end = start + duration.toNanos();
      var runs = workers.stream().map(worker -> worker.start(plan.apply(start), end)).toList();
      await(all(runs), lead.plus(duration).plus(PATIENCE), target);
      var nanos = Math.min(duration.toNanos(), System.nanoTime() - start);
      return workers.stream().map(worker -> worker.sample(nanos)).reduce(Load::merge).orElseThrow();
    } finally {
      workers.forEach(Worker::close);
    }
  }

  private static List<CompletableFuture<Void>> connect(List<Worker> workers, int connections) {
    var pending = new ArrayList<CompletableFuture<Void>>();
    for (int i = 0; i < connections; i++) {
      pending.add(workers.get(i % workers.size()).connect());
    }
    return pending;
  }

  private static CompletableFuture<Void> all(List<CompletableFuture<Void>> futures) {
    return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new));
  }

  private static void await(CompletableFuture<Void> future, Duration patience, Target target) {
    try {
      future.get(patience.toNanos(), NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException("load on " + target.addresses() + " failed", e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException(target.addresses() + " does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static Sample merge(Sample a, Sample b) {
    a.latency().add(b.latency());
    return new Sample(
        a.answers() + b.answers(),
        a.nanos(),
        a.failures() + b.failures(),
        a.firstFailure().isEmpty() ? b.firstFailure() : a.firstFailure(),
        a.latency());
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 1_000, MILLISECONDS).syncUninterruptibly();
  }
}
