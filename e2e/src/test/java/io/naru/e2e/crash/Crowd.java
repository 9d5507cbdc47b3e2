package io.naru.e2e.crash;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Visitors who are all at work until they are told to stop, and an operator among them. */
final class Crowd implements AutoCloseable {

  private static final Duration BETWEEN_PROCESSES = Duration.ofMillis(700);
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
   * @param looks how long nobody is left without a look: whoever nobody asks for is not there
   */
  record Manner(int visitors, int guests, int atOnce, int maxPauseMillis, Duration looks) {

    /**
     * For some seconds, in which everybody is looked at often enough by chance. Not more eager:
     * what matters is that somebody is there at every moment, and other tests run beside this one.
     */
    static final Manner EAGER = new Manner(12, 120, 120, 30, Duration.ofDays(1));

    /** For as long as one likes. */
    static final Manner STEADY = new Manner(8, 100_000, 25, 60, Duration.ofSeconds(3));
  }

  Crowd(List<Node> nodes, QueueName queue, History history, long seed, Manner manner) {
    for (int i = 0; i < manner.visitors; i++) {
      int number = i;
      threads.add(
          Thread.ofVirtual()
              .name("visitor-" + number)
              .start(() -> visit(new Door(nodes, number, queue, history), number, seed, manner)));
    }
    threads.add(
        Thread.ofVirtual()
            .name("operator")
            .start(() -> process(new Door(nodes, 0, queue, history))));
  }

  private void visit(Door door, int number, long seed, Manner manner) {
    var visitor = new Visitor(number, manner, door, seed);
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
