package io.naru.server.metrics;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Whether the store behind the line answers, as the scheduler saw it last. */
public final class Health {

  private volatile boolean seen;
  private volatile @Nullable String failure;
  private volatile long since = System.nanoTime();

  /** Returns whether this is news. */
  public boolean up() {
    boolean news = failure != null;
    if (news || !seen) {
      since = System.nanoTime();
    }
    seen = true;
    failure = null;
    return news;
  }

  /** Returns whether this is news. */
  public boolean down(String reason) {
    boolean news = failure == null;
    if (news) {
      since = System.nanoTime();
    }
    failure = reason;
    return news;
  }

  public boolean isReady() {
    return seen && failure == null;
  }

  @Nullable String failure() {
    return failure;
  }

  Duration since() {
    return Duration.ofNanos(System.nanoTime() - since);
  }
}
