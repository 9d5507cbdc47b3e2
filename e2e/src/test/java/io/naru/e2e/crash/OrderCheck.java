package io.naru.e2e.crash;

import static java.util.Comparator.comparingLong;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Whether the line is the order that follows from what was published: everybody of the list in its
 * order, in their lanes, and behind them those who came later, as they came.
 */
final class OrderCheck {

  private final PublishedDraw draw;
  private final Map<String, Long> toldBefore;
  private final Map<String, Long> told;
  private final Consumer<String> breaches;

  /**
   * @param toldBefore who was told of an entry before the opening, and when they joined
   * @param told everybody who was
   */
  OrderCheck(
      PublishedDraw draw,
      Map<String, Long> toldBefore,
      Map<String, Long> told,
      Consumer<String> breaches) {
    this.draw = draw;
    this.toldBefore = toldBefore;
    this.told = told;
    this.breaches = breaches;
  }

  /** The line once nobody is without a place. */
  void check(List<Row> rows) {
    checkNobodyLost(rows);
    Map<Long, List<Row>> lanes = rows.stream().collect(groupingBy(Row::lane));
    lanes.values().forEach(lane -> checkLane(byScore(lane)));
  }

  private void checkNobodyLost(List<Row> rows) {
    Map<String, List<Row>> byUser = rows.stream().collect(groupingBy(Row::user));
    byUser.forEach(
        (user, all) -> {
          if (all.size() > 1) {
            breaches.accept("%s has %d entries: %s".formatted(user, all.size(), all));
          }
        });
    told.forEach(
        (user, joined) -> {
          List<Row> all = byUser.getOrDefault(user, List.of());
          if (all.isEmpty() || all.getFirst().joined() != joined) {
            breaches.accept("%s was told of %d and has %s".formatted(user, joined, all));
          }
        });
    toldBefore.forEach(
        (user, joined) -> {
          if (draw.order().rankOf(joined) < 0) {
            breaches.accept("%s was in the lobby and is not drawn".formatted(user));
          }
        });
  }

  private void checkLane(List<Row> lane) {
    Row before = null;
    for (Row row : lane) {
      if (before != null && !isBefore(before, row)) {
        breaches.accept(
            "%s (rank %d) stands before %s (rank %d)"
                .formatted(before, rank(before), row, rank(row)));
      }
      before = row;
    }
  }

  private int rank(Row row) {
    return draw.order().rankOf(row.joined());
  }

  private boolean isBefore(Row first, Row second) {
    int one = rank(first);
    int other = rank(second);
    if (one >= 0 && other >= 0) {
      return one < other;
    }
    return one >= 0 || (other < 0 && first.joined() < second.joined());
  }

  /** Once everybody has come out: each once, and in each lane nobody before those ahead of them. */
  void checkEntered(List<Row> rows) {
    checkNobodyLost(rows);
    Map<Long, List<Row>> lanes = rows.stream().collect(groupingBy(Row::lane));
    for (List<Row> lane : lanes.values()) {
      long last = 0;
      for (Row row : byScore(lane)) {
        if (!row.wasAdmitted() || row.entered() < last) {
          breaches.accept("out of order, or not at all, came " + row);
        }
        last = row.entered();
      }
      checkLane(byScore(lane));
    }
  }

  private static List<Row> byScore(List<Row> lane) {
    return lane.stream().sorted(comparingLong(Row::score)).toList();
  }

  /** Where those stand who wait, in their lanes. */
  static Map<String, Long> places(List<Row> rows) {
    Map<Long, Long> waiting = new HashMap<>();
    return rows.stream()
        .filter(Row::isWaiting)
        .sorted(comparingLong(Row::score))
        .collect(
            toMap(
                Row::user,
                row -> waiting.merge(row.lane(), 1L, Long::sum),
                (a, _) -> a,
                TreeMap::new));
  }
}
