package io.naru.decision;

import io.naru.queue.Admission;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Which entries of a queue a decision must have seen.
 *
 * @param users all that may matter of these: live entries, and those that ended after {@code
 *     endedAfter}
 * @param withCompleted of the same users also what they completed at any time
 * @param withReturned of the same users also from where they came back at any time
 * @param codes hashes of codes that are shown
 * @param fronts the first who wait, of each band that matters
 * @param overdue so many of those inside whose time was up at {@code now}, the longest ago first
 * @param stayingBeyond if present, those inside whose stay reaches further, at most {@link
 *     Admission#MAX_STEP}
 */
public record Needs(
    Set<String> users,
    long endedAfter,
    boolean withCompleted,
    boolean withReturned,
    Set<String> codes,
    List<Front> fronts,
    int overdue,
    OptionalLong stayingBeyond,
    long now) {

  /**
   * Some who wait.
   *
   * @param from the smallest score that is of interest
   * @param count so many from there on; never more than wait in the band of that score
   */
  public record Front(long from, int count) {}

  /** Whether {@link #users} asks for this entry, wherever it was found. */
  boolean includes(EntryState entry) {
    return entry.isLive() || entry.ended > endedAfter;
  }

  /** What these requests need, in a queue that stands as it does. */
  static Needs of(QueueState queue, List<? extends Request<?>> requests, long now) {
    var count = new Count(queue, now);
    requests.forEach(request -> request.need(count));
    return count.sum();
  }

  /** Adds up what each request needs. */
  static final class Count {
    private final QueueState queue;
    private final long now;
    private final Set<String> users = new LinkedHashSet<>();
    private final Set<String> codes = new LinkedHashSet<>();
    private int admissions;
    private int wanted;
    private int leaves;
    private boolean isEdited;
    private boolean isReturned;

    Count(QueueState queue, long now) {
      this.queue = queue;
      this.now = now;
    }

    void user(String user) {
      users.add(user);
    }

    void code(String hash) {
      codes.add(hash);
    }

    /** Somebody leaves, perhaps one of the first, and others move up. */
    void leave() {
      leaves++;
    }

    /** Somebody comes back: how often did they before? */
    void returns() {
      isReturned = true;
    }

    /** Whoever edits may be about to change all that an admission depends on. */
    void edit() {
      isEdited = true;
    }

    /** One more of the first than can go in, to know who is first then. */
    void admission(Admission admission) {
      admissions++;
      long most =
          queue.stateAt(now).isEnded() || queue.fallbackOverAt() <= now
              ? Admission.MAX_STEP
              : Math.min(Admission.MAX_STEP, admission.wanted(queue.allowed(now)));
      wanted += (int) most + 1;
    }

    private List<Front> fronts() {
      if (queue.waiting == 0 || (admissions == 0 && !isEdited)) {
        return List.of();
      }
      // Without an admission, for how long the first has been waiting.
      int edited = admissions * (Admission.MAX_STEP + 1);
      int count = admissions == 0 ? 1 : isEdited ? edited : wanted;
      if (queue.bands.isOne()) {
        return List.of(new Front(queue.frontScore, leaves + count));
      }
      return queue.state.isEnded()
          ? queue.bands.first(leaves + count)
          : queue.bands.plan(count, leaves, queue.settings.lanes());
    }

    private Needs sum() {
      boolean expires = admissions > 0 && queue.inside > 0;
      return new Needs(
          users,
          now - EntryState.ENDED_KNOWN,
          // Whoever edits may be about to say that one may enter once only.
          isEdited || queue.settings.stay().once(),
          isReturned,
          codes,
          fronts(),
          expires ? Admission.MAX_STEP : 0,
          expires && queue.isAheadOf(now)
              ? OptionalLong.of(queue.furthestStay(now))
              : OptionalLong.empty(),
          now);
    }
  }
}
