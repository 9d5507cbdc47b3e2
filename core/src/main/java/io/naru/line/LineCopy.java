package io.naru.line;

import io.naru.queue.LaneCount;
import io.naru.queue.QueueId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * The fast, numbered copy of lines that a ledger decides. It holds those who wait and those who are
 * inside; what it does not know, the ledger does. A change is applied only to the very state it was
 * made for, so repeats, late arrivals and two servers at once do no harm.
 *
 * <p>Calls never block; a failed stage means that the copy cannot be reached.
 */
public interface LineCopy {

  /**
   * Whether it is this server's own, so that nobody else brings it what other servers commit. One
   * that all servers share is brought each change by whoever committed it.
   */
  default boolean isOwn() {
    return false;
  }

  /**
   * Where one stands in this copy. {@link Standing.Unknown} only means that the copy does not know,
   * {@link Standing.NoQueue} that it is lost.
   */
  CompletionStage<Standing> locate(Original of, String user);

  /** What happened since a change; {@link Moved.Gap} also if the copy is lost. */
  CompletionStage<Moved> since(Original of, long change);

  /** Who waits where, by tickets; nothing if it is lost. */
  CompletionStage<Optional<Tickets>> tickets(Original of);

  /** Which tickets of a block are gone; nothing if it is lost. */
  CompletionStage<Optional<Tile>> tile(Original of, Tile.Block block);

  /** Goes from {@code change.from} to {@code change.to}, if it is there; says where it is then. */
  CompletionStage<CopyState> apply(Original of, Change change);

  /** Where it is. */
  CompletionStage<CopyState> state(Original of);

  /**
   * What it holds of a part; nothing if it is lost.
   *
   * @param limit the first so many
   */
  CompletionStage<Optional<Held>> held(Original of, Part part, int limit);

  /** How much that is, without bringing it all here. */
  default CompletionStage<Optional<Sum>> sum(Original of, Part part, int limit) {
    return held(of, part, limit).thenApply(held -> held.map(Held::sum));
  }

  /** Begins a new copy beside the present one, if any. */
  Rebuild rebuild(Original of);

  /** Removes the copy of a queue that is gone. */
  CompletionStage<?> drop(QueueId queue);

  /** A copy that is being made. What is neither finished nor abandoned vanishes by itself. */
  interface Rebuild {

    /**
     * Takes entries as they stand now: who waits or is inside gets that place, whatever was known
     * of them, and who has ended is taken out. Where one user has several, the last counts.
     *
     * @param number of this part, from 1. One that is not the next, as a late repeat, changes
     *     nothing and fails
     */
    CompletionStage<?> add(int number, List<Fact> some);

    /**
     * Puts the new copy into the place of the old one, unless a part of it is missing or the old
     * one is of the same original and newer. Says what is there then.
     */
    CompletionStage<CopyState> finish(
        long change, long waiting, List<LaneCount> lanes, long inside, Rules rules);

    /** The same of a line without lanes. */
    default CompletionStage<CopyState> finish(long change, long waiting, long inside, Rules rules) {
      return finish(change, waiting, List.of(), inside, rules);
    }

    /** It will not be finished: removes at once what was added. */
    CompletionStage<?> abandon();
  }
}
