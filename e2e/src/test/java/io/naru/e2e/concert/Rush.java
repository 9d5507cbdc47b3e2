package io.naru.e2e.concert;

import io.naru.testkit.HttpConnection.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** So many people at a time who come, look at some pages of the shop, and make room for others. */
final class Rush implements AutoCloseable {

  private static final int PAGES = 3;
  private static final Duration BETWEEN = Duration.ofMillis(500);

  private final List<Thread> threads = new ArrayList<>();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean isOver;

  Rush(Evening evening, int people) {
    for (int i = 0; i < people; i++) {
      String name = "rush-" + i + "-";
      threads.add(Thread.ofVirtual().start(() -> come(evening, name)));
    }
  }

  private void come(Evening evening, String name) {
    try {
      for (int i = 0; !isOver; i++) {
        visit(evening.visitor(name + i));
      }
    } catch (RuntimeException | AssertionError e) {
      failures.add(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void visit(Visitor visitor) throws InterruptedException {
    visitor.enter();
    Reply place = visitor.status();
    while (!isOver && !place.field("status").equals("ENTERED")) {
      Thread.sleep(BETWEEN);
      place = visitor.status();
    }
    if (isOver) {
      return;
    }
    String pass = place.field("pass");
    for (int i = 0; i < PAGES; i++) {
      visitor.look(pass, "/reservations/new");
      Thread.sleep(BETWEEN);
    }
    visitor.complete(pass);
  }

  /** Lets everybody finish the request they are at. */
  @Override
  public void close() {
    isOver = true;
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!failures.isEmpty()) {
      throw new IllegalStateException("somebody of the rush failed", failures.peek());
    }
  }
}
