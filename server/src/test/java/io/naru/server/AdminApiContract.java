package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator can rely on, call by call, whatever keeps the line. */
abstract class AdminApiContract {

  private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z";
  private static final AtomicInteger QUEUES = new AtomicInteger();

  private final String id = "q" + QUEUES.incrementAndGet();
  private final String queue = "TIMEDEAL/" + id;
  private final String path = "/admin/queues/" + queue;

  abstract StoredServer stored();

  private TestServer server() {
    return stored().server();
  }

  // --- activate

  @Test
  void activate_newQueue_isMadeWithTheDefaults() {
    Answer made = server().activate(queue, "").is(201);

    assertThat(made.json())
        .containsOnlyKeys(
            "eventType",
            "eventId",
            "isActive",
            "state",
            "entryOpen",
            "admissionPaused",
            "pausedReason",
            "endedAt",
            "at",
            "stateNow",
            "maxCapacity",
            "entryBatchSize",
            "entryIntervalSeconds",
            "pacing",
            "burst",
            "adaptive",
            "lobbyOpensAt",
            "opensAt",
            "notBefore",
            "closesAt",
            "endsAt",
            "draw",
            "jitterMillis",
            "fairWindowMillis",
            "log",
            "lanes",
            "laneOrder",
            "stock",
            "passTtlSeconds",
            "maxWaiting",
            "newPlacesPerMinute",
            "absenceGraceSeconds",
            "doors",
            "onExpiry",
            "once",
            "completedBy",
            "retrySeconds",
            "maxReturns",
            "fallbackSeconds",
            "title",
            "targetUrl",
            "color",
            "logoUrl",
            "message",
            "audience",
            "endText",
            "endUrl",
            "createdAt",
            "activatedAt",
            "deactivatedAt",
            "events",
            "version",
            "figures");
    assertThat(made.json())
        .containsEntry("eventType", "TIMEDEAL")
        .containsEntry("eventId", id)
        .containsEntry("isActive", true)
        .containsEntry("state", "OPEN")
        .containsEntry("entryOpen", true)
        .containsEntry("admissionPaused", false)
        .containsEntry("pausedReason", "")
        .containsEntry("endedAt", null)
        .containsEntry("maxCapacity", 1_000)
        .containsEntry("entryBatchSize", 100)
        .containsEntry("entryIntervalSeconds", 1)
        .containsEntry("notBefore", null)
        .containsEntry("passTtlSeconds", 300)
        .containsEntry("maxWaiting", 10_000_000)
        .containsEntry("newPlacesPerMinute", 3)
        .containsEntry("onExpiry", "END")
        .containsEntry("once", false)
        .containsEntry("title", "")
        .containsEntry("targetUrl", "")
        .containsEntry("color", "")
        .containsEntry("logoUrl", "")
        .containsEntry("message", "")
        .containsEntry("audience", "")
        .containsEntry("version", 1)
        .containsEntry("deactivatedAt", null);
    assertThat(made.text("createdAt")).matches(TIME);
    assertThat(made.text("activatedAt")).matches(TIME);
    Map<String, Object> figures = new HashMap<>(made.object("figures"));
    // With a ledger the making of a queue is its first change.
    assertThat(figures.remove("change")).isIn(0, 1);
    assertThat(figures)
        .isEqualTo(
            Map.of(
                "waiting",
                0,
                "absent",
                0,
                "inside",
                0,
                "longestWaitSeconds",
                0,
                "joined",
                0,
                "entered",
                0,
                "completed",
                0,
                "left",
                0,
                "expired",
                0));
    assertThat(made.header("etag")).isEqualTo("\"1\"");
    assertThat(Answer.told(server().queue(queue).is(200).json()))
        .isEqualTo(Answer.told(made.json()));
  }

  @Test
  void activate_again_keepsWhatIsLeftOut() {
    server().activate(queue, "\"maxCapacity\":7,\"title\":\"Sale\"").is(201);

    Answer again = server().activate(queue, "\"entryBatchSize\":3").is(200);

    assertThat(again.json())
        .containsEntry("maxCapacity", 7)
        .containsEntry("title", "Sale")
        .containsEntry("entryBatchSize", 3)
        .containsEntry("version", 2);
    assertThat(server().activate(queue, "").is(200).header("etag")).isEqualTo("\"2\"");
  }

  @Test
  void activate_eventIdAsNumber_isTheSameQueue() {
    int number = 1_000 + QUEUES.incrementAndGet();

    server()
        .admin(
            "POST",
            "/admin/queue/activate",
            "{\"eventType\":\"TIMEDEAL\",\"eventId\":" + number + "}")
        .is(201);

    assertThat(server().queue("TIMEDEAL/" + number).is(200).json())
        .containsEntry("eventId", "" + number);
  }

  @Test
  void activate_text_comesBackAsItWas() {
    String title = "나루 \\\"quoted\\\" <img onerror=x> 🎟 \\\\";
    server()
        .activate(
            queue, "\"title\":\"" + title + "\",\"targetUrl\":\"https://shop.example/?a=1&b=%20\"")
        .is(201);

    assertThat(server().queue(queue).json())
        .containsEntry("title", "나루 \"quoted\" <img onerror=x> 🎟 \\")
        .containsEntry("targetUrl", "https://shop.example/?a=1&b=%20");
  }

  @Test
  void activate_widestSettings_areTaken() {
    server()
        .activate(
            queue,
            "\"maxCapacity\":10000000,\"entryBatchSize\":100000,\"entryIntervalSeconds\":3600,"
                + "\"passTtlSeconds\":86400,\"maxWaiting\":10000000,\"newPlacesPerMinute\":1000")
        .is(201);
    server()
        .activate(
            queue,
            "\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":1,"
                + "\"passTtlSeconds\":10,\"maxWaiting\":1,\"newPlacesPerMinute\":0")
        .is(200);
  }

  // --- deactivate

  @Test
  void deactivate_stopsEnteringAndAdmitting() {
    hold();
    server().enter(queue, "ann").is(201);

    Answer stopped = server().deactivate(queue).is(200);

    assertThat(stopped.json()).containsEntry("isActive", false).containsEntry("version", 2);
    assertThat(stopped.text("deactivatedAt")).matches(TIME);
    server().enter(queue, "ben").isProblem(403, "S805");
    server().process(queue, 1).isProblem(403, "S805");
    assertThat(server().status(queue, "ann").json()).containsEntry("status", "WAITING");
    server().leave(queue, "first").is(200);
    assertThat(server().figures(queue)).containsEntry("waiting", 1).containsEntry("inside", 0);

    // Opened again there is as much left of the batch as before, which is nothing.
    assertThat(server().activate(queue, "").is(200).json()).containsEntry("isActive", true);
    assertThat(server().status(queue, "ann").json()).containsEntry("status", "WAITING");
    server().activate(queue, "\"entryIntervalSeconds\":1").is(200);
    awaitEntered("ann");
  }

  @Test
  void deactivate_unknownQueue_is404() {
    server().deactivate("TIMEDEAL/none").isProblem(404, "S801");
  }

  // --- process

  @Test
  void process_besideTheRate_butNeverAboveCapacity() {
    server()
        .activate(queue, "\"maxCapacity\":4,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600");
    admitFirst();
    for (int i = 1; i <= 6; i++) {
      server().enter(queue, "user-" + i).is(201);
    }

    assertThat(server().process(queue, 2).is(200).json()).isEqualTo(Map.of("admitted", 2));
    assertThat(server().process(queue, 100_000).json()).isEqualTo(Map.of("admitted", 1));
    assertThat(server().process(queue, 1).json()).isEqualTo(Map.of("admitted", 0));

    assertThat(server().figures(queue)).containsEntry("inside", 4).containsEntry("waiting", 3);
    assertThat(server().status(queue, "user-3").text("status")).isEqualTo("ENTERED");
    assertThat(server().status(queue, "user-4").number("position")).isEqualTo(1);
  }

  @Test
  void process_withoutCount_isOneBatch() {
    server()
        .activate(queue, "\"maxCapacity\":9,\"entryBatchSize\":3,\"entryIntervalSeconds\":3600");
    for (int i = 1; i <= 8; i++) {
      server().enter(queue, "user-" + i).is(201);
    }
    awaitEntered("user-3");

    Answer processed = server().admin("POST", "/admin/queue/process", TestServer.named(queue, ""));

    assertThat(processed.is(200).json()).isEqualTo(Map.of("admitted", 3));
    assertThat(server().status(queue, "user-7").number("position")).isEqualTo(1);
  }

  @Test
  void process_moreThanOneStepTakes_isCounted() {
    hold();
    // A few at a time: that many at once would wait for each other for longer than anybody may.
    for (int from = 0; from < 1_100; from += 100) {
      IntStream.range(from, from + 100)
          .mapToObj(
              i ->
                  server().client().postAsync("/queue/" + queue + "/enter", "User-Id", "user-" + i))
          .toList()
          .forEach(answer -> assertThat(answer.join().status()).isEqualTo(201));
    }
    server().admin("PUT", path, "{\"maxCapacity\":5000}").is(200);

    assertThat(server().process(queue, 1_099).json()).isEqualTo(Map.of("admitted", 1_099));

    assertThat(server().figures(queue)).containsEntry("waiting", 1).containsEntry("entered", 1_100);
  }

  @Test
  void process_unknownQueue_is404() {
    server().process("TIMEDEAL/none", 1).isProblem(404, "S801");
    server()
        .admin("POST", "/admin/queue/process", TestServer.named("TIMEDEAL/none", ""))
        .isProblem(404, "S801");
  }

  // --- the queues as resources

  @Test
  void list_isSortedAndComplete() {
    server().activate("ZOO/" + id, "").is(201);
    server().activate("AAA/" + id, "").is(201);

    List<String> names = new ArrayList<>();
    String next = "";
    while (!next.isEmpty() || names.isEmpty()) {
      next = page("limit=3" + (next.isEmpty() ? "" : "&after=" + next), names);
    }

    assertThat(names).contains("AAA/" + id, "ZOO/" + id).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void list_ofMany_comesInPages() {
    for (int i = 0; i < 110; i++) {
      server().admin("PUT", "/admin/queues/PAGES/" + id + "." + (100 + i), "{}").is(201);
    }
    String after = "after=PAGES/" + id;

    List<String> names = new ArrayList<>();
    assertThat(page(after, names)).isEqualTo("PAGES/" + id + ".199");
    assertThat(names).hasSize(100).contains("PAGES/" + id + ".100");
    page(after + ".199&limit=10", names);
    assertThat(names).hasSize(110).doesNotHaveDuplicates();
    assertThat(page(after + ".105&limit=1", names)).isEqualTo("PAGES/" + id + ".106");
  }

  /** Adds the names of a page; says what is named as the next one, nothing if there is none. */
  private String page(String query, List<String> names) {
    Answer list = server().admin("GET", "/admin/queues?" + query, "").is(200);
    assertThat(list.field("queues")).isInstanceOf(List.class);
    ((List<?>) List.of(list.field("queues")).getFirst())
        .forEach(
            q ->
                names.add(((Map<?, ?>) q).get("eventType") + "/" + ((Map<?, ?>) q).get("eventId")));
    if (list.json().containsKey("next")) {
      assertThat(list.text("next")).isEqualTo(names.getLast());
      return list.text("next");
    }
    assertThat(list.json()).containsOnlyKeys("queues");
    return "";
  }

  @ParameterizedTest
  @ValueSource(strings = {"after=", "after=SALE", "after=sale/1", "after=SALE/", "after=/1"})
  void list_afterNoQueue_isInvalid(String query) {
    server().admin("GET", "/admin/queues?" + query, "").isInvalid("after");
  }

  @ParameterizedTest
  @ValueSource(strings = {"limit=0", "limit=1001", "limit=-1", "limit=all", "limit="})
  void list_limitOutOfRange_isInvalid(String query) {
    server().admin("GET", "/admin/queues?" + query, "").isInvalid("limit");
  }

  @Test
  void get_unknownQueue_is404() {
    server().queue("TIMEDEAL/none").isProblem(404, "S801");
  }

  @Test
  void figures_followWhatHappens() {
    hold();
    server().enter(queue, "ann").is(201);
    server().enter(queue, "ben").is(201);
    server().leave(queue, "ben").is(200);
    server().complete(queue, server().status(queue, "first").text("pass")).is(200);

    assertThat(server().figures(queue))
        .containsEntry("waiting", 1)
        .containsEntry("inside", 0)
        .containsEntry("joined", 3)
        .containsEntry("entered", 1)
        .containsEntry("completed", 1)
        .containsEntry("left", 1)
        .containsEntry("expired", 0);
  }

  @Test
  void put_newQueue_isMadeInactive() {
    Answer made = server().admin("PUT", path, "{\"maxCapacity\":5}").is(201);

    assertThat(made.json())
        .containsEntry("isActive", false)
        .containsEntry("maxCapacity", 5)
        .containsEntry("activatedAt", null)
        .containsEntry("version", 1);
    server().enter(queue, "ann").isProblem(403, "S805");
    assertThat(server().admin("PUT", path, "{}").is(200).header("etag")).isEqualTo("\"1\"");
  }

  @Test
  void put_activeQueue_staysActive() {
    server().activate(queue, "").is(201);

    Answer changed = server().admin("PUT", path, "{\"maxCapacity\":5}").is(200);

    assertThat(changed.json()).containsEntry("isActive", true).containsEntry("version", 2);
    assertThat(changed.header("etag")).isEqualTo("\"2\"");
  }

  @Test
  void put_withTheETagRead_isTaken() {
    String etag = String.valueOf(server().activate(queue, "").header("etag"));

    Answer changed = server().admin("PUT", path, "{\"maxCapacity\":5}", "If-Match", etag).is(200);

    assertThat(changed.header("etag")).isEqualTo("\"2\"");
  }

  @Test
  void put_withAnOldETag_is412AndChangesNothing() {
    String old = String.valueOf(server().activate(queue, "").header("etag"));
    server().admin("PUT", path, "{\"maxCapacity\":5}").is(200);

    server()
        .admin("PUT", path, "{\"maxCapacity\":6}", "If-Match", old)
        .isProblem(412, "edited-meanwhile");

    assertThat(server().queue(queue).json())
        .containsEntry("maxCapacity", 5)
        .containsEntry("version", 2);
  }

  @Test
  void put_twoEditorsAtOnce_oneIsTold() throws InterruptedException {
    server().activate(queue, "").is(201);
    var statuses = new ConcurrentLinkedQueue<Integer>();

    var editors =
        IntStream.range(0, 8)
            .mapToObj(
                i ->
                    Thread.startVirtualThread(
                        () ->
                            statuses.add(
                                server()
                                    .admin(
                                        "PUT",
                                        path,
                                        "{\"maxCapacity\":" + (10 + i) + "}",
                                        "If-Match",
                                        "\"1\"")
                                    .status())))
            .toList();
    for (Thread editor : editors) {
      editor.join();
    }

    assertThat(statuses).hasSize(8).containsOnlyOnce(200).containsOnly(200, 412);
    assertThat(server().queue(queue).json()).containsEntry("version", 2);
  }

  @Test
  void put_withAnETagButNoQueue_is404() {
    server().admin("PUT", path, "{}", "If-Match", "\"1\"").isProblem(404, "S801");
    server().queue(queue).isProblem(404, "S801");
  }

  @Test
  void put_capacityLowered_nobodyIsThrownOut() {
    server().activate(queue, "\"maxCapacity\":3").is(201);
    for (String user : List.of("ann", "ben", "cho")) {
      server().enter(queue, user).is(201);
      awaitEntered(user);
    }

    server().admin("PUT", path, "{\"maxCapacity\":1}").is(200);
    server().enter(queue, "dan").is(201);
    server().leave(queue, "ann").is(200);

    assertThat(server().process(queue, 5).json()).isEqualTo(Map.of("admitted", 0));
    assertThat(server().figures(queue)).containsEntry("inside", 2).containsEntry("waiting", 1);
  }

  @Test
  void put_textsByLanguage_areKept() {
    String title = "{\"ko\":\"봄 <b>\",\"en\":\"Spring \\\"Live\\\"\"}";
    server().admin("PUT", path, "{\"title\":" + title + ",\"message\":\"Hi\"}").is(201);

    assertThat(server().queue(queue).json())
        .containsEntry("title", Map.of("ko", "봄 <b>", "en", "Spring \"Live\""))
        .containsEntry("message", "Hi");
    for (String bad : List.of("{\"ko\":5}", "[\"a\"]", "{\"K O\":\"a\"}")) {
      server().admin("PUT", path, "{\"title\":" + bad + "}").isInvalid("title");
    }
    server().admin("PUT", path, "{\"title\":{\"ko\":{}}}").isInvalid("title.ko");
  }

  // --- acts

  private Answer act(String act, String... headers) {
    return server().admin("POST", "/admin/queue/" + act, name(""), headers);
  }

  private String name(String more) {
    return "{\"eventType\":\"TIMEDEAL\",\"eventId\":\"" + id + "\"" + more + "}";
  }

  /** Redis alone knows active or not; everybody else knows two facts and an end. */
  @Test
  void acts_changeTheStateOrNeedALedger() {
    act("pause").isProblem(404, "S801");
    hold();
    server().enter(queue, "ann").is(201);
    Answer paused =
        server().admin("POST", "/admin/queue/pause", name(",\"reason\":\"Back <soon>\""));
    if (stored().store() == StoredServer.Store.REDIS) {
      paused.isProblem(422, "needs-ledger");
      assertThat(paused.text("field")).isEqualTo("pause");
      act("end").isProblem(422, "needs-ledger");
      assertThat(server().queue(queue).json()).containsEntry("state", "OPEN");
      return;
    }
    assertThat(paused.is(200).json())
        .containsEntry("state", "PAUSED")
        .containsEntry("isActive", false)
        .containsEntry("pausedReason", "Back <soon>")
        .containsEntry("version", 2);
    server().process(queue, 1).isProblem(403, "S805");
    assertThat(server().status(queue, "ann").is(200).json()).containsEntry("paused", true);
    assertThat(act("close").is(200).json()).containsEntry("state", "INACTIVE");
    act("resume", "If-Match", "\"2\"").isProblem(412, "edited-meanwhile");
    assertThat(act("resume", "If-Match", "\"3\"").is(200).json()).containsEntry("state", "CLOSED");
    server().enter(queue, "ben").isProblem(403, "S805");
    server().enter(queue, "ann").isProblem(409, "S802");
    assertThat(act("open").is(200).json()).containsEntry("state", "OPEN");

    assertThat(act("end").is(200).json()).containsEntry("state", "ENDED");
    assertThat(server().queue(queue).text("endedAt")).matches(TIME);
    Answer over = server().status(queue, "ann");
    over.isProblem(410, "S804");
    assertThat(over.object("entry"))
        .containsEntry("status", "EXPIRED")
        .containsEntry("reason", "ended")
        .doesNotContainKey("enteredAt");
    act("open").isProblem(409, "queue-ended");
    await().until(() -> Integer.valueOf(0).equals(server().figures(queue).get("waiting")));
    assertThat(server().activate(queue, "").is(200).json()).containsEntry("endedAt", null);
    server().enter(queue, "ann").is(201);
  }

  @Test
  void acts_badInput_isInvalid() {
    server().activate(queue, "").is(201);
    for (String reason : List.of("5", "null", "{}", "\"a\\nb\"", '"' + "a".repeat(201) + '"')) {
      server()
          .admin("POST", "/admin/queue/pause", name(",\"reason\":" + reason))
          .isInvalid("reason");
    }
    server().admin("POST", "/admin/queue/end", name(",\"reason\":\"x\"")).isInvalid("reason");
    server().admin("POST", "/admin/queue/open", "{\"eventId\":\"1\"}").isInvalid("eventType");
    assertThat(server().queue(queue).json()).containsEntry("version", 1);
  }

  // --- delete

  @Test
  void delete_closedAndEmpty_needsNoMore() {
    server().admin("PUT", path, "{}").is(201);

    Answer deleted = server().admin("DELETE", path, "");

    assertThat(deleted.status()).isEqualTo(204);
    assertThat(deleted.body()).isEmpty();
    server().queue(queue).isProblem(404, "S801");
    server().admin("DELETE", path, "").isProblem(404, "S801");
  }

  @Test
  void delete_live_needsItsName() {
    hold();
    server().enter(queue, "ann").is(201);

    server().admin("DELETE", path, "").isProblem(409, "confirmation-needed");
    server().deactivate(queue).is(200);
    server().admin("DELETE", path + "?confirm=yes", "").isProblem(409, "confirmation-needed");
    assertThat(server().figures(queue)).containsEntry("waiting", 1);

    assertThat(server().admin("DELETE", path + "?confirm=" + queue, "").status()).isEqualTo(204);
    server().status(queue, "ann").isProblem(404, "S801");
    assertThat(server().activate(queue, "").is(201).object("figures"))
        .containsEntry("waiting", 0)
        .containsEntry("inside", 0)
        .containsEntry("joined", 0);
  }

  // --- check

  @Test
  void check_comparesEverybody_whereThereIsALedger() {
    hold();
    server().enter(queue, "ann").is(201);
    server().enter(queue, "ben").is(201);

    Answer answer = server().admin("POST", path + "/check", "");

    switch (stored().store()) {
      case MEMORY, REDIS -> answer.isProblem(422, "needs-ledger");
      case SQLITE, POSTGRES_AND_REDIS, POSTGRES_AND_CLUSTER, MARIADB_AND_REDIS -> {
        assertThat(answer.is(200).json())
            .containsOnlyKeys("checked", "differences", "repaired", "change")
            .containsEntry("checked", 3)
            .containsEntry("differences", 0)
            .containsEntry("repaired", 0);
        server().admin("POST", "/admin/queues/TIMEDEAL/none/check", "").isProblem(404, "S801");
      }
    }
    server().admin("POST", path + "/check?after=there", "").isInvalid("after");
  }

  // --- words for all of this

  private void hold() {
    server()
        .activate(queue, "\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600")
        .is(201);
    admitFirst();
  }

  private void admitFirst() {
    server().enter(queue, "first").is(201);
    awaitEntered("first");
  }

  private void awaitEntered(String user) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(() -> server().status(queue, user).text("status").equals("ENTERED"));
  }
}
