package io.naru.server;

import io.naru.journal.Feed;
import io.naru.kafka.Inlet;
import io.naru.kafka.KafkaConfig;
import io.naru.kafka.Relay;
import io.naru.ledger.Ledger;
import io.naru.pass.Signatures;
import io.naru.queue.Draws;
import io.naru.queue.EntryTokens;
import io.naru.queue.HandoffCodes;
import io.naru.queue.InvalidValue;
import io.naru.queue.Micros;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Secret;
import io.naru.server.access.AccessKeyring;
import io.naru.server.access.OperatorGuard;
import io.naru.server.access.Refusals;
import io.naru.server.access.Sessions;
import io.naru.server.admission.Scheduler;
import io.naru.server.commands.CommandHandler;
import io.naru.server.console.FiguresJson;
import io.naru.server.console.Live;
import io.naru.server.doors.Doorkeeper;
import io.naru.server.doors.Proofs;
import io.naru.server.doors.SideDoor;
import io.naru.server.doors.SiteVerify;
import io.naru.server.entry.Drawn;
import io.naru.server.entry.EntryJson;
import io.naru.server.entry.Forecasts;
import io.naru.server.entry.Outlook;
import io.naru.server.entry.Pauses;
import io.naru.server.entry.Salts;
import io.naru.server.entry.SiteKey;
import io.naru.server.fair.Coins;
import io.naru.server.fair.DrawHandlers;
import io.naru.server.fair.DrawKeeper;
import io.naru.server.http.Cors;
import io.naru.server.http.HttpDoor;
import io.naru.server.http.RequestIds;
import io.naru.server.http.RouteTable;
import io.naru.server.identity.Identity;
import io.naru.server.identity.SiteTokens;
import io.naru.server.identity.TrustedProxies;
import io.naru.server.identity.UserHeader;
import io.naru.server.keys.PublicKeyHandlers;
import io.naru.server.keys.SecretFiles;
import io.naru.server.keys.SigningKeys;
import io.naru.server.limits.AddressLimits;
import io.naru.server.log.Appender;
import io.naru.server.log.LogHandlers;
import io.naru.server.log.LogKey;
import io.naru.server.metrics.Health;
import io.naru.server.metrics.Management;
import io.naru.server.metrics.Metrics;
import io.naru.server.pass.EndedFeeds;
import io.naru.server.pass.EndedHandler;
import io.naru.server.pass.GateHandler;
import io.naru.server.pass.Passes;
import io.naru.server.presence.Lookout;
import io.naru.server.stream.Streams;
import io.naru.server.webhooks.Teller;
import io.naru.server.webhooks.WebhookHandlers;
import io.naru.server.webhooks.WebhookRules;
import io.naru.webhook.Webhooks;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running server. All wiring is here, by hand. */
public final class Naru implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Naru.class);

  private static final Duration DRAIN = Duration.ofSeconds(5);

  private final Config config;
  private final Vertx vertx;
  private final Stores stores;
  private final Scheduler scheduler;
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();
  private final List<HttpDoor> doors = new ArrayList<>();
  private final String adminKeyNote;
  private @Nullable DrawKeeper drawKeeper;
  private @Nullable Streams streams;
  private @Nullable Lookout lookout;
  private @Nullable Proofs proofs;
  private @Nullable Live live;
  private @Nullable SigningKeys signingKeys;
  private @Nullable AccessKeyring accessKeys;
  private @Nullable SiteTokens siteTokens;
  private volatile @Nullable Appender appender;
  private volatile @Nullable Relay relay;
  private volatile @Nullable Inlet inlet;
  private volatile @Nullable Teller teller;
  private volatile int port;
  private int managementPort;

  /**
   * What the server needs to know, checked.
   *
   * @param redis null for a line in memory
   * @param ledger null for none
   * @param adminKey null for one that is kept
   * @param siteKey null for one that is kept
   * @param poll how often to look for what is due
   * @param coins where the public coins of draws come from
   * @param outside which systems behind are told what happens
   */
  public record Config(
      int port,
      String bind,
      Path data,
      @Nullable String redis,
      Ledger.@Nullable Config ledger,
      @Nullable String adminKey,
      @Nullable String siteKey,
      Visitors visitors,
      Watching watching,
      Duration poll,
      SigningKeys.Policy keys,
      Coins coins,
      Outside outside) {

    /** Of which no system behind is told. */
    public Config(
        int port,
        String bind,
        Path data,
        @Nullable String redis,
        Ledger.@Nullable Config ledger,
        @Nullable String adminKey,
        @Nullable String siteKey,
        Visitors visitors,
        Watching watching,
        Duration poll,
        SigningKeys.Policy keys,
        Coins coins) {
      this(
          port,
          bind,
          data,
          redis,
          ledger,
          adminKey,
          siteKey,
          visitors,
          watching,
          poll,
          keys,
          coins,
          Outside.NOBODY);
    }

    /** Whose operators bring coins by hand. */
    public Config(
        int port,
        String bind,
        Path data,
        @Nullable String redis,
        Ledger.@Nullable Config ledger,
        @Nullable String adminKey,
        @Nullable String siteKey,
        Visitors visitors,
        Watching watching,
        Duration poll,
        SigningKeys.Policy keys) {
      this(
          port,
          bind,
          data,
          redis,
          ledger,
          adminKey,
          siteKey,
          visitors,
          watching,
          poll,
          keys,
          Coins.BY_HAND);
    }
  }

  /**
   * Which systems behind are told what happens.
   *
   * @param kafka where events go; null for nowhere
   * @param kept how much is kept for one that stays away
   * @param webhooks where operators may have others told
   */
  public record Outside(@Nullable KafkaConfig kafka, Feed.Bounds kept, WebhookRules webhooks) {

    public static final Outside NOBODY =
        new Outside(null, Feed.Bounds.DEFAULT, WebhookRules.DEFAULT);
  }

  /**
   * How operators see what goes on.
   *
   * @param bind where the management port listens
   * @param metricsQueues how many queues have metrics of their own
   */
  public record Watching(String bind, int port, int metricsQueues) {

    public static final String LOOPBACK = "127.0.0.1";

    /** On any free port of this machine alone. */
    public static final Watching ANY_PORT = new Watching(LOOPBACK, 0, Metrics.DEFAULT_QUEUES);
  }

  /**
   * How visitors come here.
   *
   * @param site the tokens in which the site names them; null if it does not
   * @param userHeader in which the proxies name them; null if none does
   * @param publicUrl the address that they use; null for the one bound
   * @param origins whose pages may ask for them
   * @param verifier who can say that somebody is a person; null if nobody can
   */
  public record Visitors(
      TrustedProxies proxies,
      SiteTokens.@Nullable Config site,
      @Nullable UserHeader userHeader,
      @Nullable URI publicUrl,
      Cors origins,
      Streams.Limits streams,
      AddressLimits.Newcomers newcomers,
      SiteVerify.@Nullable Config verifier) {

    public static final Visitors DEFAULT =
        new Visitors(
            TrustedProxies.SAME_MACHINE,
            null,
            null,
            null,
            Cors.NONE,
            Streams.Limits.DEFAULT,
            AddressLimits.Newcomers.DEFAULT);

    /** Without a verifier. */
    public Visitors(
        TrustedProxies proxies,
        SiteTokens.@Nullable Config site,
        @Nullable UserHeader userHeader,
        @Nullable URI publicUrl,
        Cors origins,
        Streams.Limits streams,
        AddressLimits.Newcomers newcomers) {
      this(proxies, site, userHeader, publicUrl, origins, streams, newcomers, null);
    }

    boolean isHttps() {
      return publicUrl != null && "https".equals(publicUrl.getScheme());
    }
  }

  /**
   * @param nanos for limits, which must not stand still or run when somebody sets the clock
   */
  private Naru(Config config, InstantSource clock, Wrapping wrapping, LongSupplier nanos) {
    this.config = config;
    // Takes as long as opening the stores does, and needs nothing of them.
    CompletableFuture<Vertx> starting = CompletableFuture.supplyAsync(Naru::newVertx);
    var kept = new SecretFiles(config.data());
    kept.closeToOthers();
    var metrics = new Metrics(config.watching().metricsQueues());
    stores = Stores.open(config, clock, metrics, kept, wrapping);
    var health = new Health(() -> config.ledger() != null && !stores.isOutdated(), this::troubles);
    String adminKey = config.adminKey();
    if (adminKey == null) {
      adminKey = keptKey(kept, SecretFiles.ADMIN_KEY);
      adminKeyNote = "in " + kept.file(SecretFiles.ADMIN_KEY);
    } else {
      adminKeyNote = "as given";
    }
    String siteKey =
        config.siteKey() == null ? keptKey(kept, SecretFiles.SITE_KEY) : config.siteKey();
    scheduler = new Scheduler(stores.queues(), metrics, health, config.poll());
    vertx = starting.join();
    try {
      listen(metrics, health, adminKey, new SiteKey(siteKey), clock, nanos);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private static Vertx newVertx() {
    return Vertx.vertx(
        new VertxOptions()
            .setPreferNativeTransport(true)
            .setEventLoopPoolSize(Runtime.getRuntime().availableProcessors()));
  }

  private String keptKey(SecretFiles kept, String name) {
    try {
      return stores.key(kept, name);
    } catch (RuntimeException e) {
      stores.close();
      throw e;
    }
  }

  public static Naru start(Config config) {
    return new Naru(config, InstantSource.system(), Wrapping.NONE, System::nanoTime);
  }

  /** For tests, which set the time of a line in memory instead of waiting for it. */
  static Naru start(Config config, InstantSource clock) {
    return new Naru(config, clock, Wrapping.NONE, () -> 1_000 * Micros.now(clock));
  }

  /** For tests that need a server which is wrong. */
  static Naru start(Config config, InstantSource clock, Wrapping wrapping) {
    return new Naru(config, clock, wrapping, System::nanoTime);
  }

  private void listen(
      Metrics metrics,
      Health health,
      String adminKey,
      SiteKey siteKey,
      InstantSource clock,
      LongSupplier nanos) {
    Visitors visitors = config.visitors();
    var secret = new Secret(stores.secret().getBytes(StandardCharsets.UTF_8));
    var limits = new AddressLimits(visitors.newcomers(), visitors.proxies(), nanos);
    var tokens = new EntryTokens(secret.derive("entry-token"));
    var identity =
        new Identity(
            visitors.proxies(),
            siteTokens(clock, nanos),
            visitors.userHeader(),
            secret.derive("visitor-cookie"),
            tokens,
            visitors.isHttps(),
            visitors.origins().isAnybody(),
            limits);
    var checking = new Proofs(secret.derive("proof"), tokens, clock, visitors.verifier());
    proofs = checking;
    vertx.setPeriodic(60_000, _ -> checking.minute());
    metrics.proofs(checking::refused);
    var opening = signingKeys(secret, clock);
    signingKeys = opening;
    var passes = new Passes(opening, secret.derive("pass-id"), this::publicUrl, clock);
    var feeds = new EndedFeeds(stores.line(), passes, clock);
    InstantSource deciding = stores.clock(clock);
    var pauses = new Pauses(health::isPaused, deciding);
    var forecasts = new Forecasts(stores.queues(), pauses, nanos);
    vertx.setPeriodic(Forecasts.BEAT_MILLIS, _ -> forecasts.beat());
    var looking = new Lookout(nanos);
    lookout = looking;
    vertx.setPeriodic(Lookout.BEAT_MILLIS, _ -> looking.beat(stores.queues()));
    DrawKeeper keeper = drawKeeper(secret, clock, nanos);
    drawKeeper = keeper;
    Drawn drawn = keeper == null ? Drawn.NONE : keeper.drawn();
    var outlook = new Outlook(pauses, forecasts, looking, drawn, deciding);
    var salts = new Salts(secret);
    var logKey = new LogKey(secret, this::publicUrl);
    var entries = new EntryJson(tokens, passes, outlook, salts);
    var opened =
        new Streams(stores.line(), tokens, entries, visitors.proxies(), limits, visitors.streams());
    opened.start(vertx);
    streams = opened;
    metrics.streams(opened);
    metrics.health(health);
    metrics.pauses(pauses);
    if (keeper != null) {
      metrics.draws(keeper::underWay, keeper::waitingForCoin);
    }
    metrics.disk(config.data());
    stores.watch(metrics);
    var access = access(adminKey, clock);
    accessKeys = access;
    var sessions = new Sessions(secret.derive("console-session"), access, visitors.isHttps());
    var refusals = new Refusals(stores.audit());
    var guard = new OperatorGuard(access, sessions, limits, visitors.proxies(), refusals);
    var told = new FiguresJson(outlook, opened::open, health::isDegraded, deciding);
    var watched = new Live(stores.queues(), told, guard::isStillGood);
    watched.start(vertx);
    live = watched;
    Teller telling = teller(secret, clock);
    teller = telling;
    RouteTable api =
        Api.routes(
            stores.queues(),
            stores.line(),
            stores.history(),
            identity,
            new Doorkeeper(identity, limits, sideDoor(nanos)),
            checking,
            tokens,
            new HandoffCodes(secret.derive("handoff"), clock),
            new Api.PassParts(
                opening,
                passes,
                new PublicKeyHandlers(opening, this::publicUrl, clock),
                new EndedHandler(feeds, opening),
                new GateHandler(passes, feeds, identity::oneAddress, clock),
                siteKey,
                deciding),
            new Api.AccessParts(access, sessions, refusals, stores.audit()),
            entries,
            opened,
            watched,
            health,
            limits,
            new LogHandlers(stores.logs(), stores.queues(), tokens, salts, logKey, limits),
            metrics::admitted,
            metrics::signaled,
            stores.checks(),
            new DrawHandlers(stores.draws(), keeper, stores.queues(), stores.audit()),
            stores.transfers(),
            new WebhookHandlers(telling, config.outside().webhooks()));
    var ids = new RequestIds(visitors.proxies()::include);
    var door =
        new HttpDoor(
            api,
            guard,
            visitors.origins(),
            this::publicUrl,
            ids,
            visitors.userHeader() == null ? null : visitors.userHeader().name(),
            metrics::error);
    int loops = Runtime.getRuntime().availableProcessors();
    port = listen("", config.bind(), config.port(), loops, door);

    var management =
        new Management(
            metrics,
            health,
            stores.queues(),
            Map.of("line", stores.lineDescription(), "ledger", stores.ledgerDescription()));
    var managementDoor =
        new HttpDoor(
            new RouteTable(management.routes()),
            HttpDoor.Guard.NONE,
            Cors.NONE,
            this::publicUrl,
            ids,
            null,
            metrics::error);
    Watching watching = config.watching();
    managementPort = listen("management-", watching.bind(), watching.port(), 1, managementDoor);

    opening.start();
    access.start();
    stores.serve();
    scheduler.start();
    append(salts, logKey, metrics);
    relay(metrics, clock);
    if (telling != null) {
      telling.watch(metrics);
      telling.start();
    }
    if (keeper != null) {
      keeper.start();
    }
    vertx.setPeriodic(5_000, _ -> stores.keepShared());
    vertx.setPeriodic(60_000, _ -> limits.minute());
    vertx.setPeriodic(60_000, _ -> refusals.minute());
  }

  private SideDoor sideDoor(LongSupplier nanos) {
    return new SideDoor((delay, step) -> vertx.setTimer(delay.toMillis(), _ -> step.run()), nanos);
  }

  private void append(Salts salts, LogKey key, Metrics metrics) {
    if (stores.logs() != null) {
      var appending = new Appender(stores.logs(), salts, key);
      appender = appending;
      metrics.logs(appending::lagChanges, appending::lagSeconds);
      appending.start();
    }
  }

  private void relay(Metrics metrics, InstantSource clock) {
    stores.bound(config.outside().kept());
    KafkaConfig kafka = config.outside().kafka();
    Feed feed = stores.feed();
    if (kafka == null) {
      return;
    }
    if (feed == null) {
      throw new StartFailure(
          "--kafka: needs a ledger, which keeps what happened until Kafka has it; leave out --ledger"
              + " none",
          new IllegalStateException("no ledger"));
    }
    var relaying = new Relay(feed, kafka, stores.name());
    relay = relaying;
    metrics.relay(
        relaying::lagChanges,
        relaying::lagSeconds,
        relaying::sent,
        relaying::gaps,
        relaying::failures);
    relaying.start();
    if (kafka.commands() != null) {
      var taking =
          new Inlet(
              kafka, stores.name(), new CommandHandler(stores.queues(), metrics::signaled, clock));
      inlet = taking;
      metrics.commands(taking::applied, taking::rejected, taking::failures);
      taking.start();
    }
  }

  private @Nullable Teller teller(Secret secret, InstantSource clock) {
    Webhooks webhooks = stores.webhooks();
    Feed feed = stores.feed();
    return webhooks == null || feed == null
        ? null
        : new Teller(
            vertx,
            webhooks,
            feed,
            stores.queues(),
            stores::frozen,
            secret.derive("webhooks"),
            config.outside().webhooks(),
            Version.get(),
            clock);
  }

  /** What is not as it should be right now; empty if all is well. */
  private List<String> troubles() {
    List<String> all = new ArrayList<>(stores.troubles());
    DrawKeeper keeper = drawKeeper;
    if (keeper != null) {
      all.addAll(keeper.troubles());
    }
    Appender appending = appender;
    if (appending != null) {
      all.addAll(appending.troubles());
    }
    Relay relaying = relay;
    if (relaying != null) {
      all.addAll(relaying.troubles());
    }
    Inlet taking = inlet;
    if (taking != null) {
      all.addAll(taking.troubles());
    }
    Teller telling = teller;
    if (telling != null) {
      all.addAll(telling.troubles());
    }
    return all;
  }

  private @Nullable SiteTokens siteTokens(InstantSource clock, LongSupplier nanos) {
    SiteTokens.Config site = config.visitors().site();
    if (site == null) {
      return null;
    }
    var tokens = new SiteTokens(site, clock, nanos);
    try {
      tokens.start();
    } catch (InvalidValue e) {
      throw new StartFailure("--" + e.field() + ": " + e.getMessage(), e);
    }
    siteTokens = tokens;
    return tokens;
  }

  private @Nullable DrawKeeper drawKeeper(Secret secret, InstantSource clock, LongSupplier nanos) {
    Draws draws = stores.draws();
    return draws == null
        ? null
        : new DrawKeeper(draws, secret.derive("salt"), config.coins(), clock, nanos);
  }

  private SigningKeys signingKeys(Secret secret, InstantSource clock) {
    return opened(
        () -> new SigningKeys(stores.keys(), secret.derive("signing-keys"), config.keys(), clock));
  }

  private AccessKeyring access(String adminKey, InstantSource clock) {
    return opened(() -> new AccessKeyring(stores.access(), adminKey, clock));
  }

  private <T> T opened(Supplier<T> opening) {
    try {
      return opening.get();
    } catch (QueueUnavailable | IllegalArgumentException e) {
      throw new StartFailure(
          (config.ledger() != null
                  ? "--ledger: "
                  : config.redis() != null ? "--redis: " : "--data: ")
              + e.getMessage(),
          e);
    }
  }

  /** The address that visitors and gates know this server by. */
  private String publicUrl() {
    URI given = config.visitors().publicUrl();
    if (given != null) {
      String url = given.toString();
      return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }
    return "http://" + address() + ":" + (config.port() == 0 ? port : config.port());
  }

  private String address() {
    return inUrl(config.bind());
  }

  private static String inUrl(String bind) {
    return bind.contains(":") ? "[" + bind + "]" : bind;
  }

  /**
   * @param options how the names of the options begin that say where
   */
  private int listen(String options, String address, int wanted, int instances, HttpDoor door) {
    // For Vert.x 0 is a free port for each instance; a negative number is one that all who name it
    // share, so every door needs its own.
    int number = wanted == 0 ? -1 - servers.size() : wanted;
    var started = new CopyOnWriteArrayList<HttpServer>();
    door.start(vertx);
    doors.add(door);
    try {
      await(
          vertx.deployVerticle(
              () -> new Listener(door, address, number, started),
              new DeploymentOptions().setInstances(instances)));
    } catch (TimeoutException e) {
      throw new StartFailure(
          "--" + options + "port: listening on " + address + " took too long", e);
    } catch (ExecutionException e) {
      String why = e.getCause() == null ? e.getMessage() : e.getCause().getMessage();
      throw new StartFailure(
          "--"
              + options
              + (isOurs(address) ? "port" : "bind")
              + (": cannot listen on " + address + " port " + wanted + ": " + why),
          e);
    }
    servers.addAll(started);
    return started.getFirst().actualPort();
  }

  private static boolean isOurs(String address) {
    try {
      var ip = InetAddress.getByName(address);
      return ip.isAnyLocalAddress()
          || ip.isLoopbackAddress()
          || NetworkInterface.getByInetAddress(ip) != null;
    } catch (IOException e) {
      return false;
    }
  }

  /** One event loop's share of the requests. */
  private static final class Listener extends VerticleBase {
    private final HttpDoor door;
    private final String address;
    private final int port;
    private final List<HttpServer> started;

    Listener(HttpDoor door, String address, int port, List<HttpServer> started) {
      this.door = door;
      this.address = address;
      this.port = port;
      this.started = started;
    }

    @Override
    public Future<?> start() {
      return vertx
          .createHttpServer(HttpDoor.options())
          .connectionHandler(door::connected)
          .requestHandler(door::handle)
          .invalidRequestHandler(door::handleInvalid)
          .listen(port, address)
          .onSuccess(started::add);
    }
  }

  public int port() {
    return port;
  }

  /** For tests, which do not wait until it is time to say whom this server sees. */
  void look() {
    if (lookout != null) {
      lookout.beat(stores.queues());
    }
  }

  public int managementPort() {
    return managementPort;
  }

  /**
   * One line per thing that a person needs.
   *
   * @param more warnings
   */
  List<String> announcement(List<String> more) {
    List<String> out = new ArrayList<>();
    out.add("Naru " + Version.get() + " is up: http://" + address() + ":" + port);
    out.add("  line       " + stores.lineDescription());
    out.add("  ledger     " + stores.ledgerDescription());
    out.add("  passes     issued by " + publicUrl() + ", signed by " + Signatures.provider());
    out.add("  admin key  " + adminKeyNote);
    out.add(
        "  metrics    http://"
            + inUrl(config.watching().bind())
            + ":"
            + managementPort
            + "/metrics");
    stores.warnings().forEach(warning -> out.add("  warning    " + warning));
    Exposure.warnings(config).forEach(warning -> out.add("  warning    " + warning));
    more.forEach(warning -> out.add("  warning    " + warning));
    if (config.visitors().publicUrl() == null && stores.isForSeveral()) {
      out.add(
          "  warning    gates take passes of one issuer: give several servers the same"
              + " --public-url");
    }
    return out;
  }

  /** Stops admitting, lets requests under way finish, and lets go of everything. */
  @Override
  public void close() {
    scheduler.close();
    if (inlet != null) {
      inlet.close();
    }
    if (relay != null) {
      relay.close();
    }
    if (appender != null) {
      appender.close();
    }
    if (teller != null) {
      teller.close();
    }
    if (drawKeeper != null) {
      drawKeeper.close();
    }
    if (signingKeys != null) {
      signingKeys.close();
    }
    if (accessKeys != null) {
      accessKeys.close();
    }
    if (siteTokens != null) {
      siteTokens.close();
    }
    if (live != null) {
      live.stop();
    }
    try {
      if (streams != null) {
        await(streams.stop());
      }
      if (lookout != null) {
        await(Future.fromCompletionStage(lookout.stop(stores.queues())));
      }
      await(
          Future.all(
              servers.stream().map(s -> s.shutdown(DRAIN.toSeconds(), TimeUnit.SECONDS)).toList()));
      doors.forEach(door -> door.stop(vertx));
      await(vertx.close());
      if (proofs != null) {
        proofs.close();
      }
    } catch (TimeoutException | ExecutionException e) {
      log.warn("could not stop everything in order", e);
    }
    stores.close();
  }

  private static void await(Future<?> future) throws TimeoutException, ExecutionException {
    try {
      // Not Future.await: that one throws checked exceptions without declaring them.
      future.toCompletionStage().toCompletableFuture().get(2 * DRAIN.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ExecutionException("interrupted", e);
    }
  }
}
