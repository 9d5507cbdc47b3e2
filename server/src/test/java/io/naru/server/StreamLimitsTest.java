package io.naru.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.server.http.Cors;
import io.naru.server.stream.Streams;
import io.naru.testkit.EventStream;
import io.naru.testkit.EventStream.Event;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many may watch, and what they are told when a server stops. */
class StreamLimitsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String QUEUE = "LIVE/1";

  @TempDir private Path data;

  private TestServer start(int total, int perAddress) {
    var visitors =
        new Naru.Visitors(
            TestServer.NAMED.proxies(),
            null,
            TestServer.NAMED.userHeader(),
            null,
            Cors.NONE,
            new Streams.Limits(total, perAddress),
            TestServer.NAMED.newcomers());
    TestServer server = TestServer.start(data, visitors);
    server.activate(QUEUE, "\"maxCapacity\":1,\"entryIntervalSeconds\":3600").is(201);
    server.enter(QUEUE, "inside").is(201);
    await().until(() -> server.status(QUEUE, "inside").text("status").equals("ENTERED"));
    return server;
  }

  private static EventStream subscribe(TestServer server, String user, String... headers) {
    String token = server.enter(QUEUE, user).is(201).text("entryToken");
    return EventStream.open(server.port(), "/queue/" + QUEUE + "/subscribe/" + token, headers);
  }

  @Test
  void subscribe_moreThanInAll_isSentToPolling() throws Exception {
    try (TestServer server = start(2, 100);
        EventStream second = subscribe(server, "bob")) {
      EventStream first = subscribe(server, "ann");
      assertThat(first.next(PATIENCE)).isNotNull();
      assertThat(second.next(PATIENCE)).isNotNull();
      String token = server.enter(QUEUE, "cid").is(201).text("entryToken");

      Answer refused = server.client().get("/queue/" + QUEUE + "/subscribe/" + token);

      refused.isProblem(503, "too-many-streams");
      assertThat(Integer.parseInt(requireNonNull(refused.header("retry-after")))).isBetween(3, 8);
      assertThat(server.statusByToken(token).is(200).number("position")).isEqualTo(3);
      first.close();
      await()
          .until(
              () -> {
                try (var again =
                    EventStream.open(server.port(), "/queue/" + QUEUE + "/subscribe/" + token)) {
                  return again.status() == 200;
                }
              });
    }
  }

  /** Whichever way one watches, it is one place to watch from, and it is given back. */
  @Test
  void subscribe_webSockets_countAsStreamsAndAreGivenBack() throws Exception {
    try (TestServer server = start(1, 100)) {
      String path =
          "/queue/" + QUEUE + "/subscribe/" + server.enter(QUEUE, "ann").is(201).text("entryToken");
      for (int i = 0; i < 3; i++) {
        try (EventStream socket =
                await().until(() -> socket(server, path), s -> s.status() == 101);
            EventStream second = socket(server, path);
            EventStream events = EventStream.open(server.port(), path)) {
          assertThat(socket.next(PATIENCE)).isNotNull();
          assertThat(second.status()).isEqualTo(503);
          assertThat(events.status()).isEqualTo(503);
        }
      }
    }
  }

  private static EventStream socket(TestServer server, String path) {
    return EventStream.openSocket(server.port(), path);
  }

  @Test
  void subscribe_moreThanPerAddress_countsOnlyWhatListedProxiesSay() throws Exception {
    try (TestServer server = start(100, 1);
        EventStream first = subscribe(server, "ann", "X-Forwarded-For", "203.0.113.7");
        EventStream same = subscribe(server, "bob", "X-Forwarded-For", "1.2.3.4, 203.0.113.7");
        EventStream other = subscribe(server, "cid", "X-Forwarded-For", "203.0.113.8");
        EventStream proxy = subscribe(server, "dan");
        EventStream proxyAgain = subscribe(server, "eve")) {
      assertThat(first.status()).isEqualTo(200);
      assertThat(same.status()).as("the same address behind a claim").isEqualTo(503);
      assertThat(other.status()).isEqualTo(200);
      assertThat(proxy.status()).isEqualTo(200);
      assertThat(proxyAgain.status()).as("a proxy's own address is not limited").isEqualTo(200);
    }
  }

  @Test
  void stop_everybodyIsToldToComeBack() throws Exception {
    TestServer server = start(100, 100);
    try (EventStream stream = subscribe(server, "ann")) {
      assertThat(stream.next(PATIENCE)).isNotNull();

      server.close();

      Event last = requireNonNull(stream.next(PATIENCE));
      assertThat(last.name()).isEqualTo("reconnect");
      assertThat(last.data()).isEqualTo("{\"reason\":\"stopping\"}");
      assertThat(Integer.parseInt(requireNonNull(stream.retry()))).isBetween(500, 5_000);
      assertThat(stream.ends(PATIENCE)).isTrue();
    }
  }

  @Test
  void head_neverWhole_isNotWaitedFor() throws Exception {
    try (TestServer server = start(100, 100);
        Socket slow = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      slow.setSoTimeout(20_000);
      slow.getOutputStream()
          .write(
              "GET /health/live HTTP/1.1\r\nHost: x\r\nX-Slow: "
                  .getBytes(StandardCharsets.US_ASCII));

      assertThat(readToTheEnd(slow)).as("bytes before it was closed").isZero();
    }
  }

  private static int readToTheEnd(Socket socket) throws IOException {
    return socket.getInputStream().readAllBytes().length;
  }
}
