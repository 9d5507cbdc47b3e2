package io.naru.e2e.crash;

import static java.util.Comparator.comparingLong;
import static java.util.concurrent.TimeUnit.SECONDS;
import static java.util.stream.Collectors.groupingBy;

import io.naru.e2e.crash.Evidence.LedgerClock;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * 6. Nobody is admitted before someone of the same lane with a smaller score who is present, nor
 * while somebody waits who came back.
 */
final class OrderRule implements Rule {

  /** Nobody is taken for absent before they have been in line for so long. */
  private static final long AWAY = SECONDS.toMicros(10);

  @Override
  public int number() {
    return 6;
  }

  @Override
  public void check(Evidence evidence, Told told, Consumer<String> broken) {
    evidence.drained().stream()
        .collect(groupingBy(Row::lane))
        .values()
        .forEach(lane -> inOrder(lane, evidence, told, broken));
    returnedFirst(evidence, told, broken);
  }

  private static void returnedFirst(Evidence evidence, Told told, Consumer<String> broken) {
    List<Row> rows = evidence.drained();
    List<Row> returned = rows.stream().filter(Row::isOfAReturn).toList();
    for (Row row : rows) {
      if (row.isOfAReturn() || !row.wasAdmitted()) {
        continue;
      }
      for (Row back : returned) {
        if (back.joined() < row.entered()
            && row.entered() < back.stoppedWaiting()
            && !isExcused(row, back, evidence, told)) {
          broken.accept("%s went in before %s, who had come back".formatted(row, back));
        }
      }
    }
  }

  private static void inOrder(
      List<Row> lane, Evidence evidence, Told told, Consumer<String> broken) {
    LedgerClock clock = evidence.clock();
    List<Row> fromTheBack = lane.stream().sorted(comparingLong(Row::score).reversed()).toList();
    @Nullable Row first = null;
    for (Row row : fromTheBack) {
      if (first != null && clock.real(first.entered()) < clock.real(row.stoppedWaiting())) {
        // All who went in before are looked at only of those who were not there: they are few.
        Row one =
            isExcused(first, row, evidence, told) ? unexcused(lane, row, evidence, told) : first;
        if (one != null) {
          broken.accept("%s went in before %s".formatted(one, row));
        }
      }
      boolean isEarlier = first == null || clock.real(row.entered()) < clock.real(first.entered());
      if (row.wasAdmitted() && isEarlier) {
        first = row;
      }
    }
  }

  private static @Nullable Row unexcused(
      List<Row> lane, Row overtaken, Evidence evidence, Told told) {
    LedgerClock clock = evidence.clock();
    return lane.stream()
        .filter(row -> row.wasAdmitted() && row.score() > overtaken.score())
        .filter(row -> clock.real(row.entered()) < clock.real(overtaken.stoppedWaiting()))
        .filter(row -> !isExcused(row, overtaken, evidence, told))
        .findFirst()
        .orElse(null);
  }

  /** Whether the one overtaken may have been taken for absent, by what they asked. */
  private static boolean isExcused(Row row, Row overtaken, Evidence evidence, Told told) {
    long at = evidence.clock().real(row.entered());
    return evidence.hasPresence()
        && at <= evidence.paused()
        && at - overtaken.joined() > AWAY
        && PresenceRule.mayBeAway(told.of(overtaken.user()), at);
  }
}
