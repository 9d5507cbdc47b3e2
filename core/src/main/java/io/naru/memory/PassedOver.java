package io.naru.memory;

import io.naru.decision.EntryState;
import io.naru.decision.Needs;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Those of one queue who wait and were passed over, found in the ways that decisions ask. */
final class PassedOver {

  /**
   * @param since when they were, 0 once they were seen again
   */
  record Mark(String user, long joined, long score, long since) {}

  private final Map<Long, Mark> byJoined = new HashMap<>();
  private final TreeSet<Mark> bySince =
      new TreeSet<>(Comparator.comparingLong(Mark::since).thenComparingLong(Mark::score));
  private final TreeSet<Mark> byScore = new TreeSet<>(Comparator.comparingLong(Mark::score));

  /** Takes one as it stands now, also if it was not passed over or waits no more. */
  void put(EntryState entry) {
    Mark before = byJoined.remove(entry.joined);
    if (before != null) {
      bySince.remove(before);
      byScore.remove(before);
    }
    if (entry.isWaiting() && entry.isPassed) {
      var mark = new Mark(entry.user, entry.joined, entry.score, entry.absentSince);
      byJoined.put(mark.joined, mark);
      bySince.add(mark);
      byScore.add(mark);
    }
  }

  /** Since when somebody is away who was passed over; 0 if they are not. */
  long since(long joined) {
    Mark mark = byJoined.get(joined);
    return mark == null ? 0 : mark.since;
  }

  Stream<Mark> find(Needs.Passed needs) {
    var firstAway = new Mark("", 0, Long.MIN_VALUE, 1);
    return Stream.of(
            needs.joined().stream().map(byJoined::get).filter(Objects::nonNull),
            needs.back().stream().flatMap(front -> back(front, firstAway)),
            bySince.tailSet(firstAway).stream().limit(needs.absent()),
            needs.firsts().stream()
                .map(from -> byScore.ceiling(new Mark("", 0, from, 0)))
                .filter(Objects::nonNull))
        .flatMap(found -> found);
  }

  private Stream<Mark> back(Needs.Front front, Mark firstAway) {
    var from = new Mark("", 0, front.from(), 0);
    return bySince.subSet(from, firstAway).stream().limit(front.count());
  }

  void clear() {
    byJoined.clear();
    bySince.clear();
    byScore.clear();
  }
}
