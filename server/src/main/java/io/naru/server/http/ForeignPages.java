package io.naru.server.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells calls that a page of a foreign origin has made a visitor's browser send, cookie and all.
 * Browsers say where a call comes from, in headers that no page can set. {@code Sec-Fetch-Site} is
 * the better witness: our own pages send no referrer, so the {@code Origin} of their forms is
 * {@code null}. Who says nothing is no browser, or follows a link.
 */
final class ForeignPages {

  private static final CharSequence FETCH_SITE = HttpHeaders.createOptimized("Sec-Fetch-Site");

  private final Cors allowed;
  private final Supplier<String> publicUrl;

  /**
   * @param publicUrl the address that visitors know this server by
   */
  ForeignPages(Cors allowed, Supplier<String> publicUrl) {
    this.allowed = allowed;
    this.publicUrl = publicUrl;
  }

  /** Whether this call comes from a page that may not make it. */
  boolean sent(HttpServerRequest request, Route route) {
    return switch (route.pages()) {
      case ANY -> false;
      case OWN -> isForeign(request);
      case CONSOLE -> isBrowser(request) && !isOwn(request);
      case LINKED -> isForeign(request) && !isFollowedLink(request);
    };
  }

  /**
   * Whether a browser says that one of our own pages makes this call. Silence says nothing, and
   * pages of allowed origins are not ours.
   */
  boolean isOwn(HttpServerRequest request) {
    String site = request.getHeader(FETCH_SITE);
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    return site != null ? site.equals("same-origin") : origin != null && isOurs(origin, request);
  }

  private static boolean isBrowser(HttpServerRequest request) {
    return request.headers().contains(FETCH_SITE) || request.headers().contains(HttpHeaders.ORIGIN);
  }

  private boolean isForeign(HttpServerRequest request) {
    String site = request.getHeader(FETCH_SITE);
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    if (site == null) {
      return origin != null && !isOurs(origin, request) && !allowed.allows(origin);
    }
    boolean isOurs = site.equals("same-origin") || site.equals("none");
    return !isOurs && (origin == null || !isKnown(origin));
  }

  private boolean isKnown(String origin) {
    return allowed.allows(origin) || isPublic(origin);
  }

  private boolean isOurs(String origin, HttpServerRequest request) {
    return isHost(origin, request.getHeader(HttpHeaders.HOST)) || isPublic(origin);
  }

  private boolean isPublic(String origin) {
    return origin.equals(originOf(publicUrl.get()));
  }

  /** Whether that is the origin of the host that was asked; over TLS or not, a proxy knows. */
  private static boolean isHost(String origin, @Nullable String host) {
    int slashes = origin.indexOf("://");
    return slashes > 0 && origin.substring(slashes + 3).equalsIgnoreCase(host);
  }

  /** As browsers write it. */
  private static String originOf(String url) {
    URI uri = URI.create(url);
    boolean isUsual =
        uri.getPort() < 0 || uri.getPort() == ("https".equals(uri.getScheme()) ? 443 : 80);
    return (uri.getScheme() + "://" + uri.getHost() + (isUsual ? "" : ":" + uri.getPort()))
        .toLowerCase(Locale.ROOT);
  }

  /** Somebody goes there and sees it; nothing is loaded behind their back. */
  private static boolean isFollowedLink(HttpServerRequest request) {
    return "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
        && "document".equals(request.getHeader("Sec-Fetch-Dest"));
  }
}
