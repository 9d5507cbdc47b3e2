package io.naru.e2e.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A site that is not Naru's, on a port of its own: where visitors are going, or come from. */
final class TestSite implements AutoCloseable {

  private final HttpServer server;

  TestSite() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.start();
  }

  /** Serves that page and returns its address. */
  String page(String path, String html, Map<String, String> headers) {
    byte[] body = html.getBytes(UTF_8);
    server.createContext(
        path,
        exchange -> {
          exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
          headers.forEach(exchange.getResponseHeaders()::set);
          exchange.sendResponseHeaders(200, body.length);
          try (var out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    return origin() + path;
  }

  String page(String path, String html) {
    return page(path, html, Map.of());
  }

  /** Serves the files of a folder and returns its address. */
  String folder(String path, Path folder) {
    server.createContext(
        path,
        exchange -> {
          String name = exchange.getRequestURI().getPath().substring(path.length());
          Path file = folder.resolve(name.isEmpty() ? "index.html" : name).normalize();
          boolean isThere = file.startsWith(folder) && Files.isRegularFile(file);
          byte[] body = isThere ? Files.readAllBytes(file) : new byte[0];
          exchange.getResponseHeaders().set("Content-Type", typeOf(file.toString()));
          exchange.sendResponseHeaders(isThere ? 200 : 404, body.length == 0 ? -1 : body.length);
          try (var out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    return origin() + path;
  }

  private static String typeOf(String file) {
    return file.endsWith(".js")
        ? "text/javascript"
        : file.endsWith(".css")
            ? "text/css"
            : file.endsWith(".svg") ? "image/svg+xml" : "text/html; charset=utf-8";
  }

  String origin() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
