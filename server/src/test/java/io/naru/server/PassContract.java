package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.naru.pass.Algorithm;
import io.naru.pass.EndedTurns;
import io.naru.pass.Expected;
import io.naru.pass.KeySource;
import io.naru.pass.Pass;
import io.naru.pass.PassKey;
import io.naru.pass.PassSigner;
import io.naru.pass.PassVerifier;
import io.naru.pass.Reason;
import io.naru.pass.Revocations;
import io.naru.pass.Verification;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Passes and the keys behind them, on two servers of one line. */
abstract class PassContract {

  static final String ISSUER = "https://wait.example";

  /** Gates ask every three seconds and are to refuse within five. */
  private static final Duration SEEN_BY_ALL = Duration.ofSeconds(2);

  private static int queues;

  private final String queue = "SALE/" + getClass().getSimpleName() + queues++;

  /** Where most things are done. */
  abstract TestServer one();

  /** Another one of the same line; where there can be but one, that one. */
  abstract TestServer two();

  private String admit(String user) {
    one().activate(queue, "\"maxCapacity\":10,\"passTtlSeconds\":600");
    one().enter(queue, user).is(201);
    await().until(() -> one().status(queue, user).text("status").equals("ENTERED"));
    await().until(() -> two().status(queue, user).text("status").equals("ENTERED"));
    return one().pass(queue, user);
  }

  private static Map<String, PassKey> jwks(TestServer server) {
    Answer answer = server.client().get("/.well-known/jwks.json").is(200);
    assertThat(answer.header("cache-control")).isEqualTo("public, max-age=60");
    assertThat(answer.header("content-type")).isEqualTo("application/json");
    assertThat(answer.body()).doesNotContain("\"d\"");
    return PassKey.parseJwks(answer.body());
  }

  private static Revocations revocations(TestServer server) {
    Answer answer = server.client().get("/.well-known/naru-revocations");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("cache-control")).isEqualTo("no-store");
    assertThat(answer.header("content-type")).isEqualTo("application/jwt");
    var checked = Revocations.verify(answer.body(), new Published(server), ISSUER, Instant.now());
    assertThat(checked).isInstanceOf(Revocations.Checked.Valid.class);
    return ((Revocations.Checked.Valid) checked).revocations();
  }

  /** As a gate would see it that has just asked. */
  private record Published(TestServer server) implements KeySource {

    @Override
    public @Nullable PassKey find(String keyId) {
      return jwks(server).get(keyId);
    }

    @Override
    public boolean keyRevoked(String keyId) {
      return false;
    }

    @Override
    public boolean passRevoked(String passId) {
      return false;
    }
  }

  private Verification verify(TestServer server, String pass) {
    var verifier = new PassVerifier(new Published(server), InstantSource.system());
    return verifier.verify(pass, new Expected(ISSUER, queue, queue));
  }

  private Pass verified(TestServer server, String pass) {
    Verification verification = verify(server, pass);
    assertThat(verification).isInstanceOf(Verification.Verified.class);
    return ((Verification.Verified) verification).pass();
  }

  private static String claimsOf(String pass) {
    return decoded(pass, 1);
  }

  private static String decoded(String pass, int part) {
    return new String(Base64.getUrlDecoder().decode(pass.split("\\.", -1)[part]), UTF_8);
  }

  private static Map<String, @Nullable Object> fields(String json) {
    return new Answer(200, Map.of(), json).json();
  }

  private static String kidOf(String pass) {
    return String.valueOf(fields(decoded(pass, 0)).get("kid"));
  }

  private static Map<String, String> states(Answer keys) {
    Map<String, String> states = new TreeMap<>();
    for (Object each : (List<?>) List.of(keys.is(200).json().get("keys")).getFirst()) {
      Map<?, ?> key = (Map<?, ?>) each;
      states.put("" + key.get("kid"), "" + key.get("state"));
    }
    return states;
  }

  private static String inUse(TestServer server) {
    return states(server.admin("GET", "/admin/keys", "")).entrySet().stream()
        .filter(key -> key.getValue().equals("IN_USE"))
        .findFirst()
        .orElseThrow()
        .getKey();
  }

  private static Answer revoke(TestServer server, String kid) {
    return server.admin("POST", "/admin/keys/revoke", "{\"kid\":\"" + kid + "\"}");
  }

  // Whose turn is over.

  private EndedTurns ended(TestServer server, String after) {
    Answer answer =
        server
            .client()
            .get("/queue/" + queue + "/ended" + (after.isEmpty() ? "" : "?after=" + after));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.header("cache-control")).isEqualTo("no-store");
    assertThat(answer.header("content-type")).isEqualTo("application/jwt");
    var checked =
        EndedTurns.verify(answer.body(), new Published(server), ISSUER, queue, Instant.now());
    assertThat(checked).isInstanceOf(EndedTurns.Checked.Valid.class);
    return ((EndedTurns.Checked.Valid) checked).turns();
  }

  private boolean isOver(TestServer server, String pass) {
    Pass claims = verified(server, pass);
    EndedTurns turns = ended(server, "");
    return turns.born() == 0
        || EndedTurns.joined(claims.id()) < turns.born()
        || contains(turns, claims);
  }

  private static boolean contains(EndedTurns turns, Pass pass) {
    long[] ids = turns.passes().getOrDefault(EndedTurns.endOf(pass.expiresAt()), new long[0]);
    return Arrays.stream(ids).anyMatch(id -> id == EndedTurns.fingerprint(pass.id()));
  }

  @Test
  void ended_leftOrCompleted_isToldByBothServers() {
    String ann = admit("ann");
    String ben = admit("ben");
    String cho = admit("cho");
    assertThat(isOver(one(), ann)).isFalse();
    assertThat(isOver(two(), ben)).isFalse();

    one().leave(queue, "ann").is(200);
    two().complete(queue, ben).is(200);

    for (TestServer server : List.of(one(), two())) {
      await().untilAsserted(() -> assertThat(isOver(server, ann)).isTrue());
      await().untilAsserted(() -> assertThat(isOver(server, ben)).isTrue());
      assertThat(isOver(server, cho)).isFalse();
    }
    one().enter(queue, "ann").is(201);
    await().until(() -> one().status(queue, "ann").text("status").equals("ENTERED"));
    String again = one().pass(queue, "ann");
    assertThat(isOver(one(), again)).as("a turn of its own").isFalse();
    assertThat(isOver(one(), ann)).isTrue();
  }

  @Test
  void ended_afterACursor_isOnlyWhatIsNew_andNothingOfItIsMissingOnTheOtherServer() {
    String ann = admit("ann");
    String ben = admit("ben");
    one().leave(queue, "ann").is(200);
    await().untilAsserted(() -> assertThat(isOver(one(), ann)).isTrue());
    EndedTurns first = ended(one(), "");
    String cursor = first.born() + "." + first.to();
    assertThat(ended(one(), cursor).passes()).isEmpty();

    one().leave(queue, "ben").is(200);

    Pass benClaims = verified(one(), ben);
    for (TestServer server : List.of(one(), two())) {
      await().untilAsserted(() -> assertThat(contains(ended(server, cursor), benClaims)).isTrue());
    }
    assertThat(contains(ended(one(), cursor), verified(one(), ann))).isFalse();
    assertThat(contains(ended(two(), "17." + first.to()), verified(one(), ann)))
        .as("of another queue of that name")
        .isTrue();
  }

  @Test
  void ended_queueDeleted_isOneLine_andOneMadeAnewOwesItsPeopleNothing() {
    String old = admit("ann");
    assertThat(isOver(two(), old)).isFalse();

    Answer deleted = one().admin("DELETE", "/admin/queues/" + queue + "?confirm=" + queue, "");
    assertThat(deleted.status()).isEqualTo(204);
    await()
        .untilAsserted(
            () -> {
              assertThat(isOver(two(), old)).isTrue();
              assertThat(ended(two(), "").passes()).as("one line is enough").isEmpty();
            });

    EndedTurns gone = ended(two(), "");
    String anew = admit("ann");
    assertThat(EndedTurns.joined(verified(one(), anew).id()))
        .as("good for gates, too, that have not heard of the new queue")
        .isGreaterThan(gone.born());
    for (TestServer server : List.of(one(), two())) {
      await().untilAsserted(() -> assertThat(isOver(server, anew)).isFalse());
      assertThat(isOver(server, old)).isTrue();
    }
  }

  @Test
  void ended_noSuchQueueOrABadCursor() {
    assertThat(ended(one(), "").born()).isPositive();
    assertThat(ended(one(), "").passes()).isEmpty();
    for (String bad : List.of("x", "1", "1.", "-1.0", "1.2.3", "1.9999999999999999999")) {
      one().client().get("/queue/" + queue + "/ended?after=" + bad).isProblem(400, "invalid-value");
    }
  }

  // Who completes.

  private Answer completeAsSite(String pass, String siteKey) {
    return one()
        .client()
        .post(
            "/queue/" + queue + "/complete",
            "Authorization",
            "Bearer " + pass,
            "Naru-Site-Key",
            siteKey);
  }

  @Test
  void complete_whereTheSiteAloneMay_isForTheSite() {
    String pass = admit("ann");
    one().activate(queue, "\"completedBy\":\"SITE\"").is(200);

    one().complete(queue, pass).isProblem(403, "site-only");
    completeAsSite(pass, "guessed").isProblem(401, "site-key");
    completeAsSite(pass, TestServer.KEY).isProblem(401, "site-key");
    assertThat(one().status(queue, "ann").text("status")).isEqualTo("ENTERED");

    completeAsSite("not-a-pass", TestServer.SITE_KEY).isProblem(403, "S806");
    completeAsSite(pass, TestServer.SITE_KEY).is(200);
    assertThat(one().status(queue, "ann").text("status")).isEqualTo("COMPLETED");
  }

  @Test
  void siteKey_opensNothingOfTheOperators() {
    one()
        .client()
        .get("/admin/queues", "Authorization", "Bearer " + TestServer.SITE_KEY)
        .isProblem(401, "unauthorized");
  }

  @Test
  void pass_saysWhatTheAdmissionSays() {
    String pass = admit("ann");
    Answer status = one().status(queue, "ann");
    long entered = Instant.parse(status.text("enteredAt")).getEpochSecond();

    assertThat(fields(decoded(pass, 0)))
        .containsOnlyKeys("typ", "alg", "kid")
        .containsEntry("typ", "naru-pass+jwt")
        .containsEntry("alg", "ES256");
    assertThat(fields(claimsOf(pass)))
        .containsOnlyKeys("iss", "aud", "queue", "sub", "jti", "iat", "nbf", "exp")
        .containsEntry("iss", ISSUER)
        .containsEntry("aud", queue)
        .containsEntry("queue", queue)
        .containsEntry("sub", "ann");
    Pass verified = verified(two(), pass);
    assertThat(verified.admittedAt().getEpochSecond()).isEqualTo(entered);
    assertThat(verified.expiresAt().getEpochSecond())
        .isEqualTo(Instant.parse(status.text("passExpiresAt")).getEpochSecond());
    assertThat(verified.id()).matches("[A-Za-z0-9_-]{32}");
  }

  @Test
  void pass_askedAgainAndElsewhere_hasTheSameClaims() {
    String pass = admit("ann");

    assertThat(one().pass(queue, "ann")).isEqualTo(pass);
    assertThat(claimsOf(two().pass(queue, "ann"))).isEqualTo(claimsOf(pass));
    Answer again = one().enter(queue, "ann").isProblem(409, "S802");
    assertThat(again.object("entry")).containsEntry("pass", pass);
  }

  @Test
  void pass_everybodyElseAndEveryTime_hasAnotherId() {
    String ann = admit("ann");
    String ben = admit("ben");
    one().leave(queue, "ann").is(200);
    String later = admit("ann");

    assertThat(Set.of(idOf(ann), idOf(ben), idOf(later))).hasSize(3);
  }

  private static String idOf(String pass) {
    return String.valueOf(fields(claimsOf(pass)).get("jti"));
  }

  @Test
  void pass_audienceSet_isForThat() {
    admit("ann");
    one().activate(queue, "\"audience\":\"shop\"").is(200);

    await()
        .untilAsserted(
            () ->
                assertThat(fields(claimsOf(two().pass(queue, "ann"))))
                    .containsEntry("aud", "shop")
                    .containsEntry("queue", queue));
  }

  @Test
  void complete_withThePassOfTheOtherServer_isDone() {
    String pass = admit("ann");

    two().complete(queue, pass).is(200);

    assertThat(one().figures(queue)).containsEntry("inside", 0);
    one().complete(queue, pass).is(200);
  }

  @Test
  void rotate_passesBeforeAndAfter_verifyWithoutAGap() {
    String before = admit("ann");
    Set<String> published = jwks(two()).keySet();

    Map<String, String> states = states(one().admin("POST", "/admin/keys/rotate", ""));

    String after = admit("ben");
    assertThat(states)
        .containsEntry(kidOf(before), "RETIRED")
        .containsEntry(kidOf(after), "IN_USE")
        .containsValue("NEXT");
    assertThat(published).as("keys known before the rotation").contains(kidOf(after));
    verified(two(), before);
    verified(two(), after);
    two().complete(queue, before).is(200);
    two().complete(queue, after).is(200);
    await()
        .atMost(SEEN_BY_ALL)
        .untilAsserted(() -> assertThat(jwks(two())).containsOnlyKeys(jwks(one()).keySet()));
  }

  @Test
  void revoke_inUse_isRefusedEverywhereAndListed() {
    String pass = admit("ann");
    String kid = kidOf(pass);

    assertThat(states(revoke(one(), kid))).containsEntry(kid, "REVOKED");

    assertThat(jwks(one())).doesNotContainKey(kid);
    assertThat(revocations(one()).keyIds()).contains(kid);
    one().complete(queue, pass).isProblem(403, "S806");
    await()
        .atMost(SEEN_BY_ALL)
        .untilAsserted(
            () -> {
              assertThat(jwks(two())).doesNotContainKey(kid);
              assertThat(revocations(two()).keyIds()).contains(kid);
              two().complete(queue, pass).isProblem(403, "S806");
            });
    assertThat(verify(two(), pass))
        .isInstanceOfSatisfying(
            Verification.Refused.class, r -> assertThat(r.reason()).isEqualTo(Reason.UNKNOWN_KEY));
    assertThat(one().figures(queue)).containsEntry("inside", 1).containsEntry("completed", 0);
    // Whoever is inside honestly goes on, with the same right under another key.
    String fresh = one().pass(queue, "ann");
    assertThat(claimsOf(fresh)).isEqualTo(claimsOf(pass));
    verified(two(), fresh);
    two().complete(queue, fresh).is(200);
  }

  @Test
  void revokePass_isRefusedAndListed() {
    String pass = admit("ann");
    String other = admit("ben");
    String id = idOf(pass);

    one().admin("POST", "/admin/passes/revoke", "{\"jti\":\"" + id + "\"}").is(200);

    assertThat(revocations(one()).passIds()).contains(id);
    one().complete(queue, pass).isProblem(403, "S806");
    one().redeem(queue, pass, "s1").isProblem(403, "S806");
    await().atMost(SEEN_BY_ALL).until(() -> revocations(two()).passIds().contains(id));
    two().complete(queue, one().pass(queue, "ann")).isProblem(403, "S806");
    two().complete(queue, other).is(200);
  }

  @Test
  void revoke_unknownOrMalformed_isRefused() {
    revoke(one(), "unknown").isProblem(404, "key-not-found");
    revoke(one(), "../x").isInvalid("kid");
    one().admin("POST", "/admin/keys/revoke", "{\"jti\":\"x\"}").isInvalid("jti");
    one().admin("POST", "/admin/keys/revoke", "{}").isInvalid("kid");
    one().admin("POST", "/admin/passes/revoke", "{\"jti\":7}").isInvalid("jti");
  }

  @Test
  void complete_tokenSignedWithAnotherKey_isRefused() {
    String pass = admit("ann");
    var foreign = PassKey.generate(Algorithm.ES256);
    String forged = new PassSigner(foreign).sign(verified(one(), pass));

    one().complete(queue, forged).isProblem(403, "S806");

    assertThat(one().figures(queue)).containsEntry("inside", 1);
  }

  @Test
  void complete_revocationListAsAPass_isRefused() {
    admit("ann");
    String list = one().client().get("/.well-known/naru-revocations").body();

    one().complete(queue, list).isProblem(403, "S806");
  }

  @Test
  void redeem_onOneServer_holdsOnTheOther() {
    String pass = admit("ann");

    one().redeem(queue, pass, "s1").is(200);

    two().redeem(queue, pass, "s2").isProblem(403, "S806");
    two().redeem(queue, pass, "s1").is(200);
  }

  @Test
  void logs_neverShowPassesOrKeys() {
    var root = (Logger) LoggerFactory.getLogger("io.naru");
    Level before = root.getLevel();
    var lines = new ListAppender<ILoggingEvent>();
    lines.start();
    root.setLevel(Level.TRACE);
    root.addAppender(lines);
    try {
      String pass = admit("ann");
      one().complete(queue + "-x", pass).isProblem(403, "S806");
      one().complete(queue, pass + "x").isProblem(403, "S806");
      one().redeem(queue, pass, "the-session").is(200);
      one().complete(queue, pass).is(200);
      one().admin("POST", "/admin/keys/rotate", "").is(200);
      String signature = pass.substring(pass.lastIndexOf('.') + 1);
      await()
          .until(
              () -> List.copyOf(lines.list).stream().anyMatch(e -> text(e).contains(idOf(pass))));
      for (ILoggingEvent line : List.copyOf(lines.list)) {
        assertThat(text(line)).doesNotContain(signature, "the-session", "\"d\":");
      }
    } finally {
      root.detachAppender(lines);
      root.setLevel(before);
    }
  }

  private static String text(ILoggingEvent event) {
    return event.getFormattedMessage() + event.getThrowableProxy();
  }

  @Test
  void inUse_isTheSameOnBoth() {
    await().atMost(SEEN_BY_ALL).until(() -> inUse(one()).equals(inUse(two())));
  }
}
