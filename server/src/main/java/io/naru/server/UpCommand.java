package io.naru.server;

import com.sun.management.UnixOperatingSystemMXBean;
import io.naru.files.OwnerOnly;
import io.naru.journal.Feed;
import io.naru.kafka.KafkaConfig;
import io.naru.ledger.Ledger;
import io.naru.pass.Algorithm;
import io.naru.queue.InvalidValue;
import io.naru.server.admission.Scheduler;
import io.naru.server.doors.SiteVerify;
import io.naru.server.fair.Coins;
import io.naru.server.http.Cors;
import io.naru.server.identity.SiteTokens;
import io.naru.server.identity.TrustedProxies;
import io.naru.server.identity.UserHeader;
import io.naru.server.keys.SigningKeys;
import io.naru.server.limits.AddressLimits;
import io.naru.server.metrics.Metrics;
import io.naru.server.stream.Streams;
import io.naru.server.webhooks.WebhookRules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code naru up}: runs the server until it is told to stop. */
@Command(
    name = "up",
    description = "Runs the server.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    defaultValueProvider = Defaults.class,
    showDefaultValues = false,
    footer = {
      "",
      "Every option can also be an environment variable (--port: NARU_PORT) or a key of",
      "naru.yaml in the working directory (port: 8080); the command line comes first."
    })
final class UpCommand implements Callable<Integer> {

  private static final Logger log = LoggerFactory.getLogger(UpCommand.class);

  /** Every pass carries it, and passes travel in headers. */
  private static final int MAX_PUBLIC_URL = 500;

  /** It can be tried from everywhere, at any time. */
  private static final int MIN_KEY = 16;

  private static final Pattern AGE = Pattern.compile("([0-9]{1,6})([hd])");

  private final Function<Naru.Config, Naru> starter;

  @Spec private CommandSpec spec;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Port of the API, 0 for any free one. Default: 8080")
  private int port = 8080;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "Address to listen on. Default: 127.0.0.1")
  private String bind = "127.0.0.1";

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Directory for what is kept. Default: ./data")
  private Path data = Path.of("data");

  @Option(
      names = "--redis",
      paramLabel = "URI",
      description = {
        "Redis for the line: redis://, rediss://, redis-sentinel://h1,h2/0#name,",
        "redis-cluster://h1:p,h2:p. With a password, as in redis://:PASSWORD@HOST, better in",
        "NARU_REDIS. Default: none, the line is in memory: of each server, if there are several",
        "at one ledger."
      })
  private @Nullable String redis;

  @Option(
      names = "--ledger",
      paramLabel = "URL",
      description = {
        "Database that decides and keeps everything: jdbc:sqlite:FILE,",
        "jdbc:postgresql://HOST/DATABASE, jdbc:mariadb://HOST/DATABASE, or none: the line",
        "is as durable as its Redis, or its memory. Default: SQLite in the data directory."
      })
  private @Nullable String ledger;

  @Option(
      names = "--ledger-user",
      paramLabel = "USER",
      description = "User of the ledger's database.")
  private @Nullable String ledgerUser;

  @Option(
      names = "--ledger-password",
      paramLabel = "PASSWORD",
      description = "Its password; better in a file, or in NARU_LEDGER_PASSWORD.")
  private @Nullable String ledgerPassword;

  @Option(
      names = "--ledger-password-file",
      paramLabel = "FILE",
      description = "File with the password of the ledger's database.")
  private @Nullable Path ledgerPasswordFile;

  @Option(
      names = "--unsafe",
      description = "Takes a ledger, too, that may lose what it has committed.")
  private boolean unsafe;

  @Option(
      names = "--admin-key",
      paramLabel = "KEY",
      description = {
        "Credential of the admin API, 16 characters or more; better in a file, or in",
        "NARU_ADMIN_KEY. Default: random, kept in the data directory."
      })
  private @Nullable String adminKey;

  @Option(
      names = "--admin-key-file",
      paramLabel = "FILE",
      description = "File with the credential of the admin API.")
  private @Nullable Path adminKeyFile;

  @Option(
      names = "--site-key",
      paramLabel = "KEY",
      description = {
        "Credential of the site behind, with which it completes turns where it alone may; better in",
        "a file, or in NARU_SITE_KEY. Default: random, kept in the data directory."
      })
  private @Nullable String siteKey;

  @Option(
      names = "--site-key-file",
      paramLabel = "FILE",
      description = "File with the credential of the site behind.")
  private @Nullable Path siteKeyFile;

  @Option(
      names = "--trusted-proxies",
      paramLabel = "CIDR,…",
      description = {
        "Proxies in front of this server, whose X-Forwarded-For says where a visitor comes from.",
        "Default: this machine, 127.0.0.0/8 and ::1."
      })
  private @Nullable String trustedProxies;

  @Option(
      names = "--user-header",
      paramLabel = "NAME",
      description = {
        "Header in which these proxies name the visitor, usually User-Id. They must set or clear"
            + " it",
        "on every request: whoever gets one through is that visitor.",
        "Default: none, visitors are known by a cookie of ours."
      })
  private @Nullable String userHeader;

  @Option(
      names = "--site-issuer",
      paramLabel = "TEXT",
      description = {
        "The site names its visitors in tokens that it signs (JWT), as bearer or in a cookie: what",
        "they have as iss. Default: none, no such tokens."
      })
  private @Nullable String siteIssuer;

  @Option(names = "--site-audience", paramLabel = "TEXT", description = "What they have as aud.")
  private @Nullable String siteAudience;

  @Option(
      names = "--site-jwks",
      paramLabel = "URL|FILE",
      description = {
        "Where the public keys are that sign them (RS256, PS256, ES256, EdDSA), as a JWKS document."
      })
  private @Nullable String siteJwks;

  @Option(
      names = "--site-secret",
      paramLabel = "SECRET",
      description = {
        "Instead of keys a secret of 32 bytes or more that the site shares (HS256); better in a",
        "file, or in NARU_SITE_SECRET."
      })
  private @Nullable String siteSecret;

  @Option(
      names = "--site-secret-file",
      paramLabel = "FILE",
      description = "File with the secret that the site shares.")
  private @Nullable Path siteSecretFile;

  @Option(
      names = "--site-cookie",
      paramLabel = "NAME",
      description = {
        "Cookie of the site that has such a token, where page and site have one address.",
        "Default: none, tokens come as bearer."
      })
  private @Nullable String siteCookie;

  @Option(
      names = "--site-user-claim",
      paramLabel = "NAME",
      description = "The claim that names the visitor. Default: sub")
  private @Nullable String siteUserClaim;

  @Option(
      names = "--site-lane-claim",
      paramLabel = "NAME",
      description = "The claim that gives a lane, if it is one of the queue's. Default: none")
  private @Nullable String siteLaneClaim;

  @Option(
      names = "--management-port",
      paramLabel = "PORT",
      description = "Port of metrics and health details, 0 for any free one. Default: 9091")
  private int managementPort = 9091;

  @Option(
      names = "--management-bind",
      paramLabel = "ADDRESS",
      description = {
        "Address that the management port listens on. Nobody is asked for a key there.",
        "Default: 127.0.0.1"
      })
  private String managementBind = Naru.Watching.LOOPBACK;

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      description = "text, or json: one object per line, for programs. Default: text")
  private String logFormat = "text";

  @Option(
      names = "--metrics-queues",
      paramLabel = "COUNT",
      description = {
        "How many queues, the busiest, have metrics of their own beside the sums of all.",
        "Default: 100"
      })
  private int metricsQueues = Metrics.DEFAULT_QUEUES;

  @Option(
      names = "--public-url",
      paramLabel = "URL",
      description = {
        "The address that visitors use, and what passes name as their issuer; the same on all",
        "servers of a line. With https, cookies are sent over https only.",
        "Default: the address bound."
      })
  private @Nullable URI publicUrl;

  @Option(
      names = "--allowed-origins",
      paramLabel = "ORIGIN,…",
      description = {
        "Sites whose own pages may use naru.js: https://shop.example,… Default: none."
      })
  private @Nullable String allowedOrigins;

  @Option(
      names = "--max-streams",
      paramLabel = "COUNT",
      description = {
        "Open streams in all; whoever comes then polls. Default: 50000, or what the limit of open",
        "files allows."
      })
  private int maxStreams = defaultMaxStreams();

  @Option(
      names = "--max-streams-per-address",
      paramLabel = "COUNT",
      description = "Open streams from one address, unless a trusted proxy's. Default: 200")
  private int maxStreamsPerAddress = Streams.Limits.DEFAULT.perAddress();

  @Option(
      names = "--new-visitors-per-address",
      paramLabel = "COUNT",
      description = {
        "New visitors a second from one address (IPv6: /64), and ten times as many at once;"
            + " whoever",
        "comes then is told to wait. 0: any number. Default: 10"
      })
  private int newVisitorsPerAddress = AddressLimits.Newcomers.DEFAULT.perAddress();

  @Option(
      names = "--new-visitors-per-network",
      paramLabel = "COUNT",
      description = "The same from one network (IPv4: /24, IPv6: /48). Default: 100")
  private int newVisitorsPerNetwork = AddressLimits.Newcomers.DEFAULT.perNetwork();

  @Option(
      names = "--verifier-url",
      paramLabel = "URL",
      description = {
        "Where an outside verifier is asked whether somebody is a person, as siteverify of Turnstile",
        "or hCaptcha; for queues whose doors want that. Default: none."
      })
  private @Nullable URI verifierUrl;

  @Option(
      names = "--verifier-secret",
      paramLabel = "SECRET",
      description = "What the verifier knows us by; better in a file, or in NARU_VERIFIER_SECRET.")
  private @Nullable String verifierSecret;

  @Option(
      names = "--verifier-secret-file",
      paramLabel = "FILE",
      description = "File with what the verifier knows us by.")
  private @Nullable Path verifierSecretFile;

  @Option(
      names = "--verifier-site-key",
      paramLabel = "KEY",
      description = "What its script knows the site by; public.")
  private @Nullable String verifierSiteKey;

  @Option(
      names = "--verifier-script",
      paramLabel = "URL",
      description = "Its script, which the waiting page loads.")
  private @Nullable URI verifierScript;

  @Option(
      names = "--verifier-origins",
      paramLabel = "ORIGIN,…",
      split = ",",
      description = "Further origins that the script needs. Default: its own alone.")
  private List<URI> verifierOrigins = List.of();

  @Option(
      names = "--coin-relays",
      paramLabel = "URL,…",
      description = {
        "Relays of drand from which the public coins of draws are fetched, as",
        "https://api.drand.sh; what they say is verified. Default: none, an operator brings coins."
      })
  private @Nullable String coinRelays;

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT,…",
      description = {
        "Kafka that gets what happens in queues, each event once. How to log in, and certificates,",
        "are in --kafka-properties. Default: none."
      })
  private @Nullable String kafka;

  @Option(
      names = "--kafka-topic",
      paramLabel = "NAME",
      description = "Topic for these events. Default: naru.events")
  private @Nullable String kafkaTopic;

  @Option(
      names = "--kafka-commands",
      paramLabel = "NAME",
      description = {
        "Topic out of which completions, stock and signals come. Whoever may write there may do",
        "that. Default: none."
      })
  private @Nullable String kafkaCommands;

  @Option(
      names = "--kafka-properties",
      paramLabel = "FILE",
      description = "File with properties of Kafka's clients: sasl.…, ssl.…, security.protocol.")
  private @Nullable Path kafkaProperties;

  @Option(
      names = "--events-kept",
      paramLabel = "AGE",
      description = {
        "For so long what happens is kept for a system behind that is away: 12h, 7d. Default: 24h"
      })
  private String eventsKept = "24h";

  @Option(
      names = "--events-kept-changes",
      paramLabel = "COUNT",
      description = {
        "And of so many changes of a queue at most, 1000 to 100000000. Default: 1000000"
      })
  private long eventsKeptChanges = Feed.Bounds.DEFAULT.changes();

  @Option(
      names = "--webhook-allow",
      paramLabel = "CIDR,…",
      description = {
        "Networks that webhooks may go to although they are not public, also over http://:",
        "10.0.0.0/8,… The same on all servers. Default: none, public addresses over https:// alone."
      })
  private @Nullable String webhookAllow;

  @Option(
      names = "--webhook-too-long",
      paramLabel = "COUNT",
      description = {
        "How many wait in a line of which webhooks are told that it is too long. The same on all",
        "servers. Default: 10000"
      })
  private long webhookTooLong = WebhookRules.DEFAULT_TOO_LONG;

  @Option(
      names = "--pass-algorithm",
      paramLabel = "NAME",
      description = {
        "What signing keys are made for: ES256 or EdDSA. On a line that has keys already, it"
            + " counts",
        "from the next rotation on. Default: ES256"
      })
  private String passAlgorithm = SigningKeys.Policy.DEFAULT.algorithm().name();

  @Option(
      names = "--key-max-age",
      paramLabel = "AGE",
      description = {
        "After which the next signing key takes over by itself: 12h, 30d. Default: 30d"
      })
  private String keyMaxAge = "30d";

  UpCommand() {
    this(Naru::start);
  }

  /** For tests that start a server which is wrong on purpose. */
  UpCommand(Function<Naru.Config, Naru> starter) {
    this.starter = starter;
  }

  @Override
  public Integer call() throws InterruptedException {
    LogSetup.use(format());
    Naru.Config config = config();
    var running = new CompletableFuture<Naru>();
    // Before the start: who is told to stop while starting stops in order, too.
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> stop(running, this::say), "naru-shutdown"));
    try {
      Naru naru = starter.apply(config);
      naru.announcement(careless()).forEach(this::say);
      running.complete(naru);
    } catch (StartFailure | UncheckedIOException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return CommandLine.ExitCode.USAGE;
    } finally {
      running.cancel(false);
    }
    new CountDownLatch(1).await();
    return CommandLine.ExitCode.OK;
  }

  /** Where programs read what is printed, it is log lines all of it. */
  private void say(String line) {
    if (format() == LogFormat.JSON) {
      log.info("{}", line.strip());
    } else {
      System.out.println(line);
      System.out.flush();
    }
  }

  private static void stop(CompletableFuture<Naru> running, Consumer<String> say) {
    Naru naru;
    try {
      naru = running.join();
    } catch (CancellationException e) {
      return; // it never ran, and the reason was told
    }
    say.accept("stopping: nobody is let in any more, requests under way are finished");
    naru.close();
    say.accept("stopped");
    // A server that was asked to stop and did has not failed, as 143 would say.
    Runtime.getRuntime().halt(0);
  }

  Naru.Config config() {
    check("--port", port);
    check("--management-port", managementPort);
    if (metricsQueues < 0 || metricsQueues > Metrics.MAX_QUEUES) {
      throw bad("--metrics-queues", "must be 0.." + Metrics.MAX_QUEUES + ", is " + metricsQueues);
    }
    if (publicUrl != null
        && !("http".equals(publicUrl.getScheme()) || "https".equals(publicUrl.getScheme()))) {
      throw bad("--public-url", "must begin with http:// or https://");
    }
    if (publicUrl != null && publicUrl.getHost() == null) {
      throw bad("--public-url", "must name a host, as in https://wait.shop.example");
    }
    if (publicUrl != null
        && (publicUrl.getRawUserInfo() != null
            || publicUrl.getRawQuery() != null
            || publicUrl.getRawFragment() != null)) {
      // Links are this and a path behind it.
      throw bad("--public-url", "must have no user, no query and no fragment in it");
    }
    if (publicUrl != null && publicUrl.toString().length() > MAX_PUBLIC_URL) {
      throw bad("--public-url", "must have at most " + MAX_PUBLIC_URL + " characters");
    }
    try {
      Exposure.check(bind, publicUrl);
      return new Naru.Config(
          port,
          bind,
          data,
          redis,
          ledgerConfig(),
          keyOf(adminKey()),
          keyOf(siteKey()),
          new Naru.Visitors(
              trustedProxies == null
                  ? TrustedProxies.SAME_MACHINE
                  : TrustedProxies.parse(trustedProxies),
              site(),
              userHeader == null ? null : new UserHeader(userHeader),
              publicUrl,
              allowedOrigins == null ? Cors.NONE : Cors.parse(allowedOrigins),
              new Streams.Limits(maxStreams, maxStreamsPerAddress),
              new AddressLimits.Newcomers(newVisitorsPerAddress, newVisitorsPerNetwork),
              verifier()),
          new Naru.Watching(managementBind, managementPort, metricsQueues),
          Scheduler.POLL,
          new SigningKeys.Policy(algorithm(), age("--key-max-age", keyMaxAge)),
          coinRelays == null ? Coins.BY_HAND : Coins.parse(coinRelays),
          new Naru.Outside(kafka(), kept(), WebhookRules.of(webhookAllow, webhookTooLong)));
    } catch (InvalidValue e) {
      throw bad("--" + e.field(), e.getMessage());
    }
  }

  private SiteVerify.@Nullable Config verifier() {
    String secret = checked(verifierSecret());
    boolean isAll =
        verifierUrl != null && secret != null && verifierSiteKey != null && verifierScript != null;
    if (!isAll
        && (verifierUrl != null
            || secret != null
            || verifierSiteKey != null
            || verifierScript != null
            || !verifierOrigins.isEmpty())) {
      throw bad(
          "--verifier-url",
          "goes together with --verifier-secret-file, --verifier-site-key and --verifier-script");
    }
    return verifierUrl == null
            || secret == null
            || verifierSiteKey == null
            || verifierScript == null
        ? null
        : SiteVerify.Config.of(
            verifierUrl, secret, verifierSiteKey, verifierScript, verifierOrigins);
  }

  private SecretOption verifierSecret() {
    return new SecretOption("--verifier-secret", verifierSecret, verifierSecretFile);
  }

  /** The tokens that name visitors; null if no option speaks of them. */
  private SiteTokens.@Nullable Config site() {
    String secret = checked(siteSecret());
    if (siteIssuer == null && siteAudience == null && siteJwks == null && secret == null) {
      for (String option : List.of("--site-cookie", "--site-user-claim", "--site-lane-claim")) {
        if (spec.findOption(option).getValue() != null) {
          throw bad(option, "means nothing without --site-issuer, --site-audience and keys");
        }
      }
      return null;
    }
    return new SiteTokens.Config(
        siteIssuer,
        siteAudience,
        siteJwks,
        secret,
        siteCookie,
        siteUserClaim == null ? "sub" : siteUserClaim,
        siteLaneClaim);
  }

  private SecretOption siteSecret() {
    return new SecretOption("--site-secret", siteSecret, siteSecretFile);
  }

  private LogFormat format() {
    return switch (logFormat) {
      case "text" -> LogFormat.TEXT;
      case "json" -> LogFormat.JSON;
      default -> throw bad("--log-format", "must be text or json, is " + logFormat);
    };
  }

  private Algorithm algorithm() {
    for (Algorithm algorithm : Algorithm.values()) {
      if (algorithm.name().equals(passAlgorithm)) {
        return algorithm;
      }
    }
    throw bad("--pass-algorithm", "must be ES256 or EdDSA, is " + passAlgorithm);
  }

  private @Nullable KafkaConfig kafka() {
    if (kafka == null) {
      for (String option : List.of("--kafka-topic", "--kafka-commands", "--kafka-properties")) {
        if (spec.findOption(option).getValue() != null) {
          throw bad(option, "means nothing without --kafka");
        }
      }
      return null;
    }
    return new KafkaConfig(
        kafka,
        kafkaTopic == null ? KafkaConfig.TOPIC : kafkaTopic,
        kafkaCommands,
        kafkaProperties == null ? Map.of() : KafkaConfig.read(kafkaProperties));
  }

  private Feed.Bounds kept() {
    if (eventsKeptChanges < 1_000 || eventsKeptChanges > 100_000_000) {
      throw bad("--events-kept-changes", "must be 1000..100000000, is " + eventsKeptChanges);
    }
    Duration age = age("--events-kept", eventsKept);
    if (age.isZero()) {
      throw bad("--events-kept", "must be at least 1h");
    }
    return new Feed.Bounds(eventsKeptChanges, age);
  }

  private Duration age(String option, String given) {
    Matcher age = AGE.matcher(given);
    if (!age.matches()) {
      throw bad(option, "must be hours or days, as in 12h or 30d, is " + given);
    }
    long count = Long.parseLong(age.group(1));
    return age.group(2).equals("h") ? Duration.ofHours(count) : Duration.ofDays(count);
  }

  /** Beside the streams there are requests, stores and logs, which need files too. */
  private static int defaultMaxStreams() {
    long files =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount()
            : Long.MAX_VALUE;
    return Math.clamp(files - files / 10, 1, Streams.Limits.DEFAULT.total());
  }

  private Ledger.@Nullable Config ledgerConfig() {
    if ("none".equals(ledger)) {
      return null;
    }
    String url = ledger == null ? "jdbc:sqlite:" + inData("ledger.db") : ledger;
    return new Ledger.Config(url, ledgerUser, checked(ledgerPassword()), unsafe);
  }

  private SecretOption adminKey() {
    return new SecretOption("--admin-key", adminKey, adminKeyFile);
  }

  private SecretOption siteKey() {
    return new SecretOption("--site-key", siteKey, siteKeyFile);
  }

  /** A key that was given; null if it is to be made and kept. */
  private @Nullable String keyOf(SecretOption option) {
    String key = checked(option);
    if (key != null && key.isBlank()) {
      throw bad(option.used(), "must not be empty");
    }
    if (key != null && key.length() < MIN_KEY) {
      throw bad(option.used(), "must have at least " + MIN_KEY + " characters");
    }
    return key;
  }

  private SecretOption ledgerPassword() {
    return new SecretOption("--ledger-password", ledgerPassword, ledgerPasswordFile);
  }

  private @Nullable String checked(SecretOption secret) {
    try {
      return secret.value();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  /** Secrets that are given where others can read them. */
  private List<String> careless() {
    List<String> found = new ArrayList<>();
    for (SecretOption secret :
        List.of(adminKey(), siteKey(), siteSecret(), ledgerPassword(), verifierSecret())) {
      secret.warning(isTyped(secret.name())).ifPresent(found::add);
    }
    if (isTyped("--redis") && redis != null && redis.contains("@")) {
      found.add(SecretOption.typed("a password in --redis", "NARU_REDIS"));
    }
    try {
      if (kafkaProperties != null && OwnerOnly.isOpen(kafkaProperties)) {
        found.add(
            "--kafka-properties: others than its owner may read "
                + kafkaProperties
                + " (chmod 600)");
      }
    } catch (IOException e) {
      // Whoever has read it a moment ago will say so again.
    }
    if (isTyped("--ledger") && ledger != null && ledger.contains("password=")) {
      found.add(SecretOption.typed("a password in --ledger", "--ledger-password-file"));
    }
    return found;
  }

  /** Whether an option was on the command line, and not in the environment or in naru.yaml. */
  private boolean isTyped(String option) {
    return spec.commandLine().getParseResult().hasMatchedOption(option);
  }

  private Path inData(String name) {
    Path file = data.resolve(name);
    try {
      OwnerOnly.createDirectories(data);
      return file;
    } catch (IOException e) {
      throw bad("--data", "cannot keep " + file + ": " + e.getMessage());
    }
  }

  private void check(String option, int value) {
    if (value < 0 || value > 65_535) {
      throw bad(option, "must be 0..65535, is " + value);
    }
  }

  private ParameterException bad(String option, @Nullable String problem) {
    return new ParameterException(spec.commandLine(), option + ": " + problem);
  }
}
