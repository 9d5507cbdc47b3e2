package io.naru.server.pass;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.naru.pass.Pass;
import io.naru.pass.PassSigner;
import io.naru.pass.PassVerifier;
import io.naru.pass.Verification;
import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Secret;
import io.naru.server.http.Json;
import io.naru.server.http.Problem;
import io.naru.server.keys.SigningKeys;
import io.vertx.core.buffer.Buffer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes and reads passes. A pass says nothing but what the committed admission says, so asking
 * again, here or on another server, gives the same claims. Its id names the very entry, so that
 * reading it needs no look-up table:
 *
 * <pre>
 * base64url( joined 8 bytes | MAC 16 bytes over queue 0 user 0 joined entered )
 * </pre>
 */
public final class Passes {

  private static final Logger log = LoggerFactory.getLogger(Passes.class);

  /** Signing takes some 50 µs, and whoever polls asks for the same pass again and again. */
  private static final int MAX_REMEMBERED = 8_192;

  private static final int MAC_BYTES = 16;
  private static final int ID_BYTES = Long.BYTES + MAC_BYTES;
  private static final int ID_CHARS = ID_BYTES / 3 * 4;

  /**
   * When a turn is over is decided where the truth lives, by the clock there; this only keeps out
   * what was over long ago.
   */
  private static final Duration SKEW = Duration.ofMinutes(5);

  private final SigningKeys keys;
  private final Secret ids;
  private final Supplier<String> issuer;
  private final InstantSource clock;
  private final PassVerifier verifier;
  private final Cache<Made, Signed> remembered =
      Caffeine.newBuilder().maximumSize(MAX_REMEMBERED).build();

  /** All that a pass is made of. */
  private record Made(Entry entry, String audience) {}

  private record Signed(String keyId, String token) {}

  /**
   * @param ids the secret of pass ids alone
   * @param issuer the address of this server as everybody knows it
   */
  public Passes(SigningKeys keys, Secret ids, Supplier<String> issuer, InstantSource clock) {
    this.keys = keys;
    this.ids = ids;
    this.issuer = issuer;
    this.clock = clock;
    this.verifier = new PassVerifier(keys, clock, SKEW, PassVerifier.DEFAULT_REMEMBERED);
  }

  /** The pass of somebody inside. */
  public String of(Place place) {
    var made = new Made(place.entry(), place.line().settings().look().audience());
    Signed signed = remembered.getIfPresent(made);
    if (signed == null || keys.keyRevoked(signed.keyId)) {
      PassSigner signer = keys.signer();
      Pass pass = pass(made);
      signed = new Signed(signer.key().id(), signer.sign(pass));
      remembered.put(made, signed);
      // Most of them come back to complete, and verifying takes longer than signing.
      verifier.rememberOwn(signed.token, signer.key(), pass);
    }
    return signed.token;
  }

  /** For how long it will be good, in whole seconds, as it says itself; never less than one. */
  public long secondsLeft(Place place) {
    long end = Micros.toInstant(place.entry().until()).getEpochSecond();
    return Math.max(1, end - clock.instant().getEpochSecond());
  }

  /** The address by which everybody knows this server. */
  public String issuer() {
    return issuer.get();
  }

  private Pass pass(Made made) {
    Entry entry = made.entry;
    EntryKey key = entry.key();
    String queue = key.queue().toString();
    // A clock that went back may have cut the stay to before its beginning.
    long from = Math.min(entry.entered(), entry.until());
    return new Pass(
        issuer.get(),
        made.audience.isEmpty() ? queue : made.audience,
        queue,
        key.user(),
        idOf(entry),
        Micros.toInstant(from),
        endOf(entry));
  }

  /** The id of somebody's pass, which is the same whenever it is made. */
  public String idOf(Entry entry) {
    EntryKey key = entry.key();
    byte[] queue = key.queue().toString().getBytes(US_ASCII);
    byte[] user = key.user().getBytes(US_ASCII);
    ByteBuffer named = ByteBuffer.allocate(queue.length + 1 + user.length + 1 + 2 * Long.BYTES);
    named.put(queue).put((byte) 0).put(user).put((byte) 0);
    named.putLong(key.joined()).putLong(entry.entered());
    ByteBuffer id = ByteBuffer.allocate(ID_BYTES).putLong(key.joined());
    id.put(ids.mac(named.array(), named.position()), 0, MAC_BYTES);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(id.array());
  }

  /** When the pass of this entry ends. */
  static Instant endOf(Entry entry) {
    return Micros.toInstant(entry.until());
  }

  /** The entry that a pass of ours for this queue is for; empty if it is none. */
  public Optional<EntryKey> read(String token, QueueId queue) {
    return switch (verifier.verifyOwn(token, queue.toString())) {
      case Verification.Verified(var pass) ->
          Optional.of(new EntryKey(queue, pass.user(), joinedOf(pass.id())));
      case Verification.Refused(var reason, var passId) -> {
        log.debug("pass {} for {} is refused: {}", passId, queue, reason.text());
        yield Optional.empty();
      }
    };
  }

  /**
   * The pass that a token is, if it counts for this queue here and now; empty if it does not. As a
   * gate sees it, but for whether the turn is over.
   */
  public Optional<Pass> current(String token, QueueId queue) {
    Instant now = clock.instant();
    return verifier.verifyOwn(token, queue.toString()) instanceof Verification.Verified(var pass)
            && now.isBefore(pass.expiresAt().plus(PassVerifier.DEFAULT_SKEW))
            && !pass.admittedAt().minus(PassVerifier.DEFAULT_SKEW).isAfter(now)
        ? Optional.of(pass)
        : Optional.empty();
  }

  private static long joinedOf(String id) {
    return ByteBuffer.wrap(Base64.getUrlDecoder().decode(id)).getLong();
  }

  /**
   * When the entry joined that this would be the pass id of, or the pass; empty if it can be
   * neither. Nothing is verified: whether it is, {@link #idOf} that entry says.
   */
  public static Optional<Named> named(String text) {
    String id = text.indexOf('.') < 0 ? text : idIn(text);
    try {
      return id.length() == ID_CHARS ? Optional.of(new Named(id, joinedOf(id))) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** A pass id, and when the entry joined that it names. */
  public record Named(String id, long joined) {}

  private static String idIn(String token) {
    String[] parts = token.split("\\.", -1);
    try {
      byte[] claims = Base64.getUrlDecoder().decode(parts.length == 3 ? parts[1] : "");
      return Json.read(Buffer.buffer(claims)).get("jti") instanceof String id ? id : "";
    } catch (IllegalArgumentException | Problem.Found e) {
      return "";
    }
  }
}
