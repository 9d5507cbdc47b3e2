package io.naru.server.wait;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.server.content.Content;
import io.naru.server.content.Folder;
import io.naru.server.http.Exchange;
import io.vertx.core.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The files that the waiting page consists of, and the style sheets of brands. */
public final class Assets {

  private static final List<String> SCRIPTS =
      List.of(
          "wait.js",
          "naru.js",
          "counter.js",
          "words.js",
          "alert.js",
          "awake.js",
          "handoff.js",
          "keep.js");

  /** Of the page that explains the order. */
  private static final List<String> FAIR_SCRIPTS = List.of("fair.js", "receipt.js", "words.js");

  private static final List<String> OTHERS =
      List.of(
          "fair.css",
          "fair.js",
          "home.css",
          "icon.svg",
          "lobby.js",
          "naru-board.js",
          "naru-proof.js",
          "naru.d.ts",
          "proof-worker.js",
          "receipt.js",
          "sw.js",
          "wait.css");

  private static final CharSequence FOR_NOW =
      HttpHeaders.createOptimized(
          "public, max-age=300, stale-while-revalidate=86400, stale-if-error=604800");

  private final Folder folder;

  public Assets() {
    List<String> names = new ArrayList<>(SCRIPTS);
    names.addAll(OTHERS);
    folder = new Folder("/wait/assets", "", names);
  }

  /** Where the files are, without a slash at the end. */
  public String folder() {
    return folder.path();
  }

  List<String> scripts() {
    return SCRIPTS;
  }

  List<String> fairScripts() {
    return FAIR_SCRIPTS;
  }

  /** {@code GET /wait/assets/{version}/{file}}. */
  public void handle(Exchange exchange) {
    folder.send(exchange, file(exchange.parameter(1)));
  }

  private Optional<Content> file(String name) {
    return folder
        .file(name)
        .or(
            () ->
                Brand.ofFile(name)
                    .map(brand -> new Content(Folder.STYLE, brand.css().getBytes(UTF_8))));
  }

  /** {@code GET /naru.js}: the client for a site's own pages, which come from other origins. */
  public void client(Exchange exchange) {
    shared(exchange, "naru.js");
  }

  /** {@code GET /naru-board.js}: what it loads where it lives on the board. */
  public void board(Exchange exchange) {
    shared(exchange, "naru-board.js");
  }

  /** {@code GET /naru-proof.js}: what a site's own page loads where newcomers owe something. */
  public void proof(Exchange exchange) {
    shared(exchange, "naru-proof.js");
  }

  /** {@code GET /naru.d.ts}: its types. */
  public void types(Exchange exchange) {
    shared(exchange, "naru.d.ts");
  }

  /**
   * {@code GET /wait/sw.js}: the service worker of the waiting page. A browser knows it by its
   * address, and lets it look after what is beside it.
   */
  public void worker(Exchange exchange) {
    exchange.response().putHeader(HttpHeaders.CACHE_CONTROL, FOR_NOW);
    file("sw.js").orElseThrow().send(exchange, 200);
  }

  private void shared(Exchange exchange, String name) {
    exchange
        .response()
        .putHeader(HttpHeaders.CACHE_CONTROL, FOR_NOW)
        .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, "*")
        .putHeader("Cross-Origin-Resource-Policy", "cross-origin");
    file(name).orElseThrow().send(exchange, 200);
  }
}
