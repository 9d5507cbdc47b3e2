package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;

/** A small server that is asked as {@code siteverify} is, and answers what a test says. */
final class FakeVerifier implements AutoCloseable {

  private final HttpServer http;
  private volatile String answer = "";
  private volatile String asked = "";

  FakeVerifier() {
    try {
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    http.createContext(
        "/siteverify",
        exchange -> {
          asked = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
          byte[] body = answer.getBytes(UTF_8);
          int status = answer.matches("\\d{3}") ? Integer.parseInt(answer) : 200;
          if (status == 302) {
            exchange.getResponseHeaders().add("Location", "/elsewhere");
          }
          exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    http.createContext(
        "/elsewhere",
        exchange -> {
          byte[] body = "{\"success\":true}".getBytes(UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    http.start();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/siteverify");
  }

  /**
   * From now on. Three digits are a status; {@code 302} sends on to somebody who says yes to
   * everything.
   */
  void answers(String what) {
    answer = what;
  }

  /** What it was last asked. */
  String asked() {
    return asked;
  }

  @Override
  public void close() {
    http.stop(0);
  }
}
