package io.naru.pass;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The right of one visitor to be inside one queue's site for a while.
 *
 * @param issuer the public URL of the Naru that admitted them ({@code iss})
 * @param audience the site it is for ({@code aud})
 * @param queue the queue's name, such as {@code TIMEDEAL/123}
 * @param user who was admitted ({@code sub})
 * @param id the same for every copy of this pass, and of no other ({@code jti})
 * @param admittedAt in whole seconds, as the token says it ({@code iat} and {@code nbf})
 * @param expiresAt in whole seconds ({@code exp})
 */
public record Pass(
    String issuer,
    String audience,
    String queue,
    String user,
    String id,
    Instant admittedAt,
    Instant expiresAt) {

  /** The {@code typ} of a pass: nothing else that was signed with the same key is taken for one. */
  public static final String TYPE = "naru-pass+jwt";

  /** The cookie in which browsers bring it to the site. */
  public static final String COOKIE = "naru-pass";

  /**
   * The same where waiting page and site have one address over https: browsers take it from that
   * very host only, so no neighbour under the same domain can plant another one.
   */
  public static final String HOST_COOKIE = "__Host-naru-pass";

  /** No pass lives longer, whoever signed it. */
  public static final int MAX_LIFE_SECONDS = 86_400;

  /** Longer tokens are refused unread. */
  public static final int MAX_LENGTH = 4_096;

  public Pass {
    admittedAt = admittedAt.truncatedTo(ChronoUnit.SECONDS);
    expiresAt = expiresAt.truncatedTo(ChronoUnit.SECONDS);
  }

  Map<String, Object> claims() {
    var claims = new LinkedHashMap<String, Object>();
    claims.put("iss", issuer);
    claims.put("aud", audience);
    claims.put("queue", queue);
    claims.put("sub", user);
    claims.put("jti", id);
    claims.put("iat", admittedAt.getEpochSecond());
    claims.put("nbf", admittedAt.getEpochSecond());
    claims.put("exp", expiresAt.getEpochSecond());
    return claims;
  }

  /** The pass that these claims are, every one there and of its type. */
  static Pass of(Map<String, Object> claims) throws Refusal {
    Instant admittedAt = instant(claims, "iat");
    if (!instant(claims, "nbf").equals(admittedAt)) {
      throw new Refusal(Reason.CLAIMS);
    }
    return new Pass(
        text(claims, "iss"),
        text(claims, "aud"),
        text(claims, "queue"),
        text(claims, "sub"),
        text(claims, "jti"),
        admittedAt,
        instant(claims, "exp"));
  }

  static String text(Map<String, Object> claims, String name) throws Refusal {
    if (claims.get(name) instanceof String text && !text.isEmpty()) {
      return text;
    }
    throw new Refusal(Reason.CLAIMS);
  }

  static Instant instant(Map<String, Object> claims, String name) throws Refusal {
    // 1e10 and 10.5 arrive as Double: nothing of ours writes times so.
    if (claims.get(name) instanceof Long seconds && seconds >= 0) {
      try {
        return Instant.ofEpochSecond(seconds);
      } catch (DateTimeException e) {
        throw new Refusal(Reason.CLAIMS);
      }
    }
    throw new Refusal(Reason.CLAIMS);
  }
}
