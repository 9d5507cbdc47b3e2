package io.naru.server.identity;

import io.naru.queue.InvalidValue;
import io.naru.server.http.Exchange;
import java.util.List;

/**
 * Whether waiting page and site have one address, and how visitors come to it. A gateway serves
 * both, and so may any proxy that sends {@code /wait/} and {@code /queue/} to us and everything
 * else to the site: it says so in a header. Who is admitted then goes on to a path of that very
 * address, and their pass is a cookie of nobody else.
 */
public enum OneAddress {
  /** The site is elsewhere: where the queue's {@code targetUrl} says. */
  NONE,
  HTTP,
  HTTPS;

  /** In which a listed proxy says it. From anybody else it says nothing. */
  public static final String HEADER = "Naru-Site";

  /** No name of a host is longer; what is longer is nobody's address. */
  private static final int MAX_HOST = 255;

  static OneAddress of(Exchange exchange, TrustedProxies proxies) {
    List<String> given = exchange.request().headers().getAll(HEADER);
    if (given.isEmpty() || !proxies.include(exchange.request().remoteAddress().hostAddress())) {
      return NONE;
    }
    return switch (given.size() == 1 ? given.getFirst() : "") {
      case "http" -> HTTP;
      case "https" -> HTTPS;
      default ->
          throw new InvalidValue(
              HEADER,
              "http or https, once",
              "must be the scheme by which visitors come to page and site");
    };
  }

  public boolean isThere() {
    return this != NONE;
  }

  public boolean isHttps() {
    return this == HTTPS;
  }

  /**
   * That address, as the visitor's browser has it.
   *
   * @param otherwise where the site is elsewhere, or no address is that long
   */
  public String origin(Exchange exchange, String otherwise) {
    var authority = exchange.request().authority();
    if (!isThere() || authority == null || authority.toString().length() > MAX_HOST) {
      return otherwise;
    }
    return (isHttps() ? "https://" : "http://") + authority;
  }
}
