package io.naru.decision;

import io.naru.audit.Act;
import io.naru.history.Minute;
import io.naru.line.Change;
import io.naru.rate.RatePoint;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was decided about one queue, in one change.
 *
 * @param queue as it stands now
 * @param touched the entries that were there and are different now, by when they joined
 * @param made the entries that are new, by when they joined
 * @param change what a copy of the line must be told; nothing if its {@code from} is its {@code to}
 * @param closed an earlier minute, with all that was counted up to its end, if this is the first
 *     change since; or null
 * @param erased names that are to be forgotten, with what is to stand in their place: of all who
 *     are not {@code made}
 * @param newCodes hashes of codes that are new, with the lane that each is for
 * @param usedCodes hashes of codes that can be used no more
 * @param isDeleted whether the queue is to be forgotten with all of that
 * @param noted of who is there; null if nothing
 * @param point of the rate, to be kept for the record; or null
 * @param hasRoom whether people wait who could go in now, or whose wait is over with the queue
 * @param acts of operators, to be kept together with what they changed
 * @param events of the journal, a line each, in the order decided; empty where nothing is logged
 * @param told to systems behind, a line each, in the order decided; empty where nobody reads
 * @param answers in the order of the requests
 */
public record Outcome(
    QueueState queue,
    Collection<EntryState> touched,
    Collection<EntryState> made,
    Change change,
    @Nullable Minute closed,
    Map<String, String> erased,
    Map<String, String> newCodes,
    Set<String> usedCodes,
    boolean isDeleted,
    @Nullable Noted noted,
    @Nullable RatePoint point,
    boolean hasRoom,
    List<Act> acts,
    String events,
    String told,
    List<Answer<?>> answers) {

  /**
   * What is kept of who is there, which no copy needs to know.
   *
   * @param seen those who were seen just now, by when their entries joined
   * @param at when that is
   * @param passed the entries that were passed over, or are no more: these are kept as long as they
   *     wait and {@link EntryState#isPassed}
   * @param owing the entries of which it is different what they owe: these are kept as long as they
   *     wait and {@link EntryState#owes}
   * @param forgotten whoever was seen last before this moment
   * @param isOver whether all that was kept before is to be forgotten
   */
  public record Noted(
      Set<Long> seen,
      long at,
      Collection<EntryState> passed,
      Collection<EntryState> owing,
      long forgotten,
      boolean isOver) {}

  /** Under which number what is told is kept; a queue that is no more has one more for that. */
  public long toldAs() {
    return isDeleted ? queue.change + 1 : queue.change;
  }

  /** Whether anything is different that a copy or a visitor can see. */
  public boolean isTouched() {
    return change.to() != change.from() || isDeleted;
  }

  /** Whether there is anything to keep. */
  public boolean isKept() {
    return isTouched() || noted != null;
  }
}
