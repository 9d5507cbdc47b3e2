package io.naru.ledger.copies;

import io.naru.line.Change;
import io.naru.line.Fact;
import io.naru.line.Held;
import io.naru.line.Original;
import io.naru.line.Part;
import io.naru.line.Rules;
import io.naru.queue.LaneCount;
import java.util.List;
import java.util.Optional;

/** What the ledger can tell about a queue. Blocks. */
public interface Source {

  /** A state of the ledger: its number, and how many are in it. */
  record Reached(long change, long waiting, List<LaneCount> lanes, long inside, Rules rules) {}

  /**
   * What the ledger has of a part.
   *
   * @param part up to the last of those read, or to its end if these are all
   */
  record Extent(Part part, Held held) {}

  /** Takes some of what is read. */
  interface Taker {
    void take(List<Fact> some) throws Exception;
  }

  /** Where the ledger itself is; empty if that queue is gone. */
  Optional<Reached> reached(Original of) throws Exception;

  /**
   * Reads some who wait or are inside, behind a score or time, in order; empty if that queue is
   * gone.
   *
   * @param limit of how many there should be; of those who end at the same time there may be more
   */
  Optional<Extent> part(Original of, boolean isInside, long after, int limit) throws Exception;

  /** What a copy at {@code change} lacks; empty if it is more, or not known any more. */
  Optional<Change> since(Original of, long change, int maxFacts) throws Exception;

  /** Reads everybody who waits or is inside, in parts. */
  Reached everybody(Original of, Taker taker) throws Exception;

  /**
   * Reads those who were touched after a change, as they stand now, in parts: the earlier entry of
   * somebody who has several comes first.
   */
  Reached touched(Original of, long change, Taker taker) throws Exception;
}
