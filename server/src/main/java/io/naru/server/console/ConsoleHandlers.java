package io.naru.server.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.server.content.Content;
import io.naru.server.content.Folder;
import io.naru.server.content.Template;
import io.naru.server.content.WebFile;
import io.naru.server.http.Exchange;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Map;

/**
 * {@code /console}: a page that is the same for everybody, and its files. What it shows it asks for
 * with the session of whoever has opened it.
 */
public final class ConsoleHandlers {

  private static final List<String> FILES =
      List.of(
          "console.js",
          "access.js",
          "api.js",
          "audit.js",
          "chart.js",
          "dialogs.js",
          "dom.js",
          "draw.js",
          "edits.js",
          "look.js",
          "making.js",
          "message.js",
          "pace.js",
          "people.js",
          "queue.js",
          "queues.js",
          "settings.js",
          "site.js",
          "state.js",
          "statistics.js",
          "stock.js",
          "strings.en.js",
          "strings.ko.js",
          "values.js",
          "webhooks.js",
          "wizard.js",
          "words.js",
          "console.css",
          "console-icon.svg");

  /**
   * Nothing inline, nothing from elsewhere, and no text that becomes markup: where a browser knows
   * of trusted types, the page has none to offer.
   */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self';"
          + " frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  private final Folder folder = new Folder("/console/assets", "console/", FILES);
  private final Content page;

  public ConsoleHandlers() {
    String html =
        new Template(WebFile.text("console/console.html")).fill(Map.of("assets", folder.path()));
    page = new Content("text/html; charset=utf-8", html.getBytes(UTF_8));
  }

  /** {@code GET /console}. */
  public void page(Exchange exchange) {
    exchange
        .response()
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache")
        .putHeader("Content-Security-Policy", POLICY)
        .putHeader("Cross-Origin-Opener-Policy", "same-origin")
        .putHeader("Referrer-Policy", "no-referrer")
        .putHeader("X-Frame-Options", "DENY");
    page.send(exchange, 200);
  }

  /** {@code GET /console/assets/{version}/{file}}. */
  public void asset(Exchange exchange) {
    folder.send(exchange, folder.file(exchange.parameter(1)));
  }
}
