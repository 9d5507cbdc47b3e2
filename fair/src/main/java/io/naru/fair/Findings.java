package io.naru.fair;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What is found, and where one is. Of what comes again and again the first ones will do. */
final class Findings {

  private static final int KEPT = 20;
  private static final int REMARKS = 100;

  private final List<Finding> kept = new ArrayList<>();
  private final Map<String, Long> counts = new TreeMap<>();
  private final List<String> remarks = new ArrayList<>();

  /** The number of the record that is read. */
  long record;

  void add(String name, String words) {
    addAt(record, name, words);
  }

  void addAt(long at, String name, String words) {
    if (counts.merge(name, 1L, Long::sum) <= KEPT) {
      kept.add(new Finding(name, at, words));
    }
  }

  void remark(String words) {
    if (remarks.size() < REMARKS) {
      remarks.add(words);
    }
  }

  List<Finding> kept() {
    return kept;
  }

  Map<String, Long> counts() {
    return counts;
  }

  List<String> remarks() {
    return remarks;
  }
}
