package io.naru.e2e.crash;

import static java.util.Comparator.comparingLong;
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

  @Override
  public int number() {
    return 6;
  }

  @Override
  public void check(Evidence evidence, Told told, Consumer<String> broken) {
    evidence.drained().stream()
        .collect(groupingBy(Row::lane))
        .values()
        .forEach(lane -> inOrder(lane, evidence.clock(), broken));
    returnedFirst(evidence.drained(), broken);
  }

  private static void returnedFirst(List<Row> rows, Consumer<String> broken) {
    List<Row> returned = rows.stream().filter(Row::isOfAReturn).toList();
    for (Row row : rows) {
      if (row.isOfAReturn() || !row.wasAdmitted()) {
        continue;
      }
      for (Row back : returned) {
        if (back.joined() < row.entered() && row.entered() < back.stoppedWaiting()) {
          broken.accept("%s went in before %s, who had come back".formatted(row, back));
        }
      }
    }
  }

  private static void inOrder(List<Row> lane, LedgerClock clock, Consumer<String> broken) {
    List<Row> fromTheBack = lane.stream().sorted(comparingLong(Row::score).reversed()).toList();
    @Nullable Row first = null;
    for (Row row : fromTheBack) {
      if (first != null && clock.real(first.entered()) < clock.real(row.stoppedWaiting())) {
        broken.accept("%s went in before %s".formatted(first, row));
      }
      boolean isEarlier = first == null || clock.real(row.entered()) < clock.real(first.entered());
      if (row.wasAdmitted() && isEarlier) {
        first = row;
      }
    }
  }
}
