package io.naru.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.net.Networks;
import io.naru.testkit.PlainSite;
import io.naru.testkit.Poll;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What goes through, and as what. */
class ProxyTest {

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
  }

  @Test
  void headers_ofVisitors_areCleaned() throws IOException {
    String seen =
        stand.seen(
            "/headers?a=b",
            "Connection: keep-alive, X-Hop, Cookie",
            "X-Hop: 1",
            "Keep-Alive: timeout=5",
            "TE: trailers",
            "Upgrade: h2c",
            "HTTP2-Settings: AAMAAABkAAQ",
            "Proxy-Authorization: Basic x",
            "Proxy: http://evil.example",
            "User-Id: victim",
            "USER_ID: victim",
            "User-Lane: vip",
            "Naru-User: victim",
            "naru_user: victim",
            "Naru-Site: https",
            "X-Forwarded-For: 203.0.113.9",
            "X-Forwarded-Proto: https",
            "X-Forwarded-Host: evil.example",
            "X-Forwarded-Prefix: /evil",
            "Forwarded: for=203.0.113.9",
            "X-Real-IP: 203.0.113.9",
            "X-Original-URL: /checkout",
            "Cookie: a=b; naru-pass=x; __Host-naru-pass=y; c=d",
            "Authorization: Bearer login-of-the-site",
            "X-Custom: stays");
    assertThat(seen.lines())
        .containsExactly(
            "GET /headers?a=b HTTP/1.1",
            "Host: shop.example",
            "Cookie: a=b; c=d",
            "Authorization: Bearer login-of-the-site",
            "X-Custom: stays",
            "X-Forwarded-For: 127.0.0.1",
            "X-Forwarded-Proto: http",
            "X-Forwarded-Host: shop.example",
            "");
  }

  @Test
  void pass_isTakenOutAndItsOwnerNamed() throws IOException {
    String token = stand.naru.token("p1");
    for (String brought :
        List.of(
            "Cookie: a=b; naru-pass=" + token,
            "Cookie: naru-pass=planted; __Host-naru-pass=" + token,
            "Authorization: Bearer " + token)) {
      String seen = stand.seen("/checkout/headers", brought, "Naru-Pass-Id: forged");
      assertThat(seen)
          .contains("Naru-User: user-7\r\n", "Naru-Pass-Id: p1\r\n")
          .doesNotContain(token, "forged", "Authorization");
    }
  }

  @Test
  void proxies_thatAreListed_areHeard() throws IOException {
    try (var behind =
        new Stand(Stand.LONG, Gateway.Limits.DEFAULT, null, Networks.SAME_MACHINE, true)) {
      String token = behind.naru.token("p1");
      String seen =
          behind.seen(
              "/checkout/headers",
              "X-Forwarded-For: 203.0.113.9",
              "X-Forwarded-Proto: https",
              "X-Forwarded-Host: shop.example",
              "User-Id: victim",
              "Cookie: naru-pass=" + token);
      assertThat(seen)
          .contains(
              "X-Forwarded-For: 203.0.113.9, 127.0.0.1\r\n",
              "X-Forwarded-Proto: https\r\n",
              // It was told to.
              "Cookie: naru-pass=" + token)
          .doesNotContain("victim");
    }
  }

  @Test
  void narusPaths_goToNaruWithWhatItMayKnow() throws IOException {
    try (var naru = PlainSite.open();
        var gateway = stand.with(naru.uri(), null)) {
      naru.forget();
      Talk.get(
          gateway.port(),
          "/wait/TIMEDEAL/123?return=%2Fcheckout",
          "Accept-Language: ko",
          "User-Id: victim",
          "X-Customer: victim",
          "Naru-Site-Key: guessed",
          "Naru-Site: https",
          "X-Forwarded-For: 203.0.113.9",
          "Cookie: shop=secret; naru=v; __Host-naru-pass=p; session=s; narux=1");
      assertThat(naru.heads().stream().filter(head -> head.startsWith("GET /wait")).toList())
          .containsExactly(
              """
              GET /wait/TIMEDEAL/123?return=%2Fcheckout HTTP/1.1
              Host: shop.example
              Accept-Language: ko
              Cookie: naru=v; __Host-naru-pass=p; session=s
              X-Forwarded-For: 127.0.0.1
              X-Forwarded-Proto: http
              X-Forwarded-Host: shop.example
              Naru-Site: http

              """
                  .replace("\n", "\r\n"));
    }
    for (String path : List.of("/naru.js", "/queue/TIMEDEAL/123/board")) {
      stand.get(path);
      assertThat(stand.naru.asked).contains("GET " + path);
    }
    assertThat(stand.site.heads()).isEmpty();
    for (String path :
        List.of("/wait/../checkout", "/wait//x", "/queue/%2e%2e/admin", "/wait/;x")) {
      assertThat(stand.get(path).status()).isEqualTo(404);
    }
    assertThat(stand.site.heads()).isEmpty();
    for (String path :
        List.of("/admin/queues", "/console", "/.well-known/jwks.json", "/gate/check")) {
      assertThat(stand.get(path).body()).isEqualTo("nothing here");
    }
    assertThat(stand.site.heads()).hasSize(4);
  }

  @Test
  void bodies_bothWays_goThrough() throws IOException {
    String body = "abc".repeat(100_000);
    var echoed = Talk.ask(stand.port(), "POST", "/echo", body, "Content-Type: text/x");
    assertThat(echoed.body()).isEqualTo(body);
    assertThat(echoed.header("content-type")).isEqualTo("text/x");
    assertThat(stand.get("/large?bytes=3000000").body()).hasSize(3_000_000);
    var chunked = stand.get("/chunked?bytes=300000");
    assertThat(chunked.body()).hasSize(300_000);
    assertThat(chunked.header("transfer-encoding")).isEqualTo("chunked");
    assertThat(stand.get("/status/418").status()).isEqualTo(418);
  }

  @Test
  void head_andHttp10_areAnsweredInTheirWay() throws IOException {
    try (var talk = new Talk(stand.port())) {
      var head = talk.ask("HEAD", "/large?bytes=0", "");
      assertThat(head.header("content-length")).isEqualTo("0");
      assertThat(talk.ask("HEAD", "/headers", "").status()).isEqualTo(200);
      assertThat(talk.ask("GET", "/headers", "").body()).startsWith("GET /headers");
    }
    try (var talk = new Talk(stand.port())) {
      talk.say("GET /chunked?bytes=100000 HTTP/1.0\r\nHost: a\r\n\r\n");
      var old = talk.reply();
      assertThat(old.header("transfer-encoding")).isEmpty();
      assertThat(old.header("connection")).isEqualTo("close");
      assertThat(old.body()).hasSize(100_000);
    }
    try (var talk = new Talk(stand.port())) {
      talk.say("GET /headers HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
      assertThat(talk.reply().header("connection")).isEqualTo("keep-alive");
      talk.say("GET /headers HTTP/1.0\r\nHost: a\r\n\r\n");
      assertThat(talk.reply().body()).startsWith("GET /headers HTTP/1.1");
      assertThat(talk.untilClosed()).isEmpty();
    }
  }

  @Test
  void requests_inARow_areAnsweredInOrder() throws IOException {
    try (var talk = new Talk(stand.port())) {
      var all = new StringBuilder();
      for (int i = 0; i < 50; i++) {
        all.append("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
        all.append("%03d".formatted(i));
      }
      talk.say(all.toString());
      for (int i = 0; i < 50; i++) {
        assertThat(talk.reply().body()).isEqualTo("%03d".formatted(i));
      }
    }
    assertThat(stand.site.heads()).hasSize(50);
  }

  @Test
  void expectation_ofTheVisitor_isTheSitesToMeet() throws IOException {
    String body = "abcd".repeat(20_000);
    try (var talk = new Talk(stand.port())) {
      talk.say(
          "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 80000\r\nExpect: 100-continue\r\n\r\n");
      Poll.until(Duration.ofSeconds(20), () -> "nothing came", () -> !stand.site.heads().isEmpty());
      assertThat(stand.site.heads().getFirst()).contains("Expect: 100-continue");
      talk.say(body);
      assertThat(talk.reply().body()).isEqualTo(body);
    }
  }

  @Test
  void expectation_withABodyThatIsKeptUntilItIsWhole_isMetHere() throws IOException {
    for (String length : List.of("Content-Length: 4", "Transfer-Encoding: chunked")) {
      stand.site.forget();
      try (var talk = new Talk(stand.port())) {
        talk.say(
            "POST /echo HTTP/1.1\r\nHost: a\r\n%s\r\nExpect: 100-continue\r\n\r\n"
                .formatted(length));
        assertThat(talk.reply().status()).isEqualTo(100);
        assertThat(stand.site.heads()).isEmpty();
        talk.say(length.endsWith("4") ? "abcd" : "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n");
        assertThat(talk.reply().body()).isEqualTo("abcd");
        assertThat(stand.site.heads().getFirst()).contains(length).doesNotContain("Expect");
      }
    }
  }

  @Test
  void body_inChunks_smallOrLarge_arrivesWhole() throws IOException {
    for (int chunks : List.of(1, 3, 100)) {
      try (var talk = new Talk(stand.port())) {
        talk.say("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (int i = 0; i < chunks; i++) {
          talk.say("1000\r\n" + "abcd".repeat(1_024) + "\r\n");
        }
        talk.say("0\r\n\r\n");
        assertThat(talk.reply().body()).isEqualTo("abcd".repeat(1_024 * chunks));
        assertThat(talk.ask("GET", "/headers", "").status()).isEqualTo(200);
      }
    }
  }

  @Test
  void webSocket_withAPass_isATunnel() throws IOException {
    String upgrade =
        """
        GET /checkout/socket HTTP/1.1
        Host: a
        Connection: Upgrade
        Upgrade: websocket
        Sec-WebSocket-Version: 13
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
        """
            .replace("\n", "\r\n");
    try (var talk = new Talk(stand.port())) {
      talk.say(upgrade + "\r\n");
      assertThat(talk.reply().status()).isEqualTo(429);
    }
    try (var talk = new Talk(stand.port())) {
      talk.say(upgrade + stand.pass("p1") + "\r\n\r\n");
      var reply = talk.reply();
      assertThat(reply.status()).isEqualTo(101);
      assertThat(reply.header("sec-websocket-accept")).isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
      assertThat(reply.header("connection")).isEqualTo("Upgrade");
      for (int i = 0; i < 3; i++) {
        talk.say("\u0081\u0083\u0000\u0000\u0000\u0000a" + i + "c");
        assertThat(new String(talk.read(5), ISO_8859_1)).isEqualTo("\u0081\u0003a" + i + "c");
      }
      talk.say("\u0088\u0080\u0000\u0000\u0000\u0000");
      assertThat(talk.untilClosed()).isEqualTo("\u0088\u0000");
    }
  }

  @Test
  void events_comeAsTheyHappen() throws IOException {
    try (var own = Stand.patient()) {
      try (var talk = new Talk(own.port())) {
        talk.say("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(talk.line()).isEqualTo("HTTP/1.1 200 OK");
        for (String line = talk.line(); !line.equals("data: 3"); line = talk.line()) {
          assertThat(line).doesNotContain("404");
        }
      }
      Poll.until(
          Duration.ofSeconds(20),
          () -> "the site still serves somebody who has gone",
          () -> own.site.connections() == 0);
    }
  }

  @Test
  void connections_toTheSite_areUsedAgain() throws IOException {
    try (var own = Stand.patient();
        var talk = new Talk(own.port())) {
      for (int i = 0; i < 200; i++) {
        assertThat(talk.ask("GET", "/headers", "").status()).isEqualTo(200);
      }
      assertThat(own.site.connections()).isOne();
    }
  }

  @Test
  void manyAtOnce_eachGetTheirOwn() throws Exception {
    try (var visitors = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers =
          IntStream.range(0, 64)
              .mapToObj(
                  visitor ->
                      visitors.submit(
                          () -> {
                            try (var talk = new Talk(stand.port())) {
                              for (int i = 0; i < 20; i++) {
                                String body = visitor + "-" + i + "-" + "x".repeat(i * 997);
                                assertThat(talk.ask("POST", "/echo", body).body()).isEqualTo(body);
                              }
                              return true;
                            }
                          }))
              .toList();
      for (var answer : answers) {
        assertThat(answer.get()).isTrue();
      }
    }
  }
}
