package io.naru.e2e.crash;

import static java.util.Comparator.comparingLong;
import static java.util.stream.Collectors.groupingBy;

import io.naru.e2e.crash.Call.Act;
import io.naru.e2e.crash.Call.Outcome;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * 2. One live entry per user per queue, over all servers, retries and crashes; and one per return.
 */
final class OneEntryRule implements Rule {

  @Override
  public int number() {
    return 2;
  }

  @Override
  public void check(Evidence evidence, Told told, Consumer<String> broken) {
    Map<String, List<Row>> byUser = evidence.quiet().stream().collect(groupingBy(Row::user));
    byUser.forEach(
        (user, rows) -> oneAfterTheOther(user, rows, evidence.clock().isTrue(), told, broken));
    Map<String, List<Told.Entry>> toldOf =
        told.entries().stream().collect(groupingBy(entry -> entry.name().user()));
    toldOf.forEach(
        (user, entries) -> {
          long ends = told.of(user).stream().filter(Call::mayEnd).count();
          if (entries.size() > ends + 1) {
            broken.accept(
                "%s was told of %d places and gave up %d: %s"
                    .formatted(user, entries.size(), ends, entries));
          }
        });
  }

  private static void oneAfterTheOther(
      String user, List<Row> byScore, boolean isTimed, Told told, Consumer<String> broken) {
    List<Row> rows = byScore.stream().sorted(comparingLong(Row::joined)).toList();
    for (int i = 1; i < rows.size(); i++) {
      Row before = rows.get(i - 1);
      Row after = rows.get(i);
      if (before.isLive() || (isTimed && before.ended() > after.joined())) {
        broken.accept("two at the same time: %s, and %s".formatted(before, after));
      }
    }
    long enters =
        told.of(user).stream()
            .filter(call -> call.act() == Act.ENTER && call.outcome() != Outcome.REFUSED)
            .count();
    long ofReturns = rows.stream().filter(Row::isOfAReturn).count();
    if (rows.size() - ofReturns > enters) {
      broken.accept(
          "%d entries of %s, who asked %d times".formatted(rows.size() - ofReturns, user, enters));
    }
    // Asked again, it is the same return.
    long returns =
        told.of(user).stream()
            .filter(call -> call.act() == Act.RETURN && call.outcome() != Outcome.REFUSED)
            .mapToLong(Call::meant)
            .distinct()
            .count();
    if (ofReturns > returns) {
      broken.accept("%d returns of %s, who asked for %d".formatted(ofReturns, user, returns));
    }
  }
}
