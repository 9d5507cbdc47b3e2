package io.naru.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The management port: metrics and health, for who runs this. Nothing of it is to be had where
 * visitors come to, and no request of theirs waits for it: it has a server of its own, the JDK's.
 */
final class Management implements AutoCloseable {

  private static final String JSON = "application/json";
  private static final String UP = "{\"status\":\"UP\"}";
  private static final String DOWN = "{\"status\":\"DOWN\"}";

  private final HttpServer server;

  static {
    // Seconds for a request to arrive; without it whoever says nothing stays for ever.
    String patience = "sun.net.httpserver.maxReqTime";
    if (System.getProperty(patience) == null) {
      System.setProperty(patience, "10");
    }
  }

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Meters meters;
  private final BooleanSupplier isReady;
  private final Supplier<List<String>> degraded;

  /**
   * @param isReady whether visitors should be sent here
   * @param degraded what is not as it should be, for people
   * @throws IOException if it cannot listen there
   */
  Management(
      InetSocketAddress address,
      Meters meters,
      BooleanSupplier isReady,
      Supplier<List<String>> degraded)
      throws IOException {
    this.meters = meters;
    this.isReady = isReady;
    this.degraded = degraded;
    try {
      this.server = HttpServer.create(address, 0);
    } catch (IOException e) {
      throw new IOException(
          "--management-port: cannot listen on %s port %s: %s"
              .formatted(address.getHostString(), address.getPort(), e.getMessage()),
          e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestMethod().equals("GET")) {
        answer(exchange, 405, JSON, "{\"status\":405}");
        return;
      }
      boolean ready = isReady.getAsBoolean();
      switch (exchange.getRequestURI().getRawPath()) {
        case "/metrics" ->
            answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", meters.text());
        case "/health/live" -> answer(exchange, 200, JSON, UP);
        case "/health/ready" -> answer(exchange, ready ? 200 : 503, JSON, ready ? UP : DOWN);
        case "/health" -> answer(exchange, ready ? 200 : 503, JSON, details(ready));
        default -> answer(exchange, 404, JSON, "{\"status\":404}");
      }
    }
  }

  private String details(boolean ready) {
    String wrong = String.join("; ", degraded.get());
    String more =
        wrong.isEmpty()
            ? ""
            : ",\"degraded\":\"%s\""
                .formatted(wrong.replaceAll("[\\p{Cntrl}\\\\]", " ").replace('"', '\''));
    return "{\"status\":\"%s\"%s}".formatted(ready ? "UP" : "DOWN", more);
  }

  private static void answer(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] body = text.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
