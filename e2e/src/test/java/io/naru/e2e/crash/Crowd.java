package io.naru.e2e.crash;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Visitors who are all at work until they are told to stop, and an operator among them. */
final class Crowd implements AutoCloseable {

  private static final int VISITORS = 12;
  private static final int GUESTS = 120;
  private static final Duration BETWEEN_PROCESSES = Duration.ofMillis(700);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final List<Thread> threads = new ArrayList<>();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean isOver;

  Crowd(List<Node> nodes, QueueName queue, History history, long seed) {
    for (int i = 0; i < VISITORS; i++) {
      int number = i;
      threads.add(
          Thread.ofVirtual()
              .name("visitor-" + number)
              .start(() -> visit(new Door(nodes, number, queue, history), number, seed)));
    }
    threads.add(
        Thread.ofVirtual()
            .name("operator")
            .start(() -> process(new Door(nodes, 0, queue, history))));
  }

  private void visit(Door door, int number, long seed) {
    var visitor = new Visitor(number, GUESTS, door, seed);
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
