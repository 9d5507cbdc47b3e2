package io.naru.load;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/** A crowd on its way: it arrives, waits, goes in or gives up, while others look on. */
public final class Crowd implements AutoCloseable {

  private final MultiThreadIoEventLoopGroup group;
  private final List<Part> parts = new ArrayList<>();

  private record Part(EventLoop loop, Worker worker) {}

  private Crowd(Errand errand, int threads) {
    group =
        new MultiThreadIoEventLoopGroup(
            threads, Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    List<List<Visitor>> shares = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      shares.add(new ArrayList<>());
    }
    for (int n = 0; n < errand.wave().visitors(); n++) {
      shares.get(n % threads).add(new Visitor(n, errand.habits().of(errand.seed(), n)));
    }
    long start = System.nanoTime();
    int links = Math.max(1, errand.connections() / threads);
    for (List<Visitor> share : shares) {
      var loop = group.next();
      parts.add(
          new Part(
              loop, new Worker(loop, errand, share, links, errand.streams() / threads, start)));
    }
  }

  /**
   * Sets out.
   *
   * @param threads one is enough for some ten thousand requests a second
   */
  public static Crowd start(Errand errand, int threads) {
    Range.check("--threads", threads, 1, 64);
    var crowd = new Crowd(errand, threads);
    crowd.parts.forEach(part -> part.loop.execute(part.worker::start));
    return crowd;
  }

  /** What became of it until now. */
  public Course course() {
    return parts.stream()
        .map(part -> ask(part, part.worker::course))
        .reduce(Course::add)
        .orElseThrow();
  }

  /** Whether nobody has anything left to do. */
  public boolean isOver() {
    return parts.stream().allMatch(part -> ask(part, part.worker::isOver));
  }

  private static <T> T ask(Part part, Callable<T> question) {
    try {
      return part.loop.submit(question).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the crowd does not say", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  @Override
  public void close() {
    parts.forEach(part -> part.loop.submit(part.worker::close).syncUninterruptibly());
    group.shutdownGracefully(0, 1_000, MILLISECONDS).syncUninterruptibly();
  }
}
