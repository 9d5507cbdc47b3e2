package io.naru.gate;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.naru.pass.Algorithm;
import io.naru.pass.Pass;
import io.naru.pass.PassKey;
import io.naru.pass.PassSigner;
import io.naru.pass.Revocations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The other side, over real HTTP: publishes keys and revocations, and notes who asks for what. */
final class FakeNaru implements AutoCloseable {

  static final String QUEUE = "TIMEDEAL/123";

  /** What the next answers are like. */
  enum Mood {
    WELL,
    FAILING,
    REDIRECTING,
    ENDLESS,
    SILENT,
    RUBBISH
  }

  final Queue<String> asked = new ConcurrentLinkedQueue<>();
  final Set<String> revokedKeys = ConcurrentHashMap.newKeySet();
  final Set<String> revokedPasses = ConcurrentHashMap.newKeySet();
  final List<PassKey> published = new ArrayList<>();
  volatile PassKey key = PassKey.generate(Algorithm.ES256);
  volatile PassKey next = PassKey.generate(Algorithm.ES256);
  volatile Mood mood = Mood.WELL;
  volatile int callStatus = 200;
  volatile String elsewhere = "";

  /** How old the list of revocations says it is. */
  volatile Duration listAge = Duration.ZERO;

  private final CountDownLatch closed = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;
  private final int port;

  FakeNaru() {
    published.add(key);
    published.add(next);
    server = start(0);
    port = server.getAddress().getPort();
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  GateBuilder gate() {
    return Gate.builder(url(), QUEUE);
  }

  /** A good pass for five minutes from now. */
  Pass pass(String id) {
    Instant now = Instant.now();
    return new Pass(url(), QUEUE, QUEUE, "user-7", id, now, now.plusSeconds(300));
  }

  String token(String id) {
    return new PassSigner(key).sign(pass(id));
  }

  long fetchesOfKeys() {
    return asked.stream().filter("GET /.well-known/jwks.json"::equals).count();
  }

  /** No process there any more: the port refuses. */
  void goAway() {
    server.stop(0);
  }

  void comeBack() {
    server = start(port);
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private HttpServer start(int port) {
    try {
      var http =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
      http.setExecutor(threads);
      http.createContext("/", this::answer);
      http.start();
      return http;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    String path = exchange.getRequestURI().getPath();
    asked.add(exchange.getRequestMethod() + " " + path + (body.isEmpty() ? "" : " " + body));
    switch (mood) {
      case WELL -> {
        switch (path) {
          case "/.well-known/jwks.json" -> send(exchange, 200, PassKey.jwks(published));
          case "/.well-known/naru-revocations" -> send(exchange, 200, revocations());
          default -> send(exchange, callStatus, "{}");
        }
      }
      case FAILING -> send(exchange, 500, "");
      case RUBBISH -> send(exchange, 200, "<html>");
      case REDIRECTING -> {
        exchange.getResponseHeaders().set("Location", elsewhere + path);
        send(exchange, 302, "");
      }
      case ENDLESS -> endless(exchange);
      case SILENT -> {
        try {
          closed.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        exchange.close();
      }
    }
  }

  String revocations() {
    return new Revocations(
            url(), Instant.now().minus(listAge), next.id(), revokedKeys, revokedPasses)
        .sign(key);
  }

  private static void send(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  private static void endless(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    byte[] spaces = " ".repeat(8_192).getBytes(UTF_8);
    while (true) {
      exchange.getResponseBody().write(spaces);
    }
  }
}
