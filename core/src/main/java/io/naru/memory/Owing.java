package io.naru.memory;

import io.naru.decision.Book.Debt;
import io.naru.decision.EntryState;
import io.naru.queue.Owed;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Those of one queue who wait and owe something. */
final class Owing {

  private static final Debt NOTHING = new Debt(Owed.NOTHING, 0);

  private record Due(long until, long joined) {}

  private final Map<Long, Debt> byJoined = new HashMap<>();

  /** Those who were passed over for it. */
  private final TreeSet<Due> byUntil =
      new TreeSet<>(Comparator.comparingLong(Due::until).thenComparingLong(Due::joined));

  /** Takes one as it stands now, also if it owes nothing or waits no more. */
  void put(EntryState entry) {
    Debt before = byJoined.remove(entry.joined);
    if (before != null) {
      byUntil.remove(new Due(before.until(), entry.joined));
    }
    if (entry.isWaiting() && entry.owes()) {
      byJoined.put(entry.joined, new Debt(entry.owed, entry.owedUntil));
      if (entry.owedUntil > 0) {
        byUntil.add(new Due(entry.owedUntil, entry.joined));
      }
    }
  }

  Debt of(long joined) {
    return byJoined.getOrDefault(joined, NOTHING);
  }

  Map<Long, Debt> of(Collection<Long> joined) {
    Map<Long, Debt> found = new HashMap<>();
    for (long each : joined) {
      Debt debt = byJoined.get(each);
      if (debt != null) {
        found.put(each, debt);
      }
    }
    return found;
  }

  /** What everybody owes who does. */
  Map<Long, Owed> all() {
    Map<Long, Owed> all = new HashMap<>();
    byJoined.forEach((joined, debt) -> all.put(joined, debt.owed()));
    return all;
  }

  /** Those for whom it is over first. */
  List<Long> first(int count) {
    return byUntil.stream().limit(count).map(Due::joined).toList();
  }

  void clear() {
    byJoined.clear();
    byUntil.clear();
  }
}
