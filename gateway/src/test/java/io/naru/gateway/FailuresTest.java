package io.naru.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.Poll;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What goes wrong behind the gateway, and in front of it. */
class FailuresTest {

  private final Stand stand =
      new Stand(
          Stand.SHORT, new Gateway.Limits(40, 20, 4, Duration.ofSeconds(1), Duration.ofSeconds(1)));

  @AfterEach
  void close() {
    stand.close();
  }

  @Test
  void site_down_isSaidInTheVisitorsLanguage_andThePassCountsOn() throws IOException {
    String pass = stand.pass("p1");
    stand.site.close();
    var page = stand.get("/checkout", Stand.HTML, "Accept-Language: ko-KR,ko;q=0.9", pass);
    assertThat(page.status()).isEqualTo(502);
    assertThat(page.header("content-type")).isEqualTo("text/html; charset=utf-8");
    assertThat(page.header("refresh")).isEqualTo("5");
    assertThat(page.header("set-cookie")).isEmpty();
    assertThat(page.body()).contains("lang=\"ko\"");
    assertThat(stand.get("/checkout", Stand.HTML, pass).body()).contains("does not answer");
    var json = stand.get("/", "Accept: application/json");
    assertThat(json.status()).isEqualTo(502);
    assertThat(json.body()).contains("\"code\":\"site-down\"");
    assertThat(stand.naru.asked).noneMatch(what -> what.contains("/complete"));
  }

  @Test
  void site_slow_isGivenUp_andHoldsUpNobodyElse() throws Exception {
    try (var visitors = Executors.newVirtualThreadPerTaskExecutor()) {
      var slow = visitors.submit(() -> stand.get("/hang").status());
      assertThat(stand.get("/headers").status()).isEqualTo(200);
      assertThat(slow.get()).isEqualTo(504);
    }
    assertThat(stand.get("/slow?millis=100").body()).isEqualTo("slow");
  }

  @Test
  void site_fullOfSlowOnes_isBusyForTheNext_andOnlyThat() throws IOException {
    Patience longAnswer =
        new Patience(
            Stand.LONG.first(),
            Stand.LONG.next(),
            Stand.LONG.body(),
            Duration.ofMillis(300),
            Stand.LONG.answer(),
            Stand.LONG.silence(),
            Stand.LONG.quiet());
    var few = new Gateway.Limits(40, 40, 1, Duration.ofSeconds(1), Duration.ofSeconds(1));
    var open = new ArrayList<Talk>();
    try (var full = new Stand(longAnswer, few)) {
      // One for each event loop, and as many more as wait on whichever.
      int loops = Runtime.getRuntime().availableProcessors();
      for (int i = 0; i < 4 * loops; i++) {
        open.add(new Talk(full.port()).say("GET /hang HTTP/1.1\r\nHost: a\r\n\r\n"));
      }
      Poll.until(
          Duration.ofSeconds(20), () -> "nobody hangs", () -> full.site.heads().size() == loops);
      assertThat(full.get("/headers").status()).isEqualTo(503);
      // Naru's paths have connections of their own.
      assertThat(full.get("/naru.js").status()).isEqualTo(200);
      assertThat(full.site.heads()).hasSize(loops);
      for (Talk talk : open) {
        talk.close();
      }
    }
  }

  @Test
  void answer_cutShort_isCutForTheVisitorToo() throws IOException {
    try (var talk = new Talk(stand.port())) {
      talk.say("GET /cut HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(talk.untilClosed()).contains("Content-Length: 100").endsWith("half");
    }
  }

  @Test
  void naru_away_passHoldersGoOn_andTheOthersAreToldToComeAgain() throws IOException {
    String pass = stand.pass("p1");
    assertThat(stand.get("/checkout/headers", pass).status()).isEqualTo(200);
    stand.naru.goAway();
    assertThat(stand.get("/checkout/headers", pass).status()).isEqualTo(200);
    assertThat(stand.get("/checkout", Stand.HTML).status()).isEqualTo(303);
    var page = stand.get("/wait/TIMEDEAL/123", Stand.HTML, "Accept-Language: ja");
    assertThat(page.status()).isEqualTo(503);
    assertThat(page.header("refresh")).isEqualTo("5");
    assertThat(page.body()).contains("lang=\"ja\"");
    stand.naru.comeBack();
    assertThat(stand.get("/wait/TIMEDEAL/123", Stand.HTML).status()).isEqualTo(200);
  }

  @Test
  void site_thatClosesWhatIsIdle_isAskedAgain() throws IOException {
    try (var talk = new Talk(stand.port())) {
      assertThat(talk.ask("GET", "/headers", "").status()).isEqualTo(200);
      stand.site.hangUp();
      assertThat(talk.ask("GET", "/headers", "").status()).isEqualTo(200);
    }
  }

  @Test
  void request_ofWhichNobodyKnows_isSentAgainOnlyIfItChangesNothing() throws IOException {
    stand.site.says("");
    try (var talk = new Talk(stand.port())) {
      assertThat(talk.ask("GET", "/headers", "").status()).isEqualTo(200);
      stand.site.forget();
      assertThat(talk.ask("GET", "/as-told", "").status()).isEqualTo(502);
      assertThat(stand.site.heads()).as("over the old connection, and a new one").hasSize(2);
      assertThat(talk.ask("GET", "/headers", "").status()).isEqualTo(200);
      stand.site.forget();
      assertThat(talk.ask("POST", "/as-told", "body").status()).isEqualTo(502);
      assertThat(stand.site.heads()).hasSize(1);
    }
  }

  @Test
  void visitors_whoTakeTheirTime_areClosed() throws IOException {
    try (var silent = new Talk(stand.port());
        var slowHead = new Talk(stand.port());
        var slowBody = new Talk(stand.port());
        var idle = new Talk(stand.port())) {
      slowHead.say("GET / HTTP/1.1\r\nHost:");
      slowBody.say("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nab");
      assertThat(idle.ask("GET", "/headers", "").status()).isEqualTo(200);
      assertThat(silent.untilClosed()).isEmpty();
      assertThat(slowHead.untilClosed()).isEmpty();
      assertThat(slowBody.reply().status()).isEqualTo(408);
      assertThat(slowBody.untilClosed()).isEmpty();
      assertThat(idle.untilClosed()).isEmpty();
    }
  }

  @Test
  void body_thatNobodyWants_isAnsweredOnce() throws IOException {
    String head = "POST /checkout/buy HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n";
    for (String rest :
        List.of("\r\nab", "Expect: 100-continue\r\n\r\n", "\r\n" + "x".repeat(1_000_000))) {
      try (var talk = new Talk(stand.port())) {
        talk.say(rest.length() > 1_000 ? head.replace("100", "9000000") + rest : head + rest);
        var refused = talk.reply();
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("connection")).isEqualTo(rest.contains("Expect") ? "close" : "");
        assertThat(talk.untilClosed()).isEmpty();
      }
    }
    assertThat(stand.site.heads()).isEmpty();
  }

  @Test
  void visitor_whoDoesNotRead_holdsLittleOfTheSite_andNotForLong() throws IOException {
    int size = 200_000_000;
    try (var talk = new Talk(stand.port())) {
      talk.say("GET /large?bytes=" + size + " HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(talk.line()).isEqualTo("HTTP/1.1 200 OK");
      Poll.until(
          Duration.ofSeconds(20),
          () -> "the site still serves somebody who does not read",
          () -> stand.site.connections() == 0);
      // Only what sockets and our buffer hold.
      assertThat(stand.site.written()).isLessThan(size / 4);
    }
    assertThat(stand.get("/headers").status()).isEqualTo(200);
  }

  @Test
  void connections_beyondTheLimit_areNotTaken() throws IOException {
    var open = new ArrayList<Talk>();
    try {
      for (int i = 0; i < 20; i++) {
        open.add(new Talk(stand.port()));
        assertThat(open.getLast().ask("GET", "/headers", "").status()).isEqualTo(200);
      }
      try (var more = new Talk(stand.port())) {
        assertThat(more.untilClosed()).isEmpty();
      }
    } finally {
      for (var talk : open) {
        talk.close();
      }
    }
    Poll.until(Duration.ofSeconds(20), () -> "still full", this::isServed);
  }

  private boolean isServed() {
    try {
      return stand.get("/headers").status() == 200;
    } catch (SocketException e) {
      return false;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void rubbish_fromTheSite_isNotPassedOn() throws Exception {
    for (String answer :
        List.of(
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "HTTP/1.1 200 OK\r\n folded\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
            "SSH-2.0-OpenSSH\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX: " + "x".repeat(20_000) + "\r\n\r\n")) {
      stand.site.says(answer);
      assertThat(stand.get("/as-told").status()).isEqualTo(502);
    }
  }
}
