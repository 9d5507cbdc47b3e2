package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.ledger.Ledger;
import io.naru.testkit.EventStream;
import io.naru.testkit.Program;
import io.naru.testkit.PrometheusServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import io.naru.testkit.StrictJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Alert rules and dashboard, held against the Prometheus that reads them. */
@Tag("process")
class MonitoringTest {

  @RegisterExtension static final Program prometheus = PrometheusServer.program();

  private static final Path SHIPPED = Path.of("..", "docs", "monitoring");
  private static final Path TESTS = Path.of("src/test/resources/io/naru/server/alerts.test.yaml");

  private static String naru(int exit, String... args) {
    var out = new StringWriter();
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
    assertThat(command.execute(args)).as("%s", out).isEqualTo(exit);
    return out.toString();
  }

  private static String promtool(Path folder, String... words) throws Exception {
    var command = new ArrayList<>(List.of(PrometheusServer.promtool(prometheus.path()).toString()));
    command.addAll(List.of(words));
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(out).isZero();
    return out;
  }

  @Test
  void files_areWhatTheCommandsPrint() throws IOException {
    assertThat(SHIPPED.resolve("alerts.yaml")).content().isEqualTo(naru(0, "alerts"));
    assertThat(SHIPPED.resolve("dashboard.json")).content().isEqualTo(naru(0, "dashboard"));
  }

  // --- alerts

  @Test
  void alerts_fireStayQuietAndResolve(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("alerts.yaml"), naru(0, "alerts"));
    Files.copy(TESTS, folder.resolve("alerts.test.yaml"));

    assertThat(promtool(folder, "test", "rules", "alerts.test.yaml")).contains("SUCCESS");
  }

  @Test
  void alerts_areAllTried() throws IOException {
    String tests = Files.readString(TESTS);
    var alerts = new TreeSet<String>();
    Pattern.compile("alert: (\\w+)")
        .matcher(naru(0, "alerts"))
        .results()
        .map(r -> r.group(1))
        .forEach(alerts::add);
    var tried = new TreeSet<String>();
    Pattern.compile("alertname=\"(\\w+)\"}'\n\\s+value: 1")
        .matcher(tests)
        .results()
        .forEach((MatchResult fired) -> tried.add(fired.group(1)));

    assertThat(alerts).hasSizeGreaterThan(10).isEqualTo(tried);
  }

  @Test
  void alerts_withOtherThresholds_areRulesToo(@TempDir Path folder) throws Exception {
    String rules =
        naru(
            0,
            "alerts",
            "--waiting=7",
            "--too-large=70",
            "--wait-seconds=12.5",
            "--rate=30",
            "--rate-per=minute",
            "--redis-millis=25",
            "--stream-failures=0.5",
            "--errors=3",
            "--disk-free=20",
            "--log-seconds=11",
            "--kafka-seconds=13",
            "--webhook-seconds=17",
            "--job=rooms");

    assertThat(rules)
        .contains(
            "(naru_queue_size) > 7\n",
            "(naru_queue_size) > 70\n",
            "> 12.5\n",
            "* 60 < 30\n",
            "> 0.025\n",
            "> 0.5\n",
            "> 3\n",
            "< 20\n",
            "(naru_log_lag_seconds) > 11\n",
            "(naru_kafka_lag_seconds) > 13\n",
            "(naru_webhook_oldest_seconds) > 17\n",
            "up{job=\"rooms\"}")
        .doesNotContainPattern("%[a-z-]+%");
    Files.writeString(folder.resolve("alerts.yaml"), rules);
    assertThat(promtool(folder, "check", "rules", "alerts.yaml")).contains("SUCCESS");
  }

  @ParameterizedTest
  @CsvSource({
    "--waiting=0, --waiting: must be more than 0",
    "--waiting=many, --waiting",
    "--rate=-1, --rate: must be more than 0",
    "--rate=NaN, --rate: must be more than 0",
    "--rate-per=hour, '--rate-per: must be second or minute, is hour'",
    "--stream-failures=101, --stream-failures: must be more than 0 and at most 100",
    "'--job=a\"b', --job: is not the name of a job"
  })
  void alerts_thatCannotBe_areRefused(String option, String complaint) {
    assertThat(naru(2, "alerts", option)).contains(complaint);
  }

  // --- the dashboard

  /** Those of all panels. */
  private static List<String> expressions() {
    return Pattern.compile("\"expr\": (\".*\")")
        .matcher(naru(0, "dashboard"))
        .results()
        .map(found -> "" + StrictJson.read(found.group(1)))
        .toList();
  }

  /** With objects in their place, Grafana does not find the datasource after an import. */
  @Test
  void dashboard_namesItsDatasourceByAVariable() {
    String dashboard = naru(0, "dashboard");

    assertThat(Pattern.compile("\"datasource\": (.*)").matcher(dashboard).results())
        .hasSizeGreaterThan(50)
        .allMatch(found -> found.group(1).equals("\"$datasource\","));
    assertThat(dashboard)
        .contains("\"name\": \"datasource\"", "label_values(naru_queue_size, queue)")
        .doesNotContain("\"uid\": \"P", "__inputs", "${DS_");
  }

  @Test
  void dashboard_everyPanelShowsSomethingOfALoadedServer(@TempDir Path data) throws Exception {
    var sqlite = new Ledger.Config("jdbc:sqlite:" + data.resolve("ledger.db"), null, null, false);
    try (var redis = RedisServer.start(RedisBinary.embedded());
        var server =
            TestServer.start(
                TestServer.withKafka(
                    TestServer.config(data, redis.uri(), sqlite), TestServer.NO_KAFKA));
        var scraping = PrometheusServer.start(prometheus.path(), server.managementPort())) {
      String rate = "\"adaptive\":{\"floorPerSecond\":1,\"ceilingPerSecond\":2}";
      server.activate("LOAD/1", rate + ",\"maxCapacity\":500").is(201);
      server.activate("STOCK/1", "\"stock\":{\"perVisitor\":1},\"log\":true").is(201);
      String pool = "\"name\":\"seats\",\"remaining\":7,\"held\":2";
      String stock = "\"version\":1,\"pools\":[{" + pool + "}]";
      server.admin("POST", "/admin/queue/stock", TestServer.named("STOCK/1", stock)).is(200);
      // As often as it takes: rates are those between two scrapes in which something happened.
      var blank = new ArrayList<>(expressions());
      assertThat(blank).hasSizeGreaterThan(30);
      var users = new AtomicInteger();
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(200))
          .untilAsserted(
              () -> {
                visit(server, "user" + users.incrementAndGet());
                signal(server);
                blank.removeIf(expression -> hasData(scraping, expression));
                assertThat(blank).isEmpty();
              });
      // Nobody takes the events, and that is seen.
      await().until(() -> hasData(scraping, "max(naru_kafka_lag_seconds) > 0"));
    }
  }

  private static boolean hasData(PrometheusServer scraping, String expression) {
    try {
      return scraping.query(filled(expression)).stream()
          .anyMatch(series -> !("" + series).contains("NaN"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A site that is loaded: the rate that follows it knows then how many may be inside. */
  private static void signal(TestServer server) {
    String said = "\"source\":\"a\",\"count\":100,\"errors\":0,\"p95Millis\":200";
    server.admin("POST", "/admin/queue/signal", TestServer.named("LOAD/1", said)).is(202);
  }

  /** Enters, and watches for a moment. */
  private static void visit(TestServer server, String user) throws Exception {
    String token = server.enter("LOAD/1", user).is(201).text("entryToken");
    try (var stream = EventStream.open(server.port(), "/queue/LOAD/1/subscribe/" + token)) {
      stream.next(Duration.ofSeconds(10));
    }
  }

  /** As Grafana would, with everything chosen. */
  private static String filled(String expression) {
    return expression.replace("$__rate_interval", "1m").replace("$queue", ".*");
  }
}
