package io.naru.bench.scenario;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

/**
 * As much of our server, of the site and of the gateway as the scenarios see; its own jar is made
 * of this class.
 */
final class StubNaru {

  /** Who waits in each queue, in order; also the lock for all of it. */
  private static final Map<String, List<String>> LINES = new HashMap<>();

  /** The queue of each user. */
  private static final Map<String, String> PLACES = new ConcurrentHashMap<>();

  private static final Map<String, OutputStream> STREAMS = new ConcurrentHashMap<>();

  private static volatile String queue = "";

  private StubNaru() {}

  public static void main(String[] args) throws IOException {
    if (List.of(args).contains("verify")) {
      return; // nothing is wrong
    }
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    var server = HttpServer.create(address, 2_048);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", StubNaru::handle);
    server.start();
    var options = List.of(args);
    if (options.contains("--ledger-user") && options.contains("--redis")) {
      var redis = URI.create(options.get(options.indexOf("--redis") + 1));
      Thread.ofVirtual().start(() -> keepCopy(redis));
    }
    // The first is what Naru says, the second what the site says.
    System.out.println("http://127.0.0.1:" + server.getAddress().getPort());
    System.out.println("Tomcat started on port " + server.getAddress().getPort());
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
        .formatted(queue, waiting());
  }

  private static int waiting() {
    synchronized (LINES) {
      return LINES.getOrDefault(queue, List.of()).size();
    }
  }

  private static void handle(HttpExchange exchange) throws IOException {
    var path = exchange.getRequestURI().getPath();
    if (path.contains("/subscribe/")) {
      watch(exchange, path.replaceAll(".*/", ""));
      return;
    }
    if (path.startsWith("/admin/") && path.endsWith("/live")) {
      tell(exchange);
      return;
    }
    try (exchange) {
      var body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      var user = exchange.getRequestHeaders().getFirst("User-Id");
      if (path.endsWith("/enter")) {
        enter(exchange, path.replaceAll("/queue/(.*)/(.*)/enter", "$1:$2"), user);
      } else if (path.endsWith("/status")) {
        answer(exchange, PLACES.containsKey(user) ? 200 : 404, "{\"pass\":\"p\"}");
      } else if (path.endsWith("/draw")) {
        // Closed and drawn long ago, and done.
        var at = "2026-01-01T00:00:00Z";
        answer(
            exchange,
            200,
            "{\"phase\":\"DONE\",\"closedAt\":\"%s\",\"drawnAt\":\"%s\"}".formatted(at, at));
      } else if (path.equals("/large")) {
        answer(exchange, 200, "x".repeat(1_000_000));
      } else if (path.endsWith("/process")) {
        var admitted = admit(queueIn(body), number(body, "count"));
        answer(exchange, 200, "{\"admitted\":%d}".formatted(admitted));
      } else {
        if (path.endsWith("/activate") && body.contains("\"entryIntervalSeconds\":1}")) {
          Thread.ofVirtual().start(() -> admitAll(queueIn(body), number(body, "entryBatchSize")));
        }
        answer(exchange, 200, "{}");
      }
    }
  }

  private static void enter(HttpExchange exchange, String name, String user) throws IOException {
    queue = name;
    synchronized (LINES) {
      if (PLACES.putIfAbsent(user, name) != null && !user.equals("first-in-the-line")) {
        answer(exchange, 409, "{}");
        return;
      }
      LINES.computeIfAbsent(name, _ -> new ArrayList<>()).add(user);
    }
    // The token is the user, so nothing has to be kept for it.
    answer(exchange, 201, "{\"entryToken\":\"%s\"}".formatted(user));
  }

  /** A console: it hears once, and stays. */
  private static void tell(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    exchange.getResponseBody().write("event: figures\ndata: {}\n\n".getBytes(UTF_8));
    exchange.getResponseBody().flush();
  }

  private static void watch(HttpExchange exchange, String user) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    synchronized (LINES) {
      STREAMS.put(user, exchange.getResponseBody());
      show(user, LINES.getOrDefault(PLACES.get(user), List.of()).indexOf(user));
    }
  }

  private static void show(String user, int ahead) {
    var stream = STREAMS.get(user);
    if (stream == null) {
      return;
    }
    try {
      stream.write(
          (ahead < 0
                  ? "event: queue-entered\ndata: {\"status\":\"ENTERED\",\"pass\":\"p\"}\n\n"
                  : "event: queue-status\ndata: {\"position\":%d}\n\n".formatted(ahead + 1))
              .getBytes(UTF_8));
      stream.flush();
    } catch (IOException e) {
      STREAMS.remove(user);
    }
  }

  private static int admit(String name, int count) {
    synchronized (LINES) {
      var line = LINES.getOrDefault(name, new ArrayList<>());
      var admitted = line.subList(0, Math.min(count, line.size()));
      var gone = List.copyOf(admitted);
      admitted.clear();
      gone.forEach(user -> show(user, -1));
      for (int ahead = 0; ahead < line.size(); ahead++) {
        show(line.get(ahead), ahead);
      }
      return gone.size();
    }
  }

  private static void admitAll(String name, int batch) {
    try {
      while (true) {
        admit(name, batch);
        Thread.sleep(20);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static String queueIn(String body) {
    return body.replaceAll(".*\"eventType\":\"(.*?)\",\"eventId\":\"(.*?)\".*", "$1:$2");
  }

  private static int number(String body, String name) {
    return Integer.parseInt(body.replaceAll(".*\"%s\":(\\d+).*".formatted(name), "$1"));
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    var bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }
}
