package io.naru.server.identity;

import io.naru.queue.InvalidValue;
import io.naru.queue.Lanes;
import io.naru.queue.Secret;
import io.naru.queue.UserId;
import io.naru.server.http.Exchange;
import io.naru.server.http.Headers;
import io.naru.server.http.Problem;
import io.naru.server.limits.AddressLimits;
import io.vertx.core.http.Cookie;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who is asking: who our signed cookie says. Where there is a header in which proxies name the
 * visitor, that comes first; it counts from a listed proxy, and is an attack from anybody else.
 */
public final class Identity {

  private final TrustedProxies proxies;
  private final @Nullable UserHeader header;
  private final VisitorCookie cookie;
  private final AddressLimits limits;

  /**
   * @param header in which listed proxies name the visitor; null if none does
   * @param secureCookie whether visitors come over https
   * @param fromOtherSites whether pages of other sites may ask for their visitors
   */
  public Identity(
      TrustedProxies proxies,
      @Nullable UserHeader header,
      Secret secret,
      boolean secureCookie,
      boolean fromOtherSites,
      AddressLimits limits) {
    this.proxies = proxies;
    this.header = header;
    this.cookie = new VisitorCookie(secret, secureCookie, fromOtherSites);
    this.limits = limits;
  }

  /** Whether a user is a visitor whom nobody but our own cookie names. */
  public static boolean isOurs(String user) {
    return VisitorCookie.isVisitor(user);
  }

  /** Whether a proxy names who asks. */
  public boolean isNamed(Exchange exchange) {
    return header != null && exchange.headers().userIds() > 0;
  }

  /** Whether the page has the address of the site. */
  public OneAddress oneAddress(Exchange exchange) {
    return OneAddress.of(exchange, proxies);
  }

  /** The user who asks, if they can be told. */
  public Optional<String> userOf(Exchange exchange) {
    Headers headers = exchange.headers();
    if (header != null && isNamed(exchange)) {
      return Optional.of(named(exchange, header, headers));
    }
    Cookie given = exchange.request().getCookie(VisitorCookie.NAME);
    return given == null ? Optional.empty() : Optional.ofNullable(cookie.read(given.getValue()));
  }

  /**
   * The user who asks; somebody new gets an id, and the cookie with it.
   *
   * @throws Problem.Found if too many new ones come from there
   */
  public String userOrNew(Exchange exchange) {
    return userOf(exchange)
        .orElseGet(
            () -> {
              limits.newcomer(exchange);
              return welcome(exchange);
            });
  }

  /**
   * The lane that a listed proxy gives whoever asks; empty if none does.
   *
   * @throws Problem.Found if somebody else says so
   */
  public String laneOf(Exchange exchange) {
    List<String> given =
        header == null ? List.of() : exchange.request().headers().getAll(UserHeader.LANE);
    if (given.isEmpty()) {
      return "";
    }
    requireProxy(exchange, UserHeader.LANE);
    if (given.size() > 1) {
      throw new InvalidValue(UserHeader.LANE, "one header", "is given more than once");
    }
    if (!Lanes.isName(given.getFirst())) {
      throw new InvalidValue(UserHeader.LANE, Lanes.NAME_ALLOWED, "is not a name of a lane");
    }
    return given.getFirst();
  }

  /** Gives somebody new an id, and the cookie with it, however many come. */
  public String welcome(Exchange exchange) {
    String visitor = cookie.newVisitor();
    exchange.response().addCookie(cookie.cookieFor(visitor, oneAddress(exchange)));
    return visitor;
  }

  private String named(Exchange exchange, UserHeader header, Headers headers) {
    String user = headers.userId();
    if (headers.userIds() > 1) {
      throw new InvalidValue(header.name(), "one header", "is given more than once");
    }
    if (user == null || !UserId.isValid(user)) {
      throw new InvalidValue(header.name(), UserId.ALLOWED, "is not a valid user id");
    }
    requireProxy(exchange, header.name());
    return user;
  }

  private void requireProxy(Exchange exchange, String name) {
    if (!proxies.include(exchange.request().remoteAddress().hostAddress())) {
      throw new Problem.Found(
          Problem.of(
              401,
              "identity-not-trusted",
              "Identity not trusted",
              name + " is accepted only from the proxies listed in --trusted-proxies"));
    }
  }
}
