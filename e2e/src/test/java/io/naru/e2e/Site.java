package io.naru.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import io.naru.testkit.RedisServer;
import io.naru.testkit.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;

/** One queue on real servers, and an operator's connection to one of them. */
final class Site implements AutoCloseable {

  static final Path JAR = Path.of("..", "server", "target", "naru.jar");
  static final String PATH = "/queue/TIMEDEAL/1";
  static final String KEYS = "queue:{TIMEDEAL:1}:";

  static final String KEY = "the-key-of-the-tests";
  private static final String NAME = "\"eventType\":\"TIMEDEAL\",\"eventId\":\"1\"";
  private static final Pattern ADMITTED =
      Pattern.compile("naru_wait_seconds_count\\{queue=\"TIMEDEAL/1\"} (\\d+)");

  private final int port;
  private final HttpConnection connection;

  Site(ServerProcess server) throws IOException {
    port = server.port();
    connection = new HttpConnection(port);
  }

  static ServerProcess server(RedisServer redis) {
    assertThat(JAR).as("the server, built by ./naru test or ./mvnw verify").exists();
    return ServerProcess.start(
        JAR, List.of("-Xmx512m"), options("--redis", redis.uri(), "--ledger", "none"));
  }

  /** Options of a server that takes our key, and our word for who is asking. */
  static List<String> options(String... more) {
    var options = new ArrayList<>(ServerProcess.NAMED_VISITORS);
    options.addAll(List.of("--admin-key", KEY, "--site-key", KEY));
    options.addAll(List.of(more));
    return options;
  }

  void activate(String settings) throws IOException {
    Reply reply = admin("POST", "/admin/queue/activate", "{" + NAME + "," + settings + "}");
    assertThat(reply.status()).as(reply.body()).isEqualTo(201);
  }

  void put(String settings) throws IOException {
    Reply reply = admin("PUT", "/admin/queues/TIMEDEAL/1", "{" + settings + "}");
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
  }

  Reply enter(String user) throws IOException {
    Reply reply = connection.send("POST", PATH + "/enter", "", "User-Id: " + user);
    assertThat(reply.status()).as(reply.body()).isEqualTo(201);
    return reply;
  }

  void enterAndAwait(String user) throws IOException {
    enter(user);
    await()
        .pollInterval(Duration.ofMillis(20))
        .until(
            () ->
                connection
                    .send("GET", PATH + "/status", "", "User-Id: " + user)
                    .field("status")
                    .equals("ENTERED"));
  }

  Reply get(String path) throws IOException {
    return connection.send("GET", path, "");
  }

  long figure(String name) throws IOException {
    return admin("GET", "/admin/queues/TIMEDEAL/1", "").number(name);
  }

  void awaitFigure(String name, long value) {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(() -> assertThat(figure(name)).as(name).isEqualTo(value));
  }

  private Reply admin(String method, String path, String body) throws IOException {
    // Between two acts of an operator a connection may be idle for so long that it is closed.
    try (var own = new HttpConnection(port)) {
      return own.send(method, path, body, "Authorization: Bearer " + KEY);
    }
  }

  /** How many people this very server has let in. */
  static long admittedBy(ServerProcess server) throws IOException {
    try (var management = new HttpConnection(server.managementPort())) {
      var count = ADMITTED.matcher(management.send("GET", "/metrics", "").body());
      return count.find() ? Long.parseLong(count.group(1)) : 0;
    }
  }

  /** What one of many connections does. */
  interface Share<T> {
    T of(HttpConnection connection, int number) throws Exception;
  }

  /** Connections take turns between the servers, and are all at work at once. */
  static <T> List<T> onEachConnection(List<ServerProcess> servers, int connections, Share<T> share)
      throws ExecutionException, InterruptedException {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<T>> shares = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        int number = i;
        int port = servers.get(i % servers.size()).port();
        Callable<T> task =
            () -> {
              try (var connection = new HttpConnection(port)) {
                return share.of(connection, number);
              }
            };
        shares.add(threads.submit(task));
      }
      List<T> results = new ArrayList<>();
      try {
        for (Future<T> each : shares) {
          results.add(each.get());
        }
      } catch (ExecutionException e) {
        // The others may be waiting for what will never come now.
        threads.shutdownNow();
        throw e;
      }
      return results;
    }
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
