package io.naru.audit;

import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All acts, the same for all servers of a line. What changes a queue or a key keeps its act in the
 * same step, so that there is one if and only if it was done. Calls block, and throw {@link
 * QueueUnavailable} when the store cannot answer.
 */
public interface AuditTrail {

  /** How long a store keeps them at least; one that ends with its process, as many as it can. */
  Duration KEPT = Duration.ofDays(400);

  /**
   * Some acts, the latest first.
   *
   * @param queue only those about this one, also if it is gone by now; null for all
   * @param below only those with a lower id
   */
  List<AuditRow> list(@Nullable QueueId queue, long below, int limit);

  /** Keeps an act by itself. */
  void note(Act act);
}
