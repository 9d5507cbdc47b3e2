package io.naru.gate;

import static io.naru.gate.Wire.withoutDate;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The filter in a real servlet container, spoken to over plain sockets. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GateFilterTest {

  private static final String JSON = "Accept: application/json";
  private static final String HTML = "Accept: text/html,application/xhtml+xml,*/*;q=0.8";

  private final FakeNaru naru = new FakeNaru();
  private final Gate gate = naru.gate().protect("/reservations/**").open();
  private Site site;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    site = new Site(gate, "", folder);
  }

  @BeforeEach
  void forget() {
    site.served.clear();
  }

  @AfterAll
  void close() {
    site.close();
    gate.close();
    naru.close();
  }

  @Test
  void request_withPass_isLetInAndKnowsWhoItIs() throws Exception {
    String token = naru.token("p1");

    assertThat(site.send("POST", "/reservations", "Authorization: Bearer " + token))
        .startsWith("HTTP/1.1 200")
        .endsWith("for user-7");
    assertThat(site.send("GET", "/reservations/1", "authorization: bearer " + token))
        .endsWith("for user-7");
    assertThat(site.send("GET", "/reservations/1", HTML, "Cookie: a=b; naru-pass=" + token))
        .endsWith("for user-7");
    assertThat(
            site.send(
                "GET",
                "/reservations/1",
                HTML,
                "Cookie: naru-pass=planted; __Host-naru-pass=" + token))
        .endsWith("for user-7");
  }

  @Test
  void request_withTheSitesOwnBearer_usesTheCookie() throws Exception {
    assertThat(
            site.send(
                "GET",
                "/reservations/1",
                "Authorization: Bearer login-of-the-site",
                "Cookie: naru-pass=" + naru.token("p1")))
        .endsWith("for user-7");
  }

  @Test
  void request_forAnythingElse_needsNoPass() throws Exception {
    assertThat(site.send("GET", "/")).startsWith("HTTP/1.1 200").endsWith("open");
    assertThat(site.send("POST", "/login")).endsWith("open");
  }

  @Test
  void api_withoutPass_gets403AsAProblem() throws Exception {
    String answer = site.send("POST", "/reservations", JSON);

    assertThat(answer)
        .startsWith("HTTP/1.1 403")
        .contains("Content-Type: application/problem+json")
        .contains("Cache-Control: no-store", "Referrer-Policy: no-referrer");
    Map<String, Object> problem =
        JSONObjectUtils.parse(answer.substring(answer.indexOf("\r\n\r\n") + 4));
    assertThat(problem)
        .containsEntry("code", "S806")
        .containsEntry("status", 403L)
        .containsEntry("type", "urn:naru:problem:S806");
    assertThat(String.valueOf(problem.get("detail"))).contains("TIMEDEAL/123", "naru-pass");
    assertThat(site.served).isEmpty();
  }

  @Test
  void api_anyBadPass_getsTheSameAnswer() throws Exception {
    String without = withoutDate(site.send("GET", "/reservations", JSON));
    naru.revokedPasses.add("revoked");
    gate.trust().poll();

    for (String bad :
        new String[] {
          "x", "a.b.c", naru.token("p1") + "=", naru.token("revoked"), "A".repeat(5_000)
        }) {
      String bearer = "Authorization: Bearer " + bad;
      assertThat(withoutDate(site.send("GET", "/reservations", JSON, bearer))).isEqualTo(without);
    }
    assertThat(site.served).isEmpty();
  }

  @Test
  void hostileTokens_getTheSameAnswer_andCallNobody() throws Exception {
    String without = withoutDate(site.send("GET", "/reservations", JSON));
    try (var trap = new FakeNaru()) {
      // Unknown keys may be asked for, once in half a minute, and at Naru alone.
      naru.asked.clear();
      for (var hostile : HostileTokens.against(naru, trap).entrySet()) {
        for (String header : new String[] {"Authorization: Bearer ", "Cookie: naru-pass="}) {
          assertThat(
                  withoutDate(site.send("GET", "/reservations", JSON, header + hostile.getValue())))
              .as(hostile.getKey())
              .isEqualTo(without);
        }
      }
      assertThat(trap.asked).isEmpty();
      assertThat(naru.fetchesOfKeys()).isLessThanOrEqualTo(1);
      assertThat(site.served).isEmpty();
    }
  }

  @Test
  void pass_inTheAddress_isNotLookedAt() throws Exception {
    String token = naru.token("p1");
    for (String name : new String[] {"naru-pass", "pass", "token", "access_token"}) {
      assertThat(site.send("GET", "/reservations?" + name + "=" + token, JSON))
          .startsWith("HTTP/1.1 403");
    }
  }

  @Test
  void browser_withoutPass_isSentToWaitAndKnowsTheWayBack() throws Exception {
    assertThat(site.send("GET", "/reservations/new?seat=12&row=a%2Fb", HTML))
        .startsWith("HTTP/1.1 303")
        .contains(
            "Location: "
                + naru.url()
                + "/wait/TIMEDEAL/123?return=%2Freservations%2Fnew%3Fseat%3D12%26row%3Da%252Fb\r\n")
        .contains("Cache-Control: no-store", "Referrer-Policy: no-referrer");
    for (String method : new String[] {"POST", "PUT", "HEAD"}) {
      assertThat(site.send(method, "/reservations", HTML, "Content-Length: 0"))
          .startsWith("HTTP/1.1 403");
    }
    assertThat(site.served).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/reservations/%09/evil.example",
        "/reservations/%2F%2Fevil.example",
        "/reservations//1"
      })
  void browser_wayBackThatTheWaitingPageWouldRefuse_isLeftOut(String target) throws Exception {
    assertThat(site.send("GET", target, HTML))
        .contains("Location: " + naru.url() + "/wait/TIMEDEAL/123\r\n");
  }

  @ParameterizedTest
  @MethodSource("io.naru.gate.HostilePaths#waysBack")
  void browser_wayBack_neverLeavesTheSite(String target) throws Exception {
    String answer = site.send("GET", target, HTML);

    assertThat(answer).doesNotContain("return=%2F%2F", "return=%2F%5C", "return=http");
    assertThat(answer.lines().filter(line -> line.startsWith("Location: ")))
        .allMatch(line -> line.startsWith("Location: " + naru.url() + "/wait/TIMEDEAL/123"));
    assertThat(site.served).isEmpty();
  }

  @Test
  void browser_veryLongAddress_getsNoWayBack() throws Exception {
    assertThat(site.send("GET", "/reservations?" + "x".repeat(3_000), HTML))
        .startsWith("HTTP/1.1 303")
        .contains("Location: " + naru.url() + "/wait/TIMEDEAL/123\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET",
        "HEAD",
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "OPTIONS",
        "TRACE",
        "PROPFIND",
        "get",
        "X"
      })
  void everyMethod_withoutPass_isRefused(String method) throws Exception {
    assertThat(site.send(method, "/reservations/1", "Content-Length: 0"))
        .startsWith("HTTP/1.1 403");
    assertThat(site.served).isEmpty();
  }

  /**
   * What the container itself refuses is refused as well; what matters is that nothing is served.
   */
  @ParameterizedTest
  @MethodSource("io.naru.gate.HostilePaths#spellings")
  void everySpelling_withoutPass_servesNothing(String target) throws Exception {
    for (String method : new String[] {"GET", "POST", "OPTIONS"}) {
      String answer = site.send(method, target, JSON, "Content-Length: 0");
      assertThat(answer).as(method).doesNotStartWith("HTTP/1.1 2");
    }
    assertThat(site.served).isEmpty();
  }

  @Test
  void pathRewrittenBeforeTheGate_isJudgedAsWell() throws Exception {
    assertThat(site.send("GET", "/about", JSON, "Rewrite-To: /reservations/1"))
        .startsWith("HTTP/1.1 403");
    assertThat(site.send("GET", "/reservations/1", JSON, "Rewrite-To: /about"))
        .startsWith("HTTP/1.1 403");
    assertThat(site.served).isEmpty();
  }

  @Test
  void contextPath_isNotPartOfThePatterns(@TempDir Path folder) throws Exception {
    try (var shop = new Site(gate, "/shop", folder)) {
      assertThat(shop.send("GET", "/shop/about")).endsWith("open");
      assertThat(shop.send("GET", "/shop/reservations", JSON)).startsWith("HTTP/1.1 403");
      assertThat(shop.send("GET", "/%73hop/reservations", JSON)).startsWith("HTTP/1.1 403");
      assertThat(shop.send("GET", "/x/../shop/reservations", JSON)).doesNotStartWith("HTTP/1.1 2");
      assertThat(shop.send("GET", "/shop/reservations", HTML))
          .contains("?return=%2Fshop%2Freservations\r\n");
      assertThat(shop.served).containsExactly("GET /shop/about");
    }
  }

  @Test
  void naruDown_passesStillServe_andNobodyElse() throws Exception {
    String token = naru.token("p1");
    naru.goAway();
    gate.trust().poll();

    assertThat(site.send("GET", "/reservations", "Authorization: Bearer " + token))
        .endsWith("for user-7");
    assertThat(site.send("GET", "/reservations", JSON)).startsWith("HTTP/1.1 403");
    naru.comeBack();
  }
}
