package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The waiting page as it comes over HTTP: what is in it, who may keep it, what it may do. */
class WaitPageTest {

  private static final String PAGE = "/wait/SALE/1";
  private static final String HTML = "text/html; charset=utf-8";

  @TempDir private static Path data;
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.onMemory(data);
    server
        .activate(
            "SALE/1",
            "\"title\":\"Autumn Sale\",\"message\":\"Thank you!\",\"color\":\"#D6336C\","
                + "\"logoUrl\":\"https://cdn.example:8443/logo.svg?a=1&b=2\","
                + "\"targetUrl\":\"https://shop.example/sale\"")
        .is(201);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Answer get(String path, String... headers) {
    return server.client().get(path, headers);
  }

  private static Answer page(String... headers) {
    Answer page = get(PAGE, headers);
    assertThat(page.status()).isEqualTo(200);
    assertThat(page.header("content-type")).isEqualTo(HTML);
    return page;
  }

  private static String asset(String file) {
    var path = Pattern.compile("/wait/assets/[0-9a-f]{16}/" + file).matcher(page().body());
    assertThat(path.find()).as(file).isTrue();
    return path.group();
  }

  @Test
  void page_knownQueue_hasItsLook() {
    assertThat(page().body())
        .contains(
            "<title>Autumn Sale</title>",
            "<h1 id=\"title\">Autumn Sale</h1>",
            "Thank you!",
            "<img id=\"logo\" src=\"https://cdn.example:8443/logo.svg?a=1&amp;b=2\" alt=\"\">",
            "/brand-d6336c.css\"",
            "data-type=\"SALE\" data-id=\"1\"");
  }

  @Test
  void page_twoVisitors_getTheSameBytesAndNoCookie() {
    String cookie = Objects.requireNonNull(enterAsVisitor());

    Answer one = page("Cookie", cookie);
    Answer two = page("User-Id", "ann");

    assertThat(one.body()).isEqualTo(two.body());
    assertThat(one.header("set-cookie")).isNull();
    assertThat(two.header("set-cookie")).isNull();
  }

  private static String enterAsVisitor() {
    Answer entered = server.client().post("/queue/SALE/1/enter").is(201);
    return Objects.requireNonNull(entered.header("set-cookie")).split(";", 2)[0];
  }

  @Test
  void page_mayBeKept_alsoWhenThereIsNothingNewer() {
    Answer page = page();

    assertThat(page.header("cache-control"))
        .startsWith("public, max-age=")
        .contains("stale-while-revalidate=", "stale-if-error=");
    assertThat(page.header("vary")).contains("accept-language", "accept-encoding");
  }

  @Test
  void page_askedAgainWithItsTag_isNotSentAgain() {
    String etag = Objects.requireNonNull(page().header("etag"));

    Answer again = get(PAGE, "If-None-Match", etag);

    assertThat(again.status()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
    assertThat(again.header("etag")).isEqualTo(etag);
    assertThat(page("Accept-Language", "ko", "If-None-Match", etag).header("etag"))
        .isNotEqualTo(etag);
  }

  @Test
  void page_gzipAccepted_isTheSamePageCompressed() throws Exception {
    byte[] compressed = bytes(PAGE, "gzip, deflate, br");

    try (var in = new GZIPInputStream(new ByteArrayInputStream(compressed))) {
      assertThat(new String(in.readAllBytes(), UTF_8)).isEqualTo(page().body());
    }
    assertThat(new String(bytes(PAGE, "gzip;q=0"), UTF_8)).isEqualTo(page().body());
  }

  @Test
  void page_policy_allowsOurFilesTheLogoAndTheTargetOnly() {
    Answer page = page();

    assertThat(page.header("content-security-policy"))
        .isEqualTo(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                + " worker-src 'self'; img-src 'self' https://cdn.example:8443; form-action 'self' https://shop.example;"
                + " base-uri 'none'; frame-ancestors 'none'");
    assertThat(page.header("referrer-policy")).isEqualTo("no-referrer");
    assertThat(page.header("x-content-type-options")).isEqualTo("nosniff");
  }

  @Test
  void page_nothingInIt_isInline() {
    String body = page().body();

    assertThat(body).doesNotContain("<style", " style=", "javascript:").doesNotContain(" onload=");
    Pattern.compile("<script[^>]*>")
        .matcher(body)
        .results()
        .forEach(
            script ->
                assertThat(script.group())
                    .matches("<script type=\"(application/json\" id=\"|module\" src=\"/).*"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ko|ko|나의 대기 순번",
        "ko-KR,ko;q=0.9,en;q=0.8|ko|나의 대기 순번",
        "ja-JP|ja|あなたの順番",
        "en;q=0.5, ja;q=0.7|ja|あなたの順番",
        "fr-FR, fr;q=0.9|en|Your place in line",
        "de, ko;q=0|en|Your place in line",
        "*|en|Your place in line",
        ";;,q=,ko;q=x|en|Your place in line",
        "KO|ko|나의 대기 순번"
      })
  void page_acceptLanguage_decidesTheLanguage(String accepted, String language, String text) {
    Answer page = page("Accept-Language", accepted);

    assertThat(page.header("content-language")).isEqualTo(language);
    assertThat(page.body()).contains("<html lang=\"" + language + "\">", text);
  }

  @Test
  void page_noAcceptLanguage_isEnglish() {
    assertThat(page().header("content-language")).isEqualTo("en");
  }

  @Test
  void page_languageChosen_isThatOneWhateverTheBrowserAsksFor() {
    Answer page = get(PAGE + "?lang=ja", "Accept-Language", "ko");

    assertThat(page.header("content-language")).isEqualTo("ja");
    assertThat(page.body())
        .contains("<html lang=\"ja\">", "<span lang=\"ja\" aria-current=\"true\">日本語</span>")
        .contains("<a href=\"/wait/SALE/1?lang=ko\" lang=\"ko\" hreflang=\"ko\">한국어</a>");
    assertThat(page.header("set-cookie")).as("it is everybody's").isNull();
    for (String none : new String[] {"lang=xx", "lang=", "lang=ko&lang=ja", "lang=%3Cb%3E"}) {
      assertThat(get(PAGE + "?" + none).header("content-language")).as(none).isEqualTo("en");
    }
  }

  @Test
  void page_languageChosen_isCarriedOnWhoeverCameBefore() {
    server.activate("SALE/chosen", "\"log\":true").is(201);
    String fair = "<a id=\"fair\" href=\"/wait/SALE/chosen/fair";
    assertThat(get("/wait/SALE/chosen", "Accept-Language", "ko").body()).contains(fair + "\">");

    assertThat(get("/wait/SALE/chosen?lang=ko", "Accept-Language", "en").body())
        .contains(fair + "?lang=ko\">");

    assertThat(get("/wait/SALE/chosen", "Accept-Language", "ko").body()).contains(fair + "\">");
  }

  /** Its links get the way back from the script; without one, from the pages made for a visitor. */
  @Test
  void page_whateverOneCameFor_isTheSame() {
    assertThat(get(PAGE + "?return=%2Fseats%2F7%3Fa%3D%22b%22").body()).isEqualTo(page().body());
  }

  @Test
  void page_colourAround_isThatOfTheQueue() {
    assertThat(page().body())
        .contains(
            "<meta name=\"theme-color\" content=\"#d6336c\""
                + " media=\"(prefers-color-scheme: light)\">");
    server.activate("SALE/plain", "").is(201);
    assertThat(get("/wait/SALE/plain").body()).contains("theme-color\" content=\"#0b6e75\"");
  }

  @Test
  void page_hostileSettings_areOnlyText() {
    String hostile = "</title><img src=x onerror=alert(1)>'\\\"&{{strings}}</script>";
    server
        .activate(
            "SALE/hostile",
            "\"title\":\"%s\",\"message\":\"%s\",\"logoUrl\":\"https://a.example/'onerror='x\""
                .formatted(hostile, hostile))
        .is(201);

    String body = get("/wait/SALE/hostile").body();

    assertThat(body)
        .contains(
            "<title>&lt;/title&gt;&lt;img src=x onerror=alert(1)&gt;&#39;&quot;&amp;{{strings}}&lt;"
                + "/script&gt;</title>",
            "src=\"https://a.example/&#39;onerror=&#39;x\"")
        .doesNotContain("<img src=x", "\"onerror", "'onerror");
    assertThat(get("/wait/SALE/hostile/place").body()).doesNotContain("<img src=x");
  }

  @Test
  void page_settingsChanged_showsThemSoon() {
    server.activate("SALE/changing", "\"title\":\"Before\"").is(201);
    assertThat(get("/wait/SALE/changing").body()).contains("<title>Before</title>");

    server.activate("SALE/changing", "\"title\":\"After\"").is(200);

    await().until(() -> get("/wait/SALE/changing").body().contains("<title>After</title>"));
  }

  @Test
  void page_rules_areKnownToIt() {
    server.activate("SALE/rules", "\"onExpiry\":\"REQUEUE\",\"once\":true").is(201);

    assertThat(get("/wait/SALE/rules").body())
        .contains("data-once=\"true\"", "data-on-expiry=\"REQUEUE\"");
    assertThat(page().body()).contains("data-once=\"false\"", "data-on-expiry=\"END\"");
  }

  @Test
  void withoutScript_otherLanguage_goesAlong() {
    server.activate("SALE/along", "\"maxCapacity\":1,\"entryIntervalSeconds\":3600").is(201);
    server.enter("SALE/along", "first").is(201);
    String query = "?return=%2Fseats&lang=ko";

    Answer entered = server.client().post("/wait/SALE/along" + query, "User-Id", "ann");

    assertThat(entered.header("location")).isEqualTo("/wait/SALE/along/place" + query);
    await().until(() -> placeOf("along", "", "first").body().contains("data-state=\"entered\""));
    Answer place = placeOf("along", query, "ann");
    assertThat(place.header("refresh")).endsWith("; url=/wait/SALE/along/place" + query + "&go=1");
    assertThat(place.body())
        .contains("나의 대기 순번", "차례가 되면 5분 동안")
        .contains("href=\"/wait/SALE/along/place?return=%2Fseats&amp;lang=ja\"");
    assertThat(placeOf("along", query, "nobody").body())
        .contains("action=\"/wait/SALE/along?return=%2Fseats&amp;lang=ko\"");
  }

  /** A code that gives no place is told with a page, on which one can go on without it. */
  @Test
  void withoutScript_codeInTheAddress_countsOnce() {
    server
        .activate(
            "SALE/code",
            "\"maxCapacity\":1,\"entryIntervalSeconds\":3600,\"lanes\":[{\"name\":\"vip\","
                + "\"share\":1},{\"name\":\"normal\",\"share\":1}]")
        .is(201);
    server.enter("SALE/code", "first").is(201);
    await().until(() -> placeOf("code", "", "first").body().contains("data-state=\"entered\""));
    Answer made =
        server.admin(
            "POST",
            "/admin/queue/codes",
            "{\"eventType\":\"SALE\",\"eventId\":\"code\",\"lane\":\"vip\",\"count\":1}");
    String page = "/wait/SALE/code?code=" + made.body().replaceAll(".*\\[\"|\"\\].*", "");

    Answer entered = server.client().post(page, "User-Id", "ann");
    Answer again = server.client().post(page + "&lang=ko", "User-Id", "ben");

    assertThat(entered.header("location")).isEqualTo("/wait/SALE/code/place");
    assertThat(placeOf("code", "", "ann").body()).contains("Lane: vip");
    assertThat(again.status()).isEqualTo(403);
    assertThat(again.body())
        .contains("data-state=\"nocode\"", "action=\"/wait/SALE/code?lang=ko\"");

    Answer longer =
        server.client().post("/wait/SALE/code?code=" + "7".repeat(500), "User-Id", "ben");
    assertThat(longer.status()).isEqualTo(403);
    assertThat(longer.body()).contains("data-state=\"nocode\"");
  }

  /** Whoever comes too early comes again, with what they came with. */
  @Test
  void withoutScript_codeInTheAddressOfAClosedQueue_isKeptForLater() {
    server.activate("SALE/shut", "\"maxCapacity\":1").is(201);
    server.deactivate("SALE/shut");

    Answer shut =
        server.client().post("/wait/SALE/shut?code=7K3M-9QXW-2F5T-8HJN", "User-Id", "ann");

    assertThat(shut.body())
        .contains("data-state=\"closed\"", "action=\"/wait/SALE/shut?code=7K3M-9QXW-2F5T-8HJN\"");
  }

  private static Answer placeOf(String id, String query, String user) {
    return get("/wait/SALE/" + id + "/place" + query, "User-Id", user);
  }

  private static void act(String act, String id, String more) {
    String body = "{\"eventType\":\"SALE\",\"eventId\":\"" + id + "\"" + more + "}";
    server.admin("POST", "/admin/queue/" + act, body).is(200);
  }

  /** A house that is full, of which nothing was seen yet: the rate that is set says nothing. */
  @Test
  void withoutScript_waitThatNobodyKnowsYet_isNotGuessed() {
    server.activate("SALE/guess", "\"maxCapacity\":1,\"passTtlSeconds\":3600").is(201);
    server.enter("SALE/guess", "first").is(201);
    await().until(() -> placeOf("guess", "", "first").body().contains("data-state=\"entered\""));
    server.enter("SALE/guess", "ann").is(201);

    assertThat(placeOf("guess", "", "ann").body())
        .contains("<dd id=\"estimate\">")
        .doesNotContain("less than a minute");
  }

  @Test
  void withoutScript_whatTheOperatorDoes_isSaid() {
    server
        .activate(
            "SALE/acts",
            "\"maxCapacity\":1,\"entryIntervalSeconds\":3600,\"message\":{\"en\":\"Soon\",\"ko\":\"곧\"},"
                + "\"endText\":{\"en\":\"Sold <b>out\"},\"endUrl\":\"https://shop.example/a?b&c\"")
        .is(201);
    server.enter("SALE/acts", "first").is(201);
    await().until(() -> placeOf("acts", "", "first").body().contains("data-state=\"entered\""));
    server.enter("SALE/acts", "ann").is(201);
    server.enter("SALE/acts", "ben").is(201);
    assertThat(placeOf("acts", "", "ann").body())
        .contains("1 person behind you", "You will go in automatically", ">Soon</p>");
    assertThat(placeOf("acts", "?lang=ko", "ann").body()).contains(">곧</p>");

    act("pause", "acts", ",\"reason\":\"Rain & <i>wind\"");
    assertThat(placeOf("acts", "", "ann").body())
        .contains(
            "<dd id=\"estimate\">paused</dd>", "The line is paused", "Rain &amp; &lt;i&gt;wind");
    act("resume", "acts", "");
    act("close", "acts", "");
    assertThat(placeOf("acts", "", "ann").body())
        .contains("Nobody can join this line any more")
        .doesNotContain("Rain");
    Answer refused = server.client().post("/wait/SALE/acts", "User-Id", "eve");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.body()).contains("data-state=\"closed\"", "<form");

    act("end", "acts", "");
    Answer over = placeOf("acts", "", "ann");
    assertThat(over.status()).isEqualTo(410);
    assertThat(over.body())
        .contains(
            "data-state=\"over\"", "Sold &lt;b&gt;out", "href=\"https://shop.example/a?b&amp;c\"")
        .doesNotContain("<form");
    await()
        .until(
            () ->
                server
                    .client()
                    .post("/wait/SALE/acts", "User-Id", "eve")
                    .body()
                    .contains("data-state=\"over\""));
  }

  @Test
  void page_queueDeleted_isGoneSoon() {
    server.activate("SALE/deleted", "").is(201);
    assertThat(get("/wait/SALE/deleted").status()).isEqualTo(200);

    server.admin("DELETE", "/admin/queues/SALE/deleted?confirm=SALE/deleted", "");

    await().until(() -> get("/wait/SALE/deleted").status() == 404);
  }

  @Test
  void page_unknownQueue_isAFriendly404ThatNobodyKeeps() {
    Answer page = get("/wait/SALE/none", "Accept-Language", "ko");

    assertThat(page.status()).isEqualTo(404);
    assertThat(page.header("content-type")).isEqualTo(HTML);
    assertThat(page.header("cache-control")).isEqualTo("no-store");
    assertThat(page.header("content-security-policy")).startsWith("default-src 'none'");
    assertThat(page.body()).contains("대기열을 찾을 수 없습니다").doesNotContain("<form");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/wait/sale/1", "/wait/SALE/a:b", "/wait/SALE/%3Cb%3E", "/wait/SALE/"})
  void page_noNameOfAQueue_isRefused(String path) {
    get(path).isProblem(400, "invalid-value");
  }

  @Test
  void page_manyUnknownQueues_leaveTheKnownOneAlone() {
    for (int i = 0; i < 2_000; i++) {
      assertThat(get("/wait/SALE/unknown-" + i).status()).isEqualTo(404);
    }

    assertThat(page().body()).contains("Autumn Sale");
  }

  @Test
  void assets_allThatThePageNames_areThereForGood() {
    var named =
        Pattern.compile("(?:src|href)=\"(/wait/assets/[^\"]+)\"").matcher(page().body()).results();

    assertThat(named.map(m -> m.group(1)).toList())
        .hasSize(11)
        .allSatisfy(
            path -> {
              Answer file = get(path);
              assertThat(file.status()).as(path).isEqualTo(200);
              assertThat(file.header("cache-control"))
                  .isEqualTo("public, max-age=31536000, immutable");
              assertThat(file.header("x-content-type-options")).isEqualTo("nosniff");
              assertThat(file.header("content-type"))
                  .isEqualTo(
                      path.endsWith(".js")
                          ? "text/javascript; charset=utf-8"
                          : path.endsWith(".css") ? "text/css; charset=utf-8" : "image/svg+xml");
            });
  }

  @Test
  void assets_modules_importOnlyEachOther() {
    String folder = asset("wait.js").replace("wait.js", "");
    for (String file : new String[] {"wait.js", "naru.js", "words.js", "alert.js"}) {
      Pattern.compile("^import .* from '([^']+)'", Pattern.MULTILINE)
          .matcher(get(folder + file).body())
          .results()
          .forEach(
              imported -> {
                assertThat(imported.group(1)).as(file).startsWith("./");
                assertThat(get(folder + imported.group(1).substring(2)).status()).isEqualTo(200);
              });
    }
  }

  @Test
  void assets_ofAnotherVersion_areThereButNotKept() {
    Answer file = get("/wait/assets/0123456789abcdef/wait.js");

    assertThat(file.status()).isEqualTo(200);
    assertThat(file.header("cache-control")).isEqualTo("no-store");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "wait.html",
        "strings.en.json",
        "nothing.js",
        "",
        "..%2Fwait.html",
        "brand-d6336c",
        "brand-D6336C.css",
        "brand-12345.css",
        "brand-12345g.css"
      })
  void assets_whatIsNone_isNotFound(String file) {
    get("/wait/assets/0123456789abcdef/" + file).isProblem(404, "not-found");
  }

  @Test
  void worker_isBesideThePagesItLooksAfter() {
    Answer worker = get("/wait/sw.js");

    assertThat(worker.status()).isEqualTo(200);
    assertThat(worker.header("content-type")).isEqualTo("text/javascript; charset=utf-8");
    assertThat(worker.header("cache-control")).startsWith("public, max-age=300,");
    assertThat(worker.body()).contains("notificationclick", "'fetch'");
  }

  @Test
  void client_isSmallAndForEverybodysPages() throws Exception {
    Answer client = get("/naru.js");

    assertThat(client.status()).isEqualTo(200);
    assertThat(client.header("content-type")).isEqualTo("text/javascript; charset=utf-8");
    assertThat(client.header("access-control-allow-origin")).isEqualTo("*");
    assertThat(client.header("cache-control")).startsWith("public, max-age=300,");
    assertThat(client.body()).contains("export class Naru").doesNotContain("import ");
    assertThat(get("/naru-board.js").header("access-control-allow-origin")).isEqualTo("*");
    assertThat(bytes("/naru.js", "gzip").length).isBetween(1_000, 6_144);
    assertThat(get("/naru.js", "If-None-Match", "" + client.header("etag")).status())
        .isEqualTo(304);
  }

  @Test
  void client_types_areBesideIt() {
    Answer types = get("/naru.d.ts");

    assertThat(types.status()).isEqualTo(200);
    assertThat(types.header("access-control-allow-origin")).isEqualTo("*");
    assertThat(types.body()).contains("export class Naru");
  }

  /** As they come; the other client cannot ask for compressed answers. */
  private static byte[] bytes(String path, String encoding)
      throws IOException, InterruptedException {
    try (var http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                  .header("Accept-Encoding", encoding)
                  .build(),
              HttpResponse.BodyHandlers.ofByteArray())
          .body();
    }
  }
}
