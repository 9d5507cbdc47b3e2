package io.naru.ledger;

import io.naru.decision.Openness;
import io.naru.decision.QueueState;
import io.naru.decision.Restoring;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.Stocked;
import io.naru.rate.RateState;
import org.jspecify.annotations.Nullable;

/** A row of {@code waiting_queues}: a queue, and what only the ledger knows of it. */
final class QueueRow extends QueueState {

  /** No other queue ever gets it, also not one of the same name. */
  final long id;

  /** When it was locked, by the clock of the database; 0 if that has none. */
  long lockedAt;

  /** How many migrations there were when it was locked. */
  long tablesRank;

  /** As they were read. */
  Settings storedSettings = Settings.DEFAULT;

  @Nullable RateState storedRate;

  @Nullable Stocked storedStock;

  @Nullable String storedPresence;

  @Nullable String storedDraw;

  @Nullable Restoring storedRestoring;

  Openness storedOpenness = Openness.NONE;

  /** The highest change of an entry that was deleted after its time, or lost its name. */
  long keptFrom;

  QueueRow(long id, QueueId queue) {
    super(queue);
    this.id = id;
  }
}
