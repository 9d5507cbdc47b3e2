package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Floods from one address, as a listed proxy names it; the time is set and stands still. */
class AddressLimitsTest {

  private static final String QUEUE = "SALE/1";
  private static final String ENTER = "/queue/SALE/1/enter";
  private static final String FLOOD = "203.0.113.9";

  @TempDir private Path data;
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-03-01T09:00:00Z"));
  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.start(TestServer.config(data, null), now::get);
    server.activate(QUEUE, "\"maxCapacity\":1,\"entryIntervalSeconds\":3600").is(201);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void advance(Duration by) {
    now.updateAndGet(instant -> instant.plus(by));
  }

  private Answer enter(String address) {
    return server.client().post(ENTER, "X-Forwarded-For", address);
  }

  /** How often each status was answered. */
  private Map<Integer, Integer> enter(int times, String address) {
    var answers = new HashMap<Integer, Integer>();
    for (int i = 0; i < times; i++) {
      answers.merge(enter(address).status(), 1, Integer::sum);
    }
    return answers;
  }

  private static String cookie(Answer answer) {
    return Objects.requireNonNull(answer.header("set-cookie")).split(";", 2)[0];
  }

  @Test
  void newcomers_manyFromOneAddress_areSlowedAndNotLockedOut() {
    assertThat(enter(150, FLOOD)).isEqualTo(Map.of(201, 100, 429, 50));

    Answer refused = enter(FLOOD).isProblem(429, "too-many-newcomers");
    assertThat(Long.parseLong(Objects.requireNonNull(refused.header("retry-after"))))
        .isBetween(1L, 6L);
    assertThat(refused.header("set-cookie")).isNull();
    assertThat(server.figures(QUEUE)).containsEntry("joined", 100);

    advance(Duration.ofSeconds(1));
    assertThat(enter(20, FLOOD)).isEqualTo(Map.of(201, 10, 429, 10));
  }

  @Test
  void newcomers_tooMany_thoseWhoHaveAPlaceDoNotNotice() {
    Answer first = enter(FLOOD).is(201);
    enter(150, FLOOD);

    String[] known = {"X-Forwarded-For", FLOOD, "Cookie", cookie(first)};
    server.client().get("/queue/SALE/1/status", known).is(200);
    server.client().post(ENTER, known).isProblem(409, "S802");
    server.statusByToken(first.text("entryToken")).is(200);
    server.client().post(ENTER, "X-Forwarded-For", FLOOD, "User-Id", "customer-42").is(201);
  }

  @ParameterizedTest
  @CsvSource({
    "203.0.113.9, 203.0.113.10, 201",
    "203.0.113.9, '203.0.113.9, 127.0.0.1', 429",
    "203.0.113.9, '198.51.100.1, 203.0.113.9', 429",
    "2001:db8:1:2::1, 2001:db8:1:2:ffff::9, 429",
    "2001:db8:1:2::1, 2001:db8:1:3::1, 201"
  })
  void newcomers_tooMany_othersDoNotNotice(String flood, String other, int status) {
    enter(101, flood);

    assertThat(enter(other).status()).isEqualTo(status);
  }

  /** More than its whole network may: what one is refused, the others have not used up. */
  @ParameterizedTest
  @CsvSource({"203.0.113.9, 203.0.113.10", "2001:db8:1:2::1, 2001:db8:1:3::1"})
  void newcomers_refusedToOneAddress_areNotTakenFromItsNetwork(String flood, String other) {
    assertThat(enter(1_101, flood)).isEqualTo(Map.of(201, 100, 429, 1_001));

    assertThat(enter(100, other)).isEqualTo(Map.of(201, 100));
  }

  @ParameterizedTest
  @CsvSource({
    "198.51.100.%d, 198.51.100.77, 198.51.101.1",
    "2001:db8:1:%d::1, 2001:db8:1:77::1, 2001:db8:2::1"
  })
  void newcomers_manyFromOneNetwork_areSlowed(String format, String same, String other) {
    for (int i = 1; i <= 10; i++) {
      assertThat(enter(100, format.formatted(i))).isEqualTo(Map.of(201, 100));
    }

    enter(same).isProblem(429, "too-many-newcomers");
    enter(other).is(201);
  }

  @Test
  void newcomers_fromTheProxyItself_areNotLimited() {
    for (int i = 0; i < 150; i++) {
      server.client().post(ENTER).is(201);
    }
  }

  @Test
  void newcomers_withoutScripts_seeAPage() {
    enter(100, FLOOD);

    Answer page = server.client().post("/wait/SALE/1", "X-Forwarded-For", FLOOD);

    assertThat(page.status()).isEqualTo(429);
    assertThat(page.header("retry-after")).isNotNull();
    assertThat(page.body()).contains("<form", "you are not in line yet");
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /queue/token/AQAA-forged/status, ''",
    "GET, /queue/SALE/1/subscribe/AQAA-forged, ''",
    "POST, /queue/SALE/1/leave, Bearer AQAA-forged"
  })
  void tokens_forged_moreThanTwentyAMinute_are429(String method, String path, String bearer) {
    String token = server.enter(QUEUE, "ann").is(201).text("entryToken");
    String[] headers =
        bearer.isEmpty()
            ? new String[] {"X-Forwarded-For", FLOOD}
            : new String[] {"X-Forwarded-For", FLOOD, "Authorization", bearer};
    for (int i = 0; i < 20; i++) {
      say(method, path, headers).isProblem(404, "S803");
    }

    Answer refused = say(method, path, headers).isProblem(429, "too-many-misses");

    assertThat(refused.header("retry-after")).isEqualTo("3");
    // Whoever has a real one is answered all the same, and elsewhere nobody waits.
    server.client().get("/queue/token/" + token + "/status", "X-Forwarded-For", FLOOD).is(200);
    server
        .client()
        .get("/queue/token/forged/status", "X-Forwarded-For", "198.51.100.1")
        .isProblem(404, "S803");
    advance(Duration.ofSeconds(3));
    say(method, path, headers).isProblem(404, "S803");
    say(method, path, headers).isProblem(429, "too-many-misses");
  }

  private Answer say(String method, String path, String... headers) {
    return method.equals("GET")
        ? server.client().get(path, headers)
        : server.client().post(path, headers);
  }

  private Answer admin(String address, String key) {
    return server
        .client()
        .get("/admin/queues", "X-Forwarded-For", address, "Authorization", "Bearer " + key);
  }

  @Test
  void adminKeys_wrong_areLookedAtMoreAndMoreSeldom() {
    for (int i = 0; i < 6; i++) {
      admin(FLOOD, "wrong" + i).isProblem(401, "unauthorized");
    }
    int guess = 6;
    for (int seconds : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
      Answer wait = admin(FLOOD, "wrong" + guess).isProblem(429, "too-many-attempts");
      assertThat(wait.header("retry-after")).isEqualTo("" + seconds);
      // Else the right one could be guessed all the same.
      admin(FLOOD, TestServer.KEY).isProblem(429, "too-many-attempts");
      admin("198.51.100.1", TestServer.KEY).is(200);
      server.queue(QUEUE).is(200);
      advance(Duration.ofSeconds(seconds));
      admin(FLOOD, "wrong" + guess++).isProblem(401, "unauthorized");
    }

    advance(Duration.ofMinutes(1));
    admin(FLOOD, TestServer.KEY).is(200);
    admin(FLOOD, "wrong").isProblem(401, "unauthorized");
    admin(FLOOD, TestServer.KEY).is(200);
  }

  /** As a gate does whose signal key was revoked. */
  @Test
  void adminKeys_theSameWrongOne_isNoNewGuess() {
    for (int i = 0; i < 40; i++) {
      admin(FLOOD, "revoked").isProblem(401, "unauthorized");
    }
    admin(FLOOD, TestServer.KEY).is(200);

    // Nor does it use up the look of another one while somebody there does guess.
    for (int i = 0; i < 6; i++) {
      admin(FLOOD, "wrong" + i).isProblem(401, "unauthorized");
    }
    admin(FLOOD, "revoked").isProblem(429, "too-many-attempts");
    advance(Duration.ofSeconds(1));
    admin(FLOOD, "wrong5").isProblem(401, "unauthorized");
    admin(FLOOD, "wrong4").isProblem(401, "unauthorized");
    admin(FLOOD, TestServer.KEY).is(200);
  }

  /** What is known of an address is bounded: more than that are guesses, also in turn. */
  @Test
  void adminKeys_manyInTurn_areGuesses() {
    int looked = 0;
    for (int round = 0; round < 4; round++) {
      for (int i = 0; i < 10; i++) {
        looked += admin(FLOOD, "wrong" + i).status() == 401 ? 1 : 0;
      }
    }

    assertThat(looked).isEqualTo(6);
    admin(FLOOD, TestServer.KEY).isProblem(429, "too-many-attempts");
  }

  @Test
  void adminKeys_none_isNoGuess() {
    for (int i = 0; i < 20; i++) {
      server.client().get("/admin/queues", "X-Forwarded-For", FLOOD).isProblem(401, "unauthorized");
    }

    admin(FLOOD, TestServer.KEY).is(200);
  }

  @Test
  void sameMachine_byDefault_isNoVisitor_andSomeKeysAreLookedAtWhateverOthersGuess(
      @TempDir Path own) {
    try (var direct =
        TestServer.start(
            new Naru.Config(
                0,
                "127.0.0.1",
                own,
                null,
                null,
                TestServer.KEY,
                TestServer.SITE_KEY,
                Naru.Visitors.DEFAULT,
                Naru.Watching.ANY_PORT,
                TestServer.config(own, null).poll(),
                TestServer.config(own, null).keys()),
            now::get)) {
      direct.activate(QUEUE, "").is(201);
      for (int i = 0; i < 150; i++) {
        direct.client().post(ENTER).is(201);
      }
      for (int i = 0; i < 20; i++) {
        direct.statusByToken("forged").isProblem(404, "S803");
      }
      direct.statusByToken("forged").isProblem(429, "too-many-misses");
      // As a stranger does behind a proxy that does not say from whom.
      int guess = 0;
      for (; guess < 6; guess++) {
        guess(direct, guess).isProblem(401, "unauthorized");
      }
      direct.client().get("/admin/queues", "Authorization", "Bearer " + TestServer.KEY).is(200);

      for (; guess < 6 + 6 + 9; guess++) {
        guess(direct, guess).isProblem(401, "unauthorized");
      }
      guess(direct, guess).isProblem(429, "too-many-attempts");
    }
  }

  private static Answer guess(TestServer server, int number) {
    return server.client().get("/admin/queues", "Authorization", "Bearer x" + number);
  }
}
