package io.naru.bench.scenario;

import io.naru.bench.load.Load;
import io.naru.bench.load.Sample;
import io.naru.bench.load.Target;
import io.naru.bench.load.Traffic;
import io.naru.bench.load.Users;
import io.naru.bench.report.Progress;
import io.naru.bench.servers.Command;
import io.naru.bench.servers.Gateway;
import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Peer;
import io.naru.bench.servers.Queue;
import io.naru.bench.servers.Setup;
import io.naru.bench.servers.Site;
import io.naru.bench.servers.Store;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What every scenario works with. */
public final class Stage implements AutoCloseable {

  private static final int SEED = 1_000;
  private static final int SEED_CONNECTIONS = 32;
  private static final int FILL_CHUNK = 100_000;
  private static final int FILL_CONNECTIONS = 256;
  private static final int FILL_DEPTH = 4;
  private static final int SITE_WARM_UP_ROUNDS = 8;

  private final Setup setup;
  private final Pace pace;
  private final Load load;
  private final Optional<Peer> peer;
  private final Progress progress;
  private final Map<String, String> found = new LinkedHashMap<>();
  private @Nullable Naru warm;

  public Stage(Setup setup, Pace pace, Load load, Optional<Peer> peer, Progress progress) {
    this.setup = setup;
    this.pace = pace;
    this.load = load;
    this.peer = peer;
    this.progress = progress;
  }

  Pace pace() {
    return pace;
  }

  Load load() {
    return load;
  }

  Optional<Peer> peer() {
    return peer;
  }

  Progress progress() {
    return progress;
  }

  /** Whether measuring anything twice would take too long. */
  boolean late() {
    return progress.elapsed().compareTo(pace.enough()) > 0;
  }

  /** Starts a server of ours. */
  Naru start() {
    return Naru.start(setup);
  }

  /** Starts a server of ours on a store that outlives it. */
  Naru start(Store store) {
    return Naru.start(setup, store);
  }

  /** Starts a server of ours at the address of one that has ended. */
  Naru startInPlaceOf(Naru ended, Store store) {
    return Naru.startInPlaceOf(ended, setup, store);
  }

  /** The same with one more option for its JVM. */
  Naru start(Store store, String jvmArg) {
    return Naru.start(setup.with(jvmArg), store);
  }

  /** Starts the site that lets in who has a pass of this queue. */
  Site site(Naru naru, Queue queue) {
    return Site.guarded(setup, naru, queue);
  }

  /** Starts the same site without its filter. */
  Site unguardedSite(Naru naru) {
    return Site.unguarded(setup, naru);
  }

  /** Starts a gateway before a site, which lets in who has a pass of this queue. */
  Gateway gateway(Naru naru, Queue queue, URI site, String protect) {
    return new Gateway(setup, naru, queue, site, protect);
  }

  /** Runs a command of ours to its end; how long that takes, with the start of its JVM. */
  Duration command(String... args) {
    return new Command(setup).run(args);
  }

  /** Lets a site of Spring's be compiled, which takes much longer than for ours. */
  void warmUp(Target target, Traffic traffic) {
    var duration = pace.round().multipliedBy(SITE_WARM_UP_ROUNDS);
    var _ = load.run(target, traffic, pace.connections(), duration);
  }

  /** Keeps what is known only now about the conditions of the run. */
  void found(String what, String how) {
    progress.say(what + ": " + how);
    found.put(what, how);
  }

  /** The conditions that scenarios found, as {@code PostgreSQL: 18.6}. */
  public Map<String, String> found() {
    return found;
  }

  /** Measures on a server of its own, or on the one already warm if the pace says so. */
  <T> T onServer(Function<Naru, T> measure) {
    if (warm == null) {
      warm = start();
    }
    boolean keep = false;
    try {
      var figures = measure.apply(warm);
      keep = pace.oneServer();
      return figures;
    } finally {
      if (!keep) {
        close();
      }
    }
  }

  @Override
  public void close() {
    if (warm != null) {
      warm.close();
      warm = null;
    }
  }

  /** Lets the first thousand enter, so that there is somebody to ask about. */
  void seed(Target target, Traffic enter, Users users) {
    var _ = enter(target, enter.limitedTo(SEED), SEED_CONNECTIONS, 1);
    users.settle();
  }

  /** Lets people enter until so many wait in the queue, through the same call as everybody. */
  void fill(Naru naru, Queue queue, long waiting) {
    var users = queue.users();
    while (users.count() < waiting) {
      var chunk = Math.min(FILL_CHUNK, waiting - users.count());
      var connections = Math.clamp(chunk / FILL_DEPTH, 1, FILL_CONNECTIONS);
      var traffic = queue.enter().limitedTo(chunk);
      var perSecond = enter(naru.target(), traffic, connections, FILL_DEPTH).perSecond();
      if (chunk == FILL_CHUNK) {
        progress.say("%,d of %,d wait (%,.0f/s)".formatted(users.count(), waiting, perSecond));
      }
    }
    users.settle();
  }

  /** Lets so many enter and returns their tokens, roughly in the order of the line. */
  List<String> enter(Target target, Queue queue, int people) {
    var tokens = Collections.synchronizedList(new ArrayList<String>(people));
    var connections = Math.clamp(people / FILL_DEPTH, 1, FILL_CONNECTIONS);
    var traffic = queue.enter().limitedTo(people);
    var _ = enter(target.handingOn(tokens::add), traffic, connections, FILL_DEPTH);
    queue.users().settle();
    return List.copyOf(tokens);
  }

  private Sample enter(Target target, Traffic traffic, int connections, int depth) {
    var sample = load.drain(target, traffic, connections, depth);
    if (sample.failures() > 0) {
      throw new IllegalStateException(
          "%,d could not enter, first: %s".formatted(sample.failures(), sample.firstFailure()));
    }
    return sample;
  }
}
