package io.naru.pass;

import io.naru.pass.Verification.Refused;
import io.naru.pass.Verification.Verified;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Decides whether a token is a pass that is valid here and now. Everything is pinned: algorithm by
 * the key, key by the key source, type, issuer, audience and queue by configuration. Whatever goes
 * wrong refuses. May be used by many threads.
 *
 * <p>The signature of a token that was good once is not computed again; all the rest is looked at
 * each time, since clocks go on and passes and keys are revoked.
 */
public final class PassVerifier {

  /** How far clocks may be apart. */
  public static final Duration DEFAULT_SKEW = Duration.ofSeconds(5);

  /** How many good tokens are remembered: about 1 kB each. */
  public static final int DEFAULT_REMEMBERED = 16_384;

  private static final Duration MAX_SKEW = Duration.ofMinutes(5);

  private final KeySource keys;
  private final InstantSource clock;
  private final Duration skew;
  private final Remembered remembered;

  /** A pass whose signature was good. */
  record Signed(String keyId, Pass pass) {}

  public PassVerifier(KeySource keys, InstantSource clock) {
    this(keys, clock, DEFAULT_SKEW, DEFAULT_REMEMBERED);
  }

  /**
   * @param skew 0 s..5 min
   * @param rememberedTokens 0 and more
   */
  public PassVerifier(KeySource keys, InstantSource clock, Duration skew, int rememberedTokens) {
    if (skew.isNegative() || skew.compareTo(MAX_SKEW) > 0) {
      throw new IllegalArgumentException("clock skew must be 0 s..5 min, is " + skew);
    }
    this.keys = keys;
    this.clock = clock;
    this.skew = skew;
    this.remembered = new Remembered(rememberedTokens);
  }

  /** Looks at a token that somebody sent. */
  public Verification verify(String token, Expected expected) {
    return verify(token, pass -> check(pass, expected));
  }

  /**
   * Looks at a token as the one who issued it: that the key is ours is proof enough. A Naru may
   * have had several addresses, and its passes are for several sites.
   */
  public Verification verifyOwn(String token, String queue) {
    return verify(token, pass -> require(pass.queue().equals(queue), Reason.QUEUE));
  }

  /**
   * Spares a token the verification of its signature, for whoever has just signed it. All the rest
   * is looked at as ever.
   */
  public void rememberOwn(String token, PassKey key, Pass pass) {
    remembered.put(token, new Signed(key.id(), pass));
  }

  /** What a pass must say. */
  private interface Claims {
    void check(Pass pass) throws Refusal;
  }

  private Verification verify(String token, Claims claims) {
    String passId = null;
    try {
      Signed signed = remembered.get(token);
      if (signed == null) {
        signed = open(token);
        passId = signed.pass().id();
        check(signed.pass(), claims);
        remembered.put(token, signed);
      } else {
        passId = signed.pass().id();
        checkKey(signed.keyId());
        check(signed.pass(), claims);
      }
      return new Verified(signed.pass());
    } catch (Refusal refusal) {
      return new Refused(refusal.reason(), passId);
    } catch (RuntimeException | StackOverflowError e) {
      // Fails closed: a visitor who waits again costs less than one who never waited.
      return new Refused(Reason.ERROR, passId);
    }
  }

  private Signed open(String token) throws Refusal {
    Jws.Opened opened = Jws.open(token, Pass.MAX_LENGTH, Pass.TYPE, keys);
    return new Signed(opened.keyId(), Pass.of(opened.claims()));
  }

  private void checkKey(String keyId) throws Refusal {
    if (!keys.ready()) {
      throw new Refusal(Reason.NO_KEYS);
    }
    if (keys.keyRevoked(keyId)) {
      throw new Refusal(Reason.REVOKED_KEY);
    }
    if (keys.find(keyId) == null) {
      throw new Refusal(Reason.UNKNOWN_KEY);
    }
  }

  private static void check(Pass pass, Expected expected) throws Refusal {
    require(pass.issuer().equals(expected.issuer()), Reason.ISSUER);
    require(pass.audience().equals(expected.audience()), Reason.AUDIENCE);
    require(pass.queue().equals(expected.queue()), Reason.QUEUE);
  }

  private void check(Pass pass, Claims claims) throws Refusal {
    claims.check(pass);
    Instant now = clock.instant();
    Duration life = Duration.between(pass.admittedAt(), pass.expiresAt());
    require(life.minus(skew).toSeconds() <= Pass.MAX_LIFE_SECONDS, Reason.LIFE);
    require(!pass.admittedAt().minus(skew).isAfter(now), Reason.NOT_YET_VALID);
    require(now.isBefore(pass.expiresAt().plus(skew)), Reason.EXPIRED);
    require(!keys.passRevoked(pass.id()), Reason.REVOKED_PASS);
    Reason refusal = keys.refusal(pass);
    if (refusal != null) {
      throw new Refusal(refusal);
    }
  }

  private static void require(boolean fulfilled, Reason otherwise) throws Refusal {
    if (!fulfilled) {
      throw new Refusal(otherwise);
    }
  }
}
