package io.naru.bench.scenario;

import io.naru.bench.load.Users;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Queue;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a crowd costs Redis while it waits, and how fast it is let in when there is room for all.
 */
final class Crowd implements Scenario {

  private static final int BATCH = 100_000;
  private static final double OWED_BYTES = 150;
  private static final double OWED_PER_SECOND = 20_000;

  @Override
  public String name() {
    return "crowd";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    stage
        .onServer(
            naru -> {
              var queue = naru.openQueue();
              return List.of(memory(stage, naru, queue), admissions(stage, naru, queue));
            })
        .forEach(rows);
  }

  private static Row memory(Stage stage, Naru naru, Queue queue) {
    var waiting = stage.pace().waiting();
    var before = naru.redisBytes();
    stage.fill(naru, queue, waiting);
    var each = (naru.redisBytes() - before) / (double) waiting;
    return Row.of("Redis memory per waiting user", each, Unit.BYTES)
        .note("%,d waiting, ids of %d characters".formatted(waiting, Users.ID_LENGTH))
        .owes("at most 150 bytes", each <= OWED_BYTES);
  }

  private static Row admissions(Stage stage, Naru naru, Queue queue) {
    var admissions = Admissions.measure(stage, naru, queue, BATCH, Long.MAX_VALUE);
    return admissions
        .row("admissions")
        .owes("at least 20,000/s", admissions.perSecond() >= OWED_PER_SECOND);
  }
}
