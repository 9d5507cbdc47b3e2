package io.naru.server.wait;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.pass.Pass;
import io.naru.queue.Entry;
import io.naru.queue.Place;
import io.naru.server.content.Content;
import io.naru.server.http.Exchange;
import io.naru.server.identity.OneAddress;
import io.naru.server.pass.Passes;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import java.util.Optional;

/**
 * Sends the admitted on to the site behind, with their pass in a cookie: an address is logged, sent
 * on and bookmarked.
 *
 * <p>A site that does not take the pass sends them back here, and they would be sent on again, for
 * ever. So a second cookie says for some seconds who was sent on: whoever comes back with it is
 * told, and sent on only if they want to try again. (Of two tabs that wait the second is sent on as
 * well: it says that it has waited.)
 */
final class Handover {

  private static final String MARK = "naru-handed";

  /** Longer than a site takes to refuse; shorter than somebody takes to come back by themselves. */
  private static final long MARK_SECONDS = 15;

  private final Passes passes;

  Handover(Passes passes) {
    this.passes = passes;
  }

  /**
   * Where somebody inside goes on; empty if nobody has said where the site is.
   *
   * @param wayBack the path that they came for, or empty
   */
  Optional<String> address(Place place, String wayBack, OneAddress address) {
    String target = place.line().settings().look().targetUrl();
    if (address.isThere()) {
      String path = target.isEmpty() ? "/" : target;
      return Optional.of(wayBack.isEmpty() ? path : wayBack);
    }
    if (target.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(wayBack.isEmpty() ? target : Site.of(target).origin() + wayBack);
  }

  private Site naru() {
    return Site.of(passes.issuer());
  }

  /** Whether the site has just sent them back. */
  boolean isBack(Exchange exchange, Place place) {
    Cookie mark = exchange.request().getCookie(MARK);
    return mark != null && mark.getValue().equals(mark(place.entry()));
  }

  /** Puts the pass of somebody inside into the answer that sends them on. */
  void addPass(Exchange exchange, Hall hall, Place place, OneAddress address) {
    var response = exchange.response();
    Site naru = naru();
    response.addCookie(
        Cookie.cookie(MARK, mark(place.entry()))
            .setPath(hall.path())
            .setHttpOnly(true)
            .setSecure(naru.isHttps() || address.isHttps())
            .setSameSite(CookieSameSite.LAX)
            .setMaxAge(MARK_SECONDS));
    cookie(place, address)
        .map(cookie -> cookie.setMaxAge(passes.secondsLeft(place)))
        .ifPresent(response::addCookie);
  }

  private Optional<Cookie> cookie(Place place, OneAddress address) {
    String pass = passes.of(place);
    if (!address.isThere()) {
      return Site.of(place.line().settings().look().targetUrl()).cookie(Pass.COOKIE, pass, naru());
    }
    return Optional.of(
        Site.ownCookie(
            address.isHttps() ? Pass.HOST_COOKIE : Pass.COOKIE, pass, address.isHttps()));
  }

  /** Names the admission and not the text of the pass, which each server signs anew. */
  private static String mark(Entry entry) {
    String admission = entry.key().user() + " " + entry.key().joined() + " " + entry.entered();
    return Content.hash(admission.getBytes(UTF_8));
  }
}
