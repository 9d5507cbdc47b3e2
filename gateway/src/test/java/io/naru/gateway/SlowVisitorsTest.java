package io.naru.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.Poll;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who sends or reads slowly has a small part of the gateway and of the site, and no more. */
class SlowVisitorsTest {

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
      // Answers of the site and our own.
      talk.say(
          ("GET /large?bytes=20000 HTTP/1.1\r\nHost: a\r\n\r\n"
                  + "GET /checkout HTTP/1.1\r\nHost: a\r\n\r\n")
              .repeat(requests));
      for (int i = 0; i < requests; i++) {
        assertThat(talk.reply().body()).hasSize(20_000);
        assertThat(talk.reply().status()).isEqualTo(429);
      }
    }
  }
}
