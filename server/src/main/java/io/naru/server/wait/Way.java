package io.naru.server.wait;

import static java.util.stream.Collectors.joining;

import io.naru.pass.WayBack;
import io.naru.queue.InvalidValue;
import io.naru.server.http.Exchange;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How somebody came to a page, which its links carry along: for which path on the site, and in
 * which language. A cookie could not say it: the page is everybody's, and a cache in front of it
 * looks at nothing but the address.
 *
 * @param back empty if they came for no page in particular
 * @param isChosen whether they chose the language; else it is the one that their browser asks for
 */
record Way(String back, Language language, boolean isChosen) {

  private static final String LANGUAGE = "lang";

  static Way of(Exchange exchange) {
    Optional<Language> chosen = chosen(exchange);
    return new Way(
        back(exchange),
        chosen.orElseGet(
            () -> Language.of(exchange.request().getHeader(HttpHeaders.ACCEPT_LANGUAGE))),
        chosen.isPresent());
  }

  private static String back(Exchange exchange) {
    List<String> given = exchange.queries(WayBack.PARAMETER);
    if (given.isEmpty()) {
      return "";
    }
    if (given.size() > 1 || !WayBack.isSafe(given.getFirst())) {
      throw new InvalidValue(WayBack.PARAMETER, WayBack.ALLOWED, "cannot be gone to");
    }
    return given.getFirst();
  }

  private static Optional<Language> chosen(Exchange exchange) {
    List<String> given = exchange.queries(LANGUAGE);
    return given.size() == 1 ? Language.tagged(given.getFirst()) : Optional.empty();
  }

  /** As everybody comes: a page that is the same for all leads back to no page of the site. */
  Way forEverybody() {
    return new Way("", language, isChosen);
  }

  Way in(Language other) {
    return new Way(back, other, true);
  }

  /** The address of a path, with all of that behind it. */
  String to(String path) {
    String query =
        Stream.of(
                back.isEmpty() ? "" : WayBack.query(back).substring(1),
                isChosen ? LANGUAGE + "=" + language.tag() : "")
            .filter(part -> !part.isEmpty())
            .collect(joining("&"));
    return query.isEmpty() ? path : path + "?" + query;
  }
}
