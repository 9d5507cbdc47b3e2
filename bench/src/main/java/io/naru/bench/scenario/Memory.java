package io.naru.bench.scenario;

import io.naru.bench.load.Users;
import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import java.util.List;

/** What one more waiting person costs Redis. */
final class Memory implements Scenario {

  private static final double OWED_BYTES = 150;

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public List<Row> run(Stage stage) {
    try (var naru = stage.start()) {
      var queue = naru.openQueue();
      var before = naru.redisBytes();
      var waiting = stage.pace().waiting();
      stage.fill(naru, queue, waiting);
      var each = (naru.redisBytes() - before) / (double) waiting;
      naru.admin().delete(queue);
      return List.of(
          Row.of("Redis memory per waiting user", each, Unit.BYTES)
              .note("%,d waiting, ids of %d characters".formatted(waiting, Users.ID_LENGTH))
              .owes("at most 150 bytes", each <= OWED_BYTES));
    }
  }
}
