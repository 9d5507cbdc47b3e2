package io.naru.server.http;

import io.naru.queue.InvalidValue;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.net.URI;
import java.util.Arrays;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which other sites' pages may use the public API in a visitor's browser. */
public final class Cors {

  public static final Cors NONE = new Cors(Set.of());

  private static final String ALLOWED = "a comma-separated list like https://shop.example";
  private static final String DAY_SECONDS = "86400";

  private final Set<String> origins;

  private Cors(Set<String> origins) {
    this.origins = origins;
  }

  public static Cors parse(String origins) {
    return new Cors(
        Arrays.stream(origins.split(",", -1))
            .map(String::strip)
            .map(Cors::origin)
            .collect(Collectors.toUnmodifiableSet()));
  }

  /** As browsers send it: scheme, host, port if it is not the usual one, and nothing else. */
  private static String origin(String text) {
    try {
      URI uri = URI.create(text);
      boolean isWeb = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (isWeb && uri.getHost() != null) {
        String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
        if (text.equals(uri.getScheme() + "://" + uri.getHost() + port)) {
          return text;
        }
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new InvalidValue("allowed-origins", ALLOWED, "has an entry that is no origin: " + text);
  }

  public boolean isAnybody() {
    return !origins.isEmpty();
  }

  boolean allows(@Nullable String origin) {
    return origin != null && origins.contains(origin);
  }

  /** Lets the page of this origin read the answer, which is not the same for all pages then. */
  void admit(HttpServerResponse response, String origin) {
    if (!allows(origin)) {
      return;
    }
    response.putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    response.putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_CREDENTIALS, "true");
    response.putHeader(
        HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, "Retry-After, Date, X-Request-Id");
    response.putHeader(HttpHeaders.VARY, "Origin");
  }

  /** Says what a page may send here. */
  static void preflight(HttpServerResponse response, SortedSet<String> methods) {
    response.putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_METHODS, String.join(", ", methods));
    response.putHeader(
        HttpHeaders.ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, Content-Type, Last-Event-ID");
    response.putHeader(HttpHeaders.ACCESS_CONTROL_MAX_AGE, DAY_SECONDS);
    response.setStatusCode(204);
    var _ = response.end();
  }
}
