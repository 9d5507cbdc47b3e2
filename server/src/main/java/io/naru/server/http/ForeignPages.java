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
    return route.pages() != Route.Pages.ANY
        && isForeign(request)
        && !(route.pages() == Route.Pages.LINKED && isFollowedLink(request));
  }

  private boolean isForeign(HttpServerRequest request) {
    String site = request.getHeader(FETCH_SITE);
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    if (site == null) {
      return origin != null
          && !isHost(origin, request.getHeader(HttpHeaders.HOST))
          && !isKnown(origin);
    }
    boolean isOurs = site.equals("same-origin") || site.equals("none");
    return !isOurs && (origin == null || !isKnown(origin));
  }

  private boolean isKnown(String origin) {
    return allowed.allows(origin) || origin.equals(originOf(publicUrl.get()));
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
