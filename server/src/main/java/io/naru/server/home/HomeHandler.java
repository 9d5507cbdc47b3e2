package io.naru.server.home;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.net.Accepted;
import io.naru.server.content.Content;
import io.naru.server.content.Template;
import io.naru.server.content.WebFile;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /}: what this is, for whoever types the address. Which queues there are is nobody's
 * business who only knows where we are.
 */
public final class HomeHandler {

  private static final List<String> LANGUAGES = List.of("en", "ko");

  /** Text and a style sheet of ours: nothing runs here, and nothing is sent anywhere. */
  private static final String POLICY =
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none';"
          + " base-uri 'none'; frame-ancestors 'none'";

  private final String assets;
  private final Supplier<String> publicUrl;
  private final String version;
  private final Buffer json;

  /** Made when they are asked for: our own address is known only once we listen. */
  private final Map<String, Content> pages = new ConcurrentHashMap<>();

  /**
   * @param assets where the style sheets are, without a slash at the end
   */
  public HomeHandler(String assets, Supplier<String> publicUrl, String version) {
    this.assets = assets;
    this.publicUrl = publicUrl;
    this.version = version;
    this.json =
        Json.object(
            out -> {
              out.writeStringProperty("name", "naru");
              out.writeStringProperty("version", version);
            });
  }

  public void handle(Exchange exchange) {
    exchange.response().headers().add(HttpHeaders.VARY, "Accept, Accept-Language");
    String accept = exchange.request().getHeader(HttpHeaders.ACCEPT);
    if (accept == null || !accept.contains("text/html")) {
      exchange.json(200, json.slice());
      return;
    }
    String language = language(exchange);
    exchange
        .response()
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache")
        .putHeader(HttpHeaders.CONTENT_LANGUAGE, language)
        .putHeader("Content-Security-Policy", POLICY)
        .putHeader("Referrer-Policy", "no-referrer")
        .putHeader("X-Frame-Options", "DENY");
    pages.computeIfAbsent(language, this::page).send(exchange, 200);
  }

  private static String language(Exchange exchange) {
    List<String> chosen = exchange.queries("lang");
    if (chosen.size() == 1 && LANGUAGES.contains(chosen.getFirst())) {
      return chosen.getFirst();
    }
    @Nullable String accepted = exchange.request().getHeader(HttpHeaders.ACCEPT_LANGUAGE);
    return Accepted.language(accepted, LANGUAGES).orElse(LANGUAGES.getFirst());
  }

  private Content page(String language) {
    var template = new Template(WebFile.text("home." + language + ".html"));
    String html =
        template.fill(Map.of("assets", assets, "url", publicUrl.get(), "version", version));
    return new Content("text/html; charset=utf-8", html.getBytes(UTF_8));
  }
}
