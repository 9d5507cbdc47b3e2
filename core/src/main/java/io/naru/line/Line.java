package io.naru.line;

import io.naru.queue.EntryKey;
import io.naru.queue.QueueId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Where one stands. Reading changes nothing, never blocks, and may be asked as often as one likes.
 */
public interface Line {

  /** Where a user stands: by the latest entry, if there were several. */
  CompletionStage<Standing> locate(QueueId queue, String user);

  /**
   * The same for somebody who has seen a change already, perhaps at another server: nothing older,
   * or nothing at all for now.
   */
  default CompletionStage<Standing> locate(QueueId queue, String user, long seen) {
    return locate(queue, user);
  }

  /** Where this very entry stands, also if its user has a later one. */
  default CompletionStage<Standing> locate(EntryKey entry) {
    return locate(entry, 0);
  }

  /** The same for somebody who has seen a change already. */
  default CompletionStage<Standing> locate(EntryKey entry, long seen) {
    return locate(entry.queue(), entry.user(), seen)
        .thenCompose(
            standing ->
                standing instanceof Standing.Found(var place) && !place.entry().key().equals(entry)
                    ? earlier(entry)
                    : CompletableFuture.completedStage(standing));
  }

  /**
   * How an entry ended whose user has a later one. The one before the latest is known for an hour
   * from its end, unless it was left; of those before it, nothing is promised.
   */
  CompletionStage<Standing> earlier(EntryKey entry);

  /**
   * What happened in a queue since a change, so that the places read then can be moved on without
   * asking for each of them again.
   */
  CompletionStage<Moved> since(QueueId queue, long change);

  /** Who waits where, by tickets; empty where nobody counts them, or cannot say now. */
  default CompletionStage<Optional<Tickets>> tickets(QueueId queue) {
    return CompletableFuture.completedStage(Optional.empty());
  }

  /** Which tickets of a block are gone; empty as {@link #tickets} is. */
  default CompletionStage<Optional<Tile>> tile(QueueId queue, Tile.Block block) {
    return CompletableFuture.completedStage(Optional.empty());
  }

  /**
   * Names the turns that were over before their pass was, whatever ended them, in the order of
   * their changes. A turn that ran out is not among them: its pass ran out with it.
   *
   * @param after only those of later changes; 0 for all whose pass could still be good. So are
   *     those of a change that the line has not reached: it has lost what it once said
   * @param each is told of each before the answer arrives, by one thread at a time; of one that
   *     ended meanwhile, perhaps twice
   */
  CompletionStage<Told> over(QueueId queue, long after, Consumer<OverTurn> each);

  /**
   * Names the latest of those whose pass could still be good, in the same order: what is needed
   * first by somebody who cannot wait for all of them. Takes about as long however many there are.
   *
   * @param most about how many; if there are hardly more, all of them may be told
   */
  default CompletionStage<Told> latestOver(QueueId queue, int most, Consumer<OverTurn> each) {
    return over(queue, 0, each);
  }
}
