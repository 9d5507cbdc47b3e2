package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.queue.InvalidValue;
import io.naru.server.http.Cors;
import io.naru.server.stream.Streams;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose pages may use the public API. */
class CorsTest {

  private static final String SHOP = "https://shop.example";
  private static final String QUEUE = "SALE/1";

  @TempDir private static Path data;
  private static TestServer server;

  @BeforeAll
  static void start() {
    server =
        TestServer.start(
            data,
            new Naru.Visitors(
                TestServer.NAMED.proxies(),
                null,
                TestServer.NAMED.userHeader(),
                URI.create("https://wait.example"),
                Cors.parse(SHOP + ", http://localhost:3000"),
                Streams.Limits.DEFAULT,
                TestServer.NAMED.newcomers()));
    server.activate(QUEUE, "").is(201);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Answer options(String path, String origin) {
    return server
        .client()
        .send(
            "OPTIONS",
            path,
            BodyPublishers.noBody(),
            "Origin",
            origin,
            "Access-Control-Request-Method",
            "POST");
  }

  @Test
  void enter_fromAListedPage_mayBeRead() {
    Answer entered = server.client().post("/queue/" + QUEUE + "/enter", "Origin", SHOP).is(201);

    assertThat(entered.header("access-control-allow-origin")).isEqualTo(SHOP);
    assertThat(entered.header("access-control-allow-credentials")).isEqualTo("true");
    assertThat(entered.header("access-control-expose-headers"))
        .isEqualTo("Retry-After, Date, X-Request-Id");
    assertThat(entered.header("vary")).isEqualTo("Origin");
    assertThat(entered.header("set-cookie")).contains("SameSite=None").contains("Secure");
  }

  @Test
  void problem_forAListedPage_mayBeRead() {
    Answer unknown = server.client().get("/queue/token/x/status", "Origin", SHOP);

    assertThat(unknown.isProblem(404, "S803").header("access-control-allow-origin"))
        .isEqualTo(SHOP);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://evil.example",
        "http://shop.example",
        "https://shop.example:8443",
        "null"
      })
  void anything_fromAnotherPage_mayNotBeRead(String origin) {
    Answer live = server.client().get("/health/live", "Origin", origin);

    assertThat(live.header("access-control-allow-origin")).isNull();
    options("/queue/" + QUEUE + "/enter", origin).isProblem(405, "method-not-allowed");
  }

  @Test
  void preflight_fromAListedPage_saysWhatMayBeSent() {
    Answer allowed = options("/queue/" + QUEUE + "/leave", SHOP);

    assertThat(allowed.status()).isEqualTo(204);
    assertThat(allowed.header("access-control-allow-origin")).isEqualTo(SHOP);
    assertThat(allowed.header("access-control-allow-methods")).isEqualTo("POST");
    assertThat(allowed.header("access-control-allow-headers")).contains("Authorization");
  }

  @Test
  void admin_fromAnyPage_isClosed() {
    options("/admin/queue/activate", SHOP).isProblem(401, "unauthorized");
    assertThat(
            server
                .admin("GET", "/admin/queues", "", "Origin", SHOP)
                .header("access-control-allow-origin"))
        .isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*",
        "shop.example",
        "https://",
        "https://shop.example/",
        "https://a@shop.example",
        "ftp://shop.example",
        "https://shop.example,",
        "https://sh op.example"
      })
  void parse_notAnOrigin_isNamed(String origins) {
    assertThatThrownBy(() -> Cors.parse(origins))
        .isInstanceOf(InvalidValue.class)
        .hasMessageContaining("allowed-origins");
  }

  @Test
  void leave_withTheEntryToken_leavesThatEntry() {
    String token = server.enter(QUEUE, "tom").is(201).text("entryToken");
    String path = "/queue/" + QUEUE + "/leave";

    server.client().post(path, "Authorization", "Bearer x").isProblem(404, "S803");
    server.client().post(path, "Authorization", "Bearer " + token).is(200);

    server.status(QUEUE, "tom").isProblem(404, "S803");
    server.client().post(path, "Authorization", "Bearer " + token).isProblem(404, "S803");
  }

  @Test
  void status_furtherBack_asksToComeBackLater() {
    String queue = "SALE/long";
    server
        .activate(queue, "\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":30")
        .is(201);
    for (int i = 0; i < 12; i++) {
      server.enter(queue, "u" + i).is(201);
    }
    long before = 0;
    for (int i = 2; i < 12; i++) {
      long after =
          Long.parseLong(String.valueOf(server.status(queue, "u" + i).header("retry-after")));
      assertThat(after).isBetween(Math.max(1, before), 30L);
      before = after;
    }
    assertThat(before).isEqualTo(30);
  }
}
