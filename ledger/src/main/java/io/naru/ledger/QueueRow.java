package io.naru.ledger;

import io.naru.admission.Allowance;
import io.naru.line.Rules;
import io.naru.queue.Figures;
import io.naru.queue.LineState;
import io.naru.queue.Queue;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;

/** A row of {@code waiting_queues}, which a {@link Decision} changes. */
final class QueueRow {

  /** When it was locked, by the clock of the database; 0 if that has none. */
  long lockedAt;

  final long id;
  final QueueId queue;
  Settings settings = Settings.DEFAULT;
  boolean active;
  long version;
  long createdAt;
  long activatedAt;
  long deactivatedAt;
  long change;
  long lastScore;
  long frontScore;
  long waiting;
  long inside;
  Allowance allowance = new Allowance(0, 0);
  long lastEnteredAt;
  long joined;
  long entered;
  long completed;
  long left;
  long expired;
  long keptFrom;

  /** In which minute it changed last. */
  long changedMinute;

  QueueRow(long id, QueueId queue) {
    this.id = id;
    this.queue = queue;
  }

  Queue asQueue() {
    return new Queue(queue, settings, active, version, createdAt, activatedAt, deactivatedAt);
  }

  Figures figures(long longestWaitMicros) {
    return new Figures(
        change, waiting, inside, longestWaitMicros, joined, entered, completed, left, expired);
  }

  LineState lineState() {
    return new LineState(change, waiting, active, settings);
  }

  Rules rules() {
    return new Rules(settings, active);
  }

  int places(long wanted) {
    return Allowance.places(settings.pace().maxCapacity(), inside, wanted);
  }

  /** Whether people wait who could go in at {@code now}. */
  boolean hasRoom(long now) {
    return active && waiting > 0 && places(allowance.at(now, settings.pacing()).tokens()) > 0;
  }
}
