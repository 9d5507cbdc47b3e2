package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.OpenApi;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What has been, as an operator asks for it over HTTP. */
class HistoryApiTest {

  @RegisterExtension
  private static final StoredServer STORED = StoredServer.on(StoredServer.Store.MEMORY);

  private static final AtomicInteger QUEUES = new AtomicInteger();

  private final String queue = "SALE/h" + QUEUES.incrementAndGet();

  private static TestServer server() {
    return STORED.server();
  }

  private Answer ask(String call, String... headers) {
    return server().admin("GET", "/admin/queues/" + queue + "/" + call, "", headers);
  }

  /** One is inside, one waits, one left. */
  private void sale() {
    server()
        .activate(queue, "\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600")
        .is(201);
    server().enter(queue, "ann").is(201);
    await().until(() -> server().status(queue, "ann").text("status").equals("ENTERED"));
    server().enter(queue, "ben").is(201);
    server().enter(queue, "cat").is(201);
    server().leave(queue, "cat").is(200);
  }

  @Test
  void statistics_emptyQueue_divideByNothing() {
    server().activate(queue, "").is(201);

    Answer none = ask("statistics").is(200);

    assertThat(none.json()).containsEntry("joined", 0).containsEntry("gotInShare", null);
    assertThat(none.object("waitSeconds"))
        .containsEntry("count", 0)
        .containsEntry("average", null)
        .containsEntry("p50", null)
        .containsEntry("max", null);
    assertThat(none.text("from")).isEqualTo(server().queue(queue).text("createdAt"));
  }

  private Answer signal(String fields) {
    return server().admin("POST", "/admin/queue/signal", TestServer.named(queue, fields));
  }

  @Test
  void rate_queueThatFollowsTheSite_saysWhatItIsAndWhy() {
    signal("\"source\":\"shop-1\",\"count\":500,\"errors\":0,\"p95Millis\":20")
        .isProblem(404, "S801");
    server().activate(queue, "\"entryBatchSize\":30,\"entryIntervalSeconds\":60").is(201);
    Answer off = signal("\"source\":\"shop-1\",\"count\":500,\"errors\":0,\"p95Millis\":20");
    assertThat(off.is(202).json()).containsEntry("adaptive", false);
    assertThat(ask("rate").is(200).json())
        .containsEntry("ratePerSecond", 0.5)
        .containsEntry("limitedBy", "settings")
        .containsEntry("history", List.of())
        .doesNotContainKey("insideLimit");
    String rule = "\"adaptive\":{\"mode\":\"AIMD\",\"floorPerSecond\":5,\"ceilingPerSecond\":50.5}";
    assertThat(server().activate(queue, rule).is(200).object("adaptive"))
        .containsEntry("mode", "AIMD")
        .containsEntry("ceilingPerSecond", 50.5)
        .containsEntry("startPerSecond", 50.5);

    Answer on = signal("\"source\":\"shop-1\",\"count\":500,\"errors\":0,\"p95Millis\":20.5");

    assertThat(on.is(202).json()).containsEntry("adaptive", true);
    Answer rate = ask("rate?minutes=1").is(200);
    assertThat(rate.json())
        .containsEntry("ratePerSecond", 50.5)
        .containsEntry("limitedBy", "ceiling");
    assertThat(OpenApi.list(rate.field("signals")).getFirst())
        .asInstanceOf(MAP)
        .containsEntry("source", "shop-1")
        .containsEntry("count", 500)
        .containsEntry("p95Millis", 20.5);
    assertThat(OpenApi.list(rate.field("history"))).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "source    | 7                        | 1 to 64",
        "source    | 'a b'                    | 1 to 64",
        "count     | -1                       | 0..10000000",
        "count     | 1.5                      | 0..10000000",
        "count     | 10000001                 | 0..10000000",
        "errors    | -1                       | 0..100",
        "errors    | 101                      | 0..100",
        "p95Millis | -0.1                     | 0..3600000",
        "p95Millis | 3600001                  | 0..3600000",
        "p95Millis | 1e999                    | 0..3600000",
        "p95Millis | null                     | 0..3600000",
        "at        | '2020-01-01T00:00:00Z'   | at most 30 s ago",
        "at        | '2099-01-01T00:00:00Z'   | at most 5 s ahead",
        "at        | 'yesterday'              | an instant",
        "rate      | 5000                     | source",
      })
  void signal_badValue_isRefusedWithFieldAndRange(String field, String value, String allowed) {
    server().activate(queue, "\"adaptive\":{}").is(201);
    Map<String, String> fields =
        new LinkedHashMap<>(
            Map.of("source", "\"shop\"", "count", "100", "errors", "0", "p95Millis", "1"));
    boolean isText = field.equals("at") || value.contains(" ");
    fields.put(field, isText ? "\"" + value + "\"" : value);
    String body =
        fields.entrySet().stream()
            .map(each -> "\"" + each.getKey() + "\":" + each.getValue())
            .collect(Collectors.joining(","));

    Answer refused = signal(body);

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text("field")).isEqualTo(field);
    assertThat(refused.text("allowed")).contains(allowed);
    assertThat(OpenApi.list(ask("rate").is(200).field("signals"))).isEmpty();
  }

  @Test
  void signal_noNumbers_isNoJson() {
    server().activate(queue, "\"adaptive\":{}").is(201);

    signal("\"source\":\"a\",\"count\":100,\"errors\":0,\"p95Millis\":NaN")
        .isProblem(400, "malformed-json");
  }

  @Test
  void statistics_sale_saysHowPeopleFared() {
    sale();

    Answer sum = ask("statistics").is(200);

    assertThat(sum.json())
        .containsEntry("joined", 3)
        .containsEntry("entered", 1)
        .containsEntry("completed", 0)
        .containsEntry("left", 1)
        .containsEntry("expired", 0)
        .containsEntry("gotInShare", 0.3333)
        .containsEntry("noShows", 0);
    assertThat(OpenApi.list(sum.field("abandonment")).getFirst())
        .isEqualTo(Map.of("waitedFromSeconds", 0, "waitedToSeconds", 60, "people", 3, "left", 1));
  }

  @Test
  void statistics_ofATimeBefore_areOfNobody() {
    sale();

    Answer before =
        ask("statistics?from=2026-01-01T09:00:00%2B09:00&to=2026-01-01T00:00:01Z").is(200);

    assertThat(before.json())
        .containsEntry("joined", 0)
        .containsEntry("from", "2026-01-01T00:00:00.000000Z")
        .containsEntry("to", "2026-01-01T00:00:01.000000Z");
  }

  @Test
  void statistics_asCsv_areRowsOfTimesAndNumbersOnly() {
    sale();
    for (Answer csv :
        List.of(ask("statistics?format=csv"), ask("statistics", "Accept", "text/csv, */*;q=0.1"))) {
      assertThat(csv.status()).isEqualTo(200);
      assertThat(csv.header("content-type")).isEqualTo("text/csv; charset=utf-8; header=present");
      assertThat(csv.header("content-disposition"))
          .isEqualTo("attachment; filename=\"" + queue.replace('/', '-') + ".csv\"");
      assertThat(csv.header("cache-control")).isEqualTo("no-store");
      List<String> lines = csv.body().lines().toList();
      assertThat(lines.getFirst()).isEqualTo("minute,joined,admitted,completed,left,expired");
      assertThat(lines).hasSizeBetween(2, 3);
      assertThat(lines.subList(1, lines.size()))
          .allMatch(line -> line.matches("[-0-9T:.]+Z(,\\d+){5}"));
    }
    ask("statistics?format=json", "Accept", "text/csv").is(200);
  }

  @Test
  void timeline_hasEveryMinute_theLastOneIsOn() {
    sale();

    List<?> minutes = OpenApi.list(ask("timeline").is(200).field("minutes"));

    assertThat(minutes).hasSize(60);
    assertThat(minutes.subList(0, 57)).allMatch(minute -> joined(minute) == 0);
    assertThat(minutes.stream().mapToInt(HistoryApiTest::joined).sum()).isEqualTo(3);
    assertThat(OpenApi.list(ask("timeline?minutes=1").field("minutes"))).hasSize(1);
    assertThat(OpenApi.list(ask("timeline?minutes=1440").field("minutes"))).hasSize(1_440);
  }

  private static int joined(@Nullable Object minute) {
    return OpenApi.map(minute, "minute").get("joined") instanceof Integer joined ? joined : -1;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "yesterday",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "+999999999-12-31T23:59Z",
        "+999999999-12-31T23:59-18:00",
        "-999999999-01-01T00:00+18:00",
        "=1"
      })
  void statistics_badInstant_isNamed(String instant) {
    server().activate(queue, "").is(201);
    String sent = instant.replace("+", "%2B");

    ask("statistics?from=" + sent).isInvalid("from");
    ask("statistics?to=" + sent).isInvalid("to");
  }

  @Test
  void bad_values_areNamed() {
    server().activate(queue, "").is(201);

    ask("statistics?from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z").isInvalid("to");
    ask("statistics?format=xml").isInvalid("format");
    for (String minutes : List.of("0", "-1", "1441", "1.5", "x", "2147483648", "")) {
      ask("timeline?minutes=" + minutes).isInvalid("minutes");
    }
  }

  @Test
  void unknownQueue_is404() {
    ask("statistics").isProblem(404, "S801");
    ask("statistics?format=csv").isProblem(404, "S801");
    ask("timeline").isProblem(404, "S801");
  }
}
