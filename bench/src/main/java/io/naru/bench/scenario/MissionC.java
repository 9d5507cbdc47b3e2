package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Site;
import io.naru.bench.viewers.Audience;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Ten thousand people come at once and watch their place; 333 are let in each second, stay for ten
 * seconds, make five requests at the protected site meanwhile, and are done. The last one is in
 * after thirty seconds, and nobody waits for an answer.
 */
final class MissionC implements Scenario {

  /** As many batches are inside at once, each second's and those of the nine before. */
  private static final int BATCHES_INSIDE = 10;

  @Override
  public String name() {
    return "mission-c";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    try (var naru = stage.start()) {
      warmUp(stage, naru);
      var queue = naru.openQueue();
      var pace = stage.pace().streams();
      try (var site = stage.site(naru, queue)) {
        warmUp(stage, site, naru.admin().passOfFirst(queue));
        // One place more: openQueue has put somebody inside who stays.
        naru.admin().activate(queue, pace.batch() * BATCHES_INSIDE + 1, pace.batch(), 1);
        var visits = new Visits(site, pace.batch());
        try (var audience = new Audience(queue.subscription(address(naru)))) {
          new Rush(stage, naru, queue, audience, visits).run(rows);
        }
      }
    }
  }

  /** A sale does not begin on a server that has just started. */
  private static void warmUp(Stage stage, Naru naru) {
    var queue = naru.openQueue();
    var tokens = stage.enter(naru.target(), queue, stage.pace().streams().arrivals());
    try (var audience = new Audience(queue.subscription(address(naru)))) {
      tokens.stream().limit(tokens.size() / 10).forEach(audience::open);
      audience.settle();
    }
  }

  private static void warmUp(Stage stage, Site site, String pass) {
    site.awaitTaking(pass);
    stage.warmUp(site.target(), site.visits(() -> Optional.of(pass)));
  }

  private static InetSocketAddress address(Naru naru) {
    return naru.target().addresses().getFirst();
  }
}
