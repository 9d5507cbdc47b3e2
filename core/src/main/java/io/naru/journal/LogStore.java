package io.naru.journal;

import io.naru.queue.QueueId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Keeps the logs of queues, and the journals that they are made of. Whoever appends says what the
 * log was when they looked: what somebody else has appended meanwhile is never overwritten, and
 * nothing is appended twice.
 */
public interface LogStore {

  /**
   * The logs whose journals are ahead of them, found by one question about all queues; those in
   * which nothing happens are not looked at. Blocks.
   *
   * @param limit so many at most
   */
  List<Behind> behind(int limit);

  /**
   * The next changes of a journal, in order. Blocks.
   *
   * @param after the change before them
   * @param limit so many at most
   */
  List<Journaled> journal(Log log, long after, int limit);

  /**
   * Appends to a log, and forgets what of the journal is in it then. Blocks.
   *
   * @param from the log as it was read
   * @return false if it is another one by now, or held by somebody else: nothing was done then
   */
  boolean append(Log from, Addition addition);

  /** The log of a queue; empty if there is no such queue, or nothing in its log. */
  CompletionStage<Optional<Log>> log(QueueId queue);

  CompletionStage<Optional<HashTile>> tile(Log log, int level, long number);

  CompletionStage<Optional<Bundle>> bundle(Log log, long number);

  /** The records among which there is the one of somebody who joined then, if it is there. */
  CompletionStage<Optional<Bundle>> bundleOf(Log log, long joined);
}
