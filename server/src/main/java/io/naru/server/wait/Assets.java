package io.naru.server.wait;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.vertx.core.http.HttpHeaders;
import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The files that the waiting page consists of, read once. Their path has the hash of all of them,
 * so a browser may keep them for good, and modules find each other beside themselves.
 */
public final class Assets {

  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";
  private static final List<String> SCRIPTS =
      List.of("wait.js", "naru.js", "counter.js", "words.js", "alert.js", "awake.js");
  private static final Map<String, String> TYPES =
      Map.of(
          "naru.d.ts", "text/plain; charset=utf-8", "wait.css", STYLE, "icon.svg", "image/svg+xml");

  private static final CharSequence FOR_GOOD =
      HttpHeaders.createOptimized("public, max-age=31536000, immutable");
  private static final CharSequence FOR_NOW =
      HttpHeaders.createOptimized(
          "public, max-age=300, stale-while-revalidate=86400, stale-if-error=604800");
  private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");

  private static final Problem NO_FILE =
      Problem.of(404, "not-found", "Not found", "there is nothing at this path");

  private final Map<String, Content> files = new LinkedHashMap<>();
  private final Content worker = new Content(SCRIPT, Resource.bytes("sw.js"));
  private final String version;

  public Assets() {
    var all = new ByteArrayOutputStream();
    for (String name : SCRIPTS) {
      add(name, SCRIPT, all);
    }
    TYPES.keySet().stream().sorted().forEach(name -> add(name, TYPES.get(name), all));
    version = Content.hash(all.toByteArray());
  }

  private void add(String name, @Nullable String type, ByteArrayOutputStream all) {
    byte[] bytes = Resource.bytes(name);
    all.writeBytes(bytes);
    files.put(name, new Content(type == null ? SCRIPT : type, bytes));
  }

  /** Where the files are, without a slash at the end. */
  String folder() {
    return "/assets/" + version;
  }

  List<String> scripts() {
    return SCRIPTS;
  }

  /** {@code GET /assets/{version}/{file}}. */
  public void handle(Exchange exchange) {
    Optional<Content> content = file(exchange.parameter(1));
    if (content.isEmpty()) {
      exchange.problem(NO_FILE);
      return;
    }
    // A page of an older or newer server gets what there is, but nobody keeps it under that name.
    boolean isCurrent = version.equals(exchange.parameter(0));
    exchange.response().putHeader(HttpHeaders.CACHE_CONTROL, isCurrent ? FOR_GOOD : NO_STORE);
    content.get().send(exchange, 200);
  }

  private Optional<Content> file(String name) {
    Content file = files.get(name);
    return file != null
        ? Optional.of(file)
        : Brand.ofFile(name).map(brand -> new Content(STYLE, brand.css().getBytes(UTF_8)));
  }

  /** {@code GET /naru.js}: the client for a site's own pages, which come from other origins. */
  public void client(Exchange exchange) {
    shared(exchange, "naru.js");
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
    worker.send(exchange, 200);
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
