package io.naru.bench.scenario;

import io.naru.bench.load.Load;
import io.naru.bench.load.Sample;
import io.naru.bench.servers.Site;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What those who are inside do there: five requests each during their stay, at the protected site,
 * each with their pass. They do so on a thread of their own, beside those who enter and watch.
 */
final class Visits {

  static final int REQUESTS_EACH = 5;
  private static final int CONNECTIONS = 256;
  private static final Duration LONGEST = Duration.ofMinutes(2);

  private final Site site;
  private final double perSecond;
  private final AtomicInteger turn = new AtomicInteger();
  private volatile List<String> inside = List.of();
  private volatile int most;
  private CompletableFuture<Sample> going = new CompletableFuture<>();

  /**
   * @param arrivals people who come in each second
   */
  Visits(Site site, double arrivals) {
    this.site = site;
    this.perSecond = REQUESTS_EACH * arrivals;
  }

  /** Tells who is inside now. */
  void inside(List<String> passes) {
    inside = List.copyOf(passes);
    most = Math.max(most, passes.size());
  }

  /** Begins, for as long as anybody is inside. */
  void start() {
    going =
        CompletableFuture.supplyAsync(
            () -> {
              try (var load = new Load(1)) {
                var traffic = site.visits(this::next);
                return load.offer(site.target(), traffic, CONNECTIONS, perSecond, LONGEST);
              }
            });
  }

  private Optional<String> next() {
    var passes = inside;
    return passes.isEmpty()
        ? Optional.empty()
        : Optional.of(passes.get(Math.floorMod(turn.getAndIncrement(), passes.size())));
  }

  /** How it went; waits for the last answers. */
  Sample sample() {
    inside = List.of();
    return going.join();
  }

  double perSecond() {
    return perSecond;
  }

  /** The most that were inside at once. */
  int most() {
    return most;
  }
}
