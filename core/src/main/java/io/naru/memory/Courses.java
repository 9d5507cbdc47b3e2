package io.naru.memory;

import io.naru.history.Course;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * The courses of all who joined a queue, in that order, without their names: of the last million at
 * most, and as long as a ledger would keep them. Not thread-safe: its owner holds a lock.
 */
final class Courses {

  private static final int MAX_KEPT = 1_000_000;
  private static final Comparator<Course> BY_JOINED = Comparator.comparingLong(Course::joined);

  private final List<Course> kept = new ArrayList<>();

  /** Who joins does so behind all others; who came from another ledger is not counted here. */
  void add(Course course) {
    if (!kept.isEmpty() && course.joined() <= kept.getLast().joined()) {
      return;
    }
    kept.add(course);
    if (kept.size() > MAX_KEPT + MAX_KEPT / 8) {
      kept.subList(0, kept.size() - MAX_KEPT).clear();
    }
  }

  /** Notes what became of somebody, unless they are forgotten. */
  void replace(Course course) {
    int at = Collections.binarySearch(kept, course, BY_JOINED);
    if (at >= 0) {
      kept.set(at, course);
    }
  }

  /** Those who joined from one moment on and before another, at most so many. */
  List<Course> some(long from, long to, int limit) {
    int first = firstFrom(from);
    int end = (int) Math.min((long) first + limit, firstFrom(to));
    return end <= first ? List.of() : List.copyOf(kept.subList(first, end));
  }

  /** Forgets those who joined before a moment, when they are worth the work. */
  void forget(long before) {
    int old = firstFrom(before);
    if (old > kept.size() / 8) {
      kept.subList(0, old).clear();
    }
  }

  private int firstFrom(long joined) {
    int low = 0;
    int high = kept.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (kept.get(middle).joined() < joined) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
