package io.naru.memory;

import io.naru.audit.Act;
import io.naru.audit.AuditRow;
import io.naru.audit.AuditTrail;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The last acts on one server, which end with its process. */
public final class MemoryTrail implements AuditTrail {

  static final int MAX_KEPT = 10_000;

  /** The latest first. */
  private final Deque<AuditRow> rows = new ArrayDeque<>();

  private final InstantSource clock;
  private long lastId;

  public MemoryTrail(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public synchronized List<AuditRow> list(@Nullable QueueId queue, long below, int limit) {
    return rows.stream()
        .filter(row -> row.id() < below && (queue == null || queue.equals(row.act().queue())))
        .limit(limit)
        .toList();
  }

  @Override
  public synchronized void note(Act act) {
    rows.addFirst(new AuditRow(++lastId, Micros.now(clock), act));
    if (rows.size() > MAX_KEPT) {
      rows.removeLast();
    }
  }
}
