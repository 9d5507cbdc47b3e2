package io.naru.gate.spring;

import static io.naru.gate.Wire.withoutDate;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.naru.gate.FakeNaru;
import io.naru.gate.HostileTokens;
import io.naru.pass.Algorithm;
import io.naru.pass.Forge;
import io.naru.pass.PassKey;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The starter in a real application, spoken to over plain sockets. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class ShopTest {

  private static final String JSON = "Accept: application/json";
  private static final String HTML = "Accept: text/html,application/xhtml+xml,*/*;q=0.8";

  private final FakeNaru naru = new FakeNaru();
  private final Shop shop = new Shop(naru);

  @BeforeEach
  void forget() {
    shop.served().clear();
    naru.asked.clear();
  }

  @AfterAll
  void close() {
    shop.close();
    naru.close();
  }

  @Test
  void naru_hearsHowTheApplicationAnswers() throws Exception {
    shop.send("GET", "/reservations/7", bearer("p1"));

    await()
        .untilAsserted(
            () ->
                assertThat(naru.signals())
                    .anySatisfy(
                        window ->
                            assertThat(window)
                                .containsEntry("source", "shop-1")
                                .doesNotContainEntry("count", 0L)));
    assertThat(naru.signalKey).isEqualTo("Bearer key-of-the-shop");
  }

  // --- who is let in

  @Test
  void controller_knowsWhosePassItIs() throws Exception {
    assertThat(shop.send("GET", "/reservations/7", bearer("p1"))).endsWith("reserved for user-7");
    assertThat(shop.send("POST", "/reservations/7", bearer("p1"), "Content-Length: 0"))
        .endsWith("for user-7");
    assertThat(shop.send("GET", "/reservations/7", HTML, "Cookie: naru-pass=" + naru.token("p1")))
        .endsWith("reserved for user-7");
    assertThat(shop.send("GET", "/about")).endsWith("open");
  }

  @Test
  void controller_completesByTheInjectedGate() throws Exception {
    assertThat(shop.send("POST", "/reservations/done", bearer("p1"), "Content-Length: 0"))
        .contains("DONE");
    assertThat(naru.asked).contains("POST /queue/TIMEDEAL/123/complete");
  }

  @Test
  void passOnAnOpenPath_isAClearErrorForTheDeveloper(CapturedOutput output) throws Exception {
    assertThat(shop.send("GET", "/careless", JSON, bearer("p1")))
        .startsWith("HTTP/1.1 500")
        .doesNotContain("naru.gate.protect");
    assertThat(output).contains("careless", "Add the path to naru.gate.protect");
  }

  @Test
  void asyncAndErrors_ofThoseInside_areAnsweredToTheEnd() throws Exception {
    assertThat(shop.send("GET", "/reservations/later", bearer("p1"))).contains("later for user-7");
    assertThat(shop.send("GET", "/reservations/broken", JSON, bearer("p1")))
        .startsWith("HTTP/1.1 500")
        .contains("\"path\":\"/reservations/broken\"");
  }

  @Test
  void forwardToAProtectedPage_needsAPass() throws Exception {
    assertThat(shop.send("GET", "/shortcut", JSON)).startsWith("HTTP/1.1 403").contains("S806");
    assertThat(shop.send("GET", "/shortcut", HTML)).contains("?return=%2Fshortcut\r\n");
    assertThat(shop.served()).isEmpty();
    assertThat(shop.send("GET", "/shortcut", JSON, bearer("p1"))).contains("reserved for user-7");
  }

  @Test
  void gate_comesBeforeSecurity() throws Exception {
    assertThat(shop.send("GET", "/reservations/7", JSON, "Not-Logged-In: yes"))
        .startsWith("HTTP/1.1 403")
        .contains("S806");
    assertThat(shop.send("GET", "/reservations/7", JSON, "Not-Logged-In: yes", bearer("p1")))
        .startsWith("HTTP/1.1 401");
  }

  // --- attacks 2, 5 and 7

  @Test
  void hostileTokens_getTheSameAnswer_andCallNobody() throws Exception {
    String without = withoutDate(shop.send("GET", "/reservations/7", JSON));
    assertThat(without).startsWith("HTTP/1.1 403").contains("S806", "application/problem+json");
    try (var trap = new FakeNaru()) {
      for (var hostile : HostileTokens.against(naru, trap).entrySet()) {
        for (String header : new String[] {"Authorization: Bearer ", "Cookie: naru-pass="}) {
          String answer = shop.send("GET", "/reservations/7", JSON, header + hostile.getValue());
          assertThat(withoutDate(answer)).as(hostile.getKey()).isEqualTo(without);
        }
      }
      assertThat(trap.asked).isEmpty();
      assertThat(shop.served()).isEmpty();
    }
  }

  // --- attack 6

  @Test
  void unknownKeys_inAFlood_causeOneFetch_andPassesStillCount() throws Exception {
    for (int i = 0; i < 300; i++) {
      PassKey unknown = PassKey.generate(Algorithm.EdDSA);
      String token = new Forge(unknown, naru.pass("p1")).signed();
      assertThat(shop.send("GET", "/reservations/7", JSON, "Authorization: Bearer " + token))
          .startsWith("HTTP/1.1 403");
    }
    assertThat(naru.fetchesOfKeys()).isLessThanOrEqualTo(1);
    assertThat(shop.send("GET", "/reservations/7", bearer("p1"))).endsWith("reserved for user-7");
  }

  @Test
  void naruAwayAtTheStart_applicationStarts_refuses_andSaysSo() throws Exception {
    try (var late = new FakeNaru()) {
      late.goAway();
      try (var other = new Shop(late)) {
        String pass = "Authorization: Bearer " + late.token("p1");
        assertThat(other.send("GET", "/reservations/7", JSON, pass)).startsWith("HTTP/1.1 403");
        assertThat(other.send("GET", "/about")).endsWith("open");
        assertThat(other.send("GET", "/actuator/health"))
            .startsWith("HTTP/1.1 503")
            .contains("naruGate", "OUT_OF_SERVICE", "ConnectException", "TIMEDEAL/123");

        late.comeBack();
        await().until(() -> other.send("GET", "/actuator/health").startsWith("HTTP/1.1 200"));
        assertThat(other.send("GET", "/reservations/7", pass)).endsWith("reserved for user-7");

        late.goAway();
        await().until(() -> other.send("GET", "/actuator/health").contains("problem"));
        assertThat(other.send("GET", "/actuator/health")).startsWith("HTTP/1.1 200");
        assertThat(other.send("GET", "/reservations/7", pass)).endsWith("reserved for user-7");
        assertThat(other.send("GET", "/reservations/7", JSON)).startsWith("HTTP/1.1 403");
      }
    }
  }

  // --- attacks 8 and 10

  @Test
  void secondSession_samePass_isRefused() throws Exception {
    try (var bound = new Shop(naru, "naru.gate.bind-to-session=true")) {
      String first = bound.send("GET", "/reservations/7", bearer("bound"));
      assertThat(first).endsWith("reserved for user-7").contains("Set-Cookie: JSESSIONID=");
      String session = first.replaceFirst("(?s).*Set-Cookie: (JSESSIONID=\\w+).*", "$1");

      assertThat(bound.send("GET", "/reservations/7", JSON, bearer("bound")))
          .startsWith("HTTP/1.1 403")
          .doesNotContain("Set-Cookie");
      assertThat(bound.send("GET", "/reservations/7", bearer("bound"), "Cookie: " + session))
          .endsWith("reserved for user-7");
      assertThat(count(bound, "refused", "other_session")).isEqualTo(1);
    }
  }

  @Test
  void revokedPass_isRefusedInTime() throws Exception {
    assertThat(shop.send("GET", "/reservations/7", bearer("leaked"))).endsWith("user-7");
    naru.revokedPasses.add("leaked");
    await()
        .atMost(Duration.ofSeconds(5))
        .until(
            () -> shop.send("GET", "/reservations/7", bearer("leaked")).startsWith("HTTP/1.1 403"));
  }

  @Test
  void revokedKey_isRefusedInTime_andItsSuccessorServes() throws Exception {
    try (var leaky = new FakeNaru();
        var other = new Shop(leaky)) {
      String old = "Authorization: Bearer " + leaky.token("p1");
      assertThat(other.send("GET", "/reservations/7", old)).endsWith("reserved for user-7");
      PassKey leaked = leaky.key;
      leaky.key = PassKey.generate(Algorithm.ES256);
      leaky.published.add(leaky.key);
      leaky.published.remove(leaked);
      leaky.revokedKeys.add(leaked.id());

      await()
          .atMost(Duration.ofSeconds(5))
          .until(() -> other.send("GET", "/reservations/7", JSON, old).startsWith("HTTP/1.1 403"));
      String next = "Authorization: Bearer " + leaky.token("p2");
      assertThat(other.send("GET", "/reservations/7", next)).endsWith("reserved for user-7");
    }
  }

  // --- attacks 9, 16 and 17

  @ParameterizedTest
  @MethodSource("io.naru.gate.HostilePaths#spellings")
  void everySpelling_withoutPass_servesNothing(String target) throws Exception {
    for (String method : new String[] {"GET", "POST", "OPTIONS", "PROPFIND"}) {
      assertThat(shop.send(method, target, JSON, "Content-Length: 0"))
          .as(method)
          .doesNotStartWith("HTTP/1.1 2");
    }
    assertThat(shop.served()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("io.naru.gate.HostilePaths#waysBack")
  void wayBack_neverLeavesTheSite(String target) throws Exception {
    String answer = shop.send("GET", target, HTML, "X-Forwarded-Host: evil.example");

    assertThat(answer).doesNotContain("return=%2F%2F", "return=%2F%5C", "return=http");
    assertThat(answer.lines().filter(line -> line.startsWith("Location: ")))
        .allMatch(line -> line.startsWith("Location: " + naru.url() + "/wait/TIMEDEAL/123"));
    assertThat(shop.served()).isEmpty();
  }

  @Test
  void newlines_reachNeitherHeadersNorLog(CapturedOutput output) throws Exception {
    String evil = "%0d%0aEvil:%20yes";
    for (String answer :
        new String[] {
          shop.send("GET", "/reservations/7" + evil, HTML),
          shop.send("GET", "/reservations/7?x=" + evil, HTML),
          shop.send("GET", "/reservations/7", JSON, "Authorization: Bearer a.b\nEvil: yes"),
          shop.send("GET", "/reservations/7", JSON, "Cookie: naru-pass=\"a\\\nEvil: yes\""),
          shop.send("GET", "/reservations/7", HTML, "Cookie: naru-pass=a" + evil)
        }) {
      assertThat(answer).doesNotStartWith("HTTP/1.1 2");
      assertThat(answer.lines()).noneMatch(line -> line.startsWith("Evil"));
    }
    assertThat(output.getAll().lines()).noneMatch(line -> line.startsWith("Evil"));
    assertThat(shop.served()).isEmpty();
  }

  // --- what operators see

  @Test
  void metrics_countWhatWasJudgedAndWhy() throws Exception {
    double accepted = count(shop, "accepted", "none");
    double missing = count(shop, "refused", "missing");
    double malformed = count(shop, "refused", "malformed");

    shop.send("GET", "/reservations/7", bearer("p1"));
    shop.send("GET", "/reservations/7", JSON);
    shop.send("GET", "/reservations/7", JSON, "Authorization: Bearer rubbish");
    shop.send("GET", "/about");

    assertThat(count(shop, "accepted", "none") - accepted).isEqualTo(1);
    assertThat(count(shop, "refused", "missing") - missing).isEqualTo(1);
    assertThat(count(shop, "refused", "malformed") - malformed).isEqualTo(1);
  }

  @Test
  void health_saysHowTheGateIs_andNoSecrets() throws Exception {
    assertThat(shop.send("GET", "/actuator/health/naruGate"))
        .startsWith("HTTP/1.1 200")
        .contains("\"status\":\"UP\"", "\"keys\":", "revocationsAt", "TIMEDEAL/123")
        .doesNotContain(naru.key.id());
  }

  @Test
  void start_saysWhatIsGuarded_once(CapturedOutput output) {
    try (var other = new Shop(naru)) {
      assertThat(output.getAll().lines())
          .filteredOn(line -> line.contains("guards "))
          .singleElement()
          .asString()
          .contains("/reservations/**", "TIMEDEAL/123", naru.url(), "INFO", "io.naru.gate.Gate");
      assertThat(other.served()).isEmpty();
    }
  }

  private String bearer(String passId) {
    return "Authorization: Bearer " + naru.token(passId);
  }

  private static double count(Shop shop, String outcome, String reason) {
    var timer =
        shop.bean(MeterRegistry.class)
            .find("naru.gate.check")
            .tags("outcome", outcome, "reason", reason)
            .timer();
    return timer == null ? 0 : timer.count();
  }
}
