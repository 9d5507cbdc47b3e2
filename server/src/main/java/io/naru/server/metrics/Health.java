package io.naru.server.metrics;

import io.naru.queue.QueueId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether this server does its work: admission as the scheduler saw it last, everywhere and in each
 * queue, and what the stores say of themselves. With a ledger a server whose database is away still
 * shows people their places, so it stays ready, and degraded; one that a newer version has replaced
 * does not. One queue in trouble is no trouble of the server's.
 */
public final class Health {

  /** More than this nobody reads; how many there are beside is said. */
  private static final int MAX_SHOWN = 20;

  private final BooleanSupplier isReadyWithoutAdmission;
  private final Supplier<List<String>> troubles;
  private final Map<QueueId, String> interrupted = new ConcurrentHashMap<>();
  private volatile boolean seen;
  private volatile @Nullable String failure;
  private volatile long since = System.nanoTime();

  /** Of a server without a ledger: who cannot admit cannot show places either. */
  public Health() {
    this(() -> false, List::of);
  }

  /**
   * @param isReadyWithoutAdmission whether places can be shown while nobody can be admitted
   * @param troubles what the stores find wrong right now
   */
  public Health(BooleanSupplier isReadyWithoutAdmission, Supplier<List<String>> troubles) {
    this.isReadyWithoutAdmission = isReadyWithoutAdmission;
    this.troubles = troubles;
  }

  /** What decides can be reached. Returns whether this is news. */
  public boolean up() {
    boolean news = failure != null;
    if (news || !seen) {
      since = System.nanoTime();
    }
    seen = true;
    failure = null;
    return news;
  }

  /** What decides cannot be reached. */
  public void down(String reason) {
    if (failure == null) {
      since = System.nanoTime();
    }
    failure = reason;
  }

  /** People can be let in to this queue, or it is gone. */
  public void up(QueueId queue) {
    interrupted.remove(queue);
  }

  /** Nobody can be let in to this queue. */
  public void down(QueueId queue, String reason) {
    interrupted.put(queue, reason);
  }

  public boolean isReady() {
    return seen && (failure == null || isReadyWithoutAdmission.getAsBoolean());
  }

  /** Whether what decides could be reached when it was last asked. */
  boolean isDeciding() {
    return seen && failure == null;
  }

  /** Whether nobody can be let in to this queue, because what decides about it does not work. */
  public boolean isPaused(QueueId queue) {
    return failure != null || interrupted.containsKey(queue);
  }

  /** Whether people can be let in everywhere. */
  public boolean isWell() {
    return failure == null && interrupted.isEmpty();
  }

  /** The queues to which nobody can be let in although others are well. */
  public List<QueueId> interrupted() {
    return interrupted.keySet().stream().sorted().toList();
  }

  /** What is not as it should be, as far as people read; empty if all is well. */
  List<String> degraded() {
    List<String> all = new ArrayList<>();
    String admission = failure;
    if (admission != null) {
      all.add(admission);
    }
    interrupted().stream()
        .map(queue -> queue + ": " + interrupted.getOrDefault(queue, "goes on"))
        .forEach(all::add);
    all.addAll(troubles.get());
    if (all.size() <= MAX_SHOWN) {
      return all;
    }
    List<String> shown = new ArrayList<>(all.subList(0, MAX_SHOWN));
    shown.add("and " + (all.size() - MAX_SHOWN) + " more");
    return shown;
  }

  /** Whether something is not as it should be, also if people are let in. */
  public boolean isDegraded() {
    return !degraded().isEmpty();
  }

  Duration since() {
    return Duration.ofNanos(System.nanoTime() - since);
  }
}
