package io.naru.e2e.crash;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Visitors who are all at work until they are told to stop, an operator among them, and a site that
 * says what there is.
 */
final class Crowd implements AutoCloseable {

  private static final Duration BETWEEN_PROCESSES = Duration.ofMillis(700);
  private static final Duration BETWEEN_PUSHES = Duration.ofMillis(300);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final List<Thread> threads = new ArrayList<>();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean isOver;

  /**
   * How busy a crowd is.
   *
   * @param guests how many each of them brings at most
   * @param atOnce how many of those may be in line or inside
   * @param maxPauseMillis how long each of them rests at most between two requests
   */
  record Manner(int visitors, int guests, int atOnce, int maxPauseMillis) {

    /**
     * For some seconds. Not more eager: what matters is that somebody is there at every moment, and
     * other tests run beside this one.
     */
    static final Manner EAGER = new Manner(12, 120, 120, 30);

    /** For as long as one likes. */
    static final Manner STEADY = new Manner(8, 100_000, 25, 60);
  }

  Crowd(List<Node> nodes, QueueName queue, History history, long seed, Manner manner) {
    for (int i = 0; i < manner.visitors; i++) {
      int number = i;
      threads.add(
          Thread.ofVirtual()
              .name("visitor-" + number)
              .start(
                  () ->
                      visit(
                          new Door(nodes, number, queue, history),
                          number,
                          seed,
                          manner,
                          queue.hasStock())));
    }
    threads.add(
        Thread.ofVirtual()
            .name("operator")
            .start(() -> process(new Door(nodes, 0, queue, history))));
    if (queue.hasStock()) {
      threads.add(
          Thread.ofVirtual()
              .name("site")
              .start(() -> push(new Door(nodes, 1, queue, history), seed)));
    }
  }

  private void visit(Door door, int number, long seed, Manner manner, boolean comesBack) {
    var visitor = new Visitor(number, manner, door, seed, comesBack);
    untilOver(door, visitor::act);
  }

  private void process(Door door) {
    untilOver(
        door,
        () -> {
          door.process(2);
          return BETWEEN_PROCESSES;
        });
  }

  /** Plenty at first, then more or less, or nothing; and now and then what was true before. */
  private void push(Door door, long seed) {
    var random = new Random(seed);
    var version = new AtomicLong();
    untilOver(
        door,
        () -> {
          if (version.get() > 2 && random.nextInt(5) == 0) {
            door.push(version.get() - 2, 1_000, 0);
          } else if (version.incrementAndGet() == 1) {
            door.push(1, 60, 0);
          } else {
            int remaining = random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(40);
            door.push(version.get(), remaining, random.nextInt(20));
          }
          return BETWEEN_PUSHES;
        });
  }

  /** Does something and says how long to rest after it. */
  private interface Act {
    Duration act();
  }

  private void untilOver(Door door, Act act) {
    try (door) {
      while (!isOver) {
        Thread.sleep(act.act());
      }
    } catch (InterruptedException | RuntimeException e) {
      failures.add(e);
    }
  }

  /** Lets everybody finish the request they are at. */
  void stop() throws InterruptedException {
    isOver = true;
    for (Thread thread : threads) {
      if (!thread.join(PATIENCE)) {
        throw new IllegalStateException(thread.getName() + " does not come to an end");
      }
    }
    if (!failures.isEmpty()) {
      throw new IllegalStateException("the test itself failed", failures.peek());
    }
  }

  @Override
  public void close() {
    isOver = true;
    threads.forEach(Thread::interrupt);
  }
}
