package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongFunction;

/** A relay of coins on this machine, which serves what a test says: true coins, lies, nothing. */
final class FakeRelay implements AutoCloseable {

  private final HttpServer http;
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private volatile LongFunction<Said> says = _ -> Said.NOTHING;

  /** What it answers. */
  record Said(int status, String body) {
    static final Said NOTHING = new Said(404, "{}");

    static Said coin(long round, String signature) {
      return new Said(
          200,
          "{\"round\":%d,\"randomness\":\"00\",\"signature\":\"%s\"}".formatted(round, signature));
    }
  }

  FakeRelay() {
    try {
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    http.createContext("/", this::answer);
    http.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    asked.add(path);
    Said said = says.apply(Long.parseLong(path.substring(path.lastIndexOf('/') + 1)));
    byte[] body = said.body.getBytes(UTF_8);
    if (said.status == 302) {
      exchange.getResponseHeaders().add("Location", said.body);
    }
    exchange.sendResponseHeaders(said.status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + http.getAddress().getPort());
  }

  /** From now on, by round. */
  void says(LongFunction<Said> what) {
    says = what;
  }

  /** The paths that it was asked for. */
  List<String> asked() {
    return asked;
  }

  @Override
  public void close() {
    http.stop(0);
  }
}
