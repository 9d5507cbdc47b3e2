package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.list;
import static org.assertj.core.api.InstanceOfAssertFactories.map;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What visitors can rely on, call by call, whatever keeps the line. */
abstract class VisitorApiContract {

  private static final String[] WAITING_FIELDS = {
    "eventType",
    "eventId",
    "status",
    "entryToken",
    "ticket",
    "position",
    "ahead",
    "behind",
    "totalWaiting",
    "turnSeconds",
    "board",
    "estimatedWaitSeconds",
    "joinedAt",
    "change"
  };
  private static final String[] ENTERED_FIELDS = {
    "eventType",
    "eventId",
    "status",
    "entryToken",
    "joinedAt",
    "enteredAt",
    "pass",
    "passExpiresAt",
    "change"
  };
  private static final String[] OVER_FIELDS = {
    "eventType", "eventId", "status", "entryToken", "joinedAt", "enteredAt", "change"
  };
  private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z";

  private static final AtomicInteger QUEUES = new AtomicInteger();

  /** A queue of this test's own. */
  private final String queue = "TIMEDEAL/q" + QUEUES.incrementAndGet();

  abstract StoredServer stored();

  /** Redis alone gives out no tickets. */
  private String[] waitingFields() {
    return Stream.of(WAITING_FIELDS)
        .filter(field -> !field.equals("ticket") || countsTickets())
        .toArray(String[]::new);
  }

  private TestServer server() {
    return stored().server();
  }

  private boolean countsTickets() {
    return stored().store() != StoredServer.Store.REDIS;
  }

  private void overstay(String queue, String user) {
    stored().overstay(queue, user);
  }

  // --- board

  @Test
  void board_saysWhereEverybodyStands_inTheSameBytesForAll() {
    hold(queue);
    for (String user : List.of("ann", "ben", "cid", "dan")) {
      server().enter(queue, user).is(201);
    }
    server().leave(queue, "ben").is(200);
    server().leave(queue, "cid").is(200);
    String path = "/queue/" + queue + "/board";
    Answer dan = server().status(queue, "dan").is(200);
    await().until(() -> !countsTickets() || get(path).number("change") >= dan.number("change"));
    Answer board = get(path);

    assertThat(board.headers())
        .containsEntry(
            "cache-control", List.of("public, max-age=1, s-maxage=1, stale-while-revalidate=1"))
        .containsEntry("access-control-allow-origin", List.of("*"))
        .containsKey("etag");
    assertThat(board.number("waiting")).isEqualTo(2);
    if (!countsTickets()) {
      assertThat(board.json()).doesNotContainKeys("lanes", "change");
      get(path + "/0/1024/1/2").isProblem(404, "S801");
      return;
    }
    assertThat(dan.number("ticket")).isEqualTo(5);
    assertThat(board.json())
        .containsEntry("block", 1_024)
        .containsEntry("askWithin", 1_000)
        .extractingByKey("lanes", as(list(Map.class)))
        .singleElement(as(map(String.class, Object.class)))
        .containsEntry("id", 0)
        .containsEntry("front", 2)
        .containsEntry("next", 6)
        .containsEntry("gone", List.of(2));
    Answer tile = get(path + "/0/1024/2/2").is(200);
    // Tickets 3 and 4: the second and the third bit.
    assertThat(tile.text("gone")).isEqualTo("Bg");
    assertThat(tile.number("count")).isEqualTo(2);
    assertThat(tile.headers()).containsEntry("cache-control", List.of("public, max-age=60"));
    assertThat(get(path + "/0/1024/2/1").is(200).header("cache-control")).contains("max-age=1,");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0/1000/1/2",
        "0/1/1/1",
        "9/1024/1/1",
        "0/1024/-1/1",
        "a/1024/0/0",
        "0/262144/0/0"
      })
  void tile_noneThatABoardNames_isRefused(String tile) {
    hold(queue);
    get("/queue/" + queue + "/board/" + tile).isInvalid("board");
  }

  private Answer get(String path) {
    return server().client().get(path);
  }

  // --- enter

  @Test
  void enter_newVisitor_getsTheLastPlace() {
    hold(queue);

    Answer ann = server().enter(queue, "ann").is(201);
    Answer ben = server().enter(queue, "ben").is(201);

    assertThat(Answer.told(ann.json())).containsOnlyKeys(waitingFields());
    assertThat(ann.json())
        .containsEntry("eventType", "TIMEDEAL")
        .containsEntry("eventId", queue.substring(queue.indexOf('/') + 1))
        .containsEntry("status", "WAITING")
        .containsEntry("position", 1)
        .containsEntry("ahead", 0)
        .containsEntry("totalWaiting", 1)
        .containsEntry("estimatedWaitSeconds", 3_600);
    assertThat(ann.text("joinedAt")).matches(TIME);
    assertThat(ann.text("entryToken")).matches("[A-Za-z0-9_-]{40,400}");
    assertThat(ann.field("change")).isInstanceOf(Integer.class);
    assertThat(ben.json())
        .containsEntry("position", 2)
        .containsEntry("ahead", 1)
        .containsEntry("totalWaiting", 2)
        .containsEntry("estimatedWaitSeconds", 7_200);
    assertThat(ben.text("joinedAt")).isGreaterThan(ann.text("joinedAt"));
    assertThat(ben.text("entryToken")).isNotEqualTo(ann.text("entryToken"));
    assertThat(ben.number("change")).isGreaterThan(ann.number("change"));
    assertThat(ann.header("cache-control")).isEqualTo("no-store");
  }

  @Test
  void enter_estimatedWait_isWholeBatchesTimesInterval() {
    server().activate(queue, "\"maxCapacity\":1,\"entryBatchSize\":3,\"entryIntervalSeconds\":7");
    admitFirst(queue);

    for (int position = 1; position <= 7; position++) {
      Answer entered = server().enter(queue, "user-" + position).is(201);
      assertThat(entered.number("position")).isEqualTo(position);
      assertThat(entered.number("ahead")).isEqualTo(position - 1);
      assertThat(entered.number("estimatedWaitSeconds")).isEqualTo(Math.ceilDiv(position, 3) * 7L);
    }
  }

  @Test
  void targetUrl_asPeopleWriteIt_isSentEncoded() {
    String url = "https://shop.example/티켓/예매?좌석=1";
    String encoded =
        "https://shop.example/%ED%8B%B0%EC%BC%93/%EC%98%88%EB%A7%A4?%EC%A2%8C%EC%84%9D=1";

    Answer made = server().activate(queue, "\"targetUrl\":\"" + url + "\"").is(201);
    assertThat(made.text("targetUrl")).isEqualTo(encoded);
    assertThat(server().queue(queue).is(200).text("targetUrl")).isEqualTo(encoded);

    server().enter(queue, "ann").is(201);
    await().until(() -> server().status(queue, "ann").text("status").equals("ENTERED"));
    assertThat(server().status(queue, "ann").is(200).text("targetUrl")).isEqualTo(encoded);
    Answer sentOn = server().client().get("/wait/" + queue + "/place", "User-Id", "ann");
    assertThat(sentOn.status()).isEqualTo(303);
    assertThat(sentOn.header("location")).isEqualTo(encoded);
  }

  @Test
  void deactivated_waiting_isPausedAndHasNoEstimate() {
    hold(queue);
    String token = server().enter(queue, "ann").is(201).text("entryToken");

    server().deactivate(queue).is(200);
    for (Answer paused :
        List.of(server().status(queue, "ann").is(200), server().statusByToken(token).is(200))) {
      assertThat(paused.json()).containsEntry("paused", true).containsEntry("position", 1);
      assertThat(paused.json()).doesNotContainKey("estimatedWaitSeconds");
    }
    assertThat(server().enter(queue, "ann").isProblem(409, "S802").object("entry"))
        .containsEntry("paused", true)
        .doesNotContainKey("estimatedWaitSeconds");

    server().activate(queue, "").is(200);
    assertThat(Answer.told(server().status(queue, "ann").is(200).json()))
        .containsOnlyKeys(waitingFields());
  }

  @Test
  void enter_sameVisitorAgain_keepsThePlaceAndSaysSo() {
    hold(queue);
    Answer first = server().enter(queue, "ann").is(201);
    server().enter(queue, "ben").is(201);

    Answer again = server().enter(queue, "ann").isProblem(409, "S802");

    assertThat(Answer.told(again.object("entry"))).containsOnlyKeys(waitingFields());
    assertThat(again.object("entry"))
        .containsEntry("entryToken", first.text("entryToken"))
        .containsEntry("joinedAt", first.text("joinedAt"))
        .containsEntry("position", 1)
        .containsEntry("totalWaiting", 2);
    assertThat(server().figures(queue)).containsEntry("joined", 3).containsEntry("waiting", 2);
  }

  @Test
  void enter_insideAlready_isToldSo() {
    hold(queue);

    Answer again = server().enter(queue, "first").isProblem(409, "S802");

    assertThat(again.object("entry"))
        .containsOnlyKeys(ENTERED_FIELDS)
        .containsEntry("status", "ENTERED");
  }

  @Test
  void enter_thousandTimesInParallel_isOnePlace() {
    hold(queue);

    List<Answer> answers =
        IntStream.range(0, 1_000)
            .mapToObj(_ -> server().client().postAsync(path("enter"), "User-Id", "ann"))
            .toList()
            .stream()
            .map(CompletableFuture::join)
            .toList();

    List<Answer> created = answers.stream().filter(a -> a.status() == 201).toList();
    assertThat(created).hasSize(1);
    String token = created.getFirst().text("entryToken");
    List<Answer> repeats = answers.stream().filter(a -> a.status() != 201).toList();
    assertThat(repeats.stream().filter(a -> a.status() != 409)).isEmpty();
    assertThat(repeats)
        .hasSize(999)
        .allSatisfy(
            a -> {
              assertThat(a.text("code")).isEqualTo("S802");
              assertThat(a.object("entry"))
                  .containsEntry("entryToken", token)
                  .containsEntry("position", 1);
            });
    assertThat(server().figures(queue)).containsEntry("joined", 2).containsEntry("waiting", 1);
  }

  @Test
  void enter_unknownQueue_is404() {
    server().enter("TIMEDEAL/none", "ann").isProblem(404, "S801");
  }

  @Test
  void enter_queueNotActive_is403ButPlacesAreKept() {
    hold(queue);
    Answer ann = server().enter(queue, "ann").is(201);
    server().deactivate(queue).is(200);

    server().enter(queue, "ben").isProblem(403, "S805");

    Answer again = server().enter(queue, "ann").isProblem(409, "S802");
    assertThat(again.object("entry")).containsEntry("entryToken", ann.text("entryToken"));
    assertThat(server().status(queue, "ann").is(200).json()).containsEntry("position", 1);
  }

  @Test
  void enter_lineFull_is409AndSaysSo() {
    hold(queue, "\"maxWaiting\":2");
    server().enter(queue, "ann").is(201);
    server().enter(queue, "ben").is(201);

    server().enter(queue, "cho").isProblem(409, "line-full");

    server().enter(queue, "ann").isProblem(409, "S802");
    server().status(queue, "cho").isProblem(404, "S803");
    assertThat(server().figures(queue)).containsEntry("waiting", 2);
  }

  @Test
  void enter_fourthNewPlaceWithinAMinute_is429() {
    hold(queue);
    for (int i = 0; i < 3; i++) {
      server().enter(queue, "ann").is(201);
      // Finding one's place does not count.
      server().enter(queue, "ann").isProblem(409, "S802");
      server().leave(queue, "ann").is(200);
    }

    Answer refused = server().enter(queue, "ann").isProblem(429, "too-many-enters");

    assertThat(refused.header("retry-after")).matches("[1-9]\\d?");
    assertThat(Integer.parseInt(String.valueOf(refused.header("retry-after")))).isBetween(1, 60);
    server().enter(queue, "ben").is(201);
    assertThat(server().figures(queue)).containsEntry("joined", 5);
  }

  @Test
  void enter_emptyObjectAsBody_isFine() {
    hold(queue);
    server()
        .client()
        .send(
            "POST",
            path("enter"),
            BodyPublishers.ofString("{}"),
            "User-Id",
            "ann",
            "Content-Type",
            "application/json; charset=utf-8")
        .is(201);
  }

  @Test
  void enter_idsThatSortOtherwise_keepArrivalOrder() {
    hold(queue);
    List<String> ids = List.of("u:9", "u:10", "u:1", "u:100", "U:9", "u:11");

    ids.forEach(id -> server().enter(queue, id).is(201));

    for (int i = 0; i < ids.size(); i++) {
      assertThat(server().status(queue, ids.get(i)).number("position")).isEqualTo(i + 1);
    }
  }

  // --- status

  @Test
  void status_waiting_isTheEntry() {
    hold(queue);
    Answer entered = server().enter(queue, "ann").is(201);

    Answer status = server().status(queue, "ann").is(200);

    assertThat(Answer.told(status.json())).isEqualTo(Answer.told(entered.json()));
    assertThat(status.header("cache-control")).isEqualTo("no-store");
  }

  @Test
  void status_somebodyAheadLeft_placeMovesUp() {
    hold(queue);
    Answer ann = server().enter(queue, "ann").is(201);
    Answer ben = server().enter(queue, "ben").is(201);
    server().leave(queue, "ann").is(200);

    Answer status = server().status(queue, "ben").is(200);

    assertThat(status.json())
        .containsEntry("position", 1)
        .containsEntry("ahead", 0)
        .containsEntry("totalWaiting", 1)
        .containsEntry("entryToken", ben.text("entryToken"))
        .containsEntry("joinedAt", ben.text("joinedAt"));
    assertThat(status.number("change")).isGreaterThan(ben.number("change"));
    assertThat(ben.number("change")).isGreaterThan(ann.number("change"));
  }

  @Test
  void status_entered_saysUntilWhen() {
    hold(queue, "\"passTtlSeconds\":120");

    Answer status = server().status(queue, "first").is(200);

    assertThat(status.json()).containsOnlyKeys(ENTERED_FIELDS);
    assertThat(status.text("status")).isEqualTo("ENTERED");
    assertThat(status.text("enteredAt")).matches(TIME).isGreaterThan(status.text("joinedAt"));
    assertThat(status.text("passExpiresAt")).matches(TIME);
    assertThat(
            Duration.between(
                Instant.parse(status.text("enteredAt")),
                Instant.parse(status.text("passExpiresAt"))))
        .hasSeconds(120);
  }

  @Test
  void status_enteredAndTargetUrlSet_saysWhereTo() {
    hold(queue, "\"targetUrl\":\"https://shop.example/sale?x=1\"");

    assertThat(server().status(queue, "first").json())
        .containsEntry("targetUrl", "https://shop.example/sale?x=1");

    assertThat(server().enter(queue, "ann").is(201).json()).doesNotContainKey("targetUrl");
  }

  @Test
  void status_completed_isKnown() {
    hold(queue);
    server().complete(queue, passOf("first")).is(200);

    Answer status = server().status(queue, "first").is(200);

    assertThat(status.json()).containsOnlyKeys(OVER_FIELDS).containsEntry("status", "COMPLETED");
  }

  @Test
  void status_overstayed_is410WithTheEntry() {
    hold(queue);
    String token = tokenOf("first");
    String pass = passOf("first");
    overstay(queue, "first");

    for (Answer gone : List.of(server().status(queue, "first"), server().statusByToken(token))) {
      gone.isProblem(410, "S804");
      assertThat(gone.object("entry"))
          .containsOnlyKeys(OVER_FIELDS)
          .containsEntry("status", "EXPIRED")
          .containsEntry("entryToken", token);
    }
    server().complete(queue, pass).isProblem(403, "S806");
    server().redeem(queue, pass, "s1").isProblem(403, "S806");
    server().leave(queue, "first").isProblem(404, "S803");
    Answer anew = server().enter(queue, "first").is(201);
    assertThat(anew.text("entryToken")).isNotEqualTo(token);
  }

  @Test
  void status_overstayedAndEnteredAgain_is410ByTheOldTokenWhateverBecomesOfTheNewPlace() {
    hold(queue);
    String old = server().status(queue, "first").text("entryToken");
    overstay(queue, "first");

    String token = server().enter(queue, "first").is(201).text("entryToken");
    Answer expired = server().statusByToken(old).isProblem(410, "S804");
    assertThat(expired.object("entry"))
        .containsOnlyKeys(OVER_FIELDS)
        .containsEntry("status", "EXPIRED")
        .containsEntry("entryToken", old);
    assertThat(server().statusByToken(token).is(200).text("status")).isEqualTo("WAITING");

    server().process(queue, 1).is(200);
    assertThat(server().statusByToken(token).is(200).text("status")).isEqualTo("ENTERED");
    server().statusByToken(old).isProblem(410, "S804");
  }

  @Test
  void status_overstayedAndRequeued_isTheNewPlaceByUserAnd410ByTheOldToken() {
    hold(queue, "\"onExpiry\":\"REQUEUE\"");
    String token = tokenOf("first");
    String pass = passOf("first");
    server().enter(queue, "ann").is(201);
    overstay(queue, "first");
    await().until(() -> server().status(queue, "first").status() == 200);

    Answer anew = server().status(queue, "first").is(200);

    assertThat(Answer.told(anew.json()))
        .containsOnlyKeys(waitingFields())
        .containsEntry("status", "WAITING");
    assertThat(anew.number("position")).isEqualTo(2);
    assertThat(anew.text("entryToken")).isNotEqualTo(token);
    Answer gone = server().statusByToken(token);
    gone.isProblem(410, "S804");
    assertThat(gone.object("entry"))
        .containsOnlyKeys(OVER_FIELDS)
        .containsEntry("status", "EXPIRED")
        .containsEntry("entryToken", token);
    assertThat(Answer.told(server().statusByToken(anew.text("entryToken")).is(200).json()))
        .isEqualTo(Answer.told(anew.json()));
    Answer entered = server().enter(queue, "first");
    entered.isProblem(409, "S802");
    assertThat(Answer.told(entered.object("entry"))).isEqualTo(Answer.told(anew.json()));
    server().complete(queue, pass).isProblem(403, "S806");
    server().redeem(queue, pass, "s1").isProblem(403, "S806");
  }

  @Test
  void pass_ofTheSecondTurn_isAnotherOne() {
    hold(queue, "\"onExpiry\":\"REQUEUE\"");
    String pass = passOf("first");
    overstay(queue, "first");
    await().until(() -> server().status(queue, "first").status() == 200);
    server().process(queue, 1).is(200);

    String second = passOf("first");

    assertThat(idOf(second)).isNotEqualTo(idOf(pass));
    server().complete(queue, pass).isProblem(403, "S806");
    server().complete(queue, second).is(200);
  }

  private static String idOf(String pass) {
    String claims = new String(Base64.getUrlDecoder().decode(pass.split("\\.", -1)[1]), UTF_8);
    return claims.replaceAll(".*\"jti\":\"([^\"]+)\".*", "$1");
  }

  @Test
  void enter_overstayedBeforeTheBeat_is409WithTheNewPlace() {
    hold(queue, "\"onExpiry\":\"REQUEUE\"");
    String token = tokenOf("first");
    overstay(queue, "first");

    Answer entered = server().enter(queue, "first");

    entered.isProblem(409, "S802");
    assertThat(entered.object("entry")).containsEntry("status", "WAITING");
    assertThat(entered.object("entry").get("entryToken")).isNotEqualTo(token);
  }

  @Test
  void enter_completedWhereOneMayEnterOnce_is403WithTheEntry() {
    hold(queue, "\"once\":true");
    String token = tokenOf("first");
    server().complete(queue, passOf("first")).is(200);

    for (int i = 0; i < 5; i++) {
      Answer refused = server().enter(queue, "first");

      refused.isProblem(403, "S805");
      assertThat(refused.text("detail")).contains("only once");
      assertThat(refused.object("entry"))
          .containsOnlyKeys(OVER_FIELDS)
          .containsEntry("status", "COMPLETED")
          .containsEntry("entryToken", token);
    }
    assertThat(server().status(queue, "first").is(200).json()).containsEntry("status", "COMPLETED");
    server().activate(queue, "\"once\":false").is(200);
    server().enter(queue, "first").is(201);
  }

  @Test
  void enter_leftWhereOneMayEnterOnce_isANewPlace() {
    hold(queue, "\"once\":true");
    server().leave(queue, "first").is(200);

    server().enter(queue, "first").is(201);
  }

  @Test
  void status_neverThere_is404() {
    hold(queue);
    server().status(queue, "nobody").isProblem(404, "S803");
    server().status("TIMEDEAL/none", "ann").isProblem(404, "S801");
    server().client().get(path("status")).isProblem(404, "S803");
  }

  @Test
  void status_left_is404() {
    hold(queue);
    server().enter(queue, "ann").is(201);
    server().leave(queue, "ann").is(200);

    server().status(queue, "ann").isProblem(404, "S803");
  }

  // --- status by token

  @Test
  void statusByToken_isTheSameAsByUser() {
    hold(queue);
    String waiting = server().enter(queue, "ann").is(201).text("entryToken");
    String inside = tokenOf("first");

    assertThat(Answer.told(server().statusByToken(waiting).is(200).json()))
        .isEqualTo(Answer.told(server().status(queue, "ann").json()))
        .containsEntry("status", "WAITING");
    assertThat(server().statusByToken(inside).is(200).json())
        .isEqualTo(server().status(queue, "first").json())
        .containsEntry("status", "ENTERED");
  }

  @Test
  void statusByToken_alteredAnywhere_isUnknown() {
    hold(queue);
    String token = server().enter(queue, "ann").is(201).text("entryToken");

    for (int i = 0; i < token.length(); i++) {
      char other = token.charAt(i) == 'A' ? 'B' : 'A';
      String altered = token.substring(0, i) + other + token.substring(i + 1);
      server().statusByToken(altered).isProblem(404, "S803");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "AAAA", "%00", "a.b.c", "..", "AQ==", "visitor-1"})
  void statusByToken_garbage_isUnknown(String garbage) {
    server().statusByToken(garbage).isProblem(404, "S803");
  }

  @Test
  void statusByToken_ofAnEarlierEntry_isUnknown() {
    hold(queue);
    String old = server().enter(queue, "ann").is(201).text("entryToken");
    server().leave(queue, "ann").is(200);
    server().statusByToken(old).isProblem(404, "S803");

    String current = server().enter(queue, "ann").is(201).text("entryToken");

    assertThat(current).isNotEqualTo(old);
    server().statusByToken(old).isProblem(404, "S803");
    server().statusByToken(current).is(200);
  }

  @Test
  void statusByToken_queueDeleted_is404() {
    hold(queue);
    String token = tokenOf("first");
    server().admin("DELETE", "/admin/queues/" + queue + "?confirm=" + queue, "");

    server().statusByToken(token).isProblem(404, "S801");
  }

  // --- leave

  @Test
  void leave_waiting_givesThePlaceUp() {
    hold(queue);
    server().enter(queue, "ann").is(201);

    assertThat(server().leave(queue, "ann").is(200).json()).isEqualTo(Map.of("status", "LEFT"));

    server().leave(queue, "ann").isProblem(404, "S803");
    assertThat(server().figures(queue)).containsEntry("waiting", 0).containsEntry("left", 1);
  }

  @Test
  void leave_inside_makesRoom() {
    hold(queue);

    assertThat(server().leave(queue, "first").is(200).json()).isEqualTo(Map.of("status", "LEFT"));

    assertThat(server().figures(queue)).containsEntry("inside", 0).containsEntry("left", 1);
  }

  @Test
  void leave_whoIsNotThere_is404() {
    hold(queue);
    server().leave(queue, "nobody").isProblem(404, "S803");
    server().leave("TIMEDEAL/none", "ann").isProblem(404, "S801");
    server().client().post(path("leave")).isProblem(404, "S803");
  }

  @Test
  void leave_andEnterAgain_isAtTheEnd() {
    hold(queue);
    Answer before = server().enter(queue, "ann").is(201);
    server().enter(queue, "ben").is(201);
    server().leave(queue, "ann").is(200);

    Answer after = server().enter(queue, "ann").is(201);

    assertThat(after.number("position")).isEqualTo(2);
    assertThat(after.text("joinedAt")).isGreaterThan(before.text("joinedAt"));
  }

  // --- redeem

  @Test
  void redeem_firstSession_isDoneAndAnotherRefused() {
    hold(queue);
    String pass = passOf("first");

    for (int i = 0; i < 2; i++) {
      assertThat(server().redeem(queue, pass, "s1").is(200).json())
          .isEqualTo(Map.of("status", "REDEEMED"));
    }
    server().redeem(queue, pass, "s2").isProblem(403, "S806");

    assertThat(server().figures(queue)).containsEntry("inside", 1);
    server().complete(queue, pass).is(200);
    server().redeem(queue, pass, "s1").isProblem(403, "S806");
  }

  @Test
  void redeem_noPassOrNoSession_isRefused() {
    hold(queue);
    String pass = passOf("first");

    server().redeem(queue, tokenOf("first"), "s1").isProblem(403, "S806");
    server().redeem(queue, "", "s1").isProblem(403, "S806");
    server().redeem(queue, pass, "").isInvalid("session");
    server().redeem(queue, pass, "s".repeat(129)).isInvalid("session");

    server().redeem(queue, pass, "s".repeat(128)).is(200);
  }

  // --- complete

  @Test
  void complete_anyNumberOfTimes_isDoneOnce() {
    hold(queue);
    String pass = passOf("first");

    for (int i = 0; i < 3; i++) {
      assertThat(server().complete(queue, pass).is(200).json())
          .isEqualTo(Map.of("status", "COMPLETED"));
    }

    assertThat(server().figures(queue)).containsEntry("inside", 0).containsEntry("completed", 1);
  }

  @Test
  void complete_stillWaiting_isRefused() {
    hold(queue);
    String token = server().enter(queue, "ann").is(201).text("entryToken");

    server().complete(queue, token).isProblem(403, "S806");

    assertThat(server().status(queue, "ann").text("status")).isEqualTo("WAITING");
  }

  @Test
  void complete_anythingButThePassOfThatEntry_isRefused() {
    hold(queue);
    String other = queue + "-other";
    hold(other);
    String foreign = server().pass(other, "first");
    String token = tokenOf("first");
    String pass = passOf("first");

    server().complete(queue, foreign).isProblem(403, "S806");
    server().complete(queue, "garbage").isProblem(403, "S806");
    server().complete(queue, "").isProblem(403, "S806");
    server().complete(queue, token).isProblem(403, "S806");
    server().complete(queue, pass + "A").isProblem(403, "S806");
    server().complete(queue, changed(pass)).isProblem(403, "S806");
    server().complete(queue, TestServer.KEY).isProblem(403, "S806");
    server().client().post(path("complete")).isProblem(403, "S806");
    server().client().post(path("complete"), "User-Id", "first").isProblem(403, "S806");
    server()
        .client()
        .post(path("complete"), "Authorization", "Basic " + pass)
        .isProblem(403, "S806");
    server().complete("TIMEDEAL/none", pass).isProblem(403, "S806");

    assertThat(server().figures(queue)).containsEntry("inside", 1).containsEntry("completed", 0);
    assertThat(server().figures(other)).containsEntry("inside", 1).containsEntry("completed", 0);
  }

  @Test
  void complete_passOfAnEarlierEntry_doesNotEndTheNextOne() {
    server().activate(queue, "\"maxCapacity\":10");
    admitFirst(queue);
    String old = passOf("first");
    server().leave(queue, "first").is(200);
    String current = admitFirst(queue);

    server().complete(queue, old).isProblem(403, "S806");

    assertThat(server().statusByToken(current).text("status")).isEqualTo("ENTERED");
  }

  @Test
  void complete_somebodyWaits_theyComeIn() {
    server()
        .activate(queue, "\"maxCapacity\":1,\"entryBatchSize\":2,\"entryIntervalSeconds\":3600");
    admitFirst(queue);
    server().enter(queue, "ann").is(201);
    server().enter(queue, "ben").is(201);

    server().complete(queue, passOf("first")).is(200);

    awaitEntered(queue, "ann");
    // The hour's second and last admission is spent: a free place alone does not let anyone in.
    server().complete(queue, passOf("ann")).is(200);
    assertThat(server().status(queue, "ben").text("status")).isEqualTo("WAITING");
    assertThat(server().figures(queue)).containsEntry("inside", 0).containsEntry("entered", 2);
  }

  // --- our own cookie

  @Test
  void enter_withoutUserId_isRememberedByCookie() {
    hold(queue);
    Answer first = server().client().post(path("enter")).is(201);
    String cookie = String.valueOf(first.header("set-cookie"));
    assertThat(cookie)
        .startsWith("naru=visitor-")
        .containsIgnoringCase("; HttpOnly")
        .contains("; SameSite=Lax", "; Path=/", "; Max-Age=2592000")
        .doesNotContain("Secure");

    String value = cookieIn(first);
    Answer again = server().client().post(path("enter"), "Cookie", value).isProblem(409, "S802");
    assertThat(again.object("entry")).containsEntry("entryToken", first.text("entryToken"));
    assertThat(again.header("set-cookie")).isNull();
    Answer status = server().client().get(path("status"), "Cookie", "a=b; " + value + "; c=d");
    assertThat(status.is(200).text("entryToken")).isEqualTo(first.text("entryToken"));
    server().client().post(path("leave"), "Cookie", value).is(200);
    server().client().get(path("status"), "Cookie", value).isProblem(404, "S803");
  }

  @Test
  void enter_twoVisitorsWithoutCookie_areTwo() {
    hold(queue);
    Answer one = server().client().post(path("enter")).is(201);
    Answer two = server().client().post(path("enter")).is(201);

    assertThat(cookieIn(one)).isNotEqualTo(cookieIn(two));
    assertThat(two.number("position")).isEqualTo(2);
  }

  @Test
  void enter_forgedCookie_isANewVisitor() {
    hold(queue);
    Answer real = server().client().post(path("enter")).is(201);
    String value = cookieIn(real);
    String visitor = value.substring("naru=".length(), value.lastIndexOf('.'));
    char last = value.charAt(value.length() - 1);
    List<String> forged =
        List.of(
            value.substring(0, value.length() - 1) + (last == 'A' ? 'B' : 'A'),
            value + "A",
            "naru=" + visitor + ".",
            "naru=" + visitor,
            "naru=ann." + value.substring(value.lastIndexOf('.') + 1),
            "naru=",
            "naru=%00",
            "naru=visitor-" + "x".repeat(2_000));

    for (String cookie : forged) {
      Answer answer = server().client().post(path("enter"), "Cookie", cookie).is(201);
      assertThat(answer.text("entryToken")).isNotEqualTo(real.text("entryToken"));
      assertThat(cookieIn(answer)).isNotEqualTo(value);
      server().client().get(path("status"), "Cookie", cookie).isProblem(404, "S803");
    }
    assertThat(server().figures(queue)).containsEntry("waiting", 1 + forged.size());
  }

  @Test
  void cookie_and_userId_areDifferentPeople() {
    hold(queue);
    Answer byCookie = server().client().post(path("enter")).is(201);
    String visitor = cookieIn(byCookie).substring("naru=".length());

    Answer both =
        server().client().post(path("enter"), "User-Id", "ann", "Cookie", cookieIn(byCookie));

    assertThat(both.is(201).text("entryToken")).isNotEqualTo(byCookie.text("entryToken"));
    assertThat(both.header("set-cookie")).isNull();
    assertThat(visitor).isNotEqualTo("ann");
  }

  // --- health

  @Test
  void health_isUp() {
    assertThat(server().client().get("/health/live").is(200).json())
        .isEqualTo(Map.of("status", "UP"));
    await()
        .pollInterval(Duration.ofMillis(10))
        .until(() -> server().client().get("/health/ready").status() == 200);
    assertThat(server().client().get("/health/ready").is(200).json())
        .isEqualTo(Map.of("status", "UP"));
  }

  // --- words for all of this

  private String path(String call) {
    return "/queue/" + queue + "/" + call;
  }

  /** Opens a queue with one visitor inside and nobody else to come in within the hour. */
  private void hold(String name, String... settings) {
    String all =
        String.join(
            ",",
            Stream.concat(
                    Stream.of(
                        "\"maxCapacity\":1",
                        "\"entryBatchSize\":1",
                        "\"entryIntervalSeconds\":3600"),
                    Stream.of(settings))
                .toList());
    server().activate(name, all).is(201);
    admitFirst(name);
  }

  private String admitFirst(String name) {
    String token = server().enter(name, "first").is(201).text("entryToken");
    awaitEntered(name, "first");
    return token;
  }

  private void awaitEntered(String name, String user) {
    await()
        .pollInterval(Duration.ofMillis(5))
        .until(() -> server().status(name, user).text("status").equals("ENTERED"));
  }

  /** The same pass for somebody else. */
  private static String changed(String pass) {
    String[] parts = pass.split("\\.", -1);
    String claims = new String(Base64.getUrlDecoder().decode(parts[1]), UTF_8);
    String others = claims.replace("\"sub\":\"first\"", "\"sub\":\"other\"");
    assertThat(others).isNotEqualTo(claims);
    parts[1] = Base64.getUrlEncoder().withoutPadding().encodeToString(others.getBytes(UTF_8));
    return String.join(".", parts);
  }

  private String passOf(String user) {
    return server().status(queue, user).is(200).text("pass");
  }

  private String tokenOf(String user) {
    return server().status(queue, user).is(200).text("entryToken");
  }

  private static String cookieIn(Answer answer) {
    @Nullable String header = answer.header("set-cookie");
    assertThat(header).as("Set-Cookie of %s", answer).isNotNull();
    return String.valueOf(header).split(";", 2)[0];
  }

  // --- hand-off

  private Answer handOff(String body, String... headers) {
    String[] all = Arrays.copyOf(headers, headers.length + 2);
    all[headers.length] = "Content-Type";
    all[headers.length + 1] = "application/json";
    return server()
        .client()
        .send("POST", "/queue/" + queue + "/handoff", BodyPublishers.ofString(body), all);
  }

  private static String cookie(Answer answer) {
    return requireNonNull(answer.header("set-cookie")).split(";", 2)[0];
  }

  @Test
  void handOff_link_takesThePlaceAlongOnce() {
    hold(queue);
    server().enter(queue, "before").is(201);
    Answer desk = server().client().post("/queue/" + queue + "/enter").is(201);
    server().enter(queue, "last").is(201);
    String token = desk.text("entryToken");

    Answer link = handOff("{}", "Authorization", "Bearer " + token);
    if (stored().store() == StoredServer.Store.REDIS) {
      // Nobody is given a link that nobody can use.
      link.isProblem(422, "needs-ledger");
      return;
    }

    link.is(201);
    assertThat(link.text("url")).endsWith("/wait/" + queue + "#handoff=" + link.text("code"));
    assertThat(link.text("qr")).startsWith("<svg ").endsWith("</svg>");
    assertThat(Instant.parse(link.text("expiresAt"))).isAfter(Instant.now().plusSeconds(200));
    String code = "{\"code\":\"" + link.text("code") + "\"}";
    Answer phone = handOff(code).is(200);
    assertThat(phone.number("position")).isEqualTo(2);
    assertThat(phone.text("entryToken")).isNotEqualTo(token);
    String cookie = cookie(phone);
    assertThat(
            server().client().get("/queue/" + queue + "/status", "Cookie", cookie).number("ahead"))
        .isEqualTo(1);
    assertThat(server().status(queue, "last").number("position")).isEqualTo(3);
    // The first device has nothing any more, and nobody a second place from the same link.
    Answer old = server().statusByToken(token).isProblem(404, "S803");
    assertThat(old.object("entry"))
        .containsEntry("status", "LEFT")
        .containsEntry("reason", "handoff");
    server()
        .client()
        .get("/queue/" + queue + "/status", "Cookie", cookie(desk))
        .isProblem(404, "S803");
    handOff(code).isProblem(410, "handoff-used");
    // Whoever has it may not have heard so.
    assertThat(handOff(code, "Cookie", cookie).is(200).text("entryToken"))
        .isEqualTo(phone.text("entryToken"));
    assertThat(server().statusByToken(phone.text("entryToken")).is(200).number("position"))
        .isEqualTo(2);
  }

  /** With the answer the cookie is lost, by which the place is theirs. */
  @Test
  void handOff_answerLost_theSameAttemptHasThePlaceAndNoOther() {
    if (stored().store() == StoredServer.Store.REDIS) {
      return;
    }
    hold(queue);
    server().enter(queue, "before").is(201);
    Answer desk = server().client().post("/queue/" + queue + "/enter").is(201);
    server().enter(queue, "last").is(201);
    String code = handOff("{}", "Cookie", cookie(desk)).is(201).text("code");
    String attempt = "{\"code\":\"" + code + "\",\"attempt\":\"%s\"}";
    String own = attempt.formatted("0123456789abcdef0123456789abcdef");

    Answer lost = handOff(own).is(200);
    Answer phone = handOff(own).is(200);

    assertThat(phone.number("position")).isEqualTo(2);
    assertThat(phone.text("entryToken")).isEqualTo(lost.text("entryToken"));
    assertThat(cookie(phone)).isEqualTo(cookie(lost));
    Answer status = server().client().get("/queue/" + queue + "/status", "Cookie", cookie(phone));
    assertThat(status.is(200).number("position")).isEqualTo(2);
    Answer other = handOff(attempt.formatted("another-attempt-0123456789"));
    other.isProblem(410, "handoff-used");
    assertThat(cookie(other)).isNotEqualTo(cookie(phone));
    handOff("{\"code\":\"" + code + "\"}").isProblem(410, "handoff-used");
    server().statusByToken(desk.text("entryToken")).isProblem(404, "S803");
    assertThat(server().figures(queue)).containsEntry("joined", 5);
  }

  @Test
  void handOff_attemptThatIsNone_is400AndNamed() {
    for (String attempt :
        List.of(
            "7",
            "null",
            "\"\"",
            "\"short\"",
            "\"" + "x".repeat(65) + "\"",
            "\"" + "é".repeat(22) + "\"")) {
      handOff("{\"code\":\"x\",\"attempt\":" + attempt + "}").isInvalid("attempt");
    }
    handOff("{\"attempt\":\"0123456789abcdef0123456789abcdef\"}").isInvalid("code");
  }

  @Test
  void handOff_fourthPlaceWithinAMinute_is429AndThePlaceStays() {
    if (stored().store() == StoredServer.Store.REDIS) {
      return;
    }
    hold(queue);
    Answer desk = server().client().post("/queue/" + queue + "/enter").is(201);
    Answer phone = handOff(codeOf(desk)).is(200);
    List<String> cookies = List.of(cookie(desk), cookie(phone));
    Answer has = phone;
    for (int i = 0; i < 4; i++) {
      has = handOff(codeOf(has), "Cookie", cookies.get(i % 2)).is(200);
    }

    Answer refused = handOff(codeOf(has), "Cookie", cookie(desk)).isProblem(429, "too-many-enters");

    assertThat(Integer.parseInt(String.valueOf(refused.header("retry-after")))).isBetween(1, 60);
    server().statusByToken(has.text("entryToken")).is(200);
  }

  /** What takes somebody's place along. */
  private String codeOf(Answer place) {
    Answer link = handOff("{}", "Authorization", "Bearer " + place.text("entryToken")).is(201);
    return "{\"code\":\"" + link.text("code") + "\"}";
  }

  @Test
  void handOff_wrongOrForeignLinks_areRefusedAndThePlaceStays() {
    if (stored().store() == StoredServer.Store.REDIS) {
      return;
    }
    hold(queue);
    Answer desk = server().client().post("/queue/" + queue + "/enter").is(201);
    String token = desk.text("entryToken");
    String named = server().enter(queue, "named").is(201).text("entryToken");
    String code = handOff("{}", "Cookie", cookie(desk)).is(201).text("code");
    String body = "{\"code\":\"" + code + "\"}";

    handOff("{\"code\":\"x\"}").isProblem(403, "handoff-invalid");
    handOff("{\"code\":\"" + token + "\"}").isProblem(403, "handoff-invalid");
    handOff("{\"code\":7}").isInvalid("code");
    handOff("{\"cod\":\"x\"}").isInvalid("cod");
    handOff("{}").isProblem(404, "S803");
    handOff("{}", "Authorization", "Bearer " + code).isProblem(404, "S803");
    server().statusByToken(code).isProblem(404, "S803");
    handOff("{}", "Authorization", "Bearer " + named).isProblem(409, "identity-from-site");
    handOff(body, "User-Id", "named").isProblem(409, "identity-from-site");
    Answer other = server().client().post("/queue/" + queue + "/enter").is(201);
    handOff(body, "Cookie", cookie(other)).isProblem(409, "handoff-has-place");
    assertThat(handOff(body, "Cookie", cookie(desk)).is(200).text("entryToken")).isEqualTo(token);

    assertThat(server().statusByToken(token).is(200).number("position")).isEqualTo(1);
  }
}
