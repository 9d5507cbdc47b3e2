package io.naru.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.Poll;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who sends or reads slowly has a small part of the gateway and of the site, and no more. */
class SlowVisitorsTest {

  private static final int LOOPS = Runtime.getRuntime().availableProcessors();

  private final List<Talk> slow = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (Talk talk : slow) {
      talk.close();
    }
  }

  private static Gateway.Limits origin(int connections) {
    return new Gateway.Limits(
        2_000, 400, connections, Duration.ofSeconds(20), Duration.ofSeconds(20));
  }

  private void come(Stand stand, String from, String said) throws IOException {
    var talk = new Talk(stand.port(), from);
    slow.add(talk);
    talk.say(said);
  }

  private static void assertServed(Stand stand) throws IOException {
    assertThat(stand.get("/headers").status()).isEqualTo(200);
    String large = "x".repeat(100_000);
    for (String body : List.of("small", large)) {
      assertThat(Talk.ask(stand.port(), "POST", "/echo", body).body()).isEqualTo(body);
    }
  }

  @Test
  void manyAnswers_ofWhichNoneIsRead_areNotAskedFor() throws IOException {
    try (var stand = new Stand(Stand.SHORT, origin(16))) {
      int size = 20_000;
      int requests = 3_000;
      String get = "GET /large?bytes=" + size + " HTTP/1.1\r\nHost: a\r\n\r\n";
      come(stand, "127.0.0.1", get.repeat(requests));
      Poll.until(
          Duration.ofSeconds(60),
          () -> "the site still serves somebody who does not read: " + stand.site.written(),
          () -> stand.site.written() > 0 && stand.site.connections() == 0);
      // Only what sockets and our buffer hold.
      assertThat(stand.site.written()).isLessThan((long) size * requests / 3);
      assertServed(stand);
    }
  }

  @Test
  void manyAnswers_readLate_allCome() throws IOException {
    try (var stand = Stand.patient();
        var talk = new Talk(stand.port())) {
      int requests = 1_000;
      String answered = "GET /large?bytes=20000 HTTP/1.1\r\nHost: a\r\n\r\n";
      String answeredHere = "GET /checkout HTTP/1.1\r\nHost: a\r\n\r\n";
      talk.say((answered + answeredHere).repeat(requests));
      for (int i = 0; i < requests; i++) {
        assertThat(talk.reply().body()).hasSize(20_000);
        assertThat(talk.reply().status()).isEqualTo(429);
      }
    }
  }

  @Test
  void smallBodies_thatDoNotCome_holdNoConnectionToTheSite() throws IOException {
    try (var stand = new Stand(Stand.LONG, origin(16))) {
      for (String body : List.of("Content-Length: 100", "Transfer-Encoding: chunked")) {
        for (int i = 0; i < 160; i++) {
          come(
              stand,
              "127.0.0." + (2 + i % 4),
              "POST /echo HTTP/1.1\r\nHost: a\r\n" + body + "\r\n\r\n1");
        }
      }
      assertServed(stand);
      assertThat(stand.site.heads()).hasSize(3);
    }
  }

  @Test
  void largeBodies_thatDoNotCome_holdFewConnectionsForOneAddress() throws IOException {
    try (var stand = new Stand(Stand.LONG, origin(64 * LOOPS))) {
      for (int i = 0; i < 300; i++) {
        come(
            stand,
            "127.0.0." + (2 + i % 2),
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n1");
      }
      assertServed(stand);
      assertThat(stand.site.heads()).hasSizeLessThanOrEqualTo(3 + 2 * 8 * LOOPS);
    }
  }

  @Test
  void largeAnswers_thatAreNotRead_holdFewConnectionsForOneAddress() throws IOException {
    try (var stand = new Stand(Stand.LONG, origin(64 * LOOPS))) {
      for (int i = 0; i < 300; i++) {
        come(
            stand,
            "127.0.0." + (2 + i % 2),
            "GET /large?bytes=50000000 HTTP/1.1\r\nHost: a\r\n\r\n");
      }
      assertServed(stand);
      assertThat(stand.site.heads()).hasSizeLessThanOrEqualTo(3 + 2 * 8 * LOOPS);
    }
  }

  @Test
  void who_waitsForTheirOwnAddress_isServedWhenItHasRoom() throws IOException {
    try (var stand = new Stand(Stand.LONG, origin(64 * LOOPS))) {
      var waiting = new ArrayList<Talk>();
      for (int i = 0; i < 40 * LOOPS; i++) {
        come(stand, "127.0.0.1", "GET /slow?millis=50 HTTP/1.1\r\nHost: a\r\n\r\n");
        waiting.add(slow.getLast());
      }
      for (Talk talk : waiting) {
        assertThat(talk.reply().status()).isEqualTo(200);
      }
    }
  }

  @Test
  void body_thatTrickles_isGivenUpWhereItHoldsAConnection() throws Exception {
    try (var stand = new Stand(Stand.BRIEF, origin(16));
        var talk = new Talk(stand.port())) {
      int length = 100_000;
      talk.say("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n");
      try {
        for (int i = 0; i < length / 1_000; i++) {
          talk.say("x".repeat(1_000));
          Thread.sleep(Stand.SOON.dividedBy(10));
        }
      } catch (SocketException e) {
        // They did not want to hear more.
      }
      assertThat(talk.untilClosed()).startsWith("HTTP/1.1 408 ").contains("takes too long");
    }
  }
}
