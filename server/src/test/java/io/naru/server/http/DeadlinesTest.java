package io.naru.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.naru.server.http.Connections.Patience;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Handlers that do not answer. */
class DeadlinesTest {

  private static final Patience LITTLE =
      new Patience(Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofMillis(300));

  private final Vertx vertx = Vertx.vertx();
  private final CompletableFuture<String> late = new CompletableFuture<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private int port;

  @BeforeEach
  void listen() throws Exception {
    var routes =
        List.of(
            route(HttpMethod.GET, "/never", Route.Body.NONE, _ -> {}),
            route(HttpMethod.POST, "/never", Route.Body.JSON, _ -> {}),
            route(
                HttpMethod.GET,
                "/late",
                Route.Body.NONE,
                exchange -> exchange.then(late, _ -> exchange.json(200, Json.object(_ -> {})))),
            route(
                HttpMethod.GET,
                "/stream",
                Route.Body.NONE,
                exchange -> {
                  var response = exchange.response().setChunked(true);
                  var _ = response.write("begun ");
                  vertx.setTimer(1_500, _ -> response.end("and ended"));
                }));
    var door =
        new HttpDoor(
            new RouteTable(routes),
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
            .requestHandler(door::handle)
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .get(10, TimeUnit.SECONDS);
    port = server.actualPort();
  }

  private static Route route(
      HttpMethod method, String path, Route.Body body, Consumer<Exchange> handler) {
    return new Route(method, path, Route.Audience.PUBLIC, Route.Pages.ANY, body, handler);
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .timeout(Duration.ofSeconds(20));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private static void assertTooLate(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    assertThat(answer.body()).contains("places are kept");
  }

  @Test
  void neverAnswered_isAnsweredHere() throws Exception {
    assertTooLate(send(request("/never")));
    assertTooLate(
        send(
            request("/never")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{}"))));
  }

  @Test
  void neverAnswered_severalOnOneConnection_areAnsweredOneAfterTheOther() throws Exception {
    var logged = new ListAppender<ILoggingEvent>();
    var root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    logged.start();
    root.addAppender(logged);
    try (var connection = new Socket(InetAddress.getLoopbackAddress(), port)) {
      connection.setSoTimeout(20_000);
      connection
          .getOutputStream()
          .write("GET /never HTTP/1.1\r\nHost: naru\r\n\r\n".repeat(3).getBytes(US_ASCII));

      var in = new BufferedReader(new InputStreamReader(connection.getInputStream(), US_ASCII));
      for (int answers = 0; answers < 3; ) {
        // A body ends without the end of a line.
        answers += in.readLine().contains("HTTP/1.1 503") ? 1 : 0;
      }
    } finally {
      root.detachAppender(logged);
    }
    assertThat(logged.list).as("what went wrong").isEmpty();
  }

  @Test
  void answeredLater_goesNowhere() throws Exception {
    assertTooLate(send(request("/late")));

    late.complete("at last");

    assertThat(send(request("/late")).statusCode()).isEqualTo(200);
  }

  @Test
  void stream_goesOn() throws Exception {
    HttpResponse<String> answer = send(request("/stream"));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("begun and ended");
  }
}
