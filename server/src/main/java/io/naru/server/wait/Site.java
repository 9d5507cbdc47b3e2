package io.naru.server.wait;

import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import java.net.URI;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A site, as far as browsers tell sites apart.
 *
 * @param host in lower case
 */
record Site(String scheme, String host, int port) {

  /** A host with labels; neither an address of the IPv6 kind nor one that ends in a dot. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9_-]+(\\.[a-z0-9_-]+)+");

  /** What browsers take for an IPv4 address: its last part is a number. */
  private static final Pattern NUMBERED = Pattern.compile(".*\\.([0-9]+|0x[0-9a-f]*)");

  /**
   * @param url absolute, checked when it was set
   */
  static Site of(String url) {
    URI uri = URI.create(url);
    String host = Objects.requireNonNullElse(uri.getHost(), uri.getRawAuthority());
    return new Site(uri.getScheme(), host.toLowerCase(Locale.ROOT), uri.getPort());
  }

  boolean isHttps() {
    return scheme.equals("https");
  }

  String origin() {
    return scheme + "://" + host + (port < 0 ? "" : ":" + port);
  }

  /**
   * A cookie for this site that {@code setter} can set: its own, if they are one host; of the
   * domain that they share, if they share one; else none at all, since browsers take none.
   */
  Optional<Cookie> cookie(String name, String value, Site setter) {
    Cookie cookie = ownCookie(name, value, isHttps());
    return host.equals(setter.host)
        ? Optional.of(cookie)
        : sharedDomain(host, setter.host).map(cookie::setDomain);
  }

  /** A cookie of the host that sets it, and of no other. */
  static Cookie ownCookie(String name, String value, boolean isSecure) {
    return Cookie.cookie(name, value)
        .setPath("/")
        .setHttpOnly(true)
        .setSecure(isSecure)
        .setSameSite(CookieSameSite.LAX);
  }

  /**
   * The labels that both end in, and no fewer, so that no more sites than needed get the cookie.
   * Two at least; that {@code co.kr} is nobody's domain is something that browsers know.
   */
  private static Optional<String> sharedDomain(String one, String other) {
    if (!isName(one) || !isName(other)) {
      return Optional.empty();
    }
    String[] a = one.split("\\.", -1);
    String[] b = other.split("\\.", -1);
    int shared = 0;
    while (shared < Math.min(a.length, b.length)
        && a[a.length - 1 - shared].equals(b[b.length - 1 - shared])) {
      shared++;
    }
    return shared < 2
        ? Optional.empty()
        : Optional.of(String.join(".", Arrays.copyOfRange(a, a.length - shared, a.length)));
  }

  private static boolean isName(String host) {
    return NAME.matcher(host).matches() && !NUMBERED.matcher(host).matches();
  }
}
