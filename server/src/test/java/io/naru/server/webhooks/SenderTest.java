package io.naru.server.webhooks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.net.Networks;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.net.PfxOptions;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Receivers as they are, and as they should not be. */
@Tag("process")
class SenderTest {

  private static final String PASSWORD = "changeit";
  private static final Networks HERE = Networks.parse("", "127.0.0.0/8,::1");
  private static final Targets.Names TO_HERE = _ -> List.of(InetAddress.getLoopbackAddress());

  private static final Vertx vertx = Vertx.vertx();

  /** Long enough for a machine that has other things to do; what must be in time is not near. */
  private static final Sender sender = sender(new HttpClientOptions(), Duration.ofSeconds(20));

  private static final Sender hasty = sender(new HttpClientOptions(), Duration.ofMillis(700));

  @TempDir private static Path folder;
  private static Path store;

  private final Receiver receiver = new Receiver();

  private static Sender sender(HttpClientOptions trusting, Duration limit) {
    var targets = new Targets(HERE, TO_HERE);
    return new Sender(vertx, targets, trusting, InstantSource.system(), limit);
  }

  @BeforeAll
  static void makeCertificate() throws Exception {
    store = folder.resolve("hooks.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "hooks",
                "-keyalg",
                "EC",
                "-dname",
                "CN=hooks.example",
                "-ext",
                "san=dns:hooks.example",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), UTF_8);
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).as(said).isZero();
  }

  @AfterAll
  static void closeAll() {
    sender.close();
    hasty.close();
    vertx.close();
  }

  @AfterEach
  void close() {
    receiver.close();
  }

  private Answer post() {
    return sender.post(receiver.url(), Map.of("webhook-id", "msg_1"), "{\"한\":1}");
  }

  @Test
  void post_arrivesAsItIs() {
    Answer answer = post();

    assertThat(answer).isEqualTo(new Answer(204, "", 0));
    assertThat(answer.isDone()).isTrue();
    Receiver.Received received = receiver.received().getFirst();
    assertThat(received.path()).isEqualTo("/hooks?key=s3cret");
    assertThat(received.body()).isEqualTo("{\"한\":1}");
    assertThat(received.headers())
        .containsEntry("webhook-id", "msg_1")
        .containsEntry("host", "127.0.0.1:" + receiver.port());
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 404, 410, 500, 503})
  void post_refused_isSaid(int status) {
    receiver.answers(Receiver.answer(status));

    assertThat(post()).isEqualTo(new Answer(status, "answered " + status, 0));
  }

  @Test
  void redirect_isNotFollowed() {
    try (var elsewhere = new Receiver()) {
      for (int status : new int[] {301, 302, 303, 307, 308}) {
        receiver.answers(Receiver.answer(status, "Location: " + elsewhere.url()));

        Answer answer = post();

        assertThat(answer.isDone()).isFalse();
        assertThat(answer.error()).contains("answered " + status, "redirects are not followed");
      }
      assertThat(elsewhere.connections()).isZero();
    }
  }

  @Test
  void retryAfter_inSecondsAndAsADate() {
    receiver.answers(Receiver.answer(503, "Retry-After: 120"));
    assertThat(post().retryAfterSeconds()).isEqualTo(120);
    String date =
        DateTimeFormatter.RFC_1123_DATE_TIME.format(
            Instant.now().plusSeconds(300).atOffset(ZoneOffset.UTC));
    receiver.answers(Receiver.answer(429, "Retry-After: " + date));
    assertThat(post().retryAfterSeconds()).isBetween(200L, 300L);
    receiver.answers(Receiver.answer(429, "Retry-After: soon"));
    assertThat(post().retryAfterSeconds()).isZero();
  }

  @Test
  void neverAnswered_isGivenUp() {
    receiver.answers((_, _) -> Thread.sleep(60_000));

    assertThat(hasty.post(receiver.url(), Map.of(), "{}"))
        .isEqualTo(Answer.none("did not answer within 0 s"));
  }

  /** One byte of the head at a time: each comes in time, all of them do not. */
  @Test
  void answeredByDrops_isGivenUp_andHungUpOn() {
    var hungUp = new AtomicLong();
    receiver.answers(
        (_, out) -> {
          out.write("HTTP/1.1 200 OK\r\nX-Padding: ".getBytes(UTF_8));
          try {
            while (true) {
              out.write('x');
              out.flush();
              Thread.sleep(20);
            }
          } finally {
            hungUp.set(1);
          }
        });

    assertThat(hasty.post(receiver.url(), Map.of(), "{}").isDone()).isFalse();

    await().until(() -> hungUp.get() == 1);
  }

  @Test
  void endlessBody_isHungUpOn() {
    var written = new AtomicLong();
    var hungUp = new AtomicLong();
    receiver.answers(
        (_, out) -> {
          out.write("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n".getBytes(UTF_8));
          byte[] some = new byte[8_192];
          try {
            while (written.get() < 1L << 30) {
              out.write(some);
              written.addAndGet(some.length);
            }
          } finally {
            hungUp.set(1);
          }
        });

    assertThat(post().isDone()).isTrue();

    await().until(() -> hungUp.get() == 1);
    // What lies in the buffers of two sockets, and no more.
    assertThat(written.get()).isLessThan(64L << 20);
  }

  @Test
  void headTooLarge_isNoAnswer() {
    receiver.answers(
        (_, out) ->
            out.write(
                ("HTTP/1.1 200 OK\r\nX: " + "x".repeat(100_000) + "\r\n\r\n").getBytes(UTF_8)));

    assertThat(post().isDone()).isFalse();
  }

  @Test
  void noHttp_isNoAnswer() {
    receiver.answers((_, out) -> out.write("SSH-2.0-OpenSSH_9.9\r\n".getBytes(UTF_8)));

    assertThat(post().isDone()).isFalse();
  }

  @Test
  void nobodyThere_isSaid() throws Exception {
    int free;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      free = socket.getLocalPort();
    }

    assertThat(sender.post("http://127.0.0.1:" + free + "/", Map.of(), "{}").error())
        .startsWith("cannot be reached");
  }

  @Test
  void notAllowed_isNotEvenConnectedTo() {
    var careful =
        new Sender(
            vertx,
            new Targets(null, TO_HERE),
            new HttpClientOptions(),
            InstantSource.system(),
            Duration.ofSeconds(20));
    try (careful) {
      String url = "https://shop.example:" + receiver.port() + "/";

      assertThat(careful.post(url, Map.of(), "{}").error()).contains("not a public address");
      assertThat(receiver.connections()).isZero();
    }
  }

  @Test
  void namesThatTakeTheirTime_areGivenUp() {
    var slow =
        new Sender(
            vertx,
            new Targets(
                HERE,
                _ -> {
                  try {
                    Thread.sleep(60_000);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  return List.of();
                }),
            new HttpClientOptions(),
            InstantSource.system(),
            Duration.ofMillis(300));
    try (slow) {
      assertThat(slow.post(receiver.url(), Map.of(), "{}").error()).startsWith("did not answer");
    }
  }

  // --- TLS: the address that was looked at, with the certificate of the name

  private static Receiver withTls() throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    var context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return new Receiver(context.getServerSocketFactory());
  }

  private static Sender trusting() {
    return sender(
        new HttpClientOptions()
            .setTrustOptions(new PfxOptions().setPath(store.toString()).setPassword(PASSWORD)),
        Duration.ofSeconds(20));
  }

  @Test
  void tls_certificateOfTheName_isTaken_whateverTheAddress() throws Exception {
    try (Receiver tls = withTls();
        Sender trusting = trusting()) {
      Answer answer = trusting.post("https://hooks.example:" + tls.port() + "/x", Map.of(), "{}");

      assertThat(answer).isEqualTo(new Answer(204, "", 0));
      assertThat(tls.received().getFirst().headers())
          .containsEntry("host", "hooks.example:" + tls.port());
    }
  }

  @Test
  void tls_certificateOfAnotherName_isRefused() throws Exception {
    try (Receiver tls = withTls();
        Sender trusting = trusting()) {
      Answer answer = trusting.post("https://other.example:" + tls.port() + "/x", Map.of(), "{}");

      assertThat(answer.status()).isZero();
      assertThat(tls.received()).isEmpty();
    }
  }

  @Test
  void tls_certificateThatNobodyKnows_isRefused() throws Exception {
    try (Receiver tls = withTls()) {
      Answer answer = sender.post("https://hooks.example:" + tls.port() + "/x", Map.of(), "{}");

      assertThat(answer.status()).isZero();
      assertThat(answer.error()).contains("certificate");
      assertThat(tls.received()).isEmpty();
    }
  }
}
