package io.naru.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Attack 13 at the gateway: what two servers in a row could read differently. */
class SmugglingTest {

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

  /** Each with a second request behind it, which must come to nobody. */
  static List<String> refused() {
    String second = "GET /checkout/headers HTTP/1.1\r\nHost: shop.example\r\n\r\n";
    return List.of(
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"
            + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 4\r\n\r\n" + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nabcd"
            + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4, 4\r\n\r\nabcd" + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: +4\r\n\r\nabcd" + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n" + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 0x4\r\n\r\nabcd" + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n" + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent_Length: 4\r\nContent-Length: 0\r\n\r\n" + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
            + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"
            + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n" + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n"
            + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"
            + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nX: 1\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nX: 1\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            + second,
        "POST /echo HTTP/1.1\r\nHost: a\r\nX: 1\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            + second,
        "POST /echo HTTP/1.1\nHost: a\n\n" + second,
        "POST /echo HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second,
        "GET /headers HTTP/1.1\r\n\r\n" + second,
        "GET /headers HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n" + second,
        "GET /headers HTTP/1.1\r\nHost: a, b\r\n\r\n" + second,
        "GET /headers HTTP/1.1\r\nHost: a/b\r\n\r\n" + second,
        "GET /headers HTTP/1.1\r\nHost: " + "a".repeat(256) + "\r\n\r\n" + second,
        "GET /headers HTTP/1.1\r\nHost: \r\n\r\n" + second,
        "GET /headers HTTP/1.0\r\n\r\n" + second,
        "GET http://shop.example/headers HTTP/1.1\r\nHost: shop.example\r\n\r\n" + second,
        "GET http://evil.example/checkout HTTP/1.1\r\nHost: shop.example\r\n\r\n" + second,
        "GET //shop.example@evil\u0000/ HTTP/1.1\r\nHost: a\r\n\r\n" + second,
        "GET /headers\u00ff HTTP/1.1\r\nHost: a\r\n\r\n" + second,
        "GET /headers#x HTTP/1.1\r\nHost: a\r\n\r\n" + second,
        "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n" + second,
        "GET  /headers HTTP/1.1\r\nHost: a\r\n\r\n" + second,
        "GET /headers  HTTP/1.1\r\nHost: a\r\n\r\n" + second,
        "GET /headers HTTP/1.1 \r\nHost: a\r\n\r\n" + second,
        " GET /headers HTTP/1.1\r\nHost: a\r\n\r\n" + second,
        "GET /headers HTTP/2.0\r\nHost: a\r\n\r\n" + second,
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + second,
        "GET /headers\r\n\r\n" + second,
        "G(T /headers HTTP/1.1\r\nHost: a\r\n\r\n" + second,
        "GET /headers HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n" + second,
        "GET /headers HTTP/1.1\r\nHost: a\r\nnothing\r\n\r\n" + second,
        "GET /headers HTTP/1.1\r\nHost: a\r\nX: \u0000\r\n\r\n" + second,
        "GET /headers HTTP/1.1\r\nHost: a\r\nX\u00e9: 1\r\n\r\n" + second,
        "GET /headers%00 HTTP/1.1\r\nHost: a\r\n\r\n" + second,
        "GET /headers%zz HTTP/1.1\r\nHost: a\r\n\r\n" + second,
        "GET /headers%ff HTTP/1.1\r\nHost: a\r\n\r\n" + second,
        "GET /%2525252570x HTTP/1.1\r\nHost: a\r\n\r\n" + second,
        "GET " + "/a".repeat(257) + " HTTP/1.1\r\nHost: a\r\n\r\n" + second,
        "GET /a" + "/..".repeat(17) + "/headers HTTP/1.1\r\nHost: a\r\n\r\n" + second);
  }

  @ParameterizedTest
  @MethodSource("refused")
  void unclear_request_isRefusedAndComesToNobody(String bytes) throws IOException {
    try (var talk = new Talk(stand.port())) {
      talk.say(bytes);
      var reply = talk.reply();
      assertThat(reply.status()).isEqualTo(400);
      assertThat(reply.header("connection")).isEqualTo("close");
      assertThat(talk.untilClosed()).isEmpty();
    }
    assertThat(stand.site.heads()).isEmpty();
  }

  static List<String> brokenBodies() {
    return List.of(
        "4\nabcd\r\n0\r\n\r\n",
        "4\r\nabcdX\r\n0\r\n\r\n",
        "4\r\nabcd\n0\r\n\r\n",
        "-1\r\nabcd\r\n0\r\n\r\n",
        "0x4\r\nabcd\r\n0\r\n\r\n",
        " 4\r\nabcd\r\n0\r\n\r\n",
        "4 \r\nabcd\r\n0\r\n\r\n",
        "4;x\nabcd\r\n0\r\n\r\n",
        "ffffffffffffffffff\r\nabcd",
        "\r\n0\r\n\r\n",
        "4;" + "x".repeat(300) + "\r\nabcd\r\n0\r\n\r\n",
        "0\r\nX: " + "x".repeat(20_000) + "\r\n\r\n");
  }

  @ParameterizedTest
  @MethodSource("brokenBodies")
  void badlyFramed_body_isRefusedAndNothingBehindItCounts(String body) throws IOException {
    String head = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    try (var talk = new Talk(stand.port())) {
      talk.say(head + body + "GET /checkout HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(talk.reply().status()).isEqualTo(400);
      assertThat(talk.untilClosed()).isEmpty();
    }
    assertThat(stand.site.heads())
        .hasSizeLessThanOrEqualTo(1)
        .noneMatch(one -> one.startsWith("GET"));
  }

  @Test
  void chunks_withExtensionsAndTrailers_arriveWithoutThem() throws IOException {
    try (var talk = new Talk(stand.port())) {
      talk.say(
          """
          POST /echo HTTP/1.1
          Host: a
          Transfer-Encoding: Chunked
          Trailer: X-Evil

          004;a=b
          abcd
          1
          e
          0
          X-Evil: 1
          Content-Length: 9

          GET /headers?behind HTTP/1.1
          Host: a

          """
              .replace("\n", "\r\n"));
      assertThat(talk.reply().body()).isEqualTo("abcde");
      assertThat(talk.reply().body()).startsWith("GET /headers?behind");
    }
    assertThat(stand.site.heads()).hasSize(2).noneMatch(head -> head.contains("Evil"));
    assertThat(stand.site.heads().getFirst())
        .contains("Transfer-Encoding: chunked\r\n")
        .doesNotContain("Trailer", "Content-Length");
  }

  @Test
  void limits_lineAndHeaders_areNamed() throws IOException {
    assertThat(stand.get("/" + "x".repeat(9_000)).status()).isEqualTo(414);
    assertThat(stand.get("/headers", "X: " + "x".repeat(17_000)).status()).isEqualTo(431);
    String[] many = new String[201];
    Arrays.fill(many, "X: 1");
    assertThat(stand.get("/headers", many).status()).isEqualTo(431);
    assertThat(stand.site.heads()).isEmpty();
    assertThat(stand.get("/headers", "X: " + "x".repeat(15_000)).status()).isEqualTo(200);
  }

  @Test
  void methods_thatAreForProxies_areRefused() throws IOException {
    for (String method : new String[] {"TRACE", "CONNECT"}) {
      assertThat(Talk.ask(stand.port(), method, "/headers", "").status()).isEqualTo(405);
    }
    assertThat(stand.site.heads()).isEmpty();
  }
}
