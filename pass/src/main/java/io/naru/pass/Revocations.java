package io.naru.pass;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The list of what was signed and counts no more. Gates ask for it every few seconds, so it is
 * small; it is signed, so that nobody on the way can make it shorter. It also names the key that
 * will sign next, so that gates fetch that key before they need it, however often keys change.
 *
 * @param issuer the public URL of the Naru it comes from
 * @param issuedAt in whole seconds; a list counts as news for {@link #LIFE_SECONDS}
 * @param nextKeyId the key that signs after the one in use
 * @param keyIds revoked keys
 * @param passIds revoked passes that have not expired yet
 */
public record Revocations(
    String issuer, Instant issuedAt, String nextKeyId, Set<String> keyIds, Set<String> passIds) {

  /** The {@code typ} of the list. */
  public static final String TYPE = "naru-revocations+jwt";

  public static final int LIFE_SECONDS = 60;

  /** More than this is refused unread; the bounds on ids keep well below it. */
  public static final int MAX_LENGTH = 65_536;

  public static final int MAX_KEY_IDS = 100;
  public static final int MAX_PASS_IDS = 1_000;

  public Revocations {
    issuedAt = issuedAt.truncatedTo(ChronoUnit.SECONDS);
    keyIds = Set.copyOf(keyIds);
    passIds = Set.copyOf(passIds);
    if (keyIds.size() > MAX_KEY_IDS || passIds.size() > MAX_PASS_IDS) {
      throw new IllegalArgumentException(
          "at most %s keys and %s passes can be revoked at a time, not %s and %s"
              .formatted(MAX_KEY_IDS, MAX_PASS_IDS, keyIds.size(), passIds.size()));
    }
  }

  /** What is revoked by this list and one that came after it: an older one only adds to it. */
  public Revocations and(Revocations next) {
    if (!next.issuedAt.isBefore(issuedAt)) {
      return next;
    }
    return new Revocations(
        issuer, issuedAt, next.nextKeyId, both(keyIds, next.keyIds), both(passIds, next.passIds));
  }

  private static Set<String> both(Set<String> some, Set<String> more) {
    var all = new LinkedHashSet<>(some);
    all.addAll(more);
    return all;
  }

  /** What came of looking at a list. */
  public sealed interface Checked {
    record Valid(Revocations revocations) implements Checked {}

    record Refused(Reason reason) implements Checked {}
  }

  /** The list as a token. */
  public String sign(PassKey key) {
    var claims = published(issuer, issuedAt);
    claims.put("next", nextKeyId);
    claims.put("kids", List.copyOf(keyIds));
    claims.put("jtis", List.copyOf(passIds));
    return Jws.sign(key, TYPE, claims);
  }

  /** What everything says that is published for gates: who says it, and for how long it is news. */
  static Map<String, Object> published(String issuer, Instant issuedAt) {
    var claims = new LinkedHashMap<String, Object>();
    claims.put("iss", issuer);
    claims.put("iat", issuedAt.getEpochSecond());
    claims.put("exp", issuedAt.getEpochSecond() + LIFE_SECONDS);
    return claims;
  }

  /** When it was issued, by the right one and not long ago. */
  static Instant checkPublished(Map<String, Object> claims, String issuer, Instant now)
      throws Refusal {
    if (!Pass.text(claims, "iss").equals(issuer)) {
      throw new Refusal(Reason.ISSUER);
    }
    if (!now.isBefore(Pass.instant(claims, "exp").plus(PassVerifier.DEFAULT_SKEW))) {
      throw new Refusal(Reason.EXPIRED);
    }
    Instant issuedAt = Pass.instant(claims, "iat");
    if (issuedAt.minus(PassVerifier.DEFAULT_SKEW).isAfter(now)) {
      // One from the future would keep all real ones out for being older.
      throw new Refusal(Reason.NOT_YET_VALID);
    }
    return issuedAt;
  }

  /** Reads a list that came from somewhere. Its age is for the caller to judge, who has others. */
  public static Checked verify(String token, KeySource keys, String issuer, Instant now) {
    try {
      Map<String, Object> claims = Jws.open(token, MAX_LENGTH, TYPE, keys).claims();
      Instant issuedAt = checkPublished(claims, issuer, now);
      return new Checked.Valid(
          new Revocations(
              issuer,
              issuedAt,
              Pass.text(claims, "next"),
              ids(claims, "kids"),
              ids(claims, "jtis")));
    } catch (Refusal refusal) {
      return new Checked.Refused(refusal.reason());
    } catch (RuntimeException | StackOverflowError e) {
      return new Checked.Refused(Reason.ERROR);
    }
  }

  private static Set<String> ids(Map<String, Object> claims, String name) throws Refusal {
    if (!(claims.get(name) instanceof List<?> list)) {
      throw new Refusal(Reason.CLAIMS);
    }
    var ids = new LinkedHashSet<String>();
    for (Object id : list) {
      if (!(id instanceof String text)) {
        throw new Refusal(Reason.CLAIMS);
      }
      ids.add(text);
    }
    return ids;
  }
}
