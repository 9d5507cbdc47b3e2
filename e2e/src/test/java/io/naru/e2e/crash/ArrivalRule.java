package io.naru.e2e.crash;

import static java.util.Comparator.comparingLong;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** 3. If A was acknowledged before B asked, A is before B. */
final class ArrivalRule implements Rule {

  @Override
  public int number() {
    return 3;
  }

  @Override
  public void check(Evidence evidence, Told told, Consumer<String> broken) {
    List<Told.Entry> byAsking =
        told.entries().stream().sorted(comparingLong(Told.Entry::asked)).toList();
    List<Told.Entry> byAnswer =
        told.entries().stream().sorted(comparingLong(Told.Entry::acknowledged)).toList();
    int acknowledged = 0;
    Told.@Nullable Entry last = null;
    for (Told.Entry entry : byAsking) {
      while (byAnswer.get(acknowledged).acknowledged() < entry.asked()) {
        Told.Entry earlier = byAnswer.get(acknowledged++);
        last = last == null || earlier.name().joined() > last.name().joined() ? earlier : last;
      }
      if (last != null && last.name().joined() >= entry.name().joined()) {
        broken.accept(
            "%s, acknowledged at %d, is behind %s, who asked at %d"
                .formatted(last.name(), last.acknowledged(), entry.name(), entry.asked()));
      }
    }
  }
}
