package io.naru.server.content;

import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.vertx.core.http.HttpHeaders;
import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Files of the module {@code web}, read once. Their path has the hash of all of them, so a browser
 * may keep them for good, and modules find each other beside themselves.
 */
public final class Folder {

  public static final String STYLE = "text/css; charset=utf-8";

  private static final CharSequence FOR_GOOD =
      HttpHeaders.createOptimized("public, max-age=31536000, immutable");
  private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");

  private static final Problem NO_FILE =
      Problem.of(404, "not-found", "Not found", "there is nothing at this path");

  private final Map<String, Content> files = new LinkedHashMap<>();
  private final String path;
  private final String version;

  /**
   * @param path where the folders of all versions are
   * @param source where the files are in {@code web}: empty, or with a slash at the end
   */
  public Folder(String path, String source, List<String> names) {
    var all = new ByteArrayOutputStream();
    for (String name : names) {
      byte[] bytes = WebFile.bytes(source + name);
      all.writeBytes(bytes);
      files.put(name, new Content(type(name), bytes));
    }
    this.path = path;
    this.version = Content.hash(all.toByteArray());
  }

  private static String type(String name) {
    return switch (name.substring(name.lastIndexOf('.'))) {
      case ".js" -> "text/javascript; charset=utf-8";
      case ".css" -> STYLE;
      case ".svg" -> "image/svg+xml";
      default -> "text/plain; charset=utf-8";
    };
  }

  /** Where the files are, without a slash at the end. */
  public String path() {
    return path + "/" + version;
  }

  public Optional<Content> file(String name) {
    return Optional.ofNullable(files.get(name));
  }

  /**
   * Answers a request for one of them, {@code …/{version}/{file}}.
   *
   * @param content empty if there is no such file
   */
  public void send(Exchange exchange, Optional<Content> content) {
    if (content.isEmpty()) {
      exchange.problem(NO_FILE);
      return;
    }
    // A page of an older or newer server gets what there is, but nobody keeps it under that name.
    boolean isCurrent = version.equals(exchange.parameter(0));
    exchange.response().putHeader(HttpHeaders.CACHE_CONTROL, isCurrent ? FOR_GOOD : NO_STORE);
    content.get().send(exchange, 200);
  }
}
