package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.server.StoredServer.Store;
import io.naru.server.identity.TrustedProxies;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Through a queue with a form, a cookie and a page that refreshes itself. */
@Tag("process")
@ParameterizedClass
@EnumSource
@SuppressWarnings("NullAway.Init") // by what JUnit calls before
class WaitWithoutScriptTest {

  @Parameter private Store store;

  private static final String NOBODY_IN = "\"maxCapacity\":1,\"entryIntervalSeconds\":3600";

  private static StoredServer stored;
  private static TestServer server;
  private static int count;
  private String queue = "";

  @BeforeParameterizedClassInvocation
  static void start(Store store) {
    stored = StoredServer.on(store).start(UnaryOperator.identity());
    server = stored.server();
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    stored.close();
  }

  @BeforeEach
  void name() {
    queue = "FORM/" + store + "-" + ++count;
  }

  private void activate(String settings) {
    server.activate(queue, settings).is(201);
  }

  /** Somebody else is inside, so everybody who comes has to wait. */
  private void activateFull(String more) {
    activate(NOBODY_IN + more);
    takeTheOnlyPlace();
  }

  private void takeTheOnlyPlace() {
    server.enter(queue, "first").is(201);
    await().until(() -> server.status(queue, "first").text("status").equals("ENTERED"));
  }

  private Answer enter(String... headers) {
    return server.client().post("/wait/" + queue, headers);
  }

  private String enteredCookie() {
    Answer entered = enter("Sec-Fetch-Site", "same-origin");
    assertThat(entered.status()).isEqualTo(303);
    assertThat(entered.header("location")).isEqualTo("/wait/" + queue + "/place");
    assertThat(entered.header("cache-control")).isEqualTo("no-store");
    return Objects.requireNonNull(entered.header("set-cookie")).split(";", 2)[0];
  }

  private Answer place(String... headers) {
    return server.client().get("/wait/" + queue + "/place", headers);
  }

  private static Answer isPage(Answer answer, int status, String state) {
    assertThat(answer.status()).as("%s", answer).isEqualTo(status);
    assertThat(answer.header("content-type")).isEqualTo("text/html; charset=utf-8");
    assertThat(answer.header("cache-control")).isEqualTo("no-store");
    assertThat(answer.header("content-security-policy")).contains("script-src 'self'");
    assertThat(answer.body()).contains("data-state=\"" + state + "\"").doesNotContain("<script");
    return answer;
  }

  @Test
  void enter_thenPlace_showsTheExactPlaceAndRefreshes() {
    activateFull(",\"title\":\"Sale\"");
    server.enter(queue, "second").is(201);

    Answer place = isPage(place("Cookie", enteredCookie()), 200, "waiting");

    assertThat(place.body()).contains("<p id=\"place\" class=\"number\">2</p>", "1 person ahead");
    assertThat(place.header("refresh")).isEqualTo("60; url=/wait/" + queue + "/place?go=1");
  }

  @Test
  void place_nearTheFront_refreshesSooner() {
    activate("\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":100");
    takeTheOnlyPlace();

    assertThat(place("Cookie", enteredCookie()).header("refresh")).startsWith("10;");
    assertThat(place("Cookie", enteredCookie()).header("refresh")).startsWith("20;");
  }

  @Test
  void enter_again_keepsThePlace() {
    activateFull("");
    String cookie = enteredCookie();
    server.enter(queue, "later").is(201);

    Answer again = enter("Cookie", cookie, "Sec-Fetch-Site", "same-origin");

    assertThat(again.status()).isEqualTo(303);
    assertThat(again.header("set-cookie")).isNull();
    assertThat(place("Cookie", cookie).body()).contains("class=\"number\">1</p>");
  }

  @Test
  void place_admitted_goesToTheTarget() {
    activate("\"targetUrl\":\"https://shop.example/sale?a=1\"");
    String cookie = enteredCookie();

    await().until(() -> place("Cookie", cookie).status() == 303);

    assertThat(place("Cookie", cookie).header("location"))
        .isEqualTo("https://shop.example/sale?a=1");
    assertThat(place("Cookie", cookie).header("referrer-policy")).isEqualTo("no-referrer");
  }

  @Test
  void place_admittedWithoutTarget_saysSo() {
    activate("");
    String cookie = enteredCookie();

    await().until(() -> place("Cookie", cookie).body().contains("data-state=\"entered\""));

    isPage(place("Cookie", cookie), 200, "entered");
  }

  @Test
  void place_ofNobody_offersTheForm() {
    activate("");

    for (Answer unknown :
        new Answer[] {place(), place("Cookie", "naru=visitor-x.forged"), place("User-Id", "ann")}) {
      assertThat(isPage(unknown, 404, "unknown").body()).contains("action=\"/wait/" + queue + "\"");
      assertThat(unknown.header("set-cookie")).isNull();
    }
  }

  @Test
  void place_leftOrDone_offersTheForm() {
    activate("");
    server.enter(queue, "ann").is(201);
    server.enter(queue, "ben").is(201);
    await().until(() -> server.status(queue, "ben").text("status").equals("ENTERED"));
    server.leave(queue, "ann").is(200);
    server.complete(queue, server.status(queue, "ben").text("pass")).is(200);

    assertThat(isPage(place("User-Id", "ann"), 404, "unknown").body()).contains("<form");
    assertThat(isPage(place("User-Id", "ben"), 200, "completed").body()).contains("<form");
  }

  @Test
  void doneWhereOneMayEnterOnce_saysSoWithoutAForm() {
    activate("\"once\":true");
    server.enter(queue, "ben").is(201);
    await().until(() -> server.status(queue, "ben").text("status").equals("ENTERED"));
    server.complete(queue, server.status(queue, "ben").text("pass")).is(200);

    for (Answer page :
        List.of(
            isPage(place("User-Id", "ben"), 200, "completed"),
            isPage(enter("User-Id", "ben"), 403, "completed"))) {
      assertThat(page.body()).contains("Everybody can enter once").doesNotContain("<form");
    }
  }

  @Test
  void refused_isExplainedWithTheStatusOfEnter() {
    activate("\"maxCapacity\":1,\"maxWaiting\":1,\"entryIntervalSeconds\":3600");
    server.enter(queue, "first").is(201);
    await().until(() -> server.status(queue, "first").text("status").equals("ENTERED"));
    server.enter(queue, "second").is(201);

    assertThat(isPage(enter(), 409, "full").body()).contains("you are not in line", "<form");

    server.deactivate(queue).is(200);
    assertThat(isPage(enter("Accept-Language", "ja"), 403, "closed").body()).contains("受付開始前");
    if (store != Store.REDIS) {
      Instant opens = Instant.now().plus(Duration.ofMinutes(90));
      server.activate(queue, "\"opensAt\":\"" + opens + "\"").is(200);
      assertThat(isPage(enter("Accept-Language", "ko"), 403, "early").body())
          .contains("분 후에 오픈합니다", "enter-form");
    }
  }

  @Test
  void refused_tooOften_saysWhenToTryAgain() {
    activate("\"newPlacesPerMinute\":1," + NOBODY_IN);
    assertThat(enter("User-Id", "ann").status()).isEqualTo(303);
    server.leave(queue, "ann").is(200);

    Answer again = isPage(enter("User-Id", "ann"), 429, "often");

    assertThat(again.header("retry-after")).matches("[1-9]\\d*");
  }

  @Test
  void unknownQueue_isAPage() {
    isPage(enter(), 404, "missing");
    isPage(place(), 404, "missing");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Sec-Fetch-Site|cross-site",
        "Sec-Fetch-Site|same-site",
        "Sec-Fetch-Site|anything",
        "Origin|https://evil.example",
        "Origin|null",
        "Origin|http://127.0.0.1:1",
        "Origin|http://127.0.0.1"
      })
  void enter_fromAnotherSite_isRefusedAndChangesNothing(String header, String value) {
    activateFull("");
    Map<String, @Nullable Object> before = server.figures(queue);

    Answer refused = enter(header, value).isProblem(403, "foreign-origin");

    assertThat(refused.header("set-cookie")).isNull();
    assertThat(server.figures(queue).get("joined")).isEqualTo(before.get("joined"));
  }

  @Test
  void enter_fromOurOwnPage_isTaken() {
    activate("");
    String here = "http://127.0.0.1:" + server.port();

    assertThat(enter("Origin", here).status()).isEqualTo(303);
    assertThat(enter("Origin", "null", "Sec-Fetch-Site", "same-origin").status()).isEqualTo(303);
    assertThat(enter().status()).isEqualTo(303);
  }

  @Test
  void enter_formBody_isTakenHereOnly() {
    activate("");
    String form = "application/x-www-form-urlencoded";

    assertThat(post("/wait/" + queue, form, "a=b").status()).isEqualTo(303);
    assertThat(post("/wait/" + queue, "application/json", "{}").status()).isEqualTo(303);
    post("/wait/" + queue, "application/json", "{\"score\":1}").isInvalid("score");
    post("/wait/" + queue, "text/plain", "a=b").isProblem(415, "unsupported-media-type");
    post("/queue/" + queue + "/enter", form, "a=b").isProblem(415, "unsupported-media-type");
    post("/admin/queue/activate", form, "a=b").isProblem(401, "unauthorized");
  }

  private static Answer post(String path, String type, String body) {
    return server.client().send("POST", path, BodyPublishers.ofString(body), "Content-Type", type);
  }

  @Test
  void userIdFromTheInternet_isRefused(@TempDir Path own) {
    try (var elsewhere = TestServer.trusting(own, TrustedProxies.parse("10.0.0.0/8"))) {
      elsewhere.activate(queue, "").is(201);

      elsewhere
          .client()
          .get("/wait/" + queue + "/place", "User-Id", "ann")
          .isProblem(401, "identity-not-trusted");
      elsewhere
          .client()
          .post("/wait/" + queue, "User-Id", "ann")
          .isProblem(401, "identity-not-trusted");
    }
  }
}
