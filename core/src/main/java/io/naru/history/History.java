package io.naru.history;

import io.naru.queue.QueueId;
import io.naru.rate.RateView;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * What has been in a queue, as far back as it is kept. Reading changes nothing, never blocks, and
 * holds nobody up; empty if there is no such queue.
 */
public interface History {

  /** How those fared who joined within a time. This may take a while where they were millions. */
  CompletionStage<Optional<Statistics>> statistics(QueueId queue, Period period);

  /** What happened in each minute of a time, also in those in which nothing did. */
  CompletionStage<Optional<List<Minute>>> timeline(QueueId queue, Period period);

  /**
   * The rate of a queue, now and for some time back.
   *
   * @param micros how far back
   */
  CompletionStage<Optional<RateView>> rate(QueueId queue, long micros);

  /**
   * The entries of one person, the latest first.
   *
   * @param before only those who joined before that
   */
  CompletionStage<Optional<List<Past>>> entries(QueueId queue, String user, long before, int limit);

  /** The entry that joined at a moment; empty also if there is none. */
  CompletionStage<Optional<Past>> entry(QueueId queue, long joined);
}
