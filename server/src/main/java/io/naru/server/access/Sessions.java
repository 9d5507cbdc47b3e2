package io.naru.server.access;

import io.naru.access.AccessKey;
import io.naru.access.AccessKeys.Kept;
import io.naru.queue.Micros;
import io.naru.queue.Secret;
import io.naru.server.http.Exchange;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Sessions of the console: a cookie that names a key and an end, signed. Nothing is kept of it;
 * whoever comes with one is asked for the key each time, so a session ends with its key.
 *
 * <pre>__Host-naru-console=&lt;key&gt;.&lt;end&gt;.&lt;256-bit MAC&gt;</pre>
 */
public final class Sessions {

  static final String SECURE_NAME = "__Host-naru-console";

  /** Where there is no https, browsers take no cookie that is secure. */
  static final String PLAIN_NAME = "naru-console";

  private static final long LENGTH = 12 * 3_600 * Micros.PER_SECOND;

  private final Secret secret;
  private final AccessKeyring keys;
  private final boolean isHttps;

  /**
   * @param expiresAt in microseconds
   */
  record Session(Kept kept, long expiresAt) {

    AccessKey key() {
      return kept.key();
    }
  }

  /**
   * @param isHttps whether this server is known by an address with https
   */
  public Sessions(Secret secret, AccessKeyring keys, boolean isHttps) {
    this.secret = secret;
    this.keys = keys;
    this.isHttps = isHttps;
  }

  Session begin(Exchange exchange, Kept kept) {
    long now = keys.now();
    long end = now + LENGTH;
    long expires = kept.key().expiresAt();
    var session = new Session(kept, expires == 0 ? end : Math.min(end, expires));
    String value = kept.key().id() + "." + session.expiresAt;
    exchange
        .response()
        .addCookie(
            cookie(isSecure(exchange), value + "." + mac(value, kept))
                .setMaxAge((session.expiresAt - now) / Micros.PER_SECOND));
    return session;
  }

  void end(Exchange exchange) {
    exchange.response().addCookie(cookie(isSecure(exchange), "").setMaxAge(0));
  }

  /** The session that a request comes with; null if there is none, or it is over. */
  @Nullable Session of(Exchange exchange) {
    Cookie cookie = exchange.request().getCookie(SECURE_NAME);
    if (cookie == null && !isHttps) {
      cookie = exchange.request().getCookie(PLAIN_NAME);
    }
    return cookie == null ? null : read(cookie.getValue());
  }

  private @Nullable Session read(String cookie) {
    String[] parts = cookie.split("\\.", -1);
    // Longer than any time to come; nothing else is read before it is known to be ours.
    if (parts.length != 3 || !parts[1].matches("[0-9]{1,18}")) {
      return null;
    }
    Kept kept = keys.withId(parts[0]);
    if (kept == null) {
      return null;
    }
    byte[] expected = bytes(mac(parts[0] + "." + parts[1], kept));
    var session = new Session(kept, Long.parseLong(parts[1]));
    return MessageDigest.isEqual(expected, bytes(parts[2])) && keys.now() < session.expiresAt
        ? session
        : null;
  }

  /** With the key's digest: another admin key does not take over the sessions of the one before. */
  private String mac(String value, Kept kept) {
    byte[] signed = bytes(value + "." + kept.digest());
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(secret.mac(signed, signed.length));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Unless the page that asks was not loaded over https, which its browser says. */
  private boolean isSecure(Exchange exchange) {
    String origin = exchange.request().getHeader(HttpHeaders.ORIGIN);
    return isHttps || origin == null || !origin.startsWith("http://");
  }

  private static Cookie cookie(boolean isSecure, String value) {
    return Cookie.cookie(isSecure ? SECURE_NAME : PLAIN_NAME, value)
        .setPath("/")
        .setHttpOnly(true)
        .setSecure(isSecure)
        .setSameSite(CookieSameSite.STRICT);
  }
}
