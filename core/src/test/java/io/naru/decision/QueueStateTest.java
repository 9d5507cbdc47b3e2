package io.naru.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.admission.Allowance;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Stock;
import io.naru.queue.Stocked;
import io.naru.support.Seeded;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** From when on a queue has room for those who wait, which a ledger writes down beforehand. */
class QueueStateTest {

  private static final long NOW = 5_000_000_000L;

  private static final List<String> KINDS = List.of("STEPS", "TOKEN_BUCKET", "LEAKY_BUCKET");

  private static QueueState some(Random random) {
    var queue = new QueueState(new QueueId("TEST", "1"));
    int batch = 1 + random.nextInt(3);
    queue.settings =
        Settings.DEFAULT.with(
            Map.of(
                "maxCapacity", 1 + random.nextInt(3),
                "entryBatchSize", batch,
                "entryIntervalSeconds", 1 + random.nextInt(3),
                "pacing", KINDS.get(random.nextInt(KINDS.size())),
                "burst", 1 + random.nextInt(2)));
    if (random.nextInt(3) == 0) {
      queue.settings = queue.settings.with(Map.of("endsAt", some(random, NOW).toString()));
    }
    if (random.nextInt(3) == 0) {
      Instant from = some(random, NOW - 10_000_000);
      queue.settings =
          queue.settings.with(Map.of(random.nextBoolean() ? "opensAt" : "notBefore", "" + from));
    }
    if (random.nextInt(3) == 0) {
      queue.settings = queue.settings.with(Map.of("stock", Map.of("lowAt", 3)));
      var pool = new Stock.Pool("all", random.nextInt(4), random.nextInt(3));
      queue.stock = new Stocked(new Stock(1, List.of(pool)), NOW - 1);
    }
    queue.state =
        new State(
            random.nextBoolean(), random.nextInt(4) == 0, "", random.nextInt(4) == 0 ? NOW : 0);
    queue.waiting = random.nextInt(3);
    queue.inside = random.nextInt(4);
    long refilled = NOW - random.nextInt(5) * 1_000_000L + random.nextInt(3) - 1;
    queue.allowance =
        Allowance.of(random.nextInt(batch + 1), 0, refilled, queue.settings.pacing())
            .at(refilled, queue.settings.pacing());
    return queue;
  }

  /** A moment within some seconds of another. */
  private static Instant some(Random random, long around) {
    return Micros.toInstant(around + random.nextInt(5) * 1_000_000L + random.nextInt(3) - 1);
  }

  @Test
  void roomFrom_isWhenAnAdmissionWouldTakeSomebodyOutOfLine() {
    Seeded.histories(
        5_000,
        random -> {
          QueueState queue = some(random);
          long from = queue.roomFrom();
          long end = queue.settings.times().end();
          for (long at :
              new long[] {NOW, queue.allowance.refilledAt(), from - 1, from, end - 1, end}) {
            boolean endsNow = at >= queue.settings.times().end() && !queue.state.isEnded();
            boolean goesIn =
                !queue.state.admissionPaused()
                    && at >= queue.settings.times().admissionFrom()
                    && queue.places(queue.allowed(at)) > 0;
            boolean letsIn =
                (endsNow && queue.waiting + queue.inside > 0)
                    || (queue.waiting > 0 && (queue.state.isEnded() || goesIn));
            if (at != Long.MAX_VALUE && at >= 0) {
              assertThat(queue.hasRoom(at)).isEqualTo(letsIn);
              assertThat(from <= at).isEqualTo(letsIn);
            }
          }
        });
  }
}
