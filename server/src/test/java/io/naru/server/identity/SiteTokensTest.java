package io.naru.server.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.sun.net.httpserver.HttpServer;
import io.naru.pass.Algorithm;
import io.naru.pass.PassKey;
import io.naru.queue.InvalidValue;
import io.naru.queue.QueueId;
import io.naru.server.identity.SiteTokens.Config;
import io.naru.server.identity.SiteTokens.Named;
import io.naru.server.identity.SiteTokens.Read;
import io.naru.server.identity.SiteTokens.Reason;
import io.naru.server.identity.SiteTokens.Refused;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A site's tokens: which count, by which keys, and where those come from. */
class SiteTokensTest {

  private static final QueueId QUEUE = new QueueId("SALE", "1");
  private static final JWK RSA = rsa("rsa");
  private static final JWK EC = own(Algorithm.ES256);
  private static final JWK ED = own(Algorithm.EdDSA);

  @TempDir private Path folder;
  private volatile Instant now = Instant.now();
  private final AtomicLong nanos = new AtomicLong();
  private @Nullable SiteTokens opened;
  private @Nullable HttpServer site;

  @AfterEach
  void close() {
    if (opened != null) {
      opened.close();
    }
    if (site != null) {
      site.stop(0);
    }
  }

  private static JWK rsa(String id) {
    try {
      var pairs = KeyPairGenerator.getInstance("RSA");
      pairs.initialize(2_048);
      var pair = pairs.generateKeyPair();
      return new RSAKey.Builder((RSAPublicKey) pair.getPublic())
          .privateKey(pair.getPrivate())
          .keyID(id)
          .build();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static JWK own(Algorithm algorithm) {
    try {
      return JWK.parse(PassKey.generate(algorithm).toJwk());
    } catch (java.text.ParseException e) {
      throw new AssertionError(e);
    }
  }

  private static Config config(@Nullable String jwks, @Nullable String secret) {
    return new Config(SiteSigner.ISSUER, SiteSigner.AUDIENCE, jwks, secret, null, "sub", "tier");
  }

  private SiteTokens open(Config config) {
    opened = new SiteTokens(config, () -> now, nanos::get);
    opened.start();
    return opened;
  }

  private SiteTokens withKeys(JWK... keys) throws IOException {
    Path file = folder.resolve("jwks.json");
    Files.writeString(file, new JWKSet(List.of(keys)).toString(true));
    return open(config(file.toString(), null));
  }

  private SiteSigner ann() {
    return SiteSigner.ann(now);
  }

  private static void isAnn(Read read) {
    assertThat(read)
        .isInstanceOfSatisfying(Named.class, n -> assertThat(n.user()).isEqualTo("ann"));
  }

  private static void isRefused(SiteTokens tokens, String token, Reason reason) {
    assertThat(tokens.read(token, QUEUE)).as(token).isEqualTo(new Refused(reason));
  }

  /** Anybody can send rubbish: it fills no log. */
  @Test
  void read_refusedOften_isLoggedOnceAMinuteForEachReason() {
    SiteTokens tokens = open(config(null, SiteSigner.SECRET));
    var logger = (Logger) LoggerFactory.getLogger(SiteTokens.class);
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    logger.addAppender(lines);
    try {
      for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 50; j++) {
          isRefused(tokens, ann().unsigned("none"), Reason.FORM);
          String foreign = ann().claim("aud", "another " + j).shared(SiteSigner.SECRET);
          isRefused(tokens, foreign, Reason.AUDIENCE);
        }
        assertThat(lines.list)
            .filteredOn(line -> line.getThreadName().equals(Thread.currentThread().getName()))
            .hasSize(2 * (i + 1));
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
      }
    } finally {
      logger.detachAppender(lines);
    }
  }

  @Test
  void read_eachAlgorithm_byItsKey() throws IOException {
    SiteTokens tokens = withKeys(RSA, EC, ED);
    isAnn(tokens.read(ann().by(RSA, JWSAlgorithm.RS256), QUEUE));
    isAnn(tokens.read(ann().by(RSA, JWSAlgorithm.PS256), QUEUE));
    isAnn(tokens.read(ann().by(EC, JWSAlgorithm.ES256), QUEUE));
    isAnn(tokens.read(ann().by(ED, JWSAlgorithm.EdDSA), QUEUE));
    isAnn(open(config(null, SiteSigner.SECRET)).read(ann().shared(SiteSigner.SECRET), QUEUE));
  }

  @Test
  void read_otherAlgorithms_areRefusedWhateverSignsThem() throws Exception {
    SiteTokens tokens = withKeys(RSA, EC, ED);
    isRefused(tokens, ann().unsigned("none"), Reason.FORM);
    isRefused(tokens, ann().unsigned("None"), Reason.FORM);
    isRefused(tokens, ann().by(RSA, JWSAlgorithm.RS512), Reason.ALGORITHM);
    for (String secret :
        List.of(
            RSA.toPublicJWK().toJSONString(),
            new JWKSet(RSA).toString(true),
            "-----BEGIN PUBLIC KEY-----\n"
                + java.util.Base64.getMimeEncoder()
                    .encodeToString(RSA.toRSAKey().toPublicKey().getEncoded()))) {
      isRefused(tokens, ann().header("kid", "rsa").shared(secret), Reason.ALGORITHM);
    }
    isRefused(tokens, ann().header("alg", "ES256").by(RSA, JWSAlgorithm.RS256), Reason.KEY);
    SiteTokens shared = open(config(null, SiteSigner.SECRET));
    isRefused(shared, ann().by(RSA, JWSAlgorithm.RS256), Reason.ALGORITHM);
    isRefused(shared, ann().shared("another-secret-of-thirty-two-bytes"), Reason.SIGNATURE);
  }

  @Test
  void read_keysThatTokensBringAlong_openNothing() throws IOException {
    SiteTokens tokens = withKeys(RSA);
    JWK mine = rsa("mine");
    JWK sameName = rsa("rsa");
    isRefused(tokens, ann().by(mine, JWSAlgorithm.RS256), Reason.KEY);
    isRefused(tokens, ann().by(sameName, JWSAlgorithm.RS256), Reason.SIGNATURE);
    for (String header : List.of("jwk", "jku", "x5u")) {
      Object value =
          header.equals("jwk") ? mine.toPublicJWK().toJSONObject() : "http://127.0.0.1:1";
      String token = ann().header("kid", "rsa").header(header, value).by(mine, JWSAlgorithm.RS256);
      isRefused(tokens, token, Reason.SIGNATURE);
    }
    String critical = ann().header("crit", List.of("exp")).by(RSA, JWSAlgorithm.RS256);
    isRefused(tokens, critical, Reason.FORM);
  }

  @Test
  void read_keyForAnotherUse_verifiesNothing() throws IOException {
    JWK encrypting = new RSAKey.Builder(RSA.toRSAKey()).keyUse(KeyUse.ENCRYPTION).build();
    JWK only = new RSAKey.Builder(RSA.toRSAKey()).keyID("p").algorithm(JWSAlgorithm.PS256).build();
    SiteTokens tokens = withKeys(encrypting, only);
    isAnn(tokens.read(ann().by(only, JWSAlgorithm.PS256), QUEUE));
    isRefused(tokens, ann().by(only, JWSAlgorithm.RS256), Reason.ALGORITHM);
    isRefused(tokens, ann().by(encrypting, JWSAlgorithm.PS256), Reason.KEY);
  }

  @Test
  void read_claims_areHeldToWhatWasGiven() {
    SiteTokens tokens = open(config(null, SiteSigner.SECRET));
    long second = now.getEpochSecond();
    isClaimRefused(tokens, "iss", "https://other.example", Reason.ISSUER);
    isClaimRefused(tokens, "iss", null, Reason.ISSUER);
    isClaimRefused(tokens, "aud", "other", Reason.AUDIENCE);
    isClaimRefused(tokens, "aud", List.of("a", "b"), Reason.AUDIENCE);
    isClaimRefused(tokens, "aud", null, Reason.AUDIENCE);
    isClaimRefused(tokens, "exp", null, Reason.CLAIMS);
    isClaimRefused(tokens, "exp", "soon", Reason.FORM);
    isClaimRefused(tokens, "exp", second - 61, Reason.EXPIRED);
    isClaimRefused(tokens, "nbf", second + 62, Reason.EARLY);
    isClaimRefused(tokens, "sub", null, Reason.USER);
    isClaimRefused(tokens, "sub", "a b", Reason.USER);
    isClaimRefused(tokens, "sub", "x".repeat(129), Reason.USER);
    isClaimRefused(tokens, "sub", "visitor-AAAAAAAAAAAAAAAAAAAAAA", Reason.USER);
    isClaimRefused(tokens, "sub", List.of("ann"), Reason.FORM);
    isClaimRefused(tokens, "queue", "SALE/2", Reason.QUEUE);
    isClaimRefused(tokens, "queue", 1, Reason.CLAIMS);
    isClaimRefused(tokens, "more", "x".repeat(5_000), Reason.LENGTH);
    isAnn(tokens.read(ann().claim("aud", List.of("x", "naru")).shared(SiteSigner.SECRET), QUEUE));
    isAnn(tokens.read(ann().claim("queue", "SALE/1").shared(SiteSigner.SECRET), QUEUE));
    isAnn(tokens.read(ann().claim("exp", second - 59).shared(SiteSigner.SECRET), QUEUE));
    for (String rubbish : List.of("", ".", "..", "a.b", "a.b.c", "a.b.c.d", "é.é.é")) {
      isRefused(tokens, rubbish, Reason.FORM);
    }
  }

  private void isClaimRefused(
      SiteTokens tokens, String name, @Nullable Object value, Reason reason) {
    isRefused(tokens, ann().claim(name, value).shared(SiteSigner.SECRET), reason);
  }

  @Test
  void read_otherClaimsForUserAndLane() {
    SiteTokens tokens =
        open(
            new Config(
                SiteSigner.ISSUER,
                SiteSigner.AUDIENCE,
                null,
                SiteSigner.SECRET,
                null,
                "account",
                "tier"));
    SiteSigner token = ann().claim("account", 42);
    assertThat(tokens.read(token.claim("tier", "vip").shared(SiteSigner.SECRET), QUEUE))
        .isInstanceOfSatisfying(
            Named.class, n -> assertThat(n.user() + " " + n.lane()).isEqualTo("42 vip"));
    for (Object none : List.of("Gold Member", "fallback", 1, List.of("vip"))) {
      assertThat(tokens.read(token.claim("tier", none).shared(SiteSigner.SECRET), QUEUE))
          .isInstanceOfSatisfying(Named.class, n -> assertThat(n.lane()).isEmpty());
    }
  }

  @Test
  void read_again_looksAtTheTimeAndAtTheQueue() {
    SiteTokens tokens = open(config(null, SiteSigner.SECRET));
    String token = ann().claim("queue", "SALE/1").shared(SiteSigner.SECRET);
    isAnn(tokens.read(token, QUEUE));
    assertThat(tokens.read(token, new QueueId("SALE", "2"))).isEqualTo(new Refused(Reason.QUEUE));
    now = now.plusSeconds(359);
    isAnn(tokens.read(token, QUEUE));
    now = now.plusSeconds(2);
    isRefused(tokens, token, Reason.EXPIRED);
  }

  // --- where keys come from

  /** A site whose keys can be had, or not. */
  private final class Published {
    final AtomicInteger asked = new AtomicInteger();
    volatile int status = 200;
    volatile String body = new JWKSet(RSA).toString(true);

    Config start() throws IOException {
      var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/",
          exchange -> {
            asked.incrementAndGet();
            byte[] bytes = body.getBytes(UTF_8);
            exchange.getResponseHeaders().add("Location", "/elsewhere");
            exchange.sendResponseHeaders(status, bytes.length);
            try (var out = exchange.getResponseBody()) {
              out.write(bytes);
            }
          });
      server.start();
      site = server;
      return config("http://127.0.0.1:" + server.getAddress().getPort() + "/keys", null);
    }

    SiteKeySource source() throws IOException {
      return new SiteKeySource(start(), nanos::get, () -> {});
    }
  }

  private void later(SiteKeySource source, Duration by) {
    nanos.addAndGet(by.toNanos());
    source.beat();
  }

  @Test
  void keys_fromAnAddress_areThereSoon_andARotatedOneSoonAfter() throws IOException {
    var published = new Published();
    SiteTokens tokens = open(published.start());
    String token = ann().by(RSA, JWSAlgorithm.RS256);
    await().until(() -> tokens.read(token, QUEUE) instanceof Named);
    published.body = new JWKSet(EC).toString(true);
    String next = ann().by(EC, JWSAlgorithm.ES256);
    isRefused(tokens, next, Reason.ALGORITHM);
    nanos.addAndGet(Duration.ofMinutes(5).toNanos());
    await().until(() -> tokens.read(next, QUEUE) instanceof Named);
    isRefused(tokens, token, Reason.ALGORITHM);
  }

  @Test
  void keys_whateverTokensName_areAskedForOnceInHalfAMinute() throws IOException {
    var published = new Published();
    SiteKeySource source = published.source();
    source.read();
    for (int second = 0; second < 29; second++) {
      source.want();
      later(source, Duration.ofSeconds(1));
    }
    assertThat(published.asked).hasValue(1);
    source.want();
    later(source, Duration.ofSeconds(1));
    assertThat(published.asked).hasValue(2);
    later(source, Duration.ofSeconds(299));
    assertThat(published.asked).as("nobody wants any").hasValue(2);
    later(source, Duration.ofSeconds(1));
    assertThat(published.asked).as("every five minutes").hasValue(3);
  }

  @Test
  void keys_thatCannotBeHad_theLastOnesServeOn() throws IOException {
    var published = new Published();
    SiteKeySource source = published.source();
    source.read();
    SiteKeys before = source.keys();
    assertThat(before.isEmpty()).isFalse();
    for (int status : new int[] {500, 404, 302}) {
      published.status = status;
      later(source, Duration.ofMinutes(5));
      assertThat(source.keys()).isSameAs(before);
    }
    published.status = 200;
    for (String body : List.of("", "{}", "[1]", "{\"keys\":[]}", "x".repeat(70_000))) {
      published.body = body;
      later(source, Duration.ofMinutes(5));
      assertThat(source.keys()).isSameAs(before);
    }
    assertThat(published.asked).as("no redirects").hasValue(9);
  }

  @Test
  void config_thatCannotBe_isNamed() {
    assertThatThrownBy(() -> config(null, null)).isInstanceOf(InvalidValue.class);
    assertThatThrownBy(() -> config("keys.json", SiteSigner.SECRET))
        .hasMessageContaining("site-secret-file");
    assertThatThrownBy(() -> config(null, "short")).hasMessageContaining("32 bytes");
    for (String url : List.of("https://", "https://user:word@shop.example/keys", "http://a b/")) {
      assertThatThrownBy(() -> config(url, null)).hasMessageContaining("site-jwks");
    }
    assertThatThrownBy(() -> open(config(folder.resolve("none").toString(), null)))
        .hasMessageContaining("cannot be read");
    assertThat(config(null, SiteSigner.SECRET).toString()).doesNotContain(SiteSigner.SECRET);
  }
}
