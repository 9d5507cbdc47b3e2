package io.naru.decision;

import io.naru.queue.Fairness;
import io.naru.queue.Micros;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * In which order those get their places whose arrival chance softens.
 *
 * <p>With jitter each has a moment of their own, somewhat after they joined, and gets a place when
 * it has come. With windows, whoever comes when none is open opens one; all who join before it ends
 * get their places together then, in the order of their numbers. What is kept is only when the next
 * is due, and where windows begin.
 */
final class Arrivals {

  /** A window ends when so many have come within it. */
  static final int FULL = 10_000;

  /**
   * So many are read of those who may be due: more than come within the longest jitter, or somebody
   * who is due later would get a place earlier.
   */
  static final int MOST = 50_000;

  /** A clock that is so far behind those who joined went back: nobody waits for it. */
  private static final long BEHIND = Micros.PER_SECOND;

  /** Nobody gets a place before, though perhaps later. */
  private long next = QueueState.NEVER;

  private final List<Window> windows = new ArrayList<>(0);

  /**
   * Those who joined from one moment on.
   *
   * @param count how many did, whether or not they are still there
   */
  private record Window(long from, int count) {

    boolean isFull() {
      return count >= FULL;
    }
  }

  /** Somebody whose moment is known. */
  private record Due(EntryState entry, long at, long number) {}

  private static final Comparator<Due> IN_ORDER =
      Comparator.comparingLong(Due::at)
          .thenComparing(Due::number, Long::compareUnsigned)
          .thenComparingLong(due -> due.entry.joined);

  static Arrivals ofNumbers(List<?> numbers) {
    var arrivals = new Arrivals();
    arrivals.next = number(numbers, 0);
    for (int i = 1; i < numbers.size(); i += 2) {
      arrivals.windows.add(new Window(number(numbers, i), (int) number(numbers, i + 1)));
    }
    return arrivals;
  }

  private static long number(List<?> numbers, int at) {
    return numbers.get(at) instanceof Number number ? number.longValue() : 0;
  }

  List<Long> numbers() {
    List<Long> numbers = new ArrayList<>();
    numbers.add(next);
    for (Window window : windows) {
      numbers.add(window.from);
      numbers.add((long) window.count);
    }
    return numbers;
  }

  Arrivals copy() {
    return ofNumbers(numbers());
  }

  /** Whether the clock went back behind those who joined. */
  static boolean isBehind(long now, long lastJoined) {
    return lastJoined - now > BEHIND;
  }

  /** When the next gets a place, or a bit before. */
  long next() {
    return next;
  }

  /**
   * Somebody joins.
   *
   * @param isFirst whether nobody else is without a place
   */
  void join(long joined, boolean isFirst, Fairness fairness, String seed, long now) {
    if (fairness.jitterMillis() > 0) {
      long due = due(joined, new Chance(seed).number(joined), fairness);
      next = isFirst ? due : Math.min(next, due);
    } else {
      joinWindow(joined, isFirst, fairness);
    }
    hurry(now, joined);
  }

  private void joinWindow(long joined, boolean isFirst, Fairness fairness) {
    @Nullable Window last = windows.isEmpty() ? null : windows.getLast();
    boolean isOpen = last != null && !last.isFull() && joined < end(last, fairness);
    if (isFirst) {
      // Those who came in it have left again.
      windows.clear();
    } else if (isOpen) {
      windows.removeLast();
    }
    windows.add(
        isOpen && last != null ? new Window(last.from, last.count + 1) : new Window(joined, 1));
    next = nextEnd(fairness);
  }

  /** If the clock went back, somebody is due now: their moment is one that nobody waits for. */
  private void hurry(long now, long lastJoined) {
    if (next != QueueState.NEVER && isBehind(now, lastJoined)) {
      next = Math.min(next, now);
    }
  }

  private static long due(long joined, long number, Fairness fairness) {
    return joined + Long.remainderUnsigned(number, 1_000L * fairness.jitterMillis() + 1);
  }

  private static long end(Window window, Fairness fairness) {
    return window.from + 1_000L * fairness.fairWindowMillis();
  }

  private long nextEnd(Fairness fairness) {
    if (windows.isEmpty()) {
      return QueueState.NEVER;
    }
    return windows.getFirst().isFull() ? 0 : end(windows.getFirst(), fairness);
  }

  /**
   * Takes those who get their places now, in their order.
   *
   * @param waiting the first who are without one, by when they joined
   * @param knownUpTo of those who joined later not all are among them
   * @param lastJoined when the last of all joined
   */
  List<EntryState> take(
      List<EntryState> waiting,
      long knownUpTo,
      Fairness fairness,
      String seed,
      long now,
      long lastJoined) {
    long at = isBehind(now, lastJoined) ? QueueState.NEVER : now;
    if (!fairness.settlesLater()) {
      next = QueueState.NEVER;
      windows.clear();
      return waiting.stream().filter(entry -> entry.joined <= knownUpTo).toList();
    }
    List<EntryState> taken =
        fairness.jitterMillis() > 0
            ? takeDue(waiting, knownUpTo, fairness, seed, at)
            : takeWindows(waiting, knownUpTo, fairness, seed, at);
    hurry(now, lastJoined);
    return taken;
  }

  /**
   * Whoever is not among them joined later, and is due later still. But if all of these are due
   * later than that, too, so many came at once that nobody can wait for those: it would be for
   * ever.
   */
  private List<EntryState> takeDue(
      List<EntryState> waiting, long knownUpTo, Fairness fairness, String seed, long at) {
    var chance = new Chance(seed);
    List<Due> all = new ArrayList<>(waiting.size());
    for (EntryState entry : waiting) {
      long number = chance.number(entry.joined);
      all.add(new Due(entry, due(entry.joined, number, fairness), number));
    }
    all.sort(IN_ORDER);
    boolean areTooMany = !all.isEmpty() && all.getFirst().at > knownUpTo;
    long upTo = areTooMany ? at : Math.min(at, knownUpTo);
    List<EntryState> taken =
        all.stream().takeWhile(due -> due.at <= upTo).limit(FULL).map(due -> due.entry).toList();
    next = taken.size() < all.size() ? all.get(taken.size()).at : QueueState.NEVER;
    if (knownUpTo < QueueState.NEVER && !areTooMany) {
      next = Math.min(next, knownUpTo + 1);
    }
    return taken;
  }

  /** A window is taken as a whole, so that its end is everybody's. */
  private List<EntryState> takeWindows(
      List<EntryState> waiting, long knownUpTo, Fairness fairness, String seed, long at) {
    var chance = new Chance(seed);
    List<EntryState> taken = new ArrayList<>();
    boolean isKnown = true;
    int from = 0;
    if (windows.isEmpty() && !waiting.isEmpty()) {
      windows.add(new Window(waiting.getFirst().joined, 1));
    }
    while (!windows.isEmpty()
        && isKnown
        && (windows.getFirst().isFull() || end(windows.getFirst(), fairness) <= at)) {
      windows.removeFirst();
      long before = windows.isEmpty() ? QueueState.NEVER : windows.getFirst().from;
      List<Due> members = new ArrayList<>();
      for (; from < waiting.size() && waiting.get(from).joined < before; from++) {
        members.add(new Due(waiting.get(from), 0, chance.number(waiting.get(from).joined)));
      }
      members.stream().sorted(IN_ORDER).forEach(due -> taken.add(due.entry));
      // As many are read as one can have; of the next perhaps not all.
      isKnown = knownUpTo == QueueState.NEVER;
    }
    next = nextEnd(fairness);
    return taken;
  }
}
