package io.naru.e2e.crash;

import static java.util.Comparator.comparingLong;
import static java.util.stream.Collectors.groupingBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * 8. A shown position never goes up and, once things are quiet, equals 1 + the number of smaller
 * scores in the same lane. Answers of an older change than one has seen are ignored, as clients do;
 * a server shows none at all.
 */
final class PlaceRule implements Rule {

  @Override
  public int number() {
    return 8;
  }

  @Override
  public void check(Evidence evidence, Told told, Consumer<String> broken) {
    told.entries().forEach(entry -> neverUp(entry, broken));
    evidence.calls().stream()
        .filter(call -> call.seen() != null)
        .collect(groupingBy(Call::server))
        .values()
        .forEach(calls -> neverOlder(calls, broken));
    exactOnceQuiet(evidence, broken);
  }

  private static final class Latest {
    @Nullable Call call;

    void learn(Call earlier) {
      if (call == null || Told.seen(earlier).change() >= Told.seen(call).change()) {
        call = earlier;
      }
    }
  }

  private static void neverUp(Told.Entry entry, Consumer<String> broken) {
    var latest = new Latest();
    List<Call> waiting =
        entry.answers().stream().filter(call -> Told.seen(call).isWaiting()).toList();
    Told.replay(
        waiting,
        latest::learn,
        call -> {
          if (latest.call == null) {
            return;
          }
          Seen before = Told.seen(latest.call);
          Seen now = Told.seen(call);
          if (now.change() >= before.change() && now.position() > before.position()) {
            broken.accept("a place went up: %s, then %s".formatted(latest.call, call));
          } else if (now.change() == before.change() && now.position() != before.position()) {
            broken.accept("two places in one state: %s, and %s".formatted(latest.call, call));
          }
        });
  }

  private static void neverOlder(List<Call> calls, Consumer<String> broken) {
    var latest = new Latest();
    List<Call> byAsked = calls.stream().sorted(comparingLong(Call::asked)).toList();
    Told.replay(
        byAsked,
        latest::learn,
        call -> {
          if (latest.call != null && Told.seen(call).change() < Told.seen(latest.call).change()) {
            broken.accept(
                "a server showed an older state: %s, then %s".formatted(latest.call, call));
          }
        });
  }

  /** Who waits at which place of their lane. */
  static Map<String, Long> places(List<Row> rows) {
    Map<String, Long> places = new HashMap<>();
    Map<Long, Long> waiting = new HashMap<>();
    rows.stream()
        .filter(Row::isWaiting)
        .sorted(comparingLong(Row::score))
        .forEach(row -> places.put(row.user(), waiting.merge(row.lane(), 1L, Long::sum)));
    return places;
  }

  private static void exactOnceQuiet(Evidence evidence, Consumer<String> broken) {
    Map<String, Long> places = places(evidence.quiet());
    evidence
        .shown()
        .values()
        .forEach(
            answers ->
                answers.forEach(
                    (user, call) -> {
                      Seen seen = call.seen();
                      if (seen != null
                          && seen.isWaiting()
                          && places.getOrDefault(user, 0L) != seen.position()) {
                        broken.accept(
                            "the place of %s is %d, not as shown: %s"
                                .formatted(user, places.get(user), call));
                      }
                    }));
  }
}
