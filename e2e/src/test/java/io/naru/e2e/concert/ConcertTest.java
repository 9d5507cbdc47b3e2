package io.naru.e2e.concert;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.EventStream;
import io.naru.testkit.HttpConnection.Reply;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoublePredicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** From the line to a seat, and what may go wrong on the way. */
@Timeout(value = 3, unit = MINUTES)
class ConcertTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  /** The relay's, and some. */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(45);

  /** What a revoked key may still open, as security.md and the manual promise it. */
  private static final Duration REVOKED_WITHIN = Duration.ofSeconds(5);

  private static Evening evening;

  @BeforeAll
  static void open(@TempDir Path data) {
    evening = new Evening(data);
  }

  @AfterAll
  static void close() {
    evening.close();
  }

  @Test
  void reserve_inTurn_makesRoomForTheNext() {
    evening.begin("\"maxCapacity\":1");
    Visitor ann = evening.visitor("ann");
    Visitor ben = evening.visitor("ben");
    Visitor cho = evening.visitor("cho");
    String pass = ann.enterAndGetPass();
    assertThat(ben.enter().number("position")).isEqualTo(1);
    assertThat(cho.enter().number("position")).isEqualTo(2);
    try (EventStream place = cho.watch()) {
      awaitPosition(place, 2);

      Reply reply = ann.reserve(pass, "A12");

      assertReserved(reply, "A12", "ann");
      ann.awaitStatus("COMPLETED");
      ben.awaitStatus("ENTERED");
      awaitPosition(place, 1);
    }
    assertThat(evening.figure("inside")).isEqualTo(1);
    assertThat(evening.figure("completed")).isEqualTo(1);
    awaitCompletions("DONE 1 null");
  }

  @Test
  void reserve_withoutAGoodPass_isRefused() {
    evening.begin("\"maxCapacity\":10");
    Visitor ann = evening.visitor("ann");
    String used = ann.enterAndGetPass();
    assertReserved(ann.reserve(used, "A1"), "A1", "ann");
    evening.change("\"passTtlSeconds\":10");
    Visitor ben = evening.visitor("ben");
    String entryToken = ben.enter().field("entryToken");
    String expiring = ben.pass();
    assertThat(ben.look(expiring, "/reservations/unknown").status()).isEqualTo(404);
    String foreign = evening.elsewhere("cho").enterAndGetPass();
    Map<String, String> bad =
        Map.of(
            "garbage",
            "garbage",
            "an entry token",
            entryToken,
            "another queue's",
            foreign,
            "used up",
            used,
            "without its signature",
            expiring.substring(0, expiring.lastIndexOf('.') + 1),
            "with another's claims",
            spliced(expiring, used));
    bad.forEach((what, token) -> assertRefused(what, ann.reserve(token, "A2")));
    assertRefused(
        "none", Http.send(evening.shopPort(), "POST", "/reservations", "{\"seat\":\"A2\"}"));

    awaitRefused(ben, expiring, Duration.ofSeconds(30));
    assertRefused("expired", ben.reserve(expiring, "A2"));

    assertThat(evening.sales("SELECT seat, visitor FROM reservations")).containsExactly("A1 ann");
  }

  @Test
  void reserve_seatTakenOrUnknown_leavesThePassGood() {
    evening.begin("\"maxCapacity\":10");
    Visitor ann = evening.visitor("ann");
    Visitor ben = evening.visitor("ben");
    String annPass = ann.enterAndGetPass();
    String benPass = ben.enterAndGetPass();
    Reply first = ann.reserve(annPass, "A12");
    assertReserved(first, "A12", "ann");

    Reply taken = ben.reserve(benPass, "A12");
    assertThat(taken.status()).as(taken.body()).isEqualTo(409);
    assertThat(taken.field("code")).isEqualTo("seat-taken");
    for (String seat : List.of("A21", "", "K1", "<script>")) {
      Reply unknown = ben.reserve(benPass, seat);
      assertThat(unknown.status()).as(unknown.body()).isEqualTo(400);
      assertThat(unknown.field("field")).isEqualTo("seat");
    }
    assertReserved(ben.reserve(benPass, "A13"), "A13", "ben");

    String path = "/tickets/" + first.field("id");
    assertThat(Http.get(evening.shopPort(), path).body()).isEqualTo(first.body());
  }

  /** At the gate, too, there are no more than may be inside: attack 25. */
  @Test
  void leave_orComplete_withAPassInHand_thePassOpensNothingAnyMore() {
    evening.begin("\"maxCapacity\":3");
    Map<Visitor, String> passes = new LinkedHashMap<>();
    for (int i = 0; i < 12; i++) {
      Visitor visitor = evening.visitor("one-of-twelve-" + i);
      String pass = visitor.enterAndGetPass();
      if (i % 2 == 0) {
        visitor.leave();
      } else {
        visitor.complete(pass);
      }
      passes.put(visitor, pass);
    }
    Visitor stays = evening.visitor("stays");
    String good = stays.enterAndGetPass();

    passes.forEach((visitor, pass) -> awaitRefused(visitor, pass, SOON));
    passes.forEach((visitor, pass) -> assertRefused("over", visitor.reserve(pass, "B1")));
    assertReserved(stays.reserve(good, "B2"), "B2", "stays");
  }

  /** As Coupang tells it: what somebody cannot pay for goes to whoever failed first. */
  @Test
  void paymentFails_theUnitGoesToWhoeverCameBackFirst() {
    evening.begin("\"maxCapacity\":10,\"stock\":{},\"retrySeconds\":30");
    evening.push(1, 2, 0);
    Visitor ann = evening.visitor("ann");
    Visitor ben = evening.visitor("ben");
    Visitor cho = evening.visitor("cho");
    String annPass = ann.enterAndGetPass();
    String benPass = ben.enterAndGetPass();
    cho.enter();
    evening.push(2, 0, 2);

    Reply declined = ben.reserveDeclined(benPass, "A1");
    assertThat(declined.status()).as(declined.body()).isEqualTo(402);
    assertThat(ben.status().field("status")).as("another try").isEqualTo("ENTERED");
    assertThat(ben.giveUp(benPass).status()).isEqualTo(204);
    assertThat(ann.reserveDeclined(annPass, "A2").status()).isEqualTo(402);
    assertThat(ann.giveUp(annPass).status()).isEqualTo(204);
    assertThat(ben.status().number("position")).isEqualTo(1);
    assertThat(ann.status().number("position")).isEqualTo(2);
    awaitRefused(ben, benPass, SOON);

    // One unit is given back: it is for ben, who failed first, and not for cho, who came before.
    evening.push(3, 1, 0);
    String second = ben.pass();
    evening.push(4, 0, 1);
    assertReserved(ben.reserve(second, "A1"), "A1", "ben");
    ben.awaitStatus("COMPLETED");
    assertThat(ann.status().field("status")).isEqualTo("WAITING");
    evening.push(5, 1, 0);
    assertReserved(ann.reserve(ann.pass(), "A2"), "A2", "ann");
  }

  @Test
  void queueDeleted_itsPassesOpenNothing_andThoseOfANewOneDo() {
    evening.begin("\"maxCapacity\":3");
    Visitor ann = evening.visitor("ann");
    String old = ann.enterAndGetPass();
    assertThat(ann.look(old, "/reservations/unknown").status()).isEqualTo(404);

    evening.begin("\"maxCapacity\":3");
    String anew = ann.enterAndGetPass();

    awaitRefused(ann, old, SOON);
    await().atMost(SOON).until(() -> ann.look(anew, "/reservations/unknown").status() == 404);
  }

  @Test
  void page_inABrowser_sendsToTheLineAndTakesTheForm() {
    evening.begin("\"maxCapacity\":10");
    Visitor ann = evening.visitor("ann");
    assertThat(Http.get(evening.shopPort(), "/", "Accept", "text/html").body())
        .contains("/reservations/new");
    HttpResponse<String> away =
        Http.exchange(evening.shopPort(), "GET", "/reservations/new", "", "Accept", "text/html");
    assertThat(away.statusCode()).isEqualTo(303);
    assertThat(away.headers().firstValue("Location"))
        .hasValue(
            "http://127.0.0.1:%d/wait/CONCERT/1?return=%%2Freservations%%2Fnew"
                .formatted(evening.naruPort()));
    String cookie = "naru-pass=" + ann.enterAndGetPass();

    assertThat(page("GET", "/reservations/new", "", cookie).body()).contains("<option>A12");
    HttpResponse<String> reserved = page("POST", "/reservations", "seat=A12", cookie);
    HttpResponse<String> again = page("POST", "/reservations", "seat=A13", cookie);

    assertThat(reserved.statusCode()).as(reserved.body()).isEqualTo(303);
    String own = reserved.headers().firstValue("Location").orElseThrow();
    assertThat(page("GET", own, "", cookie).body()).contains("Seat A12 is yours");
    assertThat(again.headers().firstValue("Location"))
        .as("a second click, or a slow one, when the turn is over")
        .hasValueSatisfying(where -> assertThat(where).matches(own + "|.*/wait/CONCERT/1.*"));
    ann.awaitStatus("COMPLETED");
  }

  private static HttpResponse<String> page(String method, String path, String form, String cookie) {
    return Http.exchange(
        evening.shopPort(),
        method,
        path,
        form,
        "Accept",
        "text/html",
        "Content-Type",
        "application/x-www-form-urlencoded",
        "Cookie",
        cookie);
  }

  @Test
  void keysRotatedAndNaruKilled_inTheMiddle_everybodyGetsASeat() {
    evening.begin("\"maxCapacity\":2");
    Visitor ann = evening.visitor("ann");
    Visitor ben = evening.visitor("ben");
    Visitor cho = evening.visitor("cho");
    Visitor dan = evening.visitor("dan");
    String before = ann.enterAndGetPass();
    evening.rotateKeys();
    String after = ben.enterAndGetPass();
    assertThat(Visitor.keyOf(after)).isNotEqualTo(Visitor.keyOf(before));
    cho.enter();
    dan.enter();
    String place = dan.status().field("joinedAt");

    evening.killNaru();
    evening.startNaru();

    assertThat(dan.status().number("position")).isEqualTo(2);
    assertThat(dan.status().field("joinedAt")).isEqualTo(place);
    assertReserved(ann.reserve(before, "A1"), "A1", "ann");
    assertReserved(ben.reserve(after, "A2"), "A2", "ben");
    evening.rotateKeys();
    // Twice within moments, and Naru was away between them: the gate may not know the second yet.
    awaitTaken(cho, cho.pass());
    assertReserved(cho.reserve(cho.pass(), "A3"), "A3", "cho");
    assertReserved(dan.reserve(dan.pass(), "A4"), "A4", "dan");
    for (Visitor visitor : List.of(ann, ben, cho, dan)) {
      visitor.awaitStatus("COMPLETED");
    }
    awaitCompletions("DONE 4 null");
  }

  @Test
  void naruDown_aPassStillReserves_andIsCompletedWhenNaruIsBack() {
    evening.begin("\"maxCapacity\":2");
    Visitor ann = evening.visitor("ann");
    Visitor ben = evening.visitor("ben");
    String pass = ann.enterAndGetPass();
    String benPass = ben.enterAndGetPass();

    evening.killNaru();

    assertReserved(ann.reserve(pass, "A12"), "A12", "ann");
    assertRefused("used up", ann.reserve(pass, "A13"));
    assertRefused("garbage", ben.reserve("garbage", "A13"));
    assertRefused("spliced", ben.reserve(spliced(benPass, pass), "A13"));
    assertRefused(
        "none", Http.send(evening.shopPort(), "POST", "/reservations", "{\"seat\":\"A2\"}"));
    await()
        .atMost(SOON)
        .until(
            () -> evening.sales("SELECT 1 FROM completions WHERE tries >= 2"),
            rows -> !rows.isEmpty());
    assertThat(evening.sales("SELECT outcome, token FROM completions"))
        .containsExactly("PENDING " + pass);

    evening.startNaru();
    evening.hurryRelay();

    ann.awaitStatus("COMPLETED");
    awaitCompletions("DONE 1 null");
    assertThat(evening.figure("inside")).isEqualTo(1);
    assertThat(ben.status().field("status")).isEqualTo("ENTERED");
  }

  @Test
  void naruDown_longerThanThePassLives_theReservationStandsAndNothingIsTriedForEver() {
    evening.begin("\"maxCapacity\":1,\"passTtlSeconds\":10");
    Visitor ann = evening.visitor("ann");
    Visitor ben = evening.visitor("ben");
    String pass = ann.enterAndGetPass();
    ben.enter();
    evening.killNaru();
    assertReserved(ann.reserve(pass, "A12"), "A12", "ann");
    awaitRefused(ann, pass, Duration.ofSeconds(30));

    evening.startNaru();

    // Ben's own turn is as short: first him, then what the relay finds out.
    ben.awaitStatus("ENTERED");
    evening.hurryRelay();
    awaitCompletions("REFUSED 1 null");
    assertThat(ann.status().field("code")).as("the turn passed").isEqualTo("S804");
    assertThat(evening.sales("SELECT seat, visitor FROM reservations")).containsExactly("A12 ann");
  }

  @Test
  void shopCrashes_betweenCommitAndCompletion_completesAfterItsRestart() {
    evening.begin("\"maxCapacity\":1");
    Visitor ann = evening.visitor("ann");
    Visitor ben = evening.visitor("ben");
    String pass = ann.enterAndGetPass();
    ben.enter();
    evening.killNaru();
    Reply reply = ann.reserve(pass, "A12");
    evening.killShop();
    assertReserved(reply, "A12", "ann");

    evening.startShop();
    assertRefused("good, but no keys are known", ann.reserve(pass, "A13"));
    evening.startNaru();
    evening.hurryRelay();

    ann.awaitStatus("COMPLETED");
    ben.awaitStatus("ENTERED");
    awaitCompletions("DONE 1 null");
    assertReserved(ben.reserve(ben.pass(), "A13"), "A13", "ben");
    assertThat(evening.sales("SELECT seat, visitor FROM reservations ORDER BY seat"))
        .containsExactly("A12 ann", "A13 ben");
  }

  @Test
  void keyRevoked_itsPassesAreRefusedAndNewOnesAreGood() {
    evening.begin("\"maxCapacity\":1");
    Visitor ann = evening.visitor("ann");
    String stolen = ann.enterAndGetPass();
    assertThat(ann.look(stolen, "/reservations/unknown").status()).isEqualTo(404);

    evening.revokeKey(Visitor.keyOf(stolen));

    awaitRefused(ann, stolen, REVOKED_WITHIN);
    assertRefused("of a revoked key", ann.reserve(stolen, "A12"));
    assertReserved(ann.reserve(ann.pass(), "A12"), "A12", "ann");
    ann.awaitStatus("COMPLETED");
  }

  @Test
  void everybodyAtOnce_everySeatIsSoldOnceAndEverybodyIsCompletedOnce() throws Exception {
    evening.begin("\"maxCapacity\":%d".formatted(Crowd.CAPACITY));

    Crowd.Result result = Crowd.visit(evening);

    assertThat(result.mostInside()).as("most people inside").isEqualTo(Crowd.CAPACITY);
    assertThat(result.taken()).as("wishes for a seat that was taken").isPositive();
    assertThat(evening.sales("SELECT visitor FROM reservations"))
        .containsExactlyInAnyOrderElementsOf(Crowd.USERS);
    assertThat(evening.sales("SELECT DISTINCT seat FROM reservations")).hasSize(Crowd.USERS.size());
    for (String user : Crowd.USERS) {
      evening.visitor(user).awaitStatus("COMPLETED");
    }
    assertThat(evening.entries())
        .as("entries in the ledger")
        .containsExactlyInAnyOrderElementsOf(
            Crowd.USERS.stream().map(user -> user + " COMPLETED").toList());
    awaitCompletions("DONE %d null".formatted(Crowd.USERS.size()));
  }

  /** Told of by its own gate alone, once a second. */
  @Test
  void shopIsSlow_fewerGoIn_andMoreWhenItIsWell() throws Exception {
    int floor = 1;
    int start = 5;
    int ceiling = 20;
    String settings =
        """
        "maxCapacity":1000,"pacing":"LEAKY_BUCKET","passTtlSeconds":60,"adaptive":{"mode":"STEADY",
        "floorPerSecond":%d,"startPerSecond":%d,"ceilingPerSecond":%d,"safePerSecond":%d,"slowMillis":2000}
        """
            .formatted(floor, start, ceiling, floor);
    // A gate that has heard of a rate that follows nothing asks again a minute later; a new one
    // not.
    evening.killShop();
    evening.begin(settings);

    try (var _ = new Rush(evening, 40)) {
      awaitRate(rate -> rate > start);
      try (var _ = evening.busySales()) {
        awaitRate(rate -> rate <= start / 2.0);
      }
      double low = evening.rates().getLast();
      // How far it rises in which time is a matter of the machine, too; the model says more of it.
      awaitRate(rate -> rate > low);
    }
    assertThat(evening.rates()).allMatch(rate -> rate >= floor && rate <= ceiling);
  }

  private static void awaitRate(DoublePredicate is) {
    await()
        .atMost(Duration.ofSeconds(90))
        .pollInterval(Duration.ofMillis(250))
        .until(() -> is.test(evening.rates().getLast()));
  }

  /** Looks at what nobody has, which uses nothing up, until the gate is in the way. */
  private static void awaitRefused(Visitor visitor, String pass, Duration within) {
    await().atMost(within).until(() -> visitor.look(pass, "/reservations/unknown").status() == 403);
  }

  private static void awaitTaken(Visitor visitor, String pass) {
    await().atMost(SOON).until(() -> visitor.look(pass, "/reservations/unknown").status() == 404);
  }

  private static void awaitPosition(EventStream place, long position) {
    await().atMost(SOON).until(() -> nextPosition(place) == position);
  }

  private static long nextPosition(EventStream place) throws InterruptedException {
    var event = place.next(SOON);
    return event == null ? -1 : new Reply(200, event.data()).number("position");
  }

  /** What became of the orders to complete: outcome, how many, and a pass that is still there. */
  private static void awaitCompletions(String... expected) {
    String sql = "SELECT outcome, count(*), max(token) FROM completions GROUP BY outcome";
    await()
        .atMost(LONGEST_PAUSE)
        .untilAsserted(() -> assertThat(evening.sales(sql)).containsExactly(expected));
  }

  private static void assertReserved(Reply reply, String seat, String user) {
    assertThat(reply.status()).as(reply.body()).isEqualTo(201);
    assertThat(reply.body())
        .isEqualTo(
            "{\"id\":\"%s\",\"seat\":\"%s\",\"user\":\"%s\"}"
                .formatted(reply.field("id"), seat, user));
  }

  private static void assertRefused(String pass, Reply reply) {
    assertThat(reply.status()).as("%s: %s", pass, reply.body()).isEqualTo(403);
    assertThat(reply.field("code")).as(pass).isEqualTo("S806");
  }

  /** One pass with the signature of another. */
  private static String spliced(String pass, String other) {
    return pass.substring(0, pass.lastIndexOf('.')) + other.substring(other.lastIndexOf('.'));
  }
}
