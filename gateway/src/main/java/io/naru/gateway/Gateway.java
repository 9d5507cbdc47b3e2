package io.naru.gateway;

import io.naru.gate.Gate;
import io.naru.gate.GateBuilder;
import io.naru.gate.GateStatus;
import io.naru.gateway.Rules.Guarded;
import io.naru.net.Networks;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Naru as a reverse proxy, before a site that stays as it is.
 *
 * <pre>
 * visitor → Front        reads a request, strictly; one at a time
 *           Way.of       whose path is it: Naru's, a queue's, anybody's? is there a pass?
 *           Exchange     Pool → Back: the request as Wire writes it anew; the answer, as it comes
 * </pre>
 *
 * A connection to the site belongs to the event loop of the visitors that it serves, so nothing on
 * the way of a request waits for another thread, or is copied.
 */
public final class Gateway implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Gateway.class);

  private static final Duration DRAIN = Duration.ofSeconds(5);
  private static final long WATCH_MILLIS = 1_000;
  private static final long LOOK_UP_SECONDS = 10;
  private static final int NARU_CONNECTIONS = 50_000;

  /** What a slow reader may hold of an answer; what is smaller holds no connection to the site. */
  private static final WriteBufferWaterMark BUFFERED = new WriteBufferWaterMark(65_536, 131_072);

  private final Settings settings;
  private final Patience patience;
  private final @Nullable Secured secured;
  private final Upstream naru;
  private final Meters meters;
  private final Completions completions;
  private final @Nullable AccessLog accessLog;
  private final @Nullable Management management;
  private final MultiThreadIoEventLoopGroup group;
  private final Map<EventExecutor, Loop> loops = new HashMap<>();
  private final Connections connections;
  private final ScheduledExecutorService aside;
  private final Channel listening;
  private volatile Map<String, Gate> gates = Map.of();
  private Map<URI, Upstream> origins = Map.of();
  private volatile Rules rules;
  private @Nullable String seen;
  private volatile @Nullable String told;
  private volatile Instant rulesAt = Instant.now();

  /**
   * What a gateway needs to know.
   *
   * @param url where Naru is
   * @param publicUrl Naru's {@code --public-url}, which passes name; null if that is its address
   * @param rules a file of them, looked at again and again; null for those given
   * @param given rules without a file; null if there is one
   * @param siteKey Naru's site key; null for none
   * @param signalKey an access key of the role signal; null for none
   * @param siteCookie the one cookie of the site that Naru may see; null for none
   * @param forwardsPass whether the site gets the pass
   * @param originCa who signs the certificates of sites behind; none for those that Java trusts
   * @param tls what visitors are shown, looked at again and again; null: they come without TLS
   * @param watching for who runs it
   */
  public record Settings(
      String bind,
      int port,
      URI url,
      @Nullable String publicUrl,
      @Nullable RulesFile rules,
      @Nullable RuleSet given,
      @Nullable String siteKey,
      @Nullable String signalKey,
      @Nullable String siteCookie,
      boolean forwardsPass,
      List<X509Certificate> originCa,
      @Nullable TlsFiles tls,
      Networks proxies,
      Limits limits,
      Watching watching) {

    String scheme() {
      return tls == null ? "http" : "https";
    }
  }

  /**
   * @param management where metrics and health are to be had; null for nowhere
   * @param accessLog a file, or {@code -}; null for none
   */
  public record Watching(@Nullable InetSocketAddress management, @Nullable String accessLog) {
    public static final Watching NONE = new Watching(null, null);
  }

  /**
   * @param connections of visitors, in all
   * @param perAddress of visitors, from one address (IPv6: /64) that is no listed proxy
   * @param origin connections to one site
   * @param answer how long a site may take until it begins to answer
   * @param idle how long a connection may be idle between two requests
   */
  public record Limits(
      int connections, int perAddress, int origin, Duration answer, Duration idle) {
    public static final Limits DEFAULT =
        new Limits(10_000, 200, 512, Patience.ANSWER, Patience.NEXT);
  }

  /**
   * Begins to listen.
   *
   * @throws BadRules if there are no rules to begin with
   * @throws BadCertificate if there is nothing to show visitors who come by TLS
   * @throws IOException if it cannot listen where it should
   */
  public static Gateway start(Settings settings) throws BadRules, BadCertificate, IOException {
    return new Gateway(settings, Patience.of(settings.limits().answer(), settings.limits().idle()));
  }

  Gateway(Settings settings, Patience patience) throws BadRules, BadCertificate, IOException {
    this.settings = settings;
    this.patience = patience;
    this.secured = settings.tls() == null ? null : new Secured(settings.tls());
    this.meters = new Meters(settings.watching().management() != null);
    this.completions = new Completions(meters);
    this.naru = new Upstream(settings.url(), true, NARU_CONNECTIONS, List.of());
    this.connections =
        new Connections(settings.limits().connections(), settings.limits().perAddress());
    this.rules = firstRules();
    this.aside =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("naru-gateway").factory());
    boolean isEpoll = Epoll.isAvailable();
    int count = Runtime.getRuntime().availableProcessors();
    this.group =
        new MultiThreadIoEventLoopGroup(
            count, isEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    Class<? extends Channel> kind = isEpoll ? EpollSocketChannel.class : NioSocketChannel.class;
    var wire = new Wire(settings.forwardsPass(), settings.siteCookie());
    this.accessLog = opened(settings.watching().accessLog());
    var parts =
        new Loop.Parts(
            this::rules, naru, wire, completions, connections, patience, meters, accessLog);
    for (EventExecutor executor : group) {
      var loop = new Loop((EventLoop) executor, kind, parts, count);
      loops.put(executor, loop);
      executor.scheduleWithFixedDelay(
          loop::sweep, Loop.SWEEP_MILLIS, Loop.SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    }
    try {
      this.listening =
          listen(isEpoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class);
      InetSocketAddress watched = settings.watching().management();
      this.management =
          watched == null ? null : new Management(watched, meters, () -> true, this::degraded);
    } catch (IOException | RuntimeException e) {
      close(null, null);
      throw e;
    }
    if (settings.rules() != null) {
      RulesFile file = settings.rules();
      aside.scheduleWithFixedDelay(
          () -> look(file), WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    }
    aside.scheduleWithFixedDelay(
        this::lookAtCertificate, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    watch();
    aside.scheduleWithFixedDelay(this::lookUp, LOOK_UP_SECONDS, LOOK_UP_SECONDS, TimeUnit.SECONDS);
  }

  private static @Nullable AccessLog opened(@Nullable String to) throws IOException {
    try {
      return to == null ? null : new AccessLog(to);
    } catch (IOException e) {
      throw new IOException("--access-log: cannot write to " + to + ": " + e, e);
    }
  }

  private void watch() {
    meters.gauge(
        "naru.gateway.connections", "Connections of visitors that are open.", connections::count);
    meters.gauge(
        "naru.gateway.connections.most",
        "How many there may be.",
        () -> settings.limits().connections());
    meters.gauge("naru.gateway.rules", "Rules in force.", () -> rules.guarded().size());
    meters.gauge(
        "naru.gateway.rules.loaded.timestamp.seconds",
        "When they were read.",
        () -> rulesAt.toEpochMilli() / 1_000.0);
    meters.gauge(
        "naru.gateway.rules.mistaken",
        "Whether there is a mistake in their file, so that those before it are in force: 1 or 0.",
        () -> told == null ? 0 : 1);
    meters.gauge(
        "naru.gateway.gates.ready",
        "Of the queues of these rules, those whose passes can be judged.",
        () -> gates.values().stream().filter(gate -> gate.status().ready()).count());
    meters.gauge("naru.gateway.gates", "The queues of these rules.", () -> gates.size());
    meters.gauge(
        "naru.gateway.completions.waiting",
        "Turns that are over and of which Naru is yet to be told.",
        completions::open);
    if (accessLog != null) {
      meters.total(
          "naru.gateway.log.lost", "Lines that the access log could not write.", accessLog::lost);
    }
    if (secured != null) {
      meters.gauge(
          "naru.gateway.certificate.expires.timestamp.seconds",
          "From when on browsers refuse the certificate.",
          () -> secured.expires().getEpochSecond());
    }
  }

  /** What is not as it should be, for people. */
  private List<String> degraded() {
    var wrong = new ArrayList<String>();
    String mistake = told;
    if (mistake != null) {
      wrong.add(mistake + "; the rules before it are in force");
    }
    for (Gate gate : gates.values()) {
      GateStatus status = gate.status();
      if (!status.ready()) {
        wrong.add(gate.settings().queue() + ": nobody gets in, Naru's keys are not known");
      } else if (status.problem() != null) {
        wrong.add(gate.settings().queue() + ": Naru cannot be asked: " + status.problem());
      }
    }
    if (secured != null && secured.expires().isBefore(Instant.now())) {
      wrong.add("the certificate was good until " + secured.expires());
    }
    return wrong;
  }

  private Rules firstRules() throws BadRules {
    RuleSet first = settings.given();
    if (settings.rules() != null) {
      seen = settings.rules().text();
      first = settings.rules().parse(seen);
    }
    if (first == null) {
      throw new IllegalArgumentException("neither rules nor a file of them");
    }
    return inForce(first);
  }

  private Rules rules() {
    return rules;
  }

  private Channel listen(Class<? extends ServerChannel> kind) throws IOException {
    var address = new InetSocketAddress(settings.bind(), settings.port());
    var bound =
        new ServerBootstrap()
            .group(group)
            .channel(kind)
            .option(ChannelOption.SO_BACKLOG, 8_192)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, BUFFERED)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accept(channel);
                  }
                })
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen on %s port %s: %s"
              .formatted(settings.bind(), settings.port(), bound.cause().getMessage()),
          bound.cause());
    }
    return bound.channel();
  }

  private void accept(Channel channel) {
    String address = ((InetSocketAddress) channel.remoteAddress()).getAddress().getHostAddress();
    var caller = new Caller(address, settings.proxies().include(address), secured != null);
    Loop loop = loops.get(channel.eventLoop());
    if (loop == null || !connections.open(caller)) {
      meters.notTaken();
      channel.close();
      return;
    }
    if (secured != null) {
      channel.pipeline().addLast(secured.handler(channel, patience.first()));
    }
    channel.pipeline().addLast(new Front(loop, channel, caller));
  }

  /** Takes a file that has changed; one with a mistake changes nothing. */
  synchronized void look(RulesFile file) {
    try {
      String text = file.text();
      if (!text.equals(seen)) {
        seen = text;
        rules = inForce(file.parse(text));
        rulesAt = Instant.now();
        log.info("new rules: {}", describe());
      }
      told = null;
    } catch (BadRules e) {
      // A file that cannot be read, at each look; a mistake in it, once.
      if (!e.text().equals(told)) {
        log.error("{}; the rules before it stay in force", e.text());
      }
      told = e.text();
    } catch (RuntimeException e) {
      log.error("the rules could not be read; those before stay in force", e);
    }
  }

  /** Takes a certificate that has changed. */
  void lookAtCertificate() {
    if (secured != null) {
      secured.look();
    }
  }

  /** Gates and connections of rules that stay go on; what no rule needs any more is let go. */
  private Rules inForce(RuleSet set) {
    var nextGates = new HashMap<String, Gate>();
    var nextOrigins = new HashMap<URI, Upstream>();
    Upstream site = origin(set.origin(), nextOrigins);
    var guarded = new ArrayList<Guarded>();
    for (Rule rule : set.rules()) {
      String name = rule.queue() + " " + rule.audience();
      Gate gate = nextGates.computeIfAbsent(name, _ -> gate(rule, gates.get(name)));
      URI own = rule.origin();
      guarded.add(new Guarded(rule, gate, own == null ? site : origin(own, nextOrigins)));
    }
    Set<Gate> dropped = new HashSet<>(gates.values());
    dropped.removeAll(nextGates.values());
    dropped.forEach(Gate::close);
    origins.forEach(
        (address, origin) -> {
          if (!nextOrigins.containsKey(address)) {
            origin.retire();
          }
        });
    gates = nextGates;
    origins = nextOrigins;
    return new Rules(guarded, site);
  }

  private Upstream origin(URI address, Map<URI, Upstream> next) {
    return next.computeIfAbsent(
        address,
        _ -> {
          Upstream known = origins.get(address);
          return known == null
              ? new Upstream(address, false, settings.limits().origin(), settings.originCa())
              : known;
        });
  }

  private Gate gate(Rule rule, @Nullable Gate known) {
    if (known != null) {
      return known;
    }
    GateBuilder builder =
        Gate.builder(settings.url().toString(), rule.queue()).neverWaits().listener(meters.gates());
    if (settings.publicUrl() != null) {
      builder.publicUrl(settings.publicUrl());
    }
    if (rule.audience() != null) {
      builder.audience(rule.audience());
    }
    if (settings.siteKey() != null) {
      builder.siteKey(settings.siteKey());
    }
    if (settings.signalKey() != null) {
      builder.signalKey(settings.signalKey());
    }
    return builder.open();
  }

  private void lookUp() {
    naru.lookUp();
    origins.values().forEach(Upstream::lookUp);
  }

  public int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /** One line per thing that a person needs. */
  public List<String> announcement() {
    var out = new ArrayList<String>();
    String host = settings.bind().contains(":") ? "[" + settings.bind() + "]" : settings.bind();
    out.add("gateway is up: " + settings.scheme() + "://" + host + ":" + port());
    if (management != null) {
      out.add("  management http://%s:%s/metrics".formatted(managementHost(), management.port()));
    }
    out.add("  naru       " + naru);
    out.add("  site       " + rules.origin());
    for (Guarded one : rules.guarded()) {
      out.add(
          "  rule       %s, for %s%s"
              .formatted(
                  one.queue(),
                  one.patterns(),
                  one.origin() == rules.origin() ? "" : " at " + one.origin()));
    }
    return out;
  }

  private String managementHost() {
    InetSocketAddress address = settings.watching().management();
    String host = address == null ? "" : address.getHostString();
    return host.contains(":") ? "[" + host + "]" : host;
  }

  /** Where metrics are; 0 if nowhere. */
  int managementPort() {
    return management == null ? 0 : management.port();
  }

  private String describe() {
    return String.join(
        "; ", rules.guarded().stream().map(one -> one.queue() + " " + one.patterns()).toList());
  }

  /** Takes no more requests, lets those under way finish, and lets go of everything. */
  @Override
  public void close() {
    close(listening, management);
  }

  private void close(@Nullable Channel listened, @Nullable Management watchedBy) {
    if (listened != null) {
      listened.close().awaitUninterruptibly();
    }
    if (watchedBy != null) {
      watchedBy.close();
    }
    aside.shutdownNow();
    long deadline = System.nanoTime() + DRAIN.toNanos();
    loops.forEach((executor, loop) -> executor.execute(loop::stop));
    while (listened != null && connections.count() > 0 && System.nanoTime() < deadline) {
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        break;
      }
    }
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    completions.close();
    if (accessLog != null) {
      accessLog.close();
    }
    if (secured != null) {
      secured.close();
    }
    gates.values().forEach(Gate::close);
  }
}
