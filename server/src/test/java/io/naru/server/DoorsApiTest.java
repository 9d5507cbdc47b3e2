package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.server.doors.SiteVerify;
import io.naru.server.doors.Solver;
import io.naru.server.http.Cors;
import io.naru.server.identity.TrustedProxies;
import io.naru.server.identity.UserHeader;
import io.naru.server.limits.AddressLimits;
import io.naru.server.stream.Streams;
import io.naru.testkit.OpenApi;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What newcomers owe, and how they prove it. */
class DoorsApiTest {

  private static final String HOME = "198.51.100.7";
  private static final int AT_ONCE = 40;
  private static final int PEOPLE = 80;
  private static final MovableClock CLOCK = new MovableClock();
  private static final AtomicInteger QUEUES = new AtomicInteger();
  private static final FakeVerifier VERIFIER = new FakeVerifier();
  private static TestServer server;

  private final String queue = "SALE/doors" + QUEUES.incrementAndGet();

  @BeforeAll
  static void start(@TempDir Path data) {
    Naru.Config c = TestServer.config(data, null);
    var verifier =
        SiteVerify.Config.of(
            VERIFIER.url(),
            "the & secret",
            "the-site-key",
            URI.create("https://verifier.example/api.js"),
            List.of());
    var visitors =
        new Naru.Visitors(
            TrustedProxies.parse("127.0.0.0/8,::1"),
            null,
            new UserHeader("User-Id"),
            null,
            Cors.NONE,
            Streams.Limits.DEFAULT,
            new AddressLimits.Newcomers(AT_ONCE / 10, 0),
            verifier);
    server =
        TestServer.start(
            new Naru.Config(
                0,
                c.bind(),
                data,
                null,
                null,
                TestServer.KEY,
                TestServer.SITE_KEY,
                visitors,
                c.watching(),
                c.poll(),
                c.keys()),
            CLOCK);
  }

  @AfterAll
  static void stop() {
    server.close();
    VERIFIER.close();
  }

  /** Nobody has come from anywhere lately. */
  @BeforeEach
  void waitAMinute() {
    CLOCK.advance(Duration.ofMinutes(1));
    VERIFIER.answers("{\"success\":true}");
  }

  /** One comes first, from elsewhere: from then on the server knows the doors. */
  private void open(String doors) {
    server
        .activate(
            queue,
            "\"maxCapacity\":1000,\"entryBatchSize\":1000,\"entryIntervalSeconds\":3600,"
                + "\"doors\":"
                + doors)
        .is(201);
    server.admin("POST", "/admin/queue/pause", TestServer.named(queue, "")).is(200);
    server.client().post(path("enter"), "X-Forwarded-For", "192.0.2.1", "User-Id", "first").is(201);
  }

  private void letIn() {
    server.admin("POST", "/admin/queue/resume", TestServer.named(queue, "")).is(200);
    server.process(queue, 500);
  }

  private String path(String call) {
    return "/queue/" + queue + "/" + call;
  }

  private Answer enter(String address) {
    return server.client().post(path("enter"), "X-Forwarded-For", address);
  }

  private static Answer challenge(String token) {
    return server.client().get("/queue/token/" + token + "/challenge");
  }

  private static Answer prove(String token, String field, String value) {
    return server
        .client()
        .send(
            "POST",
            "/queue/token/" + token + "/proof",
            BodyPublishers.ofString("{\"" + field + "\":\"" + value + "\"}"),
            "Content-Type",
            "application/json");
  }

  /** In small steps, and looked at: a jump of the clock is as good as an outage. */
  private static void goOn(int seconds, String token) {
    for (int i = 0; i < seconds; i += 2) {
      CLOCK.advance(Duration.ofSeconds(2));
      server.statusByToken(token);
      server.look();
    }
  }

  /** Also without any JSON. */
  private static void is(int status, Answer answer) {
    assertThat(answer.status()).as("%s", answer).isEqualTo(status);
  }

  private static String statusOf(String token) {
    return server.statusByToken(token).text("status");
  }

  private Object figure(String name) {
    return Objects.requireNonNull(server.figures(queue).get(name));
  }

  @Test
  void withoutDoors_nothingIsOwed() {
    open("null");
    Answer entered = enter(HOME).is(201);

    assertThat(entered.body()).doesNotContain("proof");
    is(204, challenge(entered.text("entryToken")));
    IntStream.range(1, AT_ONCE).forEach(_ -> enter(HOME).is(201));
    enter(HOME).isProblem(429, "too-many-newcomers");
  }

  @Test
  void behindOneAddress_everybodyGetsIn_whoIsOneTooManyProvesIt() {
    open("{}");
    List<String> owing = new ArrayList<>();
    List<String> all = new ArrayList<>();
    for (int i = 0; i < PEOPLE; i++) {
      Answer entered = enter(HOME).is(201);
      assertThat(entered.field("proof")).isEqualTo(true);
      String token = entered.text("entryToken");
      all.add(token);
      if (challenge(token).status() == 200) {
        owing.add(token);
      }
    }
    // Some more may come meanwhile as time goes on.
    assertThat(owing).hasSizeBetween(1, PEOPLE - AT_ONCE);
    letIn();
    await().until(() -> figure("inside").equals(PEOPLE + 1 - owing.size()));

    owing.parallelStream()
        .forEach(
            token -> {
              String payload = Solver.payload(challenge(token).is(200).body());
              is(204, prove(token, "payload", payload));
              is(204, prove(token, "payload", payload));
            });

    await().until(() -> figure("inside").equals(PEOPLE + 1));
    assertThat(all).allMatch(token -> statusOf(token).equals("ENTERED"));
    assertThat(server.figures(queue).get("proofs"))
        .hasToString("{owing=0, proved=" + owing.size() + ", unproven=0}");
  }

  /** A carrier's, say. Here a verifier has the last word, which takes no work. */
  @Test
  void fiveHundredBehindOneAddress_allGetIn() {
    open("{\"verifier\":\"OVER_LIMIT\"}");
    int crowd = 500;
    int owing = 0;
    for (int i = 0; i < crowd; i++) {
      String token = enter(HOME).is(201).text("entryToken");
      if (challenge(token).status() == 200) {
        owing++;
        is(204, prove(token, "response", "a person"));
      }
    }
    assertThat(owing).isPositive();
    letIn();
    server.process(queue, 500);

    await().until(() -> figure("inside").equals(crowd + 1));
    assertThat(server.figures(queue).get("proofs"))
        .hasToString("{owing=0, proved=" + owing + ", unproven=0}");
  }

  @Test
  void perAddress_isCountedByNewPlaces() {
    open("{\"perAddressPerMinute\":2}");
    String first = "2001:db8:1:2::1";
    Answer ann = enter(first).is(201);
    String cookie = Objects.requireNonNull(ann.header("set-cookie")).split(";", 2)[0];
    for (int i = 0; i < 5; i++) {
      server
          .client()
          .post(path("enter"), "X-Forwarded-For", first, "Cookie", cookie)
          .isProblem(409, "S802");
    }
    is(204, challenge(enter("2001:db8:1:2:3::9").is(201).text("entryToken")));
    challenge(enter("2001:db8:1:2:4::9").is(201).text("entryToken")).is(200);
    is(204, challenge(enter("2001:db8:1:3::9").is(201).text("entryToken")));
  }

  @Test
  void proofs_replayedForeignExpiredSpliced_areRefusedAlike() {
    open("{\"work\":\"ALWAYS\"}");
    String ann = enter(HOME).is(201).text("entryToken");
    String ben = enter(HOME).is(201).text("entryToken");
    String asked = challenge(ann).is(200).body();
    String payload = Solver.payload(asked);
    String later =
        Solver.payload(asked.replaceFirst("\"expiresAt\":[0-9]+", "\"expiresAt\":4102444800"));

    prove(ben, "payload", payload).isProblem(403, "proof-refused");
    prove(ann, "payload", later).isProblem(403, "proof-refused");
    prove(ann, "payload", "not base64!").isProblem(403, "proof-refused");
    prove(ann, "payload", "e30=").isProblem(403, "proof-refused");
    prove(ann, "other", payload).isProblem(400, "invalid-value");
    prove(ann, "response", payload).isProblem(400, "invalid-value");
    prove("forged", "payload", payload).isProblem(404, "S803");
    CLOCK.advance(Duration.ofSeconds(601));
    prove(ann, "payload", payload).isProblem(403, "proof-refused");
    assertThat(server.figures(queue).get("proofs")).hasToString("{owing=3, proved=0, unproven=0}");
  }

  @Test
  void whoNeverProves_isPassedOver_andEnds() {
    open("{\"work\":\"ALWAYS\",\"proofSeconds\":120,\"slowSeconds\":10}");
    String bot = enter(HOME).is(201).text("entryToken");
    Answer form =
        server
            .client()
            .send(
                "POST",
                "/wait/" + queue,
                BodyPublishers.noBody(),
                "X-Forwarded-For",
                HOME,
                "Content-Type",
                "application/x-www-form-urlencoded");
    is(303, form);
    String cookie = Objects.requireNonNull(form.header("set-cookie")).split(";", 2)[0];
    letIn();
    await().until(() -> figure("absent").equals(3));
    Answer person = server.admin("GET", "/admin/queues/" + queue + "/people/first", "").is(200);
    assertThat(OpenApi.list(person.field("explain")).toString()).contains("owing");

    goOn(80, bot);
    await()
        .until(
            () ->
                server
                    .client()
                    .get(path("status"), "Cookie", cookie)
                    .text("status")
                    .equals("ENTERED"));
    assertThat(statusOf(bot)).isEqualTo("WAITING");
    goOn(120, bot);
    await().until(() -> server.statusByToken(bot).status() == 410);
    Answer over = server.statusByToken(bot).isProblem(410, "S804");
    assertThat(OpenApi.map(over.field("entry"), "entry").get("reason")).isEqualTo("unproven");
    challenge(bot).isProblem(410, "S804");
    assertThat(server.figures(queue).get("proofs")).hasToString("{owing=0, proved=0, unproven=2}");
  }

  @Test
  void signedOnly_othersAreToldToLogIn() {
    open("{\"signedOnly\":true}");

    enter(HOME).isProblem(401, "signed-only");
    server.enter(queue, "ann").is(201);
    Answer page =
        server
            .client()
            .send(
                "POST",
                "/wait/" + queue,
                BodyPublishers.noBody(),
                "Content-Type",
                "application/x-www-form-urlencoded");
    is(401, page);
    assertThat(page.body()).contains("Please log in first");
  }

  @Test
  void verifier_isAsked_andDownAsTheQueueSays() {
    open("{\"verifier\":\"ALWAYS\",\"verifierDown\":\"CLOSED\"}");
    String ann = enter(HOME).is(201).text("entryToken");
    Answer asked = challenge(ann).is(200);
    assertThat(asked.text("kind")).isEqualTo("verifier");
    assertThat(asked.text("siteKey")).isEqualTo("the-site-key");
    String policy = server.client().get("/wait/" + queue).header("content-security-policy");
    assertThat(policy)
        .contains("script-src 'self' https://verifier.example;")
        .contains("frame-src https://verifier.example;");

    VERIFIER.answers("{\"success\":false}");
    prove(ann, "response", "x").isProblem(403, "proof-refused");
    prove(ann, "payload", "e30=").isProblem(400, "invalid-value");
    for (String nonsense :
        List.of(
            "",
            "[]",
            "{\"success\":\"true\"}",
            "302",
            "408",
            "429",
            "500",
            "503",
            "x".repeat(99_999))) {
      VERIFIER.answers(nonsense);
      prove(ann, "response", "x").isProblem(503, "verifier-down");
    }
    VERIFIER.answers("{\"success\":true,\"hostname\":\"shop.example\"}");
    is(204, prove(ann, "response", "what it said & more"));
    assertThat(VERIFIER.asked()).isEqualTo("secret=the+%26+secret&response=what+it+said+%26+more");

    VERIFIER.answers("");
    String ben = enter(HOME).is(201).text("entryToken");
    server
        .admin(
            "PUT",
            "/admin/queues/" + queue,
            "{\"doors\":{\"verifier\":\"ALWAYS\",\"verifierDown\":\"OPEN\"}}")
        .is(200);
    is(204, prove(ben, "response", "x"));
    is(204, challenge(ben));
  }

  /** Down counts as proven here: nobody can make it look so by what they bring. */
  @Test
  void verifier_refusingTheQuestion_isNotDown() {
    open("{\"verifier\":\"ALWAYS\",\"verifierDown\":\"OPEN\"}");
    String ann = enter(HOME).is(201).text("entryToken");

    for (String refusal : List.of("400", "403", "413", "422", "431")) {
      VERIFIER.answers(refusal);
      prove(ann, "response", "asked " + refusal).isProblem(403, "proof-refused");
      assertThat(VERIFIER.asked()).endsWith(refusal);
    }
    VERIFIER.answers("500");
    for (String unasked : List.of("줄".repeat(4_000), "a\\nb", "\\u0000")) {
      prove(ann, "response", unasked).isProblem(403, "proof-refused");
    }
    assertThat(VERIFIER.asked()).endsWith("431");
    challenge(ann).is(200);

    is(204, prove(ann, "response", "x"));
  }
}
