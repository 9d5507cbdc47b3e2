package io.naru.decision;

import io.naru.line.Score;
import io.naru.queue.Admission;
import io.naru.queue.Draws;
import io.naru.queue.Sightings.Sight;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which entries of a queue a decision must have seen.
 *
 * @param users all that may matter of these: live entries, and those that ended after {@code
 *     endedAfter}
 * @param withCompleted of the same users also what they completed at any time
 * @param withReturned of the same users also from where they came back at any time
 * @param codes hashes of codes that are shown
 * @param entries those who joined then, as far as they wait and have no place yet
 * @param fronts the first who wait, of each band that matters
 * @param unsettled the first who have no place yet, of each lane, where some may get theirs
 * @param overdue so many of those inside whose time was up at {@code now}, the longest ago first
 * @param stayingBeyond if present, those inside whose stay reaches further, at most {@link
 *     Admission#MAX_STEP}
 * @param passed of those who were passed over
 */
public record Needs(
    Set<String> users,
    long endedAfter,
    boolean withCompleted,
    boolean withReturned,
    Set<String> codes,
    Set<Long> entries,
    List<Front> fronts,
    List<Front> unsettled,
    int overdue,
    OptionalLong stayingBeyond,
    Passed passed,
    long now) {

  /**
   * Some who wait.
   *
   * @param from the smallest score that is of interest
   * @param count so many from there on; never more than wait in the band of that score
   */
  public record Front(long from, int count) {}

  /**
   * Some who were passed over.
   *
   * @param joined these, if they were
   * @param back so many of those of each of these bands who were seen again, by their scores
   * @param absent so many of those who were not, the longest ago first
   * @param owing so many of those who were for what they owe, for whom that is over first
   * @param firsts the first one of each of these bands, by its lowest score
   */
  public record Passed(
      Set<Long> joined, List<Front> back, int absent, int owing, List<Long> firsts) {

    static final Passed NOBODY = new Passed(Set.of(), List.of(), 0, 0, List.of());

    /** With those entries of which it is known that they were, where they stand. */
    Passed with(Collection<EntryState> read, Presence presence) {
      return and(
          read.stream()
              .filter(entry -> entry.isWaiting() && presence.isBefore(entry.score))
              .map(entry -> entry.joined)
              .toList());
    }

    /** With these, if they were. */
    public Passed and(Collection<Long> more) {
      Set<Long> all = new HashSet<>(joined);
      all.addAll(more);
      return new Passed(all, back, absent, owing, firsts);
    }

    boolean isNobody() {
      return joined.isEmpty() && back.isEmpty() && absent == 0 && owing == 0 && firsts.isEmpty();
    }
  }

  /** All of those who wait, of whichever band. */
  public List<Front> allFronts() {
    return Stream.concat(fronts.stream(), unsettled.stream()).toList();
  }

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
    private final Set<Long> seen = new HashSet<>(0);
    private final Set<Long> entries = new LinkedHashSet<>(0);
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

    /** These are to get their places. */
    void entries(Collection<Long> joined) {
      entries.addAll(joined);
    }

    /** Somebody leaves, perhaps one of the first, and others move up. */
    void leave() {
      leaves++;
    }

    /** Somebody comes back: how often did they before? */
    void returns() {
      isReturned = true;
    }

    /** Of those who are seen only they matter who were passed over. */
    void seen(List<Sight> people) {
      Presence presence = queue.presence;
      if (presence != null) {
        people.stream()
            .filter(sight -> presence.isBefore(sight.score()))
            .forEach(sight -> seen.add(sight.joined()));
      }
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
      // Some will be passed over.
      Presence presence = queue.presence;
      int others =
          presence == null
              ? 0
              : 32 + (int) (most / 2 + Math.min(Admission.MAX_STEP, presence.owingInLine()));
      wanted += (int) most + 1 + others;
    }

    private List<Front> fronts() {
      if (queue.waiting == 0 || (admissions == 0 && !isEdited)) {
        return List.of();
      }
      // Without an admission, for how long the first has been waiting.
      int edited = admissions * (Admission.MAX_STEP + 1);
      int count = admissions == 0 ? 1 : isEdited ? edited : wanted;
      if (queue.bands.isOne()) {
        return List.of(new Front(queue.turn(Bands.EVERYBODY, queue.frontScore), leaves + count));
      }
      return queue.stateAt(now).isEnded()
          ? queue.bands.first(leaves + count)
          : queue.bands.plan(count, leaves, queue);
    }

    private List<Front> unsettled() {
      boolean isDrawn = queue.draw != null && queue.draw.isUnderWay();
      boolean isJittered = queue.settings.fairness().jitterMillis() > 0;
      int some = isDrawn ? Draws.MAX_STEP : isJittered ? Arrivals.MOST : Arrivals.FULL;
      return queue.settlesAt(now) ? queue.bands.firstUnsettled(some) : List.of();
    }

    private Passed passed() {
      Presence presence = queue.presence;
      if (presence == null || presence.passed() == 0) {
        return Passed.NOBODY;
      }
      if (admissions == 0) {
        return new Passed(seen, List.of(), 0, 0, List.of());
      }
      return new Passed(
          seen,
          back(presence),
          queue.absentOverAt() <= now ? Admission.MAX_STEP + 1 : 0,
          queue.owedOverAt() <= now ? Admission.MAX_STEP + 1 : 0,
          presence.bands().stream().map(band -> Score.inBand(band, 0)).toList());
    }

    /** Of each band, or those of one would keep those of another from being read. */
    private List<Front> back(Presence presence) {
      int most = Math.min(wanted, 2 * Admission.MAX_STEP);
      return presence.bands().stream()
          .filter(band -> presence.back(band) > 0)
          .map(b -> new Front(Score.inBand(b, 0), (int) Math.min(most, presence.back(b))))
          .toList();
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
          entries,
          fronts(),
          unsettled(),
          expires ? Admission.MAX_STEP : 0,
          expires && queue.isAheadOf(now)
              ? OptionalLong.of(queue.furthestStay(now))
              : OptionalLong.empty(),
          passed(),
          now);
    }
  }
}
