package io.naru.gateway;

import io.naru.gate.FakeNaru;
import io.naru.net.Networks;
import io.naru.testkit.PlainSite;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A gateway between a Naru that is not one and a site that is, all of them in this JVM. */
final class Stand implements AutoCloseable {

  static final String HTML = "Accept: text/html";

  /** Short enough to wait for, and long enough for a machine that has other things to do. */
  static final Duration SOON = Duration.ofMillis(1_200);

  static final Patience LONG = Patience.of(Duration.ofSeconds(20), Duration.ofSeconds(20));

  /** With the site. */
  static final Patience SHORT =
      new Patience(LONG.first(), LONG.next(), SOON, LONG.connect(), SOON, SOON, LONG.quiet());

  /** With visitors who say nothing. */
  static final Patience BRIEF =
      new Patience(SOON, SOON, SOON, LONG.connect(), LONG.answer(), LONG.silence(), LONG.quiet());

  final FakeNaru naru = new FakeNaru();
  final PlainSite site = PlainSite.open();
  final Gateway gateway;

  Stand(Patience patience, Gateway.Limits limits) {
    this(patience, limits, null, Networks.parse("proxies", "10.0.0.0/8"), false);
  }

  Stand(
      Patience patience,
      Gateway.Limits limits,
      @Nullable RulesFile file,
      Networks proxies,
      boolean forwardsPass) {
    gateway =
        gateway(
            URI.create(naru.url()),
            patience,
            limits,
            file,
            null,
            proxies,
            forwardsPass,
            Gateway.Watching.NONE);
  }

  /** To which visitors come by TLS. */
  Stand(Patience patience, Gateway.Limits limits, TlsFiles tls) {
    Networks proxies = Networks.parse("proxies", "10.0.0.0/8");
    gateway =
        gateway(
            URI.create(naru.url()),
            patience,
            limits,
            null,
            tls,
            proxies,
            false,
            Gateway.Watching.NONE);
  }

  /** That somebody watches. */
  Stand(@Nullable RulesFile file, Gateway.Watching watching) {
    gateway =
        gateway(
            URI.create(naru.url()),
            LONG,
            new Gateway.Limits(40, 10, 16, LONG.answer(), LONG.next()),
            file,
            null,
            Networks.parse("proxies", "10.0.0.0/8"),
            false,
            watching);
  }

  private Gateway gateway(
      URI url,
      Patience patience,
      Gateway.Limits limits,
      @Nullable RulesFile file,
      @Nullable TlsFiles tls,
      Networks proxies,
      boolean forwardsPass,
      Gateway.Watching watching) {
    try {
      return new Gateway(
          new Gateway.Settings(
              "127.0.0.1",
              0,
              url,
              null,
              file,
              file == null ? new RuleSet(site.uri(), List.of(rule())) : null,
              null,
              "signal-key-of-a-test",
              "session",
              forwardsPass,
              List.of(),
              tls,
              proxies,
              limits,
              watching),
          patience);
    } catch (BadRules | BadCertificate | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Another gateway, for which somebody else is Naru. */
  Gateway with(URI otherNaru, @Nullable TlsFiles tls) {
    return gateway(
        otherNaru,
        LONG,
        Gateway.Limits.DEFAULT,
        null,
        tls,
        Networks.parse("", "10.0.0.0/8"),
        false,
        Gateway.Watching.NONE);
  }

  static Stand patient() {
    return new Stand(LONG, Gateway.Limits.DEFAULT);
  }

  static Rule rule() {
    return new Rule(
        List.of("/checkout/**", "/reservations/**"),
        FakeNaru.QUEUE,
        null,
        List.of("/done"),
        Rule.COMPLETE_HEADER,
        null);
  }

  int port() {
    return gateway.port();
  }

  /** A header with a good pass. */
  String pass(String id) {
    return "Cookie: naru-pass=" + naru.token(id);
  }

  Talk.Reply get(String path, String... headers) throws IOException {
    return Talk.get(port(), path, headers);
  }

  /** The request as it came to the site. */
  String seen(String path, String... headers) throws IOException {
    return get(path, headers).body();
  }

  @Override
  public void close() {
    gateway.close();
    site.close();
    naru.close();
  }
}
