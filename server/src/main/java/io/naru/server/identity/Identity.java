package io.naru.server.identity;

import io.naru.queue.EntryKey;
import io.naru.queue.EntryTokens;
import io.naru.queue.InvalidValue;
import io.naru.queue.Lanes;
import io.naru.queue.Secret;
import io.naru.queue.UserId;
import io.naru.server.http.Exchange;
import io.naru.server.http.Headers;
import io.naru.server.http.Problem;
import io.naru.server.limits.AddressLimits;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Who is asking: who a token of the site says, where it signs such tokens; else who a proxy says,
 * where there is a header for it, which counts from a listed proxy and is an attack from anybody
 * else; else who our own signed cookie says.
 */
public final class Identity {

  /** The same for every reason: what exactly was wrong is for our log, not for who tries things. */
  private static final Problem TOKEN_REFUSED =
      Problem.of(
          401,
          "identity-not-trusted",
          "Identity not trusted",
          "the token of the site does not count here: sign in there again");

  /** The entry token of a place that the site's cookie was good for; of one queue's page alone. */
  private static final String PLACE = "naru-place";

  private static final long PLACE_SECONDS = 24L * 3_600;

  private static final String NAME_ALLOWED =
      UserId.ALLOWED + ", which do not begin with " + VisitorCookie.PREFIX;

  private final TrustedProxies proxies;
  private final @Nullable SiteTokens site;
  private final @Nullable UserHeader header;
  private final VisitorCookie cookie;
  private final EntryTokens tokens;
  private final boolean isSecure;
  private final AddressLimits limits;

  /**
   * @param site the tokens in which the site names the visitor; null if it does not
   * @param header in which listed proxies name the visitor; null if none does
   * @param secureCookie whether visitors come over https
   * @param fromOtherSites whether pages of other sites may ask for their visitors
   */
  public Identity(
      TrustedProxies proxies,
      @Nullable SiteTokens site,
      @Nullable UserHeader header,
      Secret secret,
      EntryTokens tokens,
      boolean secureCookie,
      boolean fromOtherSites,
      AddressLimits limits) {
    this.proxies = proxies;
    this.site = site;
    this.header = header;
    this.cookie = new VisitorCookie(secret, secureCookie, fromOtherSites);
    this.tokens = tokens;
    this.isSecure = secureCookie;
    this.limits = limits;
  }

  /** Whether a user is a visitor whom nobody but our own cookie names. */
  public static boolean isOurs(String user) {
    return VisitorCookie.isVisitor(user);
  }

  /**
   * Whether the site names who asks, itself or by its proxy.
   *
   * @throws Problem.Found if its token does not count
   */
  public boolean isNamed(Exchange exchange) {
    return bySite(exchange) != null || isInHeader(exchange);
  }

  private boolean isInHeader(Exchange exchange) {
    return header != null && exchange.headers().userIds() > 0;
  }

  /**
   * Has a browser keep the place of somebody whom the site's cookie names: that may run out while
   * they wait, and the page that sends them on has nothing else to know them by.
   */
  public void keepPlace(Exchange exchange, EntryKey entry) {
    if (site != null && inCookie(exchange, site.cookie()) != null && bySite(exchange) != null) {
      exchange
          .response()
          .addCookie(
              Cookie.cookie(PLACE, tokens.tokenOf(entry))
                  .setPath("/wait/" + entry.queue())
                  .setHttpOnly(true)
                  .setSecure(isSecure || oneAddress(exchange).isHttps())
                  .setSameSite(CookieSameSite.LAX)
                  .setMaxAge(PLACE_SECONDS));
    }
  }

  /**
   * The place of this queue that a browser was given to keep, if it may be theirs who asks: it is
   * for whose login has run out, and on a computer that people share another account may be signed
   * in by now.
   */
  public Optional<EntryKey> keptPlace(Exchange exchange) {
    String token = site == null ? null : inCookie(exchange, PLACE);
    return token == null
        ? Optional.empty()
        : tokens
            .read(token)
            .filter(entry -> entry.queue().equals(exchange.queue()))
            .filter(entry -> !isNamed(exchange) || isOf(entry, exchange));
  }

  private boolean isOf(EntryKey entry, Exchange exchange) {
    return userOf(exchange).filter(entry.user()::equals).isPresent();
  }

  /** The entry token that is shown as bearer; null if there is none, or one of the site's. */
  public @Nullable String entryToken(Exchange exchange) {
    String bearer = exchange.bearer();
    return bearer == null || isOfSite(bearer) ? null : bearer;
  }

  /** Entry tokens have no dots, and a JWT has two. */
  private boolean isOfSite(String bearer) {
    return site != null && bearer.indexOf('.') >= 0;
  }

  private SiteTokens.@Nullable Named bySite(Exchange exchange) {
    if (site == null) {
      return null;
    }
    String bearer = exchange.bearer();
    boolean isBearer = bearer != null && isOfSite(bearer);
    String token = isBearer ? bearer : inCookie(exchange, site.cookie());
    if (token == null) {
      return null;
    }
    return switch (site.read(token, exchange.queue())) {
      case SiteTokens.Named named -> named;
      // A login that ran out leaves its cookie behind: whoever brings it has signed out.
      case SiteTokens.Refused(var reason) when !isBearer && reason == SiteTokens.Reason.EXPIRED ->
          null;
      case SiteTokens.Refused _ -> throw new Problem.Found(TOKEN_REFUSED);
    };
  }

  private static @Nullable String inCookie(Exchange exchange, @Nullable String name) {
    Cookie cookie = name == null ? null : exchange.request().getCookie(name);
    return cookie == null || cookie.getValue().isEmpty() ? null : cookie.getValue();
  }

  /** Whether the page has the address of the site. */
  public OneAddress oneAddress(Exchange exchange) {
    return OneAddress.of(exchange, proxies);
  }

  /** The user who asks, if they can be told. */
  public Optional<String> userOf(Exchange exchange) {
    SiteTokens.Named named = bySite(exchange);
    if (named != null) {
      return Optional.of(named.user());
    }
    if (header != null && isInHeader(exchange)) {
      return Optional.of(named(exchange, header, exchange.headers()));
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
   * The same; but somebody new who says the same words again is the same one, also if the first
   * answer was lost, and the cookie with it.
   *
   * @param words that nobody else can know
   * @throws Problem.Found if too many new ones come from there
   */
  public String userOrNew(Exchange exchange, String words) {
    return userOf(exchange)
        .orElseGet(
            () -> {
              limits.newcomer(exchange);
              return welcome(exchange, cookie.newVisitor(words));
            });
  }

  /**
   * The lane that the site gives whoever asks, in its token or by a listed proxy; empty for none.
   *
   * @throws Problem.Found if somebody else says so
   */
  public String laneOf(Exchange exchange) {
    SiteTokens.Named named = bySite(exchange);
    if (named != null) {
      return named.lane();
    }
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
    return welcome(exchange, cookie.newVisitor());
  }

  private String welcome(Exchange exchange, String visitor) {
    exchange.response().addCookie(cookie.cookieFor(visitor, oneAddress(exchange)));
    return visitor;
  }

  private String named(Exchange exchange, UserHeader header, Headers headers) {
    String user = headers.userId();
    if (headers.userIds() > 1) {
      throw new InvalidValue(header.name(), "one header", "is given more than once");
    }
    // Names of our own are for those whom nobody else names: they may do what these may not.
    if (user == null || !UserId.isValid(user) || isOurs(user)) {
      throw new InvalidValue(header.name(), NAME_ALLOWED, "is not a valid user id");
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
