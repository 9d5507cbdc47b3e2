package io.naru.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.server.http.Connections.Patience;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Those who take too long to ask, although their connection is never idle. */
class ConnectionsTest {

  private static final Patience LITTLE =
      new Patience(Duration.ofSeconds(2), Duration.ofSeconds(4), Duration.ofSeconds(30));
  private static final byte[] ASK = ascii("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  private static final byte[] BEGIN = ascii("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");

  private final Vertx vertx = Vertx.vertx();
  private int port;

  @BeforeEach
  void listen() throws Exception {
    var home =
        new Route(
            HttpMethod.GET,
            "/",
            Route.Audience.PUBLIC,
            Route.Pages.ANY,
            Route.Body.NONE,
            exchange -> exchange.json(200, Json.object(_ -> {})));
    var door =
        new HttpDoor(
            new RouteTable(List.of(home)),
            HttpDoor.Guard.NONE,
            Cors.NONE,
            () -> "",
            new RequestIds(_ -> false),
            null,
            _ -> {},
            LITTLE);
    door.start(vertx);
    HttpServer server =
        vertx
            .createHttpServer(HttpDoor.options())
            .connectionHandler(door::connected)
            .requestHandler(door::handle)
            .invalidRequestHandler(door::handleInvalid)
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .get(10, TimeUnit.SECONDS);
    port = server.actualPort();
  }

  @AfterEach
  void stop() throws Exception {
    vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private Socket connect() throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(200);
    return socket;
  }

  private static void readAnswer(Socket socket) throws IOException {
    socket.setSoTimeout(10_000);
    var read = new StringBuilder();
    InputStream in = socket.getInputStream();
    while (!read.toString().endsWith("{}")) {
      int next = in.read();
      assertThat(next).as("closed after " + read).isNotNegative();
      read.append((char) next);
    }
    assertThat(read).startsWith("HTTP/1.1 200");
    socket.setSoTimeout(200);
  }

  /** Sends a byte now and then until it is closed; says after how many. */
  private static int dripUntilClosed(Socket socket) {
    for (int bytes = 0; bytes < 100; bytes++) {
      try {
        socket.getOutputStream().write('x');
        if (socket.getInputStream().read() < 0) {
          return bytes;
        }
      } catch (java.net.SocketTimeoutException e) {
        // Still open.
      } catch (IOException e) {
        return bytes;
      }
    }
    throw new AssertionError("still open");
  }

  @Test
  void firstHead_drips_isClosed() throws Exception {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(BEGIN);

      assertThat(dripUntilClosed(socket)).isPositive();
    }
  }

  @Test
  void nextHead_drips_isClosed() throws Exception {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(ASK);
      readAnswer(socket);
      socket.getOutputStream().write(BEGIN);

      assertThat(dripUntilClosed(socket)).isPositive();
    }
  }

  @Test
  void wholeRequests_nowAndThen_stayConnected() throws Exception {
    try (Socket socket = connect()) {
      long end = System.nanoTime() + LITTLE.next().multipliedBy(2).toNanos();
      while (System.nanoTime() < end) {
        socket.getOutputStream().write(ASK);
        readAnswer(socket);
      }
    }
  }
}
