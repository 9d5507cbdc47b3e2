package io.naru.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.gate.FakeNaru;
import io.naru.gate.HostilePaths;
import io.naru.gate.HostileTokens;
import io.naru.testkit.Poll;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who gets in, and what becomes of those who do not. */
class GuardTest {

  /** Far more than the site in this JVM takes for anything. */
  private static final Duration VISITORS_TIME = Duration.ofSeconds(3);

  private static Stand stand;

  @BeforeAll
  static void open() {
    stand = Stand.patient();
  }

  @AfterAll
  static void close() {
    stand.close();
  }

  @BeforeEach
  void forget() {
    stand.site.forget();
    stand.naru.asked.clear();
  }

  @Test
  void withoutPass_browsersAreSentToThePageAndProgramsToldWhere() throws IOException {
    for (String method : List.of("GET", "HEAD")) {
      var browser = Talk.ask(stand.port(), method, "/checkout?a=b", "", Stand.HTML);
      assertThat(browser.status()).isEqualTo(303);
      assertThat(browser.header("location"))
          .isEqualTo("/wait/TIMEDEAL/123?return=%2Fcheckout%3Fa%3Db");
      assertThat(browser.header("cache-control")).isEqualTo("no-store");
      assertThat(browser.header("referrer-policy")).isEqualTo("no-referrer");
    }
    try (var talk = new Talk(stand.port())) {
      for (String method : List.of("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW")) {
        var program = talk.ask(method, "/checkout/buy", "body", "Accept: application/json");
        assertThat(program.status()).isEqualTo(429);
        assertThat(program.header("retry-after")).isEqualTo("5");
        assertThat(program.header("content-type")).isEqualTo("application/problem+json");
        assertThat(program.body())
            .contains("\"code\":\"S806\"")
            .contains("\"waitUrl\":\"http://shop.example/wait/TIMEDEAL/123\"");
      }
      assertThat(talk.ask("POST", "/checkout/buy", "body", Stand.HTML).status()).isEqualTo(429);
      // What is open stays so, on the same connection.
      assertThat(talk.ask("GET", "/headers", "").status()).isEqualTo(200);
    }
    assertThat(stand.site.heads()).hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("io.naru.gate.HostilePaths#spellings")
  void spelling_ofAProtectedPath_neverComesToTheSite(String path) throws IOException {
    assertThat(stand.get(path).status()).isIn(400, 429);
    assertThat(stand.site.heads()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("io.naru.gate.HostilePaths#waysBack")
  void wayBack_thatLeadsElsewhere_isLeftOut(String path) throws IOException {
    var reply = stand.get(path, Stand.HTML);
    if (reply.status() != 400) {
      assertThat(reply.header("location")).isEqualTo("/wait/TIMEDEAL/123");
    }
    assertThat(HostilePaths.waysBack()).isNotEmpty();
  }

  @Test
  void tokens_thatAreNoPass_openNothing() throws IOException {
    try (var trap = new FakeNaru();
        var talk = new Talk(stand.port())) {
      var hostile = HostileTokens.against(stand.naru, trap);
      assertThat(hostile).hasSizeGreaterThan(20);
      for (var token : hostile.entrySet()) {
        String value = token.getValue();
        if (value.chars().allMatch(c -> c > ' ' && c < 127) && value.length() < 8_000) {
          for (String header : List.of("Authorization: Bearer ", "Cookie: naru-pass=")) {
            var reply = talk.ask("GET", "/checkout/headers", "", header + value);
            assertThat(reply.status()).as(token.getKey()).isEqualTo(429);
            assertThat(reply.body()).doesNotContain("signature", "expired", "revoked");
          }
        }
      }
      assertThat(trap.asked).isEmpty();
    }
    assertThat(stand.site.heads()).isEmpty();
    assertThat(stand.get("/checkout/headers", stand.pass("p1")).status()).isEqualTo(200);
  }

  @Test
  void good_answerAtTheNamedPath_endsTheTurnAndTakesTheCookie() throws IOException {
    var reply = stand.get("/done", stand.pass("c1"));
    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.header("set-cookie")).contains("naru-pass=; Path=/; Max-Age=0");
    awaitCompleted(1);
    assertThat(stand.get("/done").header("set-cookie")).isEmpty();
  }

  @Test
  void answer_thatSaysSo_endsTheTurn_andOnlyWeSeeIt() throws IOException {
    for (String path : List.of("/checkout/completed", "/completed")) {
      stand.naru.asked.clear();
      var reply = stand.get(path, stand.pass("c2"));
      assertThat(reply.header("naru-complete")).isEmpty();
      assertThat(reply.header("set-cookie")).contains("naru-pass=;");
      awaitCompleted(1);
    }
    // Nobody's turn: there is none to end.
    assertThat(stand.get("/completed").header("set-cookie")).isEmpty();
  }

  @Test
  void completion_whileNaruIsAway_isToldLater() throws IOException {
    stand.naru.callStatus = 503;
    assertThat(stand.get("/done", stand.pass("c3")).status()).isEqualTo(200);
    awaitCompleted(2);
    stand.naru.callStatus = 200;
    Poll.until(
        Duration.ofSeconds(20),
        () -> "still to be told: " + stand.naru.asked,
        () -> stand.naru.asked.stream().filter(what -> what.contains("/complete")).count() >= 3);
  }

  private static void awaitCompleted(int times) {
    Poll.until(
        Duration.ofSeconds(20),
        () -> "Naru was asked for " + stand.naru.asked,
        () ->
            stand.naru.asked.stream().filter(what -> what.contains("/complete")).count() >= times);
  }

  @Test
  void signals_sayHowTheSiteServes() throws IOException {
    for (int i = 0; i < 5; i++) {
      stand.get("/checkout/headers", stand.pass("s1"));
      stand.get("/checkout/status/503", stand.pass("s1"));
      stand.get("/headers");
    }
    Poll.until(
        Duration.ofSeconds(20),
        () -> "told: " + stand.naru.signals(),
        () -> sum("count") == 10 && sum("errors") == 5);
  }

  @Test
  void signals_areOfTheSite_notOfTheVisitor() throws Exception {
    try (var own = Stand.patient();
        var talk = new Talk(own.port())) {
      String pass = own.pass("s2");
      // The body takes its time: of one that is kept here until it is whole, and of one that is
      // not; and so does whoever reads the answer.
      for (int length : List.of(10, 100_000)) {
        talk.say(
            "POST /checkout/echo HTTP/1.1\r\nHost: a\r\n%s\r\nContent-Length: %d\r\n\r\n"
                .formatted(pass, length));
        talk.say("x".repeat(length - 1));
        Thread.sleep(VISITORS_TIME);
        talk.say("x");
        assertThat(talk.reply().body()).hasSize(length);
      }
      talk.say("GET /checkout/large?bytes=50000000 HTTP/1.1\r\nHost: a\r\n" + pass + "\r\n\r\n");
      assertThat(talk.line()).isEqualTo("HTTP/1.1 200 OK");
      Thread.sleep(VISITORS_TIME);
      talk.read(50_000_000);
      Poll.until(
          Duration.ofSeconds(20),
          () -> "told: " + own.naru.signals(),
          () -> sum(own, "count") == 3 && sum(own, "errors") == 0);
      assertThat(slowest(own)).isLessThan(VISITORS_TIME.toMillis());
    }
  }

  @Test
  void signals_countWhomTheSiteLetWaitUntilTheyWent() throws Exception {
    try (var own = Stand.patient()) {
      try (var talk = new Talk(own.port())) {
        talk.say("GET /checkout/hang HTTP/1.1\r\nHost: a\r\n" + own.pass("s3") + "\r\n\r\n");
        Poll.until(
            Duration.ofSeconds(20), () -> "nothing came", () -> own.site.heads().size() == 1);
        Thread.sleep(VISITORS_TIME);
      }
      Poll.until(
          Duration.ofSeconds(20),
          () -> "told: " + own.naru.signals(),
          () -> sum(own, "count") == 1);
      assertThat(slowest(own)).isGreaterThanOrEqualTo(VISITORS_TIME.toMillis());
    }
  }

  private static long slowest(Stand told) {
    return told.naru.signals().stream()
        .mapToLong(signal -> Long.parseLong(String.valueOf(signal.get("p95Millis"))))
        .max()
        .orElseThrow();
  }

  private static long sum(String field) {
    return sum(stand, field);
  }

  private static long sum(Stand told, String field) {
    return told.naru.signals().stream()
        .mapToLong(signal -> Long.parseLong(String.valueOf(signal.get(field))))
        .sum();
  }
}
