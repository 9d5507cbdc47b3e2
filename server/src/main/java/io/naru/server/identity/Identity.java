package io.naru.server.identity;

import io.naru.queue.InvalidValue;
import io.naru.queue.Secret;
import io.naru.queue.UserId;
import io.naru.server.http.Exchange;
import io.naru.server.http.Headers;
import io.naru.server.http.Problem;
import io.vertx.core.http.Cookie;
import java.util.Optional;

/**
 * Who is asking. {@code User-Id} counts if the peer is trusted, and is an attack otherwise; without
 * it a visitor is who our signed cookie says.
 */
public final class Identity {

  private static final Problem NOT_TRUSTED =
      Problem.of(
          401,
          "identity-not-trusted",
          "Identity not trusted",
          "User-Id is accepted only from listed proxies; list yours with --trusted-proxies");

  private final TrustedProxies proxies;
  private final VisitorCookie cookie;

  /**
   * @param secureCookie whether visitors come over https
   * @param fromOtherSites whether pages of other sites may ask for their visitors
   */
  public Identity(
      TrustedProxies proxies, Secret secret, boolean secureCookie, boolean fromOtherSites) {
    this.proxies = proxies;
    this.cookie = new VisitorCookie(secret, secureCookie, fromOtherSites);
  }

  /** The user who asks, if they can be told. */
  public Optional<String> userOf(Exchange exchange) {
    Headers headers = exchange.headers();
    if (headers.userIds() > 0) {
      return Optional.of(trustedUserId(exchange, headers));
    }
    Cookie given = exchange.request().getCookie(VisitorCookie.NAME);
    return given == null ? Optional.empty() : Optional.ofNullable(cookie.read(given.getValue()));
  }

  /** The user who asks; somebody new gets an id, and the cookie with it. */
  public String userOrNew(Exchange exchange) {
    return userOf(exchange).orElseGet(() -> welcome(exchange));
  }

  private String welcome(Exchange exchange) {
    String visitor = cookie.newVisitor();
    exchange.response().addCookie(cookie.cookieFor(visitor));
    return visitor;
  }

  private String trustedUserId(Exchange exchange, Headers headers) {
    String user = headers.userId();
    if (headers.userIds() > 1) {
      throw new InvalidValue("User-Id", "one header", "is given more than once");
    }
    if (user == null || !UserId.isValid(user)) {
      throw new InvalidValue("User-Id", UserId.ALLOWED, "is not a valid user id");
    }
    if (!proxies.trust(exchange.request().remoteAddress().hostAddress(), headers)) {
      throw new Problem.Found(NOT_TRUSTED);
    }
    return user;
  }
}
