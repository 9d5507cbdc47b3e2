package io.naru.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpMethod;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Every request has a name: in its answer, in a problem, in the log. */
class RequestIdsTest {

  /** One loop for all, so that requests meet on one thread. */
  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));

  private final HttpClient client = HttpClient.newHttpClient();
  private final CompletableFuture<String> later = new CompletableFuture<>();
  private final CompletableFuture<String> begun = new CompletableFuture<>();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private volatile boolean isProxy = true;
  private int port;

  @BeforeEach
  void listen() throws Exception {
    var routes =
        List.of(
            route("/seen", exchange -> seen(exchange)),
            route("/none", exchange -> exchange.problem(Problem.badRequest("no"))),
            route(
                "/broken",
                _ -> {
                  throw new IllegalStateException("broken");
                }),
            route(
                "/later",
                exchange -> {
                  begun.complete(exchange.id());
                  exchange.then(later, _ -> seen(exchange));
                }));
    var door =
        new HttpDoor(
            new RouteTable(routes),
            HttpDoor.Guard.NONE,
            Cors.NONE,
            () -> "",
            new RequestIds(_ -> isProxy),
            null,
            _ -> {});
    port =
        vertx
            .createHttpServer(HttpDoor.options())
            .connectionHandler(door::connected)
            .requestHandler(door::handle)
            .invalidRequestHandler(door::handleInvalid)
            .listen(0, "127.0.0.1")
            .toCompletionStage()
            .toCompletableFuture()
            .get(10, TimeUnit.SECONDS)
            .actualPort();
    log.start();
    logger().addAppender(log);
  }

  @AfterEach
  void stop() throws Exception {
    logger().detachAppender(log);
    client.close();
    vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(HttpDoor.class);
  }

  private static Route route(String path, Consumer<Exchange> handler) {
    return new Route(
        HttpMethod.GET, path, Route.Audience.PUBLIC, Route.Pages.ANY, Route.Body.NONE, handler);
  }

  /** Answers with what a line that is logged now would carry. */
  private static void seen(Exchange exchange) {
    String id = Optional.ofNullable(MDC.get(RequestIds.KEY)).orElse("nothing");
    exchange.json(200, Json.object(json -> json.writeStringProperty("seen", id)));
  }

  private HttpRequest request(String path, String... headers) {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(10));
    return (headers.length == 0 ? request : request.headers(headers)).build();
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    return client.send(request(path, headers), BodyHandlers.ofString());
  }

  private static String idOf(HttpResponse<String> answer) {
    assertThat(answer.headers().allValues("X-Request-Id")).hasSize(1);
    return answer.headers().firstValue("X-Request-Id").orElseThrow();
  }

  @Test
  void made_isAnotherEachTime_andSeenByWhatIsLogged() throws Exception {
    HttpResponse<String> one = get("/seen");
    HttpResponse<String> two = get("/seen");

    assertThat(idOf(one)).matches("[0-9a-f]{16}").isNotEqualTo(idOf(two));
    assertThat(one.body()).isEqualTo("{\"seen\":\"" + idOf(one) + "\"}");
    assertThat(two.body()).isEqualTo("{\"seen\":\"" + idOf(two) + "\"}");
    var between = new CompletableFuture<Optional<String>>();
    vertx.runOnContext(_ -> between.complete(Optional.ofNullable(MDC.get(RequestIds.KEY))));
    assertThat(between.get(10, TimeUnit.SECONDS)).as("afterwards").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "7f9c2ba4-e88f-827d.61_60", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"})
  void aProxys_isKept_nobodyElses(String id) throws Exception {
    assertThat(idOf(get("/none", "X-Request-Id", id))).isEqualTo(id);
    assertThat(get("/none", "x-request-id", id).body()).contains("\"requestId\":\"" + id + "\"");

    isProxy = false;

    assertThat(idOf(get("/none", "X-Request-Id", id))).isNotEqualTo(id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "a b", "a\"b", "a,b", "é", "a\tb", "a\u001b[31mb", "<b>", "a/b", "a:b"})
  void aProxysThatIsNotOne_isNotKept(String id) throws Exception {
    try (var raw = new Socket(InetAddress.getLoopbackAddress(), port)) {
      raw.getOutputStream()
          .write(
              ("GET /none HTTP/1.1\r\nHost: x\r\nX-Request-Id: " + id + "\r\n\r\n")
                  .getBytes(UTF_8));
      byte[] answer = new byte[2_000];
      int length = raw.getInputStream().read(answer);
      assertThat(new String(answer, 0, length, UTF_8))
          .containsPattern("(?i)x-request-id: [0-9a-f]{16}\r\n");
    }
  }

  @Test
  void tooLongOrTwice_isNotKept() throws Exception {
    assertThat(idOf(get("/none", "X-Request-Id", "x".repeat(64)))).isEqualTo("x".repeat(64));
    assertThat(idOf(get("/none", "X-Request-Id", "x".repeat(65)))).hasSize(16);
    assertThat(idOf(get("/none", "X-Request-Id", "one", "X-Request-Id", "two"))).hasSize(16);
  }

  @Test
  void everyRefusal_saysIt() throws Exception {
    for (String path : List.of("/none", "/broken", "/nowhere")) {
      HttpResponse<String> answer = get(path);
      assertThat(answer.body()).contains("\"requestId\":\"" + idOf(answer) + "\"");
    }
  }

  @Test
  void failure_isLoggedWithItsRequest_whateverElseThatThreadDid() throws Exception {
    var waiting = client.sendAsync(request("/later"), BodyHandlers.ofString());
    String id = begun.get(10, TimeUnit.SECONDS);
    HttpResponse<String> other = get("/broken");
    later.completeExceptionally(new IllegalStateException("from another thread"));
    HttpResponse<String> failed = waiting.get(10, TimeUnit.SECONDS);

    assertThat(idOf(failed)).isEqualTo(id);
    assertThat(failed.body()).contains("\"requestId\":\"" + id + "\"");
    await().until(() -> log.list.size() == 2);
    assertThat(log.list)
        .extracting(event -> event.getMDCPropertyMap().get(RequestIds.KEY))
        .containsExactly(idOf(other), id);
  }

  @Test
  void later_goesOnUnderItsOwnId() throws Exception {
    var waiting = client.sendAsync(request("/later"), BodyHandlers.ofString());
    String id = begun.get(10, TimeUnit.SECONDS);
    get("/seen");
    later.complete("done");

    assertThat(waiting.get(10, TimeUnit.SECONDS).body()).isEqualTo("{\"seen\":\"" + id + "\"}");
  }
}
