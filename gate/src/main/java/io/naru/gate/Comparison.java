package io.naru.gate;

import java.util.List;

/**
 * Compares patterns with the readings of a path, and counts what that costs. The path is a
 * stranger's, and where a gate is asked by a call the patterns may be, too; both together decide
 * how long it takes. So whatever takes too long to tell is a match: that protects it.
 *
 * <p>Stars are matched without going back further than to the last one: what stands before it has
 * its first match already, and a later one would leave less to those behind.
 */
final class Comparison {

  /** Some milliseconds; nobody's own paths and patterns come near it. */
  static final int MAX_STEPS = 1_000_000;

  private int steps;

  /** How many there were; none is taken beyond {@link #MAX_STEPS}. */
  int steps() {
    return steps;
  }

  /**
   * {@code **} for any number of segments.
   *
   * @return also true if that takes too long to tell
   */
  boolean matches(String[] pattern, List<String> path) {
    int p = 0;
    int s = 0;
    int stars = -1;
    int retry = 0;
    while (s < path.size()) {
      if (isSpent()) {
        return true;
      }
      if (p < pattern.length && pattern[p].equals("**")) {
        stars = p++;
        retry = s;
      } else if (p < pattern.length && matchesSegment(pattern[p], path.get(s))) {
        p++;
        s++;
      } else if (stars >= 0) {
        p = stars + 1;
        s = ++retry;
      } else {
        return false;
      }
    }
    while (p < pattern.length && pattern[p].equals("**")) {
      p++;
    }
    return p == pattern.length;
  }

  /** {@code *} for any characters. */
  private boolean matchesSegment(String pattern, String text) {
    int p = 0;
    int t = 0;
    int star = -1;
    int retry = 0;
    while (t < text.length()) {
      if (isSpent()) {
        return true;
      }
      if (p < pattern.length() && pattern.charAt(p) == '*') {
        star = p++;
        retry = t;
      } else if (p < pattern.length() && pattern.charAt(p) == text.charAt(t)) {
        p++;
        t++;
      } else if (star >= 0) {
        p = star + 1;
        t = ++retry;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == '*') {
      p++;
    }
    return p == pattern.length();
  }

  /** Takes a step, if there is one left. */
  private boolean isSpent() {
    if (steps == MAX_STEPS) {
      return true;
    }
    steps++;
    return false;
  }
}
