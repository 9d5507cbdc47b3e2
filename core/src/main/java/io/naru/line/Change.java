package io.naru.line;

import io.naru.queue.LaneCount;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a copy at change {@code from} needs to be at change {@code to}.
 *
 * @param facts the entries that were touched, as they stand at {@code to}, by when they joined;
 *     where one user has several, the last counts
 * @param waiting how many wait at {@code to}, so that a copy notices when it lost something
 * @param lanes how many of them in which lane; none if all stand in one line
 * @param inside how many are inside at {@code to}
 * @param rules the queue's rules at {@code to}; null if they are as at {@code from}
 */
public record Change(
    long from,
    long to,
    List<Fact> facts,
    long waiting,
    List<LaneCount> lanes,
    long inside,
    @Nullable Rules rules) {

  /** Of one line. */
  public Change(
      long from, long to, List<Fact> facts, long waiting, long inside, @Nullable Rules rules) {
    this(from, to, facts, waiting, List.of(), inside, rules);
  }
}
