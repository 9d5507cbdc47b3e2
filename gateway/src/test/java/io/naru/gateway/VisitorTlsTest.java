package io.naru.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.testkit.Certificate;
import io.naru.testkit.PlainSite;
import io.naru.testkit.Poll;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Visitors who come by {@code https://}. */
@Tag("process")
class VisitorTlsTest {

  @TempDir private static Path folder;
  private static Certificate certificate;
  private static Stand stand;

  @BeforeAll
  static void open() {
    certificate = Certificate.make(folder);
    stand = new Stand(Stand.LONG, Gateway.Limits.DEFAULT, files(certificate));
  }

  @AfterAll
  static void close() {
    stand.close();
  }

  private static TlsFiles files(Certificate of) {
    return new TlsFiles(of.certificate(), of.key());
  }

  private static SSLSocket connect(Stand to, Certificate trusted) throws IOException {
    return trusted.over(new Socket(InetAddress.getLoopbackAddress(), to.port()));
  }

  private static Talk talk() throws IOException {
    return new Talk(connect(stand, certificate));
  }

  @Test
  void requests_goThroughAsAnyOther_andTheSiteIsToldHowTheyCame() throws IOException {
    try (var talk = talk()) {
      String seen = talk.ask("GET", "/headers", "", "X-Forwarded-Proto: http").body();
      assertThat(seen).contains("X-Forwarded-Proto: https\r\n", "X-Forwarded-For: 127.0.0.1\r\n");
      for (String body : List.of("small", "large".repeat(100_000))) {
        assertThat(talk.ask("POST", "/echo", body).body()).isEqualTo(body);
      }
      assertThat(talk.ask("GET", "/large?bytes=3000000", "").body()).hasSize(3_000_000);
      assertThat(talk.ask("GET", "/chunked?bytes=300000", "").body()).hasSize(300_000);
      assertThat(talk.ask("GET", "/checkout", "").body())
          .contains("\"waitUrl\":\"https://shop.example/wait/TIMEDEAL/123\"");
    }
  }

  @Test
  void requests_inARow_readLate_areAllAnswered() throws IOException {
    try (var talk = talk()) {
      int requests = 200;
      talk.say("GET /large?bytes=20000 HTTP/1.1\r\nHost: a\r\n\r\n".repeat(requests));
      for (int i = 0; i < requests; i++) {
        assertThat(talk.reply().body()).hasSize(20_000);
      }
    }
  }

  @Test
  void naru_isToldThatPagesComeByTls_soThatItsCookiesAreForThatAlone() throws Exception {
    try (var naru = PlainSite.open();
        var gateway = stand.with(naru.uri(), files(certificate))) {
      naru.forget();
      var plain = new Socket(InetAddress.getLoopbackAddress(), gateway.port());
      try (var talk = new Talk(certificate.over(plain))) {
        talk.ask("GET", "/wait/TIMEDEAL/123", "", "Naru-Site: http");
      }
      assertThat(naru.heads().stream().filter(head -> head.startsWith("GET /wait")).toList())
          .singleElement()
          .asString()
          .contains("Naru-Site: https\r\n", "X-Forwarded-Proto: https\r\n");
    }
  }

  @Test
  void turn_thatIsOver_takesBothCookiesAway() throws IOException {
    try (var talk = talk()) {
      String pass = "Cookie: __Host-naru-pass=" + stand.naru.token("p1");
      String cleared = talk.ask("GET", "/done", "", pass).header("set-cookie");
      assertThat(cleared).contains("naru-pass=;", "__Host-naru-pass=;", "; Secure");
    }
  }

  @Test
  void webSocket_isATunnel() throws IOException {
    try (var talk = talk()) {
      talk.say(
          """
          GET /checkout/socket HTTP/1.1
          Host: a
          Connection: Upgrade
          Upgrade: websocket
          Sec-WebSocket-Version: 13
          Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
          Cookie: __Host-naru-pass=%s

          """
              .formatted(stand.naru.token("p1"))
              .replace("\n", "\r\n"));
      assertThat(talk.reply().status()).isEqualTo(101);
      for (int i = 0; i < 3; i++) {
        talk.say("\u0081\u0083\u0000\u0000\u0000\u0000a" + i + "c");
        assertThat(new String(talk.read(5), ISO_8859_1)).isEqualTo("\u0081\u0003a" + i + "c");
      }
      talk.say("\u0088\u0080\u0000\u0000\u0000\u0000");
      assertThat(talk.untilClosed()).isEqualTo("\u0088\u0000");
    }
  }

  /**
   * An answer without a length is whole only if TLS says that there is no more. Java's own socket
   * takes any end for one, so it is looked for in what came over the wire.
   */
  @Test
  void lastWord_isSaidByTlsToo() throws IOException {
    var wire = new Recorded(stand.port());
    var socket = certificate.over(wire);
    // In which one can see from outside what a record is.
    socket.setEnabledProtocols(new String[] {"TLSv1.2"});
    try (var talk = new Talk(socket)) {
      talk.say("GET /chunked?bytes=100000 HTTP/1.0\r\nHost: a\r\n\r\n");
      assertThat(talk.reply().body()).hasSize(100_000);
      assertThat(wire.lastRecord()).isEqualTo(ALERT);
    }
  }

  private static final int ALERT = 21;

  /** Keeps what it got. */
  private static final class Recorded extends Socket {
    private final ByteArrayOutputStream got = new ByteArrayOutputStream();

    Recorded(int port) throws IOException {
      super(InetAddress.getLoopbackAddress(), port);
    }

    @Override
    public InputStream getInputStream() throws IOException {
      return new FilterInputStream(super.getInputStream()) {
        @Override
        public int read() throws IOException {
          byte[] one = new byte[1];
          return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
          int count = super.read(into, offset, length);
          got.write(into, offset, Math.max(0, count));
          return count;
        }
      };
    }

    /** The kind of the last record. */
    int lastRecord() {
      var bytes = ByteBuffer.wrap(got.toByteArray());
      int kind = -1;
      while (bytes.remaining() >= 5) {
        kind = bytes.get();
        bytes.getShort();
        bytes.position(bytes.position() + 2 + bytes.getShort(bytes.position()));
      }
      return kind;
    }
  }

  @Test
  void body_thatNobodyWants_keepsNobodyFromReadingWhy() throws IOException {
    try (var talk = talk()) {
      talk.say("POST /checkout/buy HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n");
      talk.say("x".repeat(1_000_000));
      assertThat(talk.reply().status()).isEqualTo(429);
    }
  }

  @Test
  void http2_isNotSpoken_andWhoWouldLikeToComesByHttp11() throws Exception {
    try (var http =
        HttpClient.newBuilder()
            .sslContext(certificate.trusting())
            .version(HttpClient.Version.HTTP_2)
            .build()) {
      var request =
          HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + stand.port() + "/headers"));
      var answer = http.send(request.build(), BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
    }
  }

  @Test
  void olderThanTls12_isRefused() throws IOException {
    try (var socket = connect(stand, certificate)) {
      socket.setEnabledProtocols(new String[] {"TLSv1.1"});
      assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
    }
    for (String version : List.of("TLSv1.2", "TLSv1.3")) {
      try (var socket = connect(stand, certificate)) {
        socket.setEnabledProtocols(new String[] {version});
        assertThat(new Talk(socket).ask("GET", "/headers", "").status()).isEqualTo(200);
        assertThat(socket.getSession().getProtocol()).isEqualTo(version);
      }
    }
  }

  @Test
  void kindsOfKeys_allServe() throws Exception {
    for (String algorithm : List.of("RSA", "Ed25519")) {
      var other = Certificate.make(folder, "ip:127.0.0.1", algorithm);
      try (var own = new Stand(Stand.LONG, Gateway.Limits.DEFAULT, files(other));
          var talk = new Talk(connect(own, other))) {
        assertThat(talk.ask("GET", "/headers", "").status()).isEqualTo(200);
      }
    }
  }

  @Test
  void handshake_thatTakesItsTime_isGivenUp_andWhoSpeaksPlainlyIsNotServed() throws IOException {
    try (var brief = new Stand(Stand.BRIEF, Gateway.Limits.DEFAULT, files(certificate));
        var silent = new Talk(brief.port());
        var slow = new Talk(brief.port());
        var plain = new Talk(brief.port())) {
      // The beginning of a hello.
      slow.say("\u0016\u0003\u0001\u0002\u0000\u0001");
      plain.say("GET /headers HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(plain.untilClosed()).doesNotContain("HTTP/1.1 200");
      silent.untilClosed();
      slow.untilClosed();
      assertThat(brief.site.heads()).isEmpty();
    }
  }

  @Test
  void connections_ofOneAddress_countFromTheFirstByteOn() throws IOException {
    var few = new Gateway.Limits(40, 20, 4, Duration.ofSeconds(20), Duration.ofSeconds(20));
    var open = new ArrayList<Talk>();
    try (var own = new Stand(Stand.LONG, few, files(certificate))) {
      for (int i = 0; i < 20; i++) {
        open.add(new Talk(own.port()));
      }
      Poll.until(
          Duration.ofSeconds(20),
          () -> "one too many is served",
          () -> {
            try (var more = connect(own, certificate)) {
              more.startHandshake();
              return false;
            } catch (IOException e) {
              return true;
            }
          });
      for (Talk talk : open) {
        talk.close();
      }
    }
  }

  @Test
  void files_thatChange_countForTheNextConnection_andMistakesForNobody() throws Exception {
    Path shown = folder.resolve("shown.pem");
    Path key = folder.resolve("shown.key");
    Files.copy(certificate.certificate(), shown);
    Files.copy(certificate.key(), key);
    var renewed = Certificate.make(folder);
    try (var own = new Stand(Stand.LONG, Gateway.Limits.DEFAULT, new TlsFiles(shown, key));
        var before = new Talk(connect(own, certificate))) {
      assertThat(before.ask("GET", "/headers", "").status()).isEqualTo(200);
      // One of the two first, as renewals do; the other one a few looks later.
      Files.copy(renewed.certificate(), shown, REPLACE_EXISTING);
      own.gateway.lookAtCertificate();
      own.gateway.lookAtCertificate();
      assertThat(shakesHands(own, certificate)).isTrue();
      Files.copy(renewed.key(), key, REPLACE_EXISTING);
      Poll.until(
          Duration.ofSeconds(20), () -> "still the old one", () -> shakesHands(own, renewed));
      assertThat(before.ask("GET", "/headers", "").status()).isEqualTo(200);
    }
  }

  private static boolean shakesHands(Stand with, Certificate trusted) {
    try (var socket = connect(with, trusted)) {
      socket.startHandshake();
      return true;
    } catch (SSLException e) {
      return false;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void mistakes_areNamedWithTheirFile() throws IOException {
    Path cert = certificate.certificate();
    Path key = certificate.key();
    Path other = Certificate.make(folder).key();
    Path empty = Files.writeString(folder.resolve("empty"), "");
    assertWrong(folder.resolve("no.pem"), key, "no.pem: there is no such file");
    assertWrong(cert, empty, "empty: has no private key (PEM: -----BEGIN PRIVATE KEY-----)");
    assertWrong(empty, key, "empty: has no certificate");
    assertWrong(key, key, "is not a certificate as PEM");
    assertWrong(cert, cert, "has no private key");
    assertWrong(cert, other, "is not the key of the first certificate in " + cert);
    String pem = Files.readString(key);
    for (String kind : List.of("RSA", "EC", "ENCRYPTED")) {
      Path kinds = folder.resolve(kind + ".key");
      Files.writeString(kinds, pem.replace("PRIVATE KEY", kind + " PRIVATE KEY"));
      assertWrong(cert, kinds, kind.equals("ENCRYPTED") ? "needs a passphrase" : "make it PKCS#8");
    }
    Path rubbish = folder.resolve("rubbish.key");
    Files.writeString(rubbish, pem.replaceFirst("\n[^\n]{20}", "\n"));
    assertWrong(cert, rubbish, "rubbish.key: is not a key of a kind that is known");
  }

  private static void assertWrong(Path cert, Path key, String complaint) {
    var files = new TlsFiles(cert, key);
    assertThatThrownBy(() -> files.parse(files.text()))
        .isInstanceOf(BadCertificate.class)
        .hasMessageContaining(complaint);
  }
}
