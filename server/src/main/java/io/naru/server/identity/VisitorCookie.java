package io.naru.server.identity;

import io.naru.queue.Secret;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A visitor without any other identity: a random id, signed, in a cookie that scripts cannot read.
 *
 * <pre>naru=visitor-&lt;128 random bits&gt;.&lt;128-bit MAC&gt;</pre>
 */
final class VisitorCookie {

  static final String NAME = "naru";

  /** Of every id that we give, and of no other. */
  static final String PREFIX = "visitor-";

  private static final long MAX_AGE_SECONDS = 30L * 24 * 3_600;
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

  private final SecureRandom random = new SecureRandom();
  private final Secret secret;
  private final Secret wordsSecret;
  private final boolean secure;
  private final boolean fromOtherSites;

  /**
   * @param secure whether visitors come over https, so that the cookie must too
   * @param fromOtherSites whether it must come along when a page of another site asks; browsers
   *     allow that over https only
   */
  VisitorCookie(Secret secret, boolean secure, boolean fromOtherSites) {
    this.secret = secret;
    this.wordsSecret = secret.derive("words");
    this.secure = secure;
    this.fromOtherSites = fromOtherSites;
  }

  static boolean isVisitor(String user) {
    return user.startsWith(PREFIX);
  }

  String newVisitor() {
    byte[] bytes = new byte[16];
    random.nextBytes(bytes);
    return PREFIX + ENCODER.encodeToString(bytes);
  }

  /** The same one for the same words, which nobody else can tell from any other. */
  String newVisitor(String words) {
    byte[] bytes = words.getBytes(StandardCharsets.UTF_8);
    byte[] mac = wordsSecret.mac(bytes, bytes.length);
    return PREFIX + ENCODER.encodeToString(Arrays.copyOf(mac, 16));
  }

  Cookie cookieFor(String visitor, OneAddress address) {
    boolean isSecure = secure || address.isHttps();
    return Cookie.cookie(NAME, visitor + "." + signature(visitor))
        .setPath("/")
        .setHttpOnly(true)
        .setSecure(isSecure)
        .setSameSite(isSecure && fromOtherSites ? CookieSameSite.NONE : CookieSameSite.LAX)
        .setMaxAge(MAX_AGE_SECONDS);
  }

  /** The visitor that a cookie names; null if it is not one of ours. */
  @Nullable String read(String value) {
    int dot = value.lastIndexOf('.');
    if (dot < 0 || !value.startsWith(PREFIX)) {
      return null;
    }
    String visitor = value.substring(0, dot);
    byte[] given = value.substring(dot + 1).getBytes(StandardCharsets.US_ASCII);
    byte[] expected = signature(visitor).getBytes(StandardCharsets.US_ASCII);
    return java.security.MessageDigest.isEqual(expected, given) ? visitor : null;
  }

  private String signature(String visitor) {
    byte[] bytes = visitor.getBytes(StandardCharsets.US_ASCII);
    return ENCODER.encodeToString(Arrays.copyOf(secret.mac(bytes, bytes.length), 16));
  }
}
