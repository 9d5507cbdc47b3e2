package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.server.StoredServer.Store;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever is admitted goes on to the site, with their pass in a cookie and never in an address. */
@Tag("process")
@ParameterizedClass
@EnumSource
@SuppressWarnings("NullAway.Init") // by what JUnit calls before
class HandoverTest {

  @Parameter private Store store;

  private static final String TARGET = "\"targetUrl\":\"https://www.shop.example/sale?a=1\"";

  private static StoredServer stored;
  private static TestServer server;
  private static int count;
  private String queue = "";

  @BeforeParameterizedClassInvocation
  static void start(Store store) {
    stored =
        StoredServer.on(store)
            .start(config -> TestServer.named(config, "https://wait.shop.example"));
    server = stored.server();
  }

  @AfterParameterizedClassInvocation
  static void stop() {
    stored.close();
  }

  @BeforeEach
  void name() {
    queue = "HAND/" + store + "-" + ++count;
  }

  private void admit(String settings) {
    server.activate(queue, settings).is(201);
    server.enter(queue, "ann").is(201);
    await().until(() -> server.status(queue, "ann").text("status").equals("ENTERED"));
  }

  private void waitInLine(String settings) {
    server.activate(queue, "\"maxCapacity\":1,\"entryIntervalSeconds\":3600" + settings).is(201);
    server.enter(queue, "first").is(201);
    await().until(() -> server.status(queue, "first").text("status").equals("ENTERED"));
    server.enter(queue, "ann").is(201);
  }

  private Answer place(String query, String... cookies) {
    String path = "/wait/" + queue + "/place" + query;
    return cookies.length == 0
        ? server.client().get(path, "User-Id", "ann")
        : server.client().get(path, "User-Id", "ann", "Cookie", String.join("; ", cookies));
  }

  private static String back(String path) {
    return "?return=" + URLEncoder.encode(path, StandardCharsets.UTF_8);
  }

  private static List<String> cookies(Answer answer) {
    return answer.headers().getOrDefault("set-cookie", List.of());
  }

  private static String cookie(Answer answer, String name) {
    return cookies(answer).stream()
        .filter(cookie -> cookie.startsWith(name + "="))
        .findFirst()
        .orElseThrow();
  }

  private static Answer goesTo(Answer answer, String address) {
    assertThat(answer.status()).as("%s", answer).isEqualTo(303);
    assertThat(answer.header("location")).isEqualTo(address);
    assertThat(answer.header("cache-control")).isEqualTo("no-store");
    assertThat(answer.header("referrer-policy")).isEqualTo("no-referrer");
    assertThat(answer.body()).isEmpty();
    return answer;
  }

  private static String noticed(Answer answer, String state) {
    assertThat(answer.status()).as("%s", answer).isEqualTo(200);
    assertThat(answer.header("cache-control")).isEqualTo("no-store");
    assertThat(answer.body()).contains("data-state=\"" + state + "\"").doesNotContain("<script");
    return answer.body();
  }

  @Test
  void place_admitted_goesToTheTargetWithThePassInACookie() {
    admit(TARGET + ",\"passTtlSeconds\":300");

    Answer gone = goesTo(place(""), "https://www.shop.example/sale?a=1");

    String pass = server.pass(queue, "ann");
    Matcher cookie =
        Pattern.compile(
                "naru-pass=(.*); Max-Age=(\\d+); Expires=[^;]+; Path=/; Domain=shop\\.example;"
                    + " Secure; HTTPOnly; SameSite=Lax")
            .matcher(cookie(gone, "naru-pass"));
    assertThat(cookie.matches()).as("%s", cookies(gone)).isTrue();
    assertThat(cookie.group(1)).isEqualTo(pass);
    assertThat(Integer.parseInt(cookie.group(2))).isBetween(270, 300);
    assertThat(gone.header("location")).doesNotContain(pass);
  }

  @Test
  void place_admittedWithAWayBack_goesThereOnTheTargetsSite() {
    admit(TARGET);

    goesTo(
        place(back("/seats/7?row=a%2Fb&to=https://x.example//y")),
        "https://www.shop.example/seats/7?row=a%2Fb&to=https://x.example//y");
  }

  @Test
  void place_wayBackWithoutTarget_isAPageThatSaysWhatToDo() {
    admit("");

    Answer place = place(back("/seats/7"));

    assertThat(noticed(place, "entered")).contains("It is your turn").contains("targetUrl");
    assertThat(cookies(place)).isEmpty();
  }

  @Test
  void activate_targetThatGetsNoPass_isWarnedOf() {
    for (String lost : List.of("http://other.example/", "http://127.0.0.1:8090/")) {
      Answer answer = server.activate(queue, "\"targetUrl\":\"" + lost + "\"");
      assertThat(answer.body()).contains("\"warnings\":[\"targetUrl: browsers give");
    }
    assertThat(server.activate(queue, TARGET).body()).doesNotContain("warnings");
    assertThat(server.activate(queue, "\"targetUrl\":\"\"").body()).doesNotContain("warnings");
  }

  @Test
  void place_neitherTargetNorWayBack_saysThatItIsOnesTurn() {
    admit("");

    Answer place = place("");

    assertThat(noticed(place, "entered")).contains("It is your turn");
    assertThat(cookies(place)).isEmpty();
  }

  @Test
  void place_siteOfAnotherDomain_isGoneToWithoutThePass() {
    admit("\"targetUrl\":\"http://other.example/\"");

    Answer gone = goesTo(place(back("/a")), "http://other.example/a");

    assertThat(cookies(gone)).noneMatch(cookie -> cookie.startsWith("naru-pass="));
  }

  @Test
  void place_notInside_handsNothingOver() {
    waitInLine("," + TARGET);

    Answer waiting = place(back("/seats/7"));

    assertThat(noticed(waiting, "waiting")).contains("class=\"number\">1<");
    // Says that it has waited, so that of two tabs the second is sent on too.
    assertThat(waiting.header("refresh"))
        .matches("\\d+; url=/wait/" + queue + "/place\\?return=%2Fseats%2F7&go=1");
    assertThat(cookies(waiting)).isEmpty();

    server.leave(queue, "ann").is(200);
    Answer left = place(back("/seats/7?a=b&c"));
    assertThat(left.status()).isEqualTo(404);
    assertThat(left.body())
        .contains("action=\"/wait/" + queue + "?return=%2Fseats%2F7%3Fa%3Db%26c\"");
    assertThat(cookies(left)).isEmpty();
  }

  @Test
  void place_afterTheTurn_handsNothingOver() {
    admit(TARGET);
    server.complete(queue, server.pass(queue, "ann")).is(200);

    assertThat(cookies(place(""))).isEmpty();
    noticed(place(""), "completed");
  }

  // --- the way back, wherever it comes in

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "//evil.example",
        "/\\evil.example",
        "\\/evil.example",
        "javascript:alert(1)",
        "https://evil.example",
        "https://www.shop.example/sale",
        "//user:secret@evil.example/",
        "@evil.example",
        ".evil.example",
        "/%09/evil.example",
        "/%2fevil.example",
        "/%252fevil.example",
        "/\t/evil.example",
        "/a\r\nSet-Cookie: naru-pass=x",
        "/a\nLocation: https://evil.example",
        "/a\0b",
        "/a b",
        "/공연"
      })
  void wayBack_thatCouldLeadElsewhere_isRefusedEverywhereAndChangesNothing(String path) {
    admit(TARGET);
    Map<String, @Nullable Object> before = server.figures(queue);

    for (Answer refused :
        List.of(
            server.client().get("/wait/" + queue + back(path)),
            server.client().get("/wait/" + queue + back(path), "User-Id", "ann"),
            server.client().post("/wait/" + queue + back(path)),
            server.client().get("/wait/" + queue + "/place" + back(path)),
            place(back(path)))) {
      refused.isInvalid("return");
      assertThat(cookies(refused)).isEmpty();
      assertThat(refused.header("location")).isNull();
    }
    assertThat(server.figures(queue)).isEqualTo(before);
  }

  @Test
  void wayBack_givenTwiceOrTooLong_isRefused() {
    admit(TARGET);

    place("?return=%2Fa&return=%2Fb").isInvalid("return");
    place(back("/" + "a".repeat(2_000))).isInvalid("return");
  }

  @Test
  void wayBack_semicolon_isPartOfIt() {
    admit(TARGET);

    goesTo(place("?return=/a;v=1"), "https://www.shop.example/a;v=1");
  }

  @Test
  void wayBack_theLongest_getsThrough() {
    admit(TARGET);
    String longest = "/" + "?/".repeat(570);

    goesTo(place(back(longest)), "https://www.shop.example" + longest);
  }

  @Test
  void form_keepsTheWayBack() {
    waitInLine("," + TARGET);
    String back = back("/seats/7?a='\"><b>&c".replace("\"><b>", "%22%3E%3Cb%3E"));

    Answer entered = server.client().post("/wait/" + queue + back);

    assertThat(entered.status()).isEqualTo(303);
    assertThat(entered.header("location")).isEqualTo("/wait/" + queue + "/place" + back);

    server.deactivate(queue).is(200);
    Answer closed = server.client().post("/wait/" + queue + back);
    assertThat(closed.status()).isEqualTo(403);
    assertThat(closed.body()).contains("action=\"/wait/" + queue + back + "\"");
  }

  // --- the page

  @Test
  void page_withAWayBack_isTheSamePage() {
    waitInLine("," + TARGET);
    Answer plain = server.client().get("/wait/" + queue);

    Answer page = server.client().get("/wait/" + queue + back("/<b>\"'"), "User-Id", "ann");

    assertThat(page.status()).isEqualTo(200);
    assertThat(page.body()).isEqualTo(plain.body());
    // Sent to the address of the page, whatever that is.
    assertThat(page.body()).contains("<form id=\"enter-form\" method=\"post\">");
    assertThat(page.header("cache-control"))
        .startsWith("public, max-age=0, s-maxage=5,")
        .contains("stale-if-error=");
    assertThat(cookies(page)).isEmpty();
  }

  @Test
  void page_insideAlready_goesOnAtOnce() {
    admit(TARGET);
    String page = "/wait/" + queue + back("/seats/7");

    goesTo(
        server.client().get(page, "User-Id", "ann"),
        "/wait/" + queue + "/place" + back("/seats/7"));

    assertThat(server.client().get(page).status()).as("of somebody else").isEqualTo(200);
    assertThat(server.client().get(page, "Cookie", "naru=visitor-x.forged").status())
        .isEqualTo(200);
    assertThat(server.client().get("/wait/" + queue, "User-Id", "ann").status())
        .as("without a way back it knows nobody")
        .isEqualTo(200);
  }

  @Test
  void page_policy_letsFormsGoOnToTheSite() {
    admit(TARGET);
    assertThat(server.client().get("/wait/" + queue).header("content-security-policy"))
        .contains("form-action 'self' https://www.shop.example;");
    name();
    admit("");
    assertThat(server.client().get("/wait/" + queue).header("content-security-policy"))
        .contains("form-action 'self';");
  }

  // --- sites that do not take the pass

  @Test
  void place_sentBackAtOnce_isToldInsteadOfSentOnForEver() {
    admit(TARGET);
    Answer gone = place(back("/seats/7?a&b"));
    String mark = cookie(gone, "naru-handed");
    assertThat(mark)
        .matches(
            "naru-handed=[0-9a-f]{16}; Max-Age=15; Expires=[^;]+; Path=/wait/"
                + queue
                + "; Secure; HTTPOnly; SameSite=Lax");
    String given = mark.split(";", 2)[0];

    Answer again = place(back("/seats/7?a&b"), given);

    String href = "/wait/" + queue + "/place?return=%2Fseats%2F7%3Fa%26b&amp;go=1";
    assertThat(noticed(again, "untaken"))
        .contains("The site did not take your pass", "href=\"" + href + "\"");
    assertThat(cookies(again)).isEmpty();

    Answer tried = place(back("/seats/7?a&b") + "&go=1", given);
    goesTo(tried, "https://www.shop.example/seats/7?a&b");
    assertThat(cookie(tried, "naru-pass")).isNotBlank();
    assertThat(cookie(tried, "naru-handed")).startsWith(given);

    assertThat(noticed(place("", given), "untaken"))
        .contains("href=\"/wait/" + queue + "/place?go=1\"");
  }

  @Test
  void place_sentOnForAnotherTurn_isSentOn() {
    admit(TARGET);
    String given = cookie(place(""), "naru-handed").split(";", 2)[0];
    server.complete(queue, server.pass(queue, "ann")).is(200);
    server.enter(queue, "ann").is(201);
    await().until(() -> server.status(queue, "ann").text("status").equals("ENTERED"));

    goesTo(place("", given), "https://www.shop.example/sale?a=1");
    goesTo(place("", "naru-handed=x"), "https://www.shop.example/sale?a=1");
  }

  private Answer placeOnOneAddress(String query, String scheme) {
    return server
        .client()
        .get("/wait/" + queue + "/place" + query, "User-Id", "ann", "Naru-Site", scheme);
  }

  @Test
  void place_oneAddressOverHttps_goesToItsPathWithACookieOfThatHostAlone() {
    admit("\"passTtlSeconds\":300");

    Answer gone = goesTo(placeOnOneAddress(back("/seats/7?a=b"), "https"), "/seats/7?a=b");

    assertThat(cookie(gone, "__Host-naru-pass"))
        .matches(
            "__Host-naru-pass=ey.*; Max-Age=\\d+; Expires=[^;]+; Path=/; Secure; HTTPOnly;"
                + " SameSite=Lax");
    assertThat(cookies(gone)).noneMatch(cookie -> cookie.startsWith("naru-pass="));
  }

  @Test
  void place_oneAddressOverHttp_goesToItsFrontDoor() {
    admit("");

    Answer gone = goesTo(placeOnOneAddress("", "http"), "/");

    assertThat(cookie(gone, "naru-pass")).doesNotContain("Secure", "Domain");
  }

  @Test
  void place_oneAddressAndNoWayBack_goesToTheTarget() {
    admit(TARGET);

    goesTo(placeOnOneAddress("", "https"), "https://www.shop.example/sale?a=1");
  }

  @Test
  void place_oneAddressByAnotherScheme_isRefusedByName() {
    admit("");

    placeOnOneAddress("", "ftp").isInvalid("Naru-Site");
  }

  @Test
  void enter_oneAddressOverHttps_cookieIsSecure() {
    server.activate(queue, "").is(201);

    Answer entered = server.client().post("/wait/" + queue, "Naru-Site", "https");

    assertThat(cookie(entered, "naru")).contains("; Secure;");
  }

  @Test
  void place_byCookie_isTheSameWay() {
    server.activate(queue, TARGET).is(201);
    Answer entered = server.client().post("/wait/" + queue + back("/seats/7"));
    String visitor = Objects.requireNonNull(cookie(entered, "naru")).split(";", 2)[0];
    String place = "/wait/" + queue + "/place" + back("/seats/7");
    await().until(() -> server.client().get(place, "Cookie", visitor).status() == 303);

    Answer gone = server.client().get(place, "Cookie", visitor);

    goesTo(gone, "https://www.shop.example/seats/7");
    assertThat(cookie(gone, "naru-pass")).startsWith("naru-pass=ey");
  }
}
