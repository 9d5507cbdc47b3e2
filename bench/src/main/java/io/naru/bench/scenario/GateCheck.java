package io.naru.bench.scenario;

import io.naru.bench.report.Against;
import io.naru.bench.report.Row;
import io.naru.bench.servers.Naru;
import java.util.List;
import java.util.function.Consumer;

/** What a proxy waits for that asks Naru of every request: a check of a good pass, of the bare. */
final class GateCheck implements Scenario {

  @Override
  public String name() {
    return "gate-check";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    stage.onServer(naru -> measure(stage, naru)).forEach(rows);
  }

  private static List<Row> measure(Stage stage, Naru naru) {
    var queue = naru.openQueue();
    var pass = naru.admin().passOfFirst(queue);
    var bare = new Contender("bare, beside gate checks", naru.target(), naru::bare);
    var check = new Contender("gate check of a pass", naru.target(), () -> queue.gateCheck(pass));
    stage.warmUp(bare.target(), bare.nextRound());
    stage.warmUp(check.target(), check.nextRound());
    var contest = new Contest(stage);
    contest.add(bare);
    contest.add(check);
    contest.hold();
    return List.of(bare.row(), check.row().against(Against.BARE, check.times(bare)));
  }
}
