package io.naru.server.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jwt.JWTClaimsSet;
import io.naru.queue.InvalidValue;
import io.naru.queue.Lanes;
import io.naru.queue.QueueId;
import io.naru.queue.UserId;
import java.net.URI;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a site says of its visitors: short tokens that it signs, each a JWT. Everything is pinned:
 * the algorithm by the key, the key by where it comes from, issuer and audience by options.
 *
 * <p>The signature of a token that was good once is not computed again, so polling costs a hash;
 * times are looked at each time.
 */
public final class SiteTokens implements AutoCloseable {

  static final String JWKS = "site-jwks";
  static final String JWKS_ALLOWED =
      "an https:// or http:// address without a user, or a file, that has a JWKS document";

  private static final Logger log = LoggerFactory.getLogger(SiteTokens.class);

  private static final int MAX_LENGTH = 4_096;
  private static final Duration SKEW = Duration.ofSeconds(60);

  /** Some 200 bytes each. */
  private static final int MAX_REMEMBERED = 16_384;

  private static final long QUIET_NANOS = Duration.ofMinutes(1).toNanos();

  private final Config config;
  private final SiteKeySource source;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final Cache<ByteBuffer, Named> remembered =
      Caffeine.newBuilder().maximumSize(MAX_REMEMBERED).build();
  private final Map<Reason, AtomicLong> quietUntil = new EnumMap<>(Reason.class);

  /**
   * Which tokens count.
   *
   * @param issuer their {@code iss}; must be there
   * @param audience what {@code aud} must have in it; must be there
   * @param jwks address or file of the keys that sign them; null for a shared secret
   * @param secret shared with the site, for HS256; null for keys
   * @param cookie of the site in which browsers bring one; null for none
   * @param userClaim which claim names the visitor
   * @param laneClaim which claim names a lane; null for none
   */
  public record Config(
      @Nullable String issuer,
      @Nullable String audience,
      @Nullable String jwks,
      @Nullable String secret,
      @Nullable String cookie,
      String userClaim,
      @Nullable String laneClaim) {

    private static final int MIN_SECRET_BYTES = 32;
    private static final Pattern COOKIE = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final Pattern CLAIM = Pattern.compile("[\\x21-\\x7e]{1,128}");
    private static final String OURS = "naru";

    public Config {
      required("site-issuer", issuer, "what the site's tokens have as iss");
      required("site-audience", audience, "what they have as aud");
      if ((jwks == null) == (secret == null)) {
        throw new InvalidValue(
            JWKS,
            JWKS_ALLOWED,
            jwks == null
                ? "must be given with --site-issuer, or --site-secret-file instead"
                : "must not be given with --site-secret-file: tokens are signed in one way");
      }
      if (jwks != null) {
        checkJwks(jwks);
      }
      if (secret != null && secret.getBytes(UTF_8).length < MIN_SECRET_BYTES) {
        throw new InvalidValue(
            "site-secret", "32 bytes or more", "has fewer than 32 bytes, which can be guessed");
      }
      if (cookie != null && (!COOKIE.matcher(cookie).matches() || isOurs(cookie))) {
        throw new InvalidValue(
            "site-cookie",
            "1 to 64 letters, digits and . _ -; none of Naru's own",
            "is no name of a cookie of the site");
      }
      claim("site-user-claim", userClaim);
      if (laneClaim != null) {
        claim("site-lane-claim", laneClaim);
      }
    }

    private static void required(String option, @Nullable String value, String what) {
      if (value == null || value.isBlank()) {
        throw new InvalidValue(option, "text", "must be given: " + what);
      }
    }

    private static void claim(String option, String name) {
      if (!CLAIM.matcher(name).matches()) {
        throw new InvalidValue(option, "1 to 128 printable ASCII characters", "is no claim");
      }
    }

    private static boolean isOurs(String cookie) {
      return cookie.equals(OURS)
          || cookie.startsWith(OURS + "-")
          || cookie.startsWith("__Host-naru");
    }

    private static void checkJwks(String jwks) {
      if (jwks.isBlank()) {
        throw new InvalidValue(JWKS, JWKS_ALLOWED, "must not be empty");
      }
      if (!SiteKeySource.isAddress(jwks)) {
        return;
      }
      try {
        URI uri = URI.create(jwks);
        if (uri.getHost() != null && uri.getRawUserInfo() == null) {
          return;
        }
      } catch (IllegalArgumentException e) {
        // Said below.
      }
      throw new InvalidValue(JWKS, JWKS_ALLOWED, "is no address of keys");
    }

    byte[] secretBytes() {
      return Objects.requireNonNull(secret).getBytes(UTF_8);
    }

    /** Nothing that is printed has the secret in it. */
    @Override
    public String toString() {
      return "tokens of " + issuer + " for " + audience;
    }
  }

  /** What came of looking at a token. */
  sealed interface Read {}

  /**
   * Somebody whom the site names.
   *
   * @param lane empty for none
   * @param queue the only one that it is for; empty for any
   */
  record Named(String user, String lane, String queue, Instant from, Instant until)
      implements Read {}

  record Refused(Reason reason) implements Read {}

  /** Why a token was refused: for the log, never for whoever sent it. */
  enum Reason {
    LENGTH("longer than 4 kB"),
    FORM("not a signed JWT"),
    ALGORITHM("an algorithm that none of the site's keys has"),
    NO_KEYS("the site's keys have not been read yet"),
    KEY("signed with a key that the site does not publish"),
    SIGNATURE("the signature is not the site's"),
    CLAIMS("a claim is missing or of the wrong type"),
    ISSUER("of another issuer than --site-issuer"),
    AUDIENCE("for another audience than --site-audience"),
    USER("it names nobody: --site-user-claim must be 1 to 128 printable ASCII characters"),
    EARLY("from the future: check the clocks"),
    EXPIRED("its time is over"),
    QUEUE("for another queue");

    private final String text;

    Reason(String text) {
      this.text = text;
    }
  }

  public SiteTokens(Config config, InstantSource clock, LongSupplier nanos) {
    this.config = config;
    this.clock = clock;
    this.nanos = nanos;
    this.source = new SiteKeySource(config, nanos, remembered::invalidateAll);
    long now = nanos.getAsLong();
    for (Reason reason : Reason.values()) {
      quietUntil.put(reason, new AtomicLong(now));
    }
  }

  /**
   * @throws InvalidValue if the file of keys cannot be read
   */
  public void start() {
    source.start();
  }

  @Override
  public void close() {
    source.close();
  }

  /** The cookie in which browsers bring a token; null for none. */
  @Nullable String cookie() {
    return config.cookie;
  }

  /** Looks at a token that somebody sent for a queue. */
  Read read(String token, QueueId queue) {
    Read read = token.length() > MAX_LENGTH ? new Refused(Reason.LENGTH) : remembered(token);
    if (read instanceof Named named) {
      read = here(named, queue);
    }
    if (read instanceof Refused(var reason)) {
      log(reason);
    }
    return read;
  }

  private Read remembered(String token) {
    ByteBuffer hash = hash(token);
    Named known = remembered.getIfPresent(hash);
    if (known != null) {
      return known;
    }
    Read read = verified(token);
    if (read instanceof Named named) {
      remembered.put(hash, named);
    }
    return read;
  }

  private static ByteBuffer hash(String token) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What depends on now, and on what is asked for. */
  private Read here(Named named, QueueId queue) {
    Instant now = clock.instant();
    if (named.from.minus(SKEW).isAfter(now)) {
      return new Refused(Reason.EARLY);
    }
    if (!now.isBefore(named.until.plus(SKEW))) {
      return new Refused(Reason.EXPIRED);
    }
    return named.queue.isEmpty() || named.queue.equals(queue.toString())
        ? named
        : new Refused(Reason.QUEUE);
  }

  private Read verified(String token) {
    try {
      JWSObject jws = JWSObject.parse(token);
      Reason refusal = refusal(jws);
      return refusal == null ? claims(jws) : new Refused(refusal);
    } catch (ParseException | RuntimeException | StackOverflowError e) {
      return new Refused(Reason.FORM);
    }
  }

  private @Nullable Reason refusal(JWSObject jws) {
    SiteKeys keys = source.keys();
    var header = jws.getHeader();
    if (header.getCriticalParams() != null || !header.isBase64URLEncodePayload()) {
      return Reason.FORM;
    }
    if (keys.isEmpty()) {
      return Reason.NO_KEYS;
    }
    // Judged before the key is looked for: what cannot be the site's must not make us fetch keys.
    if (!keys.know(header.getAlgorithm())) {
      return Reason.ALGORITHM;
    }
    if (!keys.know(header)) {
      source.want();
      return Reason.KEY;
    }
    return keys.verify(jws) ? null : Reason.SIGNATURE;
  }

  private Read claims(JWSObject jws) throws ParseException {
    JWTClaimsSet claims = JWTClaimsSet.parse(jws.getPayload().toString());
    if (!Objects.equals(config.issuer, claims.getIssuer())) {
      return new Refused(Reason.ISSUER);
    }
    if (!claims.getAudience().contains(config.audience)) {
      return new Refused(Reason.AUDIENCE);
    }
    Date until = claims.getExpirationTime();
    Date from = claims.getNotBeforeTime();
    Object queue = claims.getClaim("queue");
    if (until == null || (queue != null && !(queue instanceof String))) {
      return new Refused(Reason.CLAIMS);
    }
    String user = text(claims.getClaim(config.userClaim));
    if (!UserId.isValid(user) || Identity.isOurs(user)) {
      return new Refused(Reason.USER);
    }
    return new Named(
        user,
        lane(claims),
        queue == null ? "" : (String) queue,
        from == null ? Instant.EPOCH : from.toInstant(),
        until.toInstant());
  }

  /** A claim may be a number: many sites number their accounts. */
  private static String text(@Nullable Object claim) {
    return switch (claim) {
      case String text -> text;
      case Long number -> number.toString();
      case null, default -> "";
    };
  }

  /** What is no lane's name is none: sites have words of their own for their customers. */
  private String lane(JWTClaimsSet claims) {
    String lane = config.laneClaim == null ? "" : text(claims.getClaim(config.laneClaim));
    return Lanes.isName(lane) ? lane : "";
  }

  private void log(Reason reason) {
    AtomicLong quiet = Objects.requireNonNull(quietUntil.get(reason));
    long now = nanos.getAsLong();
    long until = quiet.get();
    if (now - until >= 0 && quiet.compareAndSet(until, now + QUIET_NANOS)) {
      log.warn("refused a token of the site: {} (said once a minute)", reason.text);
    }
  }
}
