package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Site;
import io.naru.bench.viewers.Audience;
import io.naru.load.plan.Expected;
import io.naru.load.plan.Plan;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Ten thousand people come at once and watch their place; they are let in as {@code naru plan} says
 * for it, stay for ten seconds, make five requests at the protected site meanwhile, and are done.
 * The last one is in after thirty seconds, and nobody waits for an answer.
 */
final class MissionC implements Scenario {

  /** Within which they come: as fast as they can. */
  private static final int ARRIVE_SECONDS = 2;

  @Override
  public String name() {
    return "mission-c";
  }

  @Override
  public void run(Stage stage, Consumer<Row> rows) {
    try (var naru = stage.start()) {
      warmUp(stage, naru);
      var queue = naru.openQueue();
      var plan = plan(stage.pace().streams());
      try (var site = stage.site(naru, queue)) {
        warmUp(stage, site, naru.admin().passOfFirst(queue));
        // One place more: openQueue has put somebody inside who stays.
        naru.admin()
            .activate(
                queue, plan.maxCapacity() + 1, plan.entryBatchSize(), plan.entryIntervalSeconds());
        var visits = new Visits(site, plan.perSecond());
        try (var audience = new Audience(queue.subscription(address(naru)))) {
          new Rush(stage, naru, queue, audience, visits, plan).run(rows);
        }
      }
    }
  }

  static Plan plan(StreamPace pace) {
    return Plan.of(
        new Expected(
            pace.arrivals(),
            ARRIVE_SECONDS,
            pace.stay().toMillis() / 1e3,
            0,
            0,
            Math.toIntExact(pace.within().toSeconds()),
            Visits.REQUESTS_EACH));
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
