package io.naru.e2e.crash;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** 4. An entry is admitted at most once: whoever is inside does not reappear in the line. */
final class OnceRule implements Rule {

  @Override
  public int number() {
    return 4;
  }

  @Override
  public void check(Evidence evidence, Told told, Consumer<String> broken) {
    Map<Name, Row> drained = new HashMap<>();
    evidence.drained().forEach(row -> drained.put(Name.of(row), row));
    for (Told.Entry entry : told.entries()) {
      Row row = drained.get(entry.name());
      for (Call call : entry.answers()) {
        long entered = Told.seen(call).entered();
        if (entered != 0 && row != null && row.entered() != entered) {
          broken.accept("admitted twice: %s, and %s".formatted(row, call));
        }
      }
      doesNotReappear(entry, broken);
    }
    for (Row row : evidence.quiet()) {
      Row after = drained.get(Name.of(row));
      if (after != null && row.wasAdmitted() && after.entered() != row.entered()) {
        broken.accept("admitted twice: %s, and %s".formatted(row, after));
      }
    }
  }

  private static void doesNotReappear(Told.Entry entry, Consumer<String> broken) {
    var inside = new AtomicLong(Long.MAX_VALUE);
    Told.replay(
        entry.answers(),
        earlier -> {
          if (!Told.seen(earlier).isWaiting()) {
            inside.accumulateAndGet(Told.seen(earlier).change(), Math::min);
          }
        },
        call -> {
          // An answer of an older state is ignored by clients, as its number says.
          if (Told.seen(call).isWaiting() && Told.seen(call).change() >= inside.get()) {
            broken.accept("back in line after change %d: %s".formatted(inside.get(), call));
          }
        });
  }
}
