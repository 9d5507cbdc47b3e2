package io.naru.ledger;

import io.naru.batch.BatchObserver;
import io.naru.batch.NaturalBatch;
import io.naru.ledger.copies.Keeper;
import io.naru.line.Original;
import io.naru.queue.QueueId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Queues that are not known here, by one statement for all who ask meanwhile. Anybody can ask for
 * made-up ones; whoever decides or counts places has no time for those. One that is there is known
 * from then on.
 */
final class LookUps {

  static final String WHAT = "look up queues";

  private static final int MAX_BATCH = 64;
  private static final int MAX_PENDING = 8_192;

  private final Reader reader;
  private final Keeper keeper;
  private final NaturalBatch<QueueId, Optional<Original>> batch;

  /** Where it is done. */
  interface Doing
      extends Function<
          Callable<List<Optional<Original>>>, CompletionStage<List<Optional<Original>>>> {}

  /**
   * @param name for the metrics
   */
  LookUps(String name, Reader reader, Keeper keeper, BatchObserver observer, Doing doing) {
    this.reader = reader;
    this.keeper = keeper;
    this.batch =
        new NaturalBatch<>(
            name, MAX_BATCH, MAX_PENDING, observer, asked -> doing.apply(() -> find(asked)));
  }

  /** Empty if there is none of that name. */
  CompletionStage<Optional<Original>> find(QueueId queue) {
    return batch.submit(queue);
  }

  private List<Optional<Original>> find(List<QueueId> queues) throws Exception {
    Map<QueueId, Original> found = new HashMap<>();
    for (Original of : reader.existing(queues)) {
      keeper.exists(of);
      found.put(of.queue(), of);
    }
    return queues.stream().map(queue -> Optional.ofNullable(found.get(queue))).toList();
  }
}
