package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.OpenApi;
import io.naru.testkit.StrictJson;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One person, as an operator looks them up over HTTP, takes them out and erases them. */
class PeopleApiTest {

  @RegisterExtension
  private static final StoredServer STORED = StoredServer.on(StoredServer.Store.SQLITE);

  private static final AtomicInteger QUEUES = new AtomicInteger();

  private final String queue = "SALE/p" + QUEUES.incrementAndGet();
  private final String people = "/admin/queues/" + queue + "/people";

  private static TestServer server() {
    return STORED.server();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8);
  }

  private Answer person(String user) {
    return server().admin("GET", people + "/" + encoded(user), "");
  }

  private Answer find(String text) {
    return server().admin("GET", people + "?find=" + encoded(text), "");
  }

  private Answer act(String user, String act) {
    return server().admin("POST", people + "/" + encoded(user) + "/" + act, "");
  }

  private Answer erase(String user) {
    return server().admin("DELETE", people + "/" + encoded(user), "");
  }

  private void open(String settings) {
    server()
        .activate(
            queue,
            "\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600" + settings)
        .is(201);
  }

  private void awaitEntered(String user) {
    await().until(() -> server().status(queue, user).text("status").equals("ENTERED"));
  }

  /** One is inside, two wait. */
  private void sale() {
    open("");
    server().enter(queue, "first").is(201);
    awaitEntered("first");
    server().enter(queue, "ann").is(201);
    server().enter(queue, "ben").is(201);
  }

  private static List<?> codes(Answer person) {
    return OpenApi.list(person.field("explain")).stream()
        .map(why -> OpenApi.map(why, "explained").get("code"))
        .toList();
  }

  /** What the words of an explanation are made of. */
  private static @Nullable Object values(Answer person, int index) {
    Object why = OpenApi.list(person.field("explain")).get(index);
    return OpenApi.map(why, "explained").get("values");
  }

  private static Map<?, ?> entry(Answer person, int index) {
    return OpenApi.map(OpenApi.list(person.field("entries")).get(index), "entry");
  }

  // --- lanes

  private Answer queueCall(String call, String fields) {
    return server().admin("POST", "/admin/queue/" + call, TestServer.named(queue, fields));
  }

  private Answer enterWith(String user, String body) {
    return server()
        .client()
        .send(
            "POST",
            "/queue/" + queue + "/enter",
            BodyPublishers.ofString(body),
            "User-Id",
            user,
            "Content-Type",
            "application/json");
  }

  @Test
  void lanes_codesAndMoves_areOfTheLaneAndAudited() {
    open(
        ",\"notBefore\":\"2099-01-01T00:00:00Z\",\"lanes\":"
            + "[{\"name\":\"vip\",\"share\":70},{\"name\":\"normal\",\"share\":30}]");
    server().enter(queue, "ann").is(201);
    Answer made = queueCall("codes", "\"lane\":\"vip\",\"count\":2").is(200);
    List<?> codes = OpenApi.list(made.field("codes"));
    assertThat(codes).hasSize(2).doesNotHaveDuplicates();
    String code = String.valueOf(codes.getFirst()).replace("-", " ").toLowerCase(Locale.ROOT);

    Answer vip = enterWith("vip", "{\"code\":\"" + code + "\"}").is(201);
    assertThat(vip.text("lane")).isEqualTo("vip");
    assertThat(vip.field("position")).isEqualTo(1);
    assertThat(vip.field("totalWaiting")).isEqualTo(1);
    assertThat(vip.field("atMostBefore")).isEqualTo(4);
    enterWith("ben", "{\"code\":\"" + code + "\"}").isProblem(403, "code-invalid");
    enterWith("ben", "{\"code\":\"guess\"}").isProblem(403, "code-invalid");
    enterWith("ben", "{\"code\":7}").isInvalid("code");
    enterWith("ben", "{\"lane\":\"vip\"}").isInvalid("lane");
    assertThat(server().status(queue, "ben").status()).isEqualTo(404);

    queueCall("move", "\"user\":\"ann\",\"lane\":\"vip\"").is(200);
    assertThat(server().status(queue, "ann").text("lane")).isEqualTo("vip");
    assertThat(server().status(queue, "ann").field("position")).isEqualTo(2);
    queueCall("move", "\"user\":\"zoe\",\"lane\":\"vip\"").isProblem(404, "person-not-found");
    queueCall("move", "\"user\":\"ann\",\"lane\":\"gold\"").isProblem(404, "lane-not-found");
    queueCall("codes", "\"lane\":\"vip\",\"count\":0").isInvalid("count");
    queueCall("codes", "\"lane\":\"fallback\",\"count\":1").isInvalid("lane");
    assertThat(server().admin("GET", "/admin/queues/" + queue + "/audit", "").body())
        .contains("make-codes", "move")
        .doesNotContain("ann");

    server()
        .activate(queue, "\"lanes\":[{\"name\":\"normal\",\"share\":30}]")
        .isProblem(409, "lane-occupied");
    for (String wrong :
        List.of(
            "[{\"name\":\"vip\",\"share\":0}]",
            "[{\"name\":\"vip\"}]",
            "[{\"name\":\"vip\",\"share\":1001}]",
            "[{\"name\":\"vip\",\"share\":1.5}]")) {
      server().activate(queue, "\"lanes\":" + wrong).isInvalid("lanes[0].share");
    }
    server().activate(queue, "\"lanes\":7").isInvalid("lanes");
    server()
        .activate(queue, "\"lanes\":[" + "{\"name\":\"a\",\"share\":1},".repeat(10) + "{}]")
        .isInvalid("lanes");
    server()
        .activate(queue, "\"lanes\":[{\"name\":\"fallback\",\"share\":1}]")
        .isInvalid("lanes[0].name");
  }

  // --- look up

  @Test
  void person_waiting_isToldByPlaceAndByWhatHoldsTheLine() {
    sale();

    Answer ben = person("ben").is(200);

    assertThat(ben.text("user")).isEqualTo("ben");
    assertThat(entry(ben, 0).get("status")).isEqualTo("WAITING");
    assertThat(entry(ben, 0).get("position")).isEqualTo(2);
    assertThat(entry(ben, 0).get("ahead")).isEqualTo(1);
    assertThat(entry(ben, 0).get("passId")).isNull();
    assertThat(codes(ben)).isEqualTo(List.of("behind", "bound-by-capacity"));
    assertThat(values(ben, 0)).isEqualTo(Map.of("ahead", 1, "position", 2, "waiting", 2));
    assertThat(values(ben, 1)).isEqualTo(Map.of("inside", 1, "maxCapacity", 1));
    assertThat(ben.body())
        .contains("1 person is before this one", "1 of 1 places inside are taken");
    assertThat(person("ann").body()).contains("this one is the first in line");

    server().activate(queue, "\"maxCapacity\":5,\"notBefore\":\"2099-01-01T00:00:00Z\"").is(200);
    assertThat(codes(person("ben"))).isEqualTo(List.of("behind", "paused-by-schedule"));
    server().activate(queue, "\"notBefore\":null").is(200);
    assertThat(codes(person("ben"))).isEqualTo(List.of("behind", "bound-by-rate", "rate-changed"));
    assertThat(person("ben").body()).contains("admin changed maxCapacity 1 → 5 at 2");
    server()
        .activate(queue, "\"adaptive\":{\"floorPerSecond\":0.01,\"ceilingPerSecond\":0.01}")
        .is(200);
    assertThat(codes(person("ben")))
        .isEqualTo(List.of("behind", "bound-by-rate-now", "rate-changed"));
    assertThat(person("ben").body()).contains("at most 0.01 a second are let in now (ceiling)");
    assertThat(values(person("ben"), 1))
        .isEqualTo(Map.of("perSecond", 0.01, "limitedBy", "ceiling"));
    server().activate(queue, "\"adaptive\":null").is(200);
    server()
        .admin("POST", "/admin/queue/pause", TestServer.named(queue, "\"reason\":\"<b>fire</b>\""))
        .is(200);
    assertThat(codes(person("ben"))).isEqualTo(List.of("behind", "paused-by-operator"));
    assertThat(person("ben").body()).contains("\"reason\":\"<b>fire</b>\"");
  }

  @Test
  void person_inside_hasAPassThatTheyAreFoundBy() {
    sale();
    Answer status = server().status(queue, "first");

    Answer first = person("first").is(200);

    assertThat(codes(first)).isEqualTo(List.of("inside-until"));
    Object passId = entry(first, 0).get("passId");
    assertThat(passId).isNotNull();
    assertThat(entry(first, 0).get("passExpiresAt")).isEqualTo(status.text("passExpiresAt"));
    for (String text :
        List.of("first", status.text("entryToken"), status.text("pass"), String.valueOf(passId))) {
      assertThat(find(text).is(200).json()).as(text).isEqualTo(first.json());
    }
    find(status.text("pass").replaceFirst("\\.[^.]+\\.", ".e30."))
        .isProblem(404, "person-not-found");
    find("AAAA" + String.valueOf(passId).substring(4)).isProblem(404, "person-not-found");
  }

  @Test
  void find_tokenOrPassOfAnotherQueue_isNobody() {
    sale();
    Answer status = server().status(queue, "first");
    server().activate("SALE/other", "").status();
    String other = "/admin/queues/SALE/other/people?find=";

    for (String text : List.of("first", status.text("entryToken"), status.text("pass"))) {
      server().admin("GET", other + encoded(text), "").isProblem(404, "person-not-found");
    }
  }

  @Test
  void person_whoCameBack_hasPages() {
    open(",\"newPlacesPerMinute\":0");
    for (int i = 0; i < 3; i++) {
      server().enter(queue, "ann").is(201);
      server().leave(queue, "ann").is(200);
    }

    Answer page = server().admin("GET", people + "/ann?limit=2", "").is(200);
    assertThat(OpenApi.list(page.field("entries"))).hasSize(2);
    assertThat(entry(page, 0).get("reason")).isNull();
    Answer last =
        server().admin("GET", people + "/ann?limit=2&after=" + page.text("next"), "").is(200);

    assertThat(OpenApi.list(last.field("entries"))).hasSize(1);
    assertThat(last.json()).doesNotContainKey("next");
    assertThat(codes(page)).isEqualTo(List.of("left"));
    for (String limit : List.of("0", "-1", "1001", "x")) {
      server().admin("GET", people + "/ann?limit=" + limit, "").isInvalid("limit");
    }
    server().admin("GET", people + "/ann?after=yesterday", "").isInvalid("after");
  }

  @Test
  void person_unknown_orInNoQueue_is404() {
    person("ann").isProblem(404, "S801");
    find("ann").isProblem(404, "S801");
    act("ann", "remove").isProblem(404, "S801");
    act("ann", "revoke").isProblem(404, "S801");
    erase("ann").isProblem(404, "S801");
    open("");
    person("ann").isProblem(404, "person-not-found");
    find("ann").isProblem(404, "person-not-found");
    find("a b").isProblem(404, "person-not-found");
    act("ann", "remove").isProblem(404, "person-not-found");
    act("ann", "revoke").isProblem(404, "person-not-found");
    erase("ann").isProblem(404, "person-not-found");
    server().admin("GET", people, "").isInvalid("find");
    server().admin("GET", people + "?find=", "").isInvalid("find");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<img/src=x/onerror=alert(1)>",
        "=HYPERLINK(\"http://x\",\"y\")",
        "../../admin/keys",
        "..",
        "a/b?c#d%2F&e=f+g;h",
        "'--",
        "\\u0000\"",
        "erased-AAAA"
      })
  void person_hostileName_isTextAndNothingElse(String name) {
    open("");
    server().enter(queue, name).is(201);
    awaitEntered(name);

    Answer found = person(name).is(200);

    assertThat(found.text("user")).isEqualTo(name);
    assertThat(find(name).is(200).json()).isEqualTo(found.json());
    act(name, "remove").is(200);
    assertThat(codes(person(name))).isEqualTo(List.of("removed"));
    assertThat(erase(name).status()).isEqualTo(204);
    person(name).isProblem(404, "person-not-found");
    String audit = server().admin("GET", "/admin/queues/" + queue + "/audit", "").is(200).body();
    assertThat(String.valueOf(StrictJson.read(audit)))
        .contains("act=remove", "act=erase")
        .doesNotContain(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"%20", "%00", "%C3%A9", "x%0d%0aSet-Cookie:y", ""})
  void person_nameThatNobodyCanHave_isNamed(String sent) {
    open("");

    server().admin("GET", people + "/" + sent, "").isInvalid("user");
    server().admin("DELETE", people + "/" + sent, "").isInvalid("user");
  }

  // --- take out

  @Test
  void remove_whoWaits_isOutAndCannotBeTakenOutTwice() {
    sale();

    assertThat(act("ann", "remove").is(200).json())
        .isEqualTo(Map.of("status", "LEFT", "reason", "removed"));

    act("ann", "remove").isProblem(404, "person-not-found");
    server().status(queue, "ann").isProblem(404, "S803");
    assertThat(server().status(queue, "ben").json()).containsEntry("position", 1);
    Answer ann = person("ann").is(200);
    assertThat(entry(ann, 0).get("status")).isEqualTo("LEFT");
    assertThat(entry(ann, 0).get("reason")).isEqualTo("removed");
    assertThat(OpenApi.list(entry(ann, 0).get("history")))
        .extracting(happened -> OpenApi.map(happened, "history").get("what"))
        .isEqualTo(List.of("joined", "removed"));
    server().enter(queue, "ann").is(201);
  }

  @Test
  void revoke_whoIsInside_isOutAndThePassIsGoodForNothing() {
    sale();
    String pass = server().pass(queue, "first");

    assertThat(act("first", "revoke").is(200).json())
        .isEqualTo(Map.of("status", "LEFT", "reason", "revoked"));

    server().complete(queue, pass).isProblem(403, "S806");
    server().redeem(queue, pass, "session").isProblem(403, "S806");
    assertThat(server().figures(queue)).containsEntry("inside", 0);
    assertThat(entry(person("first"), 0).get("reason")).isEqualTo("revoked");
    assertThat(revokedPasses()).isPositive();
    act("first", "revoke").isProblem(409, "no-turn");
    act("ben", "revoke").isProblem(409, "no-turn");
  }

  private static long revokedPasses() {
    return server().admin("GET", "/admin/keys", "").number("revokedPasses");
  }

  // --- erase

  @Test
  void erase_whoIsInside_nothingFindsThemAnyMore() {
    sale();
    Answer before = person("first").is(200);
    Answer status = server().status(queue, "first");
    long revoked = revokedPasses();

    assertThat(erase("first").status()).isEqualTo(204);

    for (String text :
        List.of(
            "first",
            status.text("entryToken"),
            status.text("pass"),
            String.valueOf(entry(before, 0).get("passId")))) {
      find(text).isProblem(404, "person-not-found");
    }
    // The gates could not hear of the turn any more, so they hear of the pass.
    assertThat(revokedPasses()).isEqualTo(revoked + 1);
    server().complete(queue, status.text("pass")).isProblem(403, "S806");
    server().statusByToken(status.text("entryToken")).isProblem(404, "S803");
    assertThat(server().figures(queue)).containsEntry("inside", 0).containsEntry("joined", 3);
    erase("first").isProblem(404, "person-not-found");
    assertThat(server().admin("GET", "/admin/queues/" + queue + "/statistics", "").json())
        .containsEntry("joined", 3)
        .containsEntry("entered", 1);
  }
}
