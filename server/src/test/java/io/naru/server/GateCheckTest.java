package io.naru.server;

import static java.net.URLEncoder.encode;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.gate.HostilePaths;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The gate as one call: who is let through, where everybody else is sent, and on whose word. */
class GateCheckTest {

  private static final String QUEUE = "SALE/1";
  private static final String OTHER = "SALE/2";
  private static final String CHECK = "/gate/check?queue=" + QUEUE;
  private static final String PROTECTED = CHECK + "&protect=" + encode("/reservations/**", UTF_8);
  private static final String[] BROWSER = {"Accept", "text/html,*/*;q=0.8"};

  @TempDir private static Path data;
  private static TestServer server;
  private static String pass;

  @BeforeAll
  static void start() {
    server = TestServer.onMemory(data);
    pass = admit(QUEUE, "ann");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static String admit(String queue, String user) {
    server.activate(queue, "\"passTtlSeconds\":600");
    server.enter(queue, user).is(201);
    await().until(() -> server.status(queue, user).text("status").equals("ENTERED"));
    return server.pass(queue, user);
  }

  private static Answer check(String path, String... headers) {
    return server.client().get(path, headers);
  }

  private static Answer bearing(String token) {
    return check(CHECK, "Authorization", "Bearer " + token);
  }

  private static void isAnn(Answer answer) {
    assertThat(answer.status()).as("%s", answer).isEqualTo(204);
    assertThat(answer.header("naru-user")).isEqualTo("ann");
    assertThat(answer.header("naru-pass-id")).hasSize(32);
    assertThat(answer.header("naru-pass-expires")).matches("\\d{4}-.*T.*Z");
    assertThat(answer.header("cache-control")).isEqualTo("no-store");
  }

  @Test
  void pass_asBearerOrAsEitherCookie_mayGoThrough() {
    isAnn(bearing(pass));
    isAnn(check(CHECK, "Cookie", "a=b; naru-pass=" + pass));
    isAnn(check(CHECK, "Cookie", "__Host-naru-pass=" + pass + "; c=d"));
  }

  @Test
  void pass_besideTokensOfOthers_isFound() {
    isAnn(check(CHECK, "Authorization", "Bearer of-the-site", "Cookie", "naru-pass=" + pass));
    isAnn(check(CHECK, "Cookie", "naru-pass=planted; naru-pass=" + pass));
    isAnn(check(CHECK, "Cookie", "naru-pass=planted; __Host-naru-pass=" + pass));
    String many = "naru-pass=x; ".repeat(4);
    check(CHECK, "Cookie", many + "naru-pass=" + pass).isProblem(401, "S806");
  }

  @Test
  void noPass_saysWhereToWaitAndForWhat() {
    Answer answer = check(CHECK, "X-Original-URI", "/cart?item=1&n=2").isProblem(401, "S806");

    String page = "http://127.0.0.1:" + server.port() + "/wait/" + QUEUE;
    assertThat(answer.header("location")).isEqualTo(page + "?return=%2Fcart%3Fitem%3D1%26n%3D2");
    assertThat(answer.text("waitUrl")).isEqualTo(page);
    assertThat(answer.header("retry-after")).matches("[5-9]");
  }

  @Test
  void noPass_oneAddress_staysThere() {
    Answer answer = check(CHECK, "Naru-Site", "https", "X-Forwarded-Uri", "/cart");

    assertThat(answer.isProblem(401, "S806").header("location"))
        .isEqualTo("/wait/SALE/1?return=%2Fcart");
    assertThat(answer.text("waitUrl")).isEqualTo("/wait/SALE/1");
  }

  @Test
  void noPass_forProxiesThatHandOn_isAnAnswerForWhoAsked() {
    String path = CHECK + "&refuse=303";
    Answer page = check(path, with(BROWSER, "Naru-Site", "http", "X-Forwarded-Uri", "/cart"));
    assertThat(page.status()).isEqualTo(303);
    assertThat(page.header("location")).isEqualTo("/wait/SALE/1?return=%2Fcart");
    assertThat(page.header("cache-control")).isEqualTo("no-store");

    check(path, with(BROWSER, "X-Forwarded-Method", "POST")).isProblem(429, "S806");
    Answer program = check(path, "Accept", "application/json").isProblem(429, "S806");
    assertThat(program.header("location")).isNull();
    assertThat(program.header("retry-after")).matches("[5-9]");
    isAnn(check(path, with(BROWSER, "Cookie", "naru-pass=" + pass)));
  }

  private static String[] with(String[] headers, String... more) {
    var all = new ArrayList<>(Arrays.asList(headers));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  static List<String> noWaysBack() {
    var all = new ArrayList<>(HostilePaths.waysBack());
    all.addAll(List.of("//evil.example", "/\\evil.example", "javascript:alert(1)", "/a%0d%0aX: 1"));
    return all;
  }

  @ParameterizedTest
  @MethodSource("noWaysBack")
  void noPass_wayBackToElsewhere_isLeftOut(String uri) {
    for (String header : List.of("X-Original-URI", "X-Forwarded-Uri")) {
      Answer answer = check(CHECK, header, uri, "Naru-Site", "http").isProblem(401, "S806");
      assertThat(answer.header("location")).isEqualTo("/wait/SALE/1");
    }
  }

  @Test
  void whatIsNoPassHere_isRefused() {
    String others = admit(OTHER, "ann");
    String[] parts = pass.split("\\.", -1);
    String entryToken = server.status(QUEUE, "ann").text("entryToken");
    for (String token :
        List.of(
            "",
            "x",
            entryToken,
            others,
            pass + "=",
            pass.substring(0, pass.length() - 4) + "AAAA",
            "eyJhbGciOiJub25lIn0." + parts[1] + ".",
            "A".repeat(5_000))) {
      bearing(token).isProblem(401, "S806");
      check(CHECK, "Cookie", "naru-pass=" + token).isProblem(401, "S806");
    }
    assertThat(check("/gate/check?queue=" + OTHER, "Cookie", "naru-pass=" + others).status())
        .isEqualTo(204);
  }

  @Test
  void turnOver_orPassRevoked_isRefusedSoon() {
    String left = admit(QUEUE, "left");
    String completed = admit(QUEUE, "completed");
    String removed = admit(QUEUE, "removed");
    String revoked = admit(QUEUE, "revoked");
    List<String> all = List.of(left, completed, removed, revoked);
    for (String token : all) {
      assertThat(bearing(token).status()).isEqualTo(204);
    }
    String id = String.valueOf(bearing(revoked).header("naru-pass-id"));

    server.leave(QUEUE, "left").is(200);
    server.complete(QUEUE, completed).is(200);
    server.admin("POST", "/admin/queues/" + QUEUE + "/people/removed/remove", "").is(200);
    server.admin("POST", "/admin/passes/revoke", "{\"jti\":\"" + id + "\"}").is(200);

    for (String token : all) {
      await().until(() -> bearing(token).status() == 401);
    }
    isAnn(bearing(pass));
  }

  static List<String> spellings() {
    return HostilePaths.spellings();
  }

  @ParameterizedTest
  @MethodSource("spellings")
  void path_inAnyReading_needsAPass(String path) {
    check(PROTECTED, "X-Original-URI", path).isProblem(401, "S806");
    check(PROTECTED, "X-Forwarded-Uri", path).isProblem(401, "S806");
    isAnn(check(PROTECTED, "X-Original-URI", path, "Authorization", "Bearer " + pass));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/public", "/public/?a=/reservations", "/%EC%98%88", "/a.css"})
  void path_thatNeedsNone_isFree(String path) {
    Answer answer = check(PROTECTED, "X-Original-URI", path);

    assertThat(answer.status()).isEqualTo(204);
    assertThat(answer.header("naru-user")).isNull();
  }

  @Test
  void path_whatAVisitorBringsAlong_freesNothing() {
    check(PROTECTED).isProblem(401, "S806");
    check(PROTECTED, "X-Original-URI", "/public", "X-Forwarded-Uri", "/reservations")
        .isProblem(401, "S806");
    check(PROTECTED, "X-Forwarded-Uri", "/public", "X-Original-URI", "/reservations")
        .isProblem(401, "S806");
    check(PROTECTED, "X-Original-URI", "/reservations", "X-Original-URI", "/public")
        .isProblem(401, "S806");
    check(PROTECTED, "X-Original-URI", "").isProblem(401, "S806");
    check(CHECK, "Naru-User", "ann", "User-Id", "ann", "Naru-Pass-Id", "1").isProblem(401, "S806");
  }

  @Test
  void address_thatIsWrong_isNamed() {
    check("/gate/check").isInvalid("queue");
    check("/gate/check?queue=SALE/1&queue=SALE/2").isInvalid("queue");
    check("/gate/check?queue=SALE").isInvalid("queue");
    check("/gate/check?queue=sale/1").isInvalid("eventType");
    check(CHECK + "&refuse=302").isInvalid("refuse");
    check(CHECK + "&protect=checkout").isInvalid("protect");
    check(CHECK + "&protect=").isInvalid("protect");
    assertThat(check(CHECK + "&protect=/a" + ",/a".repeat(31), "X-Original-URI", "/b").status())
        .isEqualTo(204);
    Answer many = check(CHECK + "&protect=/a" + ",/a".repeat(32)).isInvalid("protect");
    assertThat(many.text("allowed")).isEqualTo("1..32 patterns");
    check(CHECK + "&protect=/a&protect=/a" + ",/a".repeat(31)).isInvalid("protect");
    check(CHECK + "&protect=" + "/a".repeat(1_900)).isInvalid("protect");
  }

  /** Both are the caller's: together they must not take longer than an answer may. */
  @Test
  void path_thatTakesLongToJudge_needsAPass() {
    String stars = CHECK + "&protect=/**/a/**/z" + ",/**/a/**/z".repeat(31);
    String dear = "/**/*" + "a".repeat(60) + "b*/**";
    String deep = "/" + "a/".repeat(1_500) + "../a/".repeat(900);
    String inside = "/a/..".repeat(16) + "/" + "a".repeat(4_000);

    check(stars, "X-Original-URI", deep).isProblem(401, "S806");
    check(PROTECTED, "X-Original-URI", deep).isProblem(401, "S806");
    check(CHECK + "&protect=" + dear + ("," + dear).repeat(31), "X-Original-URI", inside)
        .isProblem(401, "S806");
    isAnn(check(stars, "X-Original-URI", deep, "Authorization", "Bearer " + pass));
  }

  /** A visitor who follows a link from elsewhere says so to the proxy, and that to us. */
  @Test
  void calledForAPageOfAnotherSite_isAnswered() {
    isAnn(
        check(
            CHECK,
            "Cookie",
            "naru-pass=" + pass,
            "Sec-Fetch-Site",
            "cross-site",
            "Origin",
            "null"));
  }
}
