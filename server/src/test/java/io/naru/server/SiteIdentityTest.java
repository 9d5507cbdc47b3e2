package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.server.http.Cors;
import io.naru.server.identity.SiteSigner;
import io.naru.server.identity.SiteTokens;
import io.naru.server.identity.TrustedProxies;
import io.naru.server.identity.UserHeader;
import io.naru.server.limits.AddressLimits;
import io.naru.server.stream.Streams;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One person has one place on all their devices, by what the site signs; and nobody else has it.
 */
class SiteIdentityTest {

  private static final String SETTINGS =
      "\"maxCapacity\":1,\"entryBatchSize\":1,\"entryIntervalSeconds\":3600,\"newPlacesPerMinute\":0,"
          + "\"lanes\":[{\"name\":\"vip\",\"share\":70},{\"name\":\"all\",\"share\":30}]";

  private static int queues;

  @TempDir private static Path data;
  private static TestServer server;
  private final String queue = "SALE/" + queues++;
  private final String enter = "/queue/" + queue + "/enter";
  private final String status = "/queue/" + queue + "/status";
  private final String leave = "/queue/" + queue + "/leave";

  @BeforeAll
  static void start() {
    var site =
        new SiteTokens.Config(
            SiteSigner.ISSUER,
            SiteSigner.AUDIENCE,
            null,
            SiteSigner.SECRET,
            "shop-session",
            "sub",
            "tier");
    server =
        TestServer.start(
            data,
            new Naru.Visitors(
                TrustedProxies.parse("127.0.0.0/8,::1"),
                site,
                new UserHeader("User-Id"),
                null,
                Cors.NONE,
                Streams.Limits.DEFAULT,
                AddressLimits.Newcomers.DEFAULT));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private void open() {
    server.activate(queue, SETTINGS).is(201);
    // Whoever comes first is inside, and the others wait.
    server.enter(queue, "first").is(201);
  }

  private static SiteSigner ann() {
    return SiteSigner.ann(Instant.now());
  }

  private static String token() {
    // As a site makes one for each device.
    return ann().claim("jti", String.valueOf(System.nanoTime())).shared(SiteSigner.SECRET);
  }

  private static Answer call(String method, String path, String... headers) {
    return method.equals("GET")
        ? server.client().get(path, headers)
        : server.client().post(path, headers);
  }

  private static String[] bearer(String token) {
    return new String[] {"Authorization", "Bearer " + token};
  }

  private static String[] cookie(String token) {
    return new String[] {"Cookie", "a=b; shop-session=" + token};
  }

  @Test
  void token_onAnotherDevice_findsTheSamePlace() {
    open();
    Answer first = call("POST", enter, bearer(token())).is(201);
    assertThat(first.header("set-cookie")).as("who is named needs none").isNull();
    String entry = first.text("entryToken");

    for (String[] device : List.of(bearer(token()), cookie(token()))) {
      assertThat(call("POST", enter, device).isProblem(409, "S802").object("entry"))
          .containsEntry("entryToken", entry);
      assertThat(call("GET", status, device).is(200).text("entryToken")).isEqualTo(entry);
      assertThat(call("GET", "/wait/" + queue + "/place", device).status()).isEqualTo(200);
    }
    assertThat(server.status(queue, "ann").is(200).text("entryToken"))
        .as("one name, however it is said")
        .isEqualTo(entry);
    assertThat(server.figures(queue)).containsEntry("joined", 2);
  }

  @Test
  void token_isNotHandedOff_butLeavesOnAnyDevice() {
    open();
    call("POST", enter, bearer(token())).is(201);
    String handoff = "/queue/" + queue + "/handoff";

    call("POST", handoff, bearer(token())).isProblem(409, "identity-from-site");
    call("POST", handoff, cookie(token())).isProblem(409, "identity-from-site");
    call("POST", leave, bearer(token())).is(200);
    call("GET", status, bearer(token())).isProblem(404, "S803");
  }

  @Test
  void token_comesBeforeHeaderAndCookie_andTheyComeAfterIt() {
    open();
    String token = token();
    Answer entered =
        call("POST", enter, "Authorization", "Bearer " + token, "User-Id", "ben").is(201);
    assertThat(server.status(queue, "ben").status()).isEqualTo(404);
    assertThat(server.status(queue, "ann").text("entryToken"))
        .isEqualTo(entered.text("entryToken"));
    call("POST", enter, "User-Id", "ben").is(201);
    assertThat(call("POST", enter).is(201).header("set-cookie")).startsWith("naru=visitor-");
  }

  @Test
  void laneClaim_ofALaneOfTheQueue_givesIt() {
    open();
    Answer vip = call("POST", enter, bearer(ann().claim("tier", "vip").shared(SiteSigner.SECRET)));
    assertThat(vip.is(201).text("lane")).isEqualTo("vip");
    Map<String, String> others = Map.of("ben", "gold", "cid", "Gold Member", "dan", "fallback");
    others.forEach(
        (user, tier) -> {
          String token = ann().claim("sub", user).claim("tier", tier).shared(SiteSigner.SECRET);
          assertThat(call("POST", enter, bearer(token)).is(201).text("lane")).isEqualTo("all");
        });
  }

  @Test
  void tokenThatDoesNotCount_isRefusedEverywhere_andNothingMoves() {
    open();
    long now = Instant.now().getEpochSecond();
    List<String> bad =
        List.of(
            ann().unsigned("none"),
            ann().shared("another-secret-of-thirty-two-bytes"),
            ann().claim("iss", "https://evil.example").shared(SiteSigner.SECRET),
            ann().claim("aud", "another").shared(SiteSigner.SECRET),
            ann().claim("queue", "SALE/other").shared(SiteSigner.SECRET),
            ann().claim("nbf", now + 600).shared(SiteSigner.SECRET),
            ann().claim("sub", "visitor-x").shared(SiteSigner.SECRET),
            "x.y.z");
    String handoff = "/queue/" + queue + "/handoff";
    for (String token : bad) {
      for (String[] shown : List.of(bearer(token), cookie(token))) {
        Answer refused = call("POST", enter, shown).isProblem(401, "identity-not-trusted");
        call("GET", status, shown).isProblem(401, "identity-not-trusted");
        call("POST", leave, shown).isProblem(401, "identity-not-trusted");
        call("POST", handoff, shown).isProblem(401, "identity-not-trusted");
        assertThat(refused.text("detail")).doesNotContain("audience", "issuer", "signature");
      }
    }
    assertThat(server.figures(queue)).containsEntry("joined", 1).containsEntry("left", 0);
  }

  @Test
  void expired_asBearerIsRefused_asCookieIsSomebodyWhoHasSignedOut() {
    open();
    long now = Instant.now().getEpochSecond();
    String old = ann().claim("exp", now - 120).shared(SiteSigner.SECRET);

    call("POST", enter, bearer(old)).isProblem(401, "identity-not-trusted");
    assertThat(call("POST", enter, cookie(old)).is(201).header("set-cookie"))
        .startsWith("naru=visitor-");
  }

  @Test
  void expiredWhileTheyWaited_thePageThatSendsThemOnStillKnowsThem() {
    open();
    String place = "/wait/" + queue + "/place";
    String old = ann().claim("exp", Instant.now().getEpochSecond() - 120).shared(SiteSigner.SECRET);
    Answer entered = call("POST", enter, cookie(token())).is(201);
    String given = String.valueOf(entered.header("set-cookie"));
    assertThat(given)
        .startsWith("naru-place=" + entered.text("entryToken"))
        .contains("Path=/wait/" + queue, "HTTPOnly", "SameSite=Lax");
    String kept = "; " + given.split(";", 2)[0];

    assertThat(call("GET", place, "Cookie", "shop-session=" + old).status()).isEqualTo(404);
    assertThat(call("GET", place, "Cookie", "shop-session=" + old + kept).status()).isEqualTo(200);
    assertThat(call("GET", place, "Cookie", "a=b" + kept).status()).isEqualTo(200);
    assertThat(call("GET", place, "Cookie", "naru-place=x").status()).isEqualTo(404);
    server.activate("SALE/other", SETTINGS).is(201);
    assertThat(call("GET", "/wait/SALE/other/place", "Cookie", "a=b" + kept).status())
        .isEqualTo(404);
    call("GET", status, "Cookie", "a=b" + kept).isProblem(404, "S803");
  }

  @Test
  void anotherAccountInTheSameBrowser_isNotGivenThePlaceThatItKeeps() {
    server.activate(queue, SETTINGS + ",\"targetUrl\":\"https://shop.example/\"").is(201);
    String place = "/wait/" + queue + "/place";
    Answer entered = call("POST", enter, cookie(token())).is(201);
    String kept = "; " + String.valueOf(entered.header("set-cookie")).split(";", 2)[0];
    server.process(queue, 1);
    String ben = "shop-session=" + ann().claim("sub", "ben").shared(SiteSigner.SECRET);

    assertThat(call("GET", place, "Cookie", "a=b" + kept).status()).isEqualTo(303);
    for (String[] named :
        List.of(
            new String[] {"Cookie", ben + kept},
            new String[] {"Cookie", "a=b" + kept, "User-Id", "ben"})) {
      Answer answer = call("GET", place, named);
      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.header("set-cookie")).isNull();
    }
    assertThat(call("GET", place, "Cookie", "shop-session=" + token() + kept).status())
        .isEqualTo(303);
  }

  /** From before they signed in, say; it names a browser, and no other person. */
  @Test
  void expiredWhileTheyWaited_aCookieOfOursDoesNotHideThePlace() {
    open();
    String elsewhere = queue + "-before";
    server.activate(elsewhere, SETTINGS).is(201);
    String ours =
        String.valueOf(call("POST", "/queue/" + elsewhere + "/enter").is(201).header("set-cookie"))
            .split(";", 2)[0];
    String kept =
        String.valueOf(call("POST", enter, cookie(token())).is(201).header("set-cookie"))
            .split(";", 2)[0];

    assertThat(call("GET", "/wait/" + queue + "/place", "Cookie", ours + "; " + kept).status())
        .isEqualTo(200);
  }

  @Test
  void entryToken_asBearer_isStillOne() {
    open();
    String entry = call("POST", enter, bearer(token())).is(201).text("entryToken");

    call("POST", leave, "Authorization", "Bearer " + entry).is(200);
  }
}
