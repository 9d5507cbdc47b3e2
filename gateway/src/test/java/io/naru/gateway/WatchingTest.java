package io.naru.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.PlainSite;
import io.naru.testkit.Poll;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What those are told who run a gateway. */
class WatchingTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir private Path folder;

  private static Gateway.Watching onFreePort(@Nullable String log) {
    return new Gateway.Watching(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), log);
  }

  private Path logFile() {
    return folder.resolve("access.log");
  }

  private List<String> lines(int count) throws IOException {
    Poll.until(
        SOON,
        () -> "there are not " + count + " lines",
        () -> Files.exists(logFile()) && read(logFile()).size() >= count);
    return read(logFile());
  }

  private static List<String> read(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String managed(Stand stand, String path) throws IOException {
    return Talk.get(stand.gateway.managementPort(), path).body();
  }

  /** The value of one meter. */
  private static double value(Stand stand, String meter) throws IOException {
    return managed(stand, "/metrics")
        .lines()
        .filter(line -> line.startsWith(meter + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(meter.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no " + meter));
  }

  @Test
  void requests_areCountedByAnswerAndByWhomItIs() throws Exception {
    try (var stand = new Stand(null, onFreePort("-"))) {
      stand.get("/headers");
      stand.get("/status/418");
      stand.get("/status/503");
      stand.get("/naru.js");
      stand.get("/checkout", Stand.HTML);
      stand.get("/checkout");
      stand.get("/checkout/headers", "Cookie: naru-pass=a.b.c");
      stand.get("/checkout/headers", stand.pass("p1"));
      Talk.ask(stand.port(), "TRACE", "/", "");
      String requests = "naru_gateway_requests_total";
      assertThat(value(stand, requests + "{answer=\"2xx\",by=\"site\"}")).isEqualTo(2);
      assertThat(value(stand, requests + "{answer=\"4xx\",by=\"site\"}")).isOne();
      assertThat(value(stand, requests + "{answer=\"5xx\",by=\"site\"}")).isOne();
      assertThat(value(stand, requests + "{answer=\"2xx\",by=\"naru\"}")).isOne();
      assertThat(value(stand, requests + "{answer=\"3xx\",by=\"gateway\"}")).isOne();
      assertThat(value(stand, requests + "{answer=\"4xx\",by=\"gateway\"}")).isEqualTo(3);
      assertThat(value(stand, "naru_gateway_kept_out_total{to=\"waiting-page\"}")).isOne();
      assertThat(value(stand, "naru_gateway_kept_out_total{to=\"problem\"}")).isEqualTo(2);
      assertThat(value(stand, "naru_gateway_passes_refused_total{reason=\"malformed\"}")).isOne();
      assertThat(value(stand, "naru_gateway_site_seconds_count")).isEqualTo(4);
      assertThat(value(stand, "naru_gateway_site_seconds_bucket{le=\"+Inf\"}")).isEqualTo(4);
      assertThat(value(stand, "naru_gateway_rules")).isOne();
      assertThat(value(stand, "naru_gateway_rules_loaded_timestamp_seconds")).isPositive();
      Poll.until(
          SOON,
          () -> "no signal was heard",
          () -> isPositive(stand, "naru_gateway_signals_total{answer=\"heard\"}"));

      stand.site.close();
      // The first may still go over a connection that the site is about to close.
      Poll.until(
          SOON,
          () -> "the site is not missed",
          () -> {
            ask(stand, "/headers");
            return isPositive(stand, "naru_gateway_failures_total{reason=\"site-down\"}");
          });
      stand.naru.goAway();
      stand.get("/wait/TIMEDEAL/123");
      assertThat(value(stand, "naru_gateway_failures_total{reason=\"waiting-room-away\"}")).isOne();
      Poll.until(
          SOON,
          () -> "signals are still heard",
          () -> isPositive(stand, "naru_gateway_signals_total{answer=\"failed\"}"));
    }
  }

  private static void ask(Stand stand, String path) {
    try {
      stand.get(path);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isPositive(Stand stand, String meter) {
    try {
      return value(stand, meter) > 0;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void connections_openAndNotTaken_areCounted() throws IOException {
    var open = new ArrayList<Talk>();
    try (var stand = new Stand(null, onFreePort(null))) {
      for (int i = 0; i < 10; i++) {
        open.add(new Talk(stand.port()));
        assertThat(open.getLast().ask("GET", "/headers", "").status()).isEqualTo(200);
      }
      try (var more = new Talk(stand.port())) {
        assertThat(more.untilClosed()).isEmpty();
      }
      assertThat(value(stand, "naru_gateway_connections")).isEqualTo(10);
      assertThat(value(stand, "naru_gateway_connections_refused_total")).isOne();
      for (Talk talk : open) {
        talk.close();
      }
    }
  }

  @Test
  void health_saysWhatIsWrong_whereNoVisitorComesTo() throws IOException {
    Path file = folder.resolve("rules.yaml");
    try (var site = PlainSite.open()) {
      String good =
          "origin: %s\nrules:\n  - protect: /checkout/**\n    queue: TIMEDEAL/123\n"
              .formatted(site.uri());
      Files.writeString(file, good);
      var rules = new RulesFile(file, null);
      try (var stand = new Stand(rules, onFreePort(null))) {
        assertThat(managed(stand, "/health")).isEqualTo("{\"status\":\"UP\"}");
        assertThat(managed(stand, "/health/live")).isEqualTo("{\"status\":\"UP\"}");
        Files.writeString(file, good.replace("queue:", "quue:"));
        stand.gateway.look(rules);
        assertThat(managed(stand, "/health")).contains("\"degraded\":", "line 4", "quue");
        assertThat(managed(stand, "/health/ready")).isEqualTo("{\"status\":\"UP\"}");
        assertThat(value(stand, "naru_gateway_rules_mistaken")).isOne();
        Files.writeString(file, good);
        stand.gateway.look(rules);
        assertThat(managed(stand, "/health")).isEqualTo("{\"status\":\"UP\"}");
        assertThat(Talk.ask(stand.gateway.managementPort(), "POST", "/metrics", "").status())
            .isEqualTo(405);
        assertThat(Talk.get(stand.gateway.managementPort(), "/else").status()).isEqualTo(404);
        for (String path : List.of("/metrics", "/health", "/health/live")) {
          assertThat(stand.get(path).body()).isEqualTo("nothing here");
        }
      }
    }
  }

  @Test
  void log_hasALinePerRequest_andNothingThatOneCouldComeInWith() throws Exception {
    try (var stand = new Stand(null, onFreePort(logFile().toString()))) {
      String token = stand.naru.token("p1");
      stand.get(
          "/checkout/headers?secret=1", "Cookie: naru-pass=" + token, "User-Agent: \"Me\\\u00e9");
      stand.get("/queue/token/entry-token-1/status");
      stand.get("/queue/TIMEDEAL/123/subscribe/entry-token-2");
      stand.get("/oops/" + token + "/x", "User-Agent: " + token);
      stand.get("/checkout", Stand.HTML);
      try (var talk = new Talk(stand.port())) {
        talk.say("GET / HTTP/1.1\r\n folded\r\n\r\n");
        assertThat(talk.reply().status()).isEqualTo(400);
      }
      try (var talk = new Talk(stand.port())) {
        talk.say("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(talk.line()).isEqualTo("HTTP/1.1 200 OK");
      }
      List<String> lines = lines(7);
      assertThat(lines).hasSize(7);
      assertThat(lines)
          .anyMatch(
              line ->
                  line.matches(
                      "\\{\"time\":\"[-0-9T:.]+Z\",\"from\":\"127.0.0.1\",\"method\":\"GET\","
                          + "\"host\":\"shop.example\",\"path\":\"/checkout/headers\","
                          + "\"status\":200,\"by\":\"site\",\"queue\":\"TIMEDEAL/123\","
                          + "\"bytes\":[0-9]+,\"millis\":[0-9]+,\"siteMillis\":[0-9]+,"
                          + "\"agent\":\"\\\\\"Me\\\\\\\\\\\\u00e9\"}"))
          .anyMatch(line -> line.contains("\"path\":\"/queue/token/-/status\""))
          .anyMatch(line -> line.contains("\"path\":\"/queue/TIMEDEAL/123/subscribe/-\""))
          .anyMatch(
              line -> line.contains("\"path\":\"/oops/-/x\"") && line.contains("\"agent\":\"-\""))
          .anyMatch(line -> line.contains("\"status\":303,\"by\":\"gateway\",\"bytes\":0"))
          .anyMatch(line -> line.contains("\"path\":\"-\",\"status\":400"))
          .anyMatch(line -> line.contains("\"path\":\"/events\"") && line.contains("\"cut\":true"));
      assertThat(String.join("", lines)).doesNotContain(token, "entry-token", "secret");
      assertThat(value(stand, "naru_gateway_log_lost_total")).isZero();
    }
  }

  @Test
  void log_thatIsMovedAway_isBegunAnew() throws Exception {
    try (var stand = new Stand(null, onFreePort(logFile().toString()))) {
      stand.get("/headers");
      lines(1);
      Files.move(logFile(), folder.resolve("access.log.1"));
      Poll.until(
          SOON,
          () -> "no new file",
          () -> {
            try {
              stand.get("/headers");
            } catch (IOException e) {
              throw new IllegalStateException(e);
            }
            return Files.exists(logFile());
          });
      assertThat(lines(1)).isNotEmpty();
    }
  }

  @Test
  void log_thatCannotBeWrittenFastEnough_losesLinesAndHoldsUpNobody() throws Exception {
    var log = new AccessLog(logFile().toString());
    var line =
        new AccessLog.Line(
            0,
            "a",
            "GET",
            "b",
            "/" + "x".repeat(900),
            200,
            Meters.By.SITE,
            null,
            0,
            0,
            0,
            "",
            false);
    int all = 300_000;
    for (int i = 0; i < all; i++) {
      log.add(line);
    }
    log.close();
    assertThat(log.lost()).isPositive();
    assertThat(read(logFile())).hasSize(all - (int) log.lost());
  }
}
