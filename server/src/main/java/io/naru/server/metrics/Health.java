package io.naru.server.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether this server does its work: admission as the scheduler saw it last, and what the stores
 * say of themselves. With a ledger a server whose database is away still shows people their places,
 * so it stays ready, and degraded.
 */
public final class Health {

  private final boolean isReadyWithoutAdmission;
  private final Supplier<List<String>> troubles;
  private volatile boolean seen;
  private volatile @Nullable String failure;
  private volatile long since = System.nanoTime();

  /** Of a server without a ledger: who cannot admit cannot show places either. */
  public Health() {
    this(false, List::of);
  }

  /**
   * @param isReadyWithoutAdmission whether places can be shown while nobody can be admitted
   * @param troubles what the stores find wrong right now
   */
  public Health(boolean isReadyWithoutAdmission, Supplier<List<String>> troubles) {
    this.isReadyWithoutAdmission = isReadyWithoutAdmission;
    this.troubles = troubles;
  }

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
    return seen && (failure == null || isReadyWithoutAdmission);
  }

  /** Whether nobody can be let in, because what decides cannot be reached. */
  public boolean isPaused() {
    return failure != null;
  }

  /** All that is not as it should be; empty if all is well. */
  List<String> degraded() {
    List<String> all = new ArrayList<>();
    String admission = failure;
    if (admission != null) {
      all.add(admission);
    }
    all.addAll(troubles.get());
    return all;
  }

  Duration since() {
    return Duration.ofNanos(System.nanoTime() - since);
  }
}
