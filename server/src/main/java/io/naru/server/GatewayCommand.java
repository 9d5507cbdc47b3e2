package io.naru.server;

import io.naru.gate.WrongSetting;
import io.naru.gateway.BadCertificate;
import io.naru.gateway.BadRules;
import io.naru.gateway.Gateway;
import io.naru.gateway.Rule;
import io.naru.gateway.RuleSet;
import io.naru.gateway.RulesFile;
import io.naru.gateway.TlsFiles;
import io.naru.net.Networks;
import io.naru.queue.InvalidValue;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code naru gateway}: stands in front of a site that knows nothing of Naru. */
@Command(
    name = "gateway",
    description = "Runs a reverse proxy that lets people with a pass through to a site.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    showDefaultValues = false,
    footer = {
      "",
      "One rule is given by --protect and --queue; several are in a file, see --rules."
    })
final class GatewayCommand implements Callable<Integer> {

  private static final int MAX_SECONDS = 3_600;

  @Spec private CommandSpec spec;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Port that visitors come to, 0 for any free one. Default: 8000")
  private int port = 8000;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "Address to listen on. Default: 127.0.0.1")
  private String bind = "127.0.0.1";

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = {
        "Certificate (PEM) that visitors are shown, with those that signed it behind: they come by",
        "https:// then. Looked at every second, with its key."
      })
  private @Nullable Path tlsCert;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "Its private key (PEM, PKCS#8), which only the owner of this process may read.")
  private @Nullable Path tlsKey;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "Where Naru is. Default: http://127.0.0.1:8080")
  private URI url = URI.create("http://127.0.0.1:8080");

  @Option(
      names = "--public-url",
      paramLabel = "URL",
      description = "Naru's own --public-url, if it has one: what passes name as their issuer.")
  private @Nullable String publicUrl;

  @Option(
      names = "--origin",
      paramLabel = "URL",
      description = "The site behind: scheme, host and perhaps port, as http://127.0.0.1:3000")
  private @Nullable URI origin;

  @Option(
      names = "--origin-ca",
      paramLabel = "FILE",
      description = {
        "Certificates (PEM) of who may sign those of sites at https://, instead of those that Java",
        "trusts."
      })
  private @Nullable Path originCa;

  @Option(
      names = "--protect",
      paramLabel = "PATTERN",
      split = ",",
      description = {
        "Paths that need a pass, as '/checkout/**': * is any part of one segment, ** any number",
        "of segments. May be given several times."
      })
  private List<String> protect = new ArrayList<>();

  @Option(
      names = "--queue",
      paramLabel = "TYPE/id",
      description = "The queue whose passes count for them.")
  private @Nullable String queue;

  @Option(
      names = "--audience",
      paramLabel = "NAME",
      description = "The queue's setting audience, if it has one.")
  private @Nullable String audience;

  @Option(
      names = "--complete",
      paramLabel = "PATTERN",
      split = ",",
      description = {
        "Paths whose good answer (2xx or 3xx) ends the turn of whoever asked, as /checkout/done."
      })
  private List<String> complete = new ArrayList<>();

  @Option(
      names = "--complete-header",
      paramLabel = "NAME",
      description = {
        "Header in which the site's answer says 1 to end the turn; visitors do not see it.",
        "Default: Naru-Complete"
      })
  private String completeHeader = Rule.COMPLETE_HEADER;

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description = {
        "Rules, several of them, instead of --protect, --queue and what belongs to them. The file",
        "is looked at every second; what is good in it counts at once."
      })
  private @Nullable Path rules;

  @Option(
      names = "--site-key",
      paramLabel = "KEY",
      description = {
        "Naru's site key, for queues that only the site completes; better in a file, or in",
        "NARU_SITE_KEY."
      })
  private @Nullable String siteKey;

  @Option(
      names = "--site-key-file",
      paramLabel = "FILE",
      description = "File with Naru's site key. Default: NARU_SITE_KEY_FILE")
  private @Nullable Path siteKeyFile;

  @Option(
      names = "--signal-key",
      paramLabel = "KEY",
      description = {
        "An access key of the role signal: with it Naru is told how quickly the site answers and",
        "how often it fails. Better in a file, or in NARU_SIGNAL_KEY."
      })
  private @Nullable String signalKey;

  @Option(
      names = "--signal-key-file",
      paramLabel = "FILE",
      description = "File with that key. Default: NARU_SIGNAL_KEY_FILE")
  private @Nullable Path signalKeyFile;

  @Option(
      names = "--site-cookie",
      paramLabel = "NAME",
      description = {
        "The cookie of the site that names the visitor, where Naru was told of it. No other cookie",
        "of the site goes to Naru."
      })
  private @Nullable String siteCookie;

  @Option(
      names = "--forward-pass",
      description = "Leaves the pass in what the site gets; without this it is taken out.")
  private boolean forwardPass;

  @Option(
      names = "--trusted-proxies",
      paramLabel = "CIDR,…",
      description = {
        "Proxies in front of this gateway, whose X-Forwarded-For, -Proto and -Host count.",
        "Default: this machine, 127.0.0.0/8 and ::1."
      })
  private @Nullable String trustedProxies;

  @Option(
      names = "--answer-timeout",
      paramLabel = "SECONDS",
      description = "How long the site may take until it begins to answer. Default: 30")
  private int answerTimeout = (int) Gateway.Limits.DEFAULT.answer().toSeconds();

  @Option(
      names = "--idle-timeout",
      paramLabel = "SECONDS",
      description = "How long a visitor's connection may be idle. Default: 75")
  private int idleTimeout = (int) Gateway.Limits.DEFAULT.idle().toSeconds();

  @Option(
      names = "--max-connections",
      paramLabel = "COUNT",
      description = "Visitors' connections in all. Default: 10000")
  private int maxConnections = Gateway.Limits.DEFAULT.connections();

  @Option(
      names = "--max-connections-per-address",
      paramLabel = "COUNT",
      description = "The same from one address (IPv6: /64), unless a proxy's. Default: 200")
  private int maxConnectionsPerAddress = Gateway.Limits.DEFAULT.perAddress();

  @Option(
      names = "--origin-connections",
      paramLabel = "COUNT",
      description = {
        "Requests that one site is given at a time; more wait for 3 s, and are then told that it",
        "is busy. Event streams and WebSockets do not count. Default: 512"
      })
  private int originConnections = Gateway.Limits.DEFAULT.origin();

  @Option(
      names = "--management-port",
      paramLabel = "PORT",
      description = {
        "Port of metrics and health, 0 for any free one, where no visitor comes to.",
        "Default: none of both"
      })
  private @Nullable Integer managementPort;

  @Option(
      names = "--management-bind",
      paramLabel = "ADDRESS",
      description = {
        "Address that the management port listens on. Nobody is asked for a key there.",
        "Default: 127.0.0.1"
      })
  private String managementBind = Naru.Watching.LOOPBACK;

  @Option(
      names = "--access-log",
      paramLabel = "FILE",
      description = {
        "A line of JSON for each request, without passes, tokens and queries; - for standard",
        "output. A file that is moved away is opened anew."
      })
  private @Nullable String accessLog;

  @Override
  public Integer call() throws InterruptedException {
    Gateway.Settings settings = settings();
    try {
      Gateway gateway = Gateway.start(settings);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(gateway), "naru-shutdown"));
      gateway.announcement().forEach(this::say);
      careless().forEach(warning -> say("  warning    " + warning));
    } catch (BadRules e) {
      spec.commandLine().getErr().println("--rules: " + e.text());
      return CommandLine.ExitCode.USAGE;
    } catch (BadCertificate e) {
      spec.commandLine().getErr().println("--tls-cert, --tls-key: " + e.text());
      return CommandLine.ExitCode.USAGE;
    } catch (WrongSetting | IOException e) {
      spec.commandLine().getErr().println(e.getMessage());
      return CommandLine.ExitCode.USAGE;
    }
    new CountDownLatch(1).await();
    return CommandLine.ExitCode.OK;
  }

  private void say(String line) {
    spec.commandLine().getOut().println(line);
    spec.commandLine().getOut().flush();
  }

  private void stop(Gateway gateway) {
    say("stopping: requests under way are finished");
    gateway.close();
    say("stopped");
    // Who was asked to stop and did has not failed, as 143 would say.
    Runtime.getRuntime().halt(0);
  }

  Gateway.Settings settings() {
    within("--port", port, 0, 65_535);
    within("--answer-timeout", answerTimeout, 1, MAX_SECONDS);
    within("--idle-timeout", idleTimeout, 1, MAX_SECONDS);
    within("--max-connections", maxConnections, 1, 1_000_000);
    within("--max-connections-per-address", maxConnectionsPerAddress, 1, 1_000_000);
    within("--origin-connections", originConnections, 1, 100_000);
    try {
      return new Gateway.Settings(
          bind,
          port,
          naru(),
          publicUrl,
          rules == null ? null : new RulesFile(rules, origin),
          rules == null ? given() : null,
          siteKey().value(),
          signalKey().value(),
          siteCookie,
          forwardPass,
          originCa(),
          tls(),
          trustedProxies == null
              ? Networks.SAME_MACHINE
              : Networks.parse("trusted-proxies", trustedProxies),
          new Gateway.Limits(
              maxConnections,
              maxConnectionsPerAddress,
              originConnections,
              Duration.ofSeconds(answerTimeout),
              Duration.ofSeconds(idleTimeout)),
          new Gateway.Watching(management(), accessLog));
    } catch (InvalidValue e) {
      throw bad("--" + e.field(), e.getMessage());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private List<X509Certificate> originCa() {
    if (originCa == null) {
      return List.of();
    }
    try {
      return Certificates.in("--origin-ca", originCa);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private @Nullable InetSocketAddress management() {
    if (managementPort == null) {
      return null;
    }
    within("--management-port", managementPort, 0, 65_535);
    var address = new InetSocketAddress(managementBind, managementPort);
    if (address.isUnresolved()) {
      throw bad("--management-bind", "must be an address of this machine, is " + managementBind);
    }
    return address;
  }

  private @Nullable TlsFiles tls() {
    if (tlsCert != null && tlsKey != null) {
      return new TlsFiles(tlsCert, tlsKey);
    }
    if (tlsCert != null || tlsKey != null) {
      throw tlsKey == null
          ? bad("--tls-key", "give it with --tls-cert")
          : bad("--tls-cert", "give it with --tls-key");
    }
    return null;
  }

  private URI naru() {
    boolean isAddress =
        ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
            && url.getHost() != null
            && (url.getRawPath().isEmpty() || url.getRawPath().equals("/"));
    if (!isAddress) {
      throw bad("--url", "must be scheme, host and perhaps port, as http://127.0.0.1:8080");
    }
    return url;
  }

  private RuleSet given() {
    if (origin == null) {
      throw bad("--origin", "say where the site is, as http://127.0.0.1:3000");
    }
    if (queue == null || protect.isEmpty()) {
      throw bad(
          queue == null ? "--queue" : "--protect",
          "say which paths need a pass of which queue, as --protect '/checkout/**' --queue"
              + " TIMEDEAL/123, or give --rules FILE");
    }
    try {
      var rule = new Rule(protect, queue, audience, complete, completeHeader, null);
      return new RuleSet(origin, List.of(rule));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--" + e.getMessage(), e);
    }
  }

  private SecretOption siteKey() {
    return SecretOption.given("--site-key", siteKey, siteKeyFile);
  }

  private SecretOption signalKey() {
    return SecretOption.given("--signal-key", signalKey, signalKeyFile);
  }

  /** Secrets that are given where others can read them. */
  private List<String> careless() {
    var found = new ArrayList<String>();
    siteKey().warning(siteKey != null).ifPresent(found::add);
    signalKey().warning(signalKey != null).ifPresent(found::add);
    if (managementPort != null) {
      Exposure.openManagement(managementBind, "queues").ifPresent(found::add);
    }
    if (tlsKey != null) {
      SecretOption.openTo("--tls-key", tlsKey).ifPresent(found::add);
    }
    return found;
  }

  private void within(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw bad(option, "must be %s..%s, is %s".formatted(least, most, value));
    }
  }

  private ParameterException bad(String option, String problem) {
    return new ParameterException(spec.commandLine(), option + ": " + problem);
  }
}
