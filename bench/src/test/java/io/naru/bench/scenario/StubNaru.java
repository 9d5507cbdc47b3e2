package io.naru.bench.scenario;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

/** As much of our server as the scenarios see; its own jar is made of this one class. */
final class StubNaru {

  private static final Set<String> WAITING = ConcurrentHashMap.newKeySet();

  private static volatile String queue = "";

  private StubNaru() {}

  public static void main(String[] args) throws IOException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    var server = HttpServer.create(address, 1_000);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", StubNaru::handle);
    server.start();
    var options = List.of(args);
    if (options.contains("--ledger-user")) {
      var redis = URI.create(options.get(options.indexOf("--redis") + 1));
      Thread.ofVirtual().start(() -> keepCopy(redis));
    }
    System.out.println("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Whatever happens to Redis, soon the queue is there again. */
  private static void keepCopy(URI redis) {
    try (var socket = new Socket(redis.getHost(), redis.getPort())) {
      while (true) {
        if (!queue.isEmpty()) {
          socket.getOutputStream().write(copyCommand().getBytes(UTF_8));
          socket.getInputStream().readNBytes(":1\r\n".length());
        }
        Thread.sleep(50);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException("no copy", e);
    }
  }

  private static String copyCommand() {
    return """
        EVAL "redis.call('DEL', KEYS[1]) redis.call('HSET', KEYS[2], 'change', 1) \
        for i = 1, ARGV[1] do redis.call('ZADD', KEYS[1], i, i) end return 1" \
        2 queue:{%1$s}:waiting queue:{%1$s}:state %2$d
        """
        .formatted(queue, WAITING.size());
  }

  private static void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      var path = exchange.getRequestURI().getPath();
      var user = exchange.getRequestHeaders().getFirst("User-Id");
      if (path.endsWith("/enter")) {
        queue = path.replaceAll("/queue/(.*)/(.*)/enter", "$1:$2");
        answer(exchange, WAITING.add(path.replace("enter", user)) ? 201 : 409, "{}");
      } else if (path.endsWith("/status")) {
        answer(exchange, WAITING.contains(path.replace("status", user)) ? 200 : 404, "{}");
      } else if (path.endsWith("/process")) {
        var admitted = WAITING.size();
        WAITING.clear();
        answer(exchange, 200, "{\"admitted\":%d}".formatted(admitted));
      } else {
        answer(exchange, 200, "{}");
      }
    }
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    var bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
