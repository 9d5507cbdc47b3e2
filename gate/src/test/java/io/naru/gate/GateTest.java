package io.naru.gate;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.util.JSONObjectUtils;
import io.naru.gate.FakeNaru.Mood;
import io.naru.pass.Algorithm;
import io.naru.pass.PassKey;
import io.naru.pass.Reason;
import io.naru.pass.Verification;
import io.naru.pass.Verification.Refused;
import io.naru.pass.Verification.Verified;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The gate against a Naru that fails in many ways, and against visitors who try things. */
class GateTest {

  private final FakeNaru naru = new FakeNaru();
  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());

  /** Polls only when a test says so. */
  private Gate gate() {
    var gate = new Gate(naru.gate().settings(), Gate.Keys.NONE, GateListener.NONE, now::get, false);
    gate.trust().poll();
    return gate;
  }

  @AfterEach
  void close() {
    naru.close();
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void check_validPass_isVerifiedAndAsksNobody(Algorithm algorithm) {
    naru.key = PassKey.generate(algorithm);
    naru.published.add(naru.key);
    Gate gate = gate();
    naru.asked.clear();

    for (int i = 0; i < 3; i++) {
      assertThat(gate.check(naru.token("p1")))
          .isInstanceOfSatisfying(
              Verified.class, verified -> assertThat(verified.pass().user()).isEqualTo("user-7"));
    }
    assertThat(naru.asked).isEmpty();
  }

  @Test
  void check_foreignAudienceOrQueue_isRefused() {
    try (Gate other = Gate.builder(naru.url(), "TIMEDEAL/124").audience("TIMEDEAL/123").open();
        Gate shop = naru.gate().audience("shop").open()) {
      assertRefused(other.check(naru.token("p1")), Reason.QUEUE);
      assertRefused(shop.check(naru.token("p1")), Reason.AUDIENCE);
    }
  }

  // --- attack 5: hostile headers, and nobody is called because of them

  @Test
  void check_hostileHeaders_areRefusedAndCauseNoRequest() throws Exception {
    Gate gate = gate();
    try (var trap = new FakeNaru()) {
      naru.asked.clear();
      PassKey attackers = trap.key;
      for (Map<String, Object> extra :
          List.<Map<String, Object>>of(
              Map.of("jku", trap.url() + "/.well-known/jwks.json"),
              Map.of("x5u", trap.url() + "/cert.pem"),
              Map.of("jwk", JSONObjectUtils.parse(attackers.publicHalf().toJwk())),
              Map.of("x5c", List.of("MIIB")),
              Map.of("kid", trap.url() + "/.well-known/jwks.json"),
              Map.of("iss", trap.url()))) {
        Map<String, Object> header =
            JSONObjectUtils.parse(
                "{\"typ\":\"naru-pass+jwt\",\"alg\":\"ES256\",\"kid\":\"%s\"}"
                    .formatted(attackers.id()));
        header.putAll(extra);
        String[] parts = trap.token("p1").split("\\.", -1);
        String hostile =
            encode(JSONObjectUtils.toJSONString(header)) + "." + parts[1] + "." + parts[2];
        assertThat(gate.check(hostile)).as("%s", extra).isInstanceOf(Refused.class);
      }
      assertThat(trap.asked).isEmpty();
      assertThat(naru.asked).isEmpty();
    }
  }

  // --- attack 6: keys

  @Test
  void check_tenThousandUnknownKids_causeOneFetchInHalfAMinute() {
    Gate gate = gate();
    long before = naru.fetchesOfKeys();
    var random = new SecureRandom();

    IntStream.range(0, 10_000)
        .parallel()
        .forEach(
            i -> {
              byte[] kid = new byte[32];
              random.nextBytes(kid);
              assertRefused(gate.check(unknown(encode(kid))), Reason.UNKNOWN_KEY);
            });

    assertThat(naru.fetchesOfKeys() - before).isEqualTo(1);
    assertThat(gate.check(naru.token("p1"))).isInstanceOf(Verified.class);

    now.updateAndGet(t -> t.plus(Trust.UNKNOWN_KEY_EVERY));
    assertRefused(gate.check(unknown("A".repeat(43))), Reason.UNKNOWN_KEY);
    assertThat(naru.fetchesOfKeys() - before).isEqualTo(2);
  }

  @Test
  void check_newKeyOfNaru_isFetchedAtFirstSight() {
    Gate gate = gate();
    naru.key = PassKey.generate(Algorithm.ES256);
    naru.published.add(naru.key);

    assertThat(gate.check(naru.token("p1"))).isInstanceOf(Verified.class);
  }

  @Test
  void check_newKeyOfNaru_whereNobodyMayWait_isFetchedAside() {
    try (Gate gate = naru.gate().pollEvery(Duration.ofMinutes(1)).neverWaits().open()) {
      naru.key = PassKey.generate(Algorithm.ES256);
      naru.published.add(naru.key);
      naru.keysHeld = new CountDownLatch(1);

      assertRefused(gate.check(naru.token("p1")), Reason.UNKNOWN_KEY);
      naru.keysHeld.countDown();
      await().until(() -> gate.check(naru.token("p1")) instanceof Verified);
    }
  }

  @Test
  void poll_keysRotatedAgainAndAgain_gateKnowsEachBeforeItSigns() {
    Gate gate = gate();
    for (int i = 0; i < 5; i++) {
      naru.key = naru.next;
      naru.next = PassKey.generate(Algorithm.ES256);
      naru.published.add(naru.next);
      gate.trust().poll();
    }
    naru.goAway();

    naru.key = naru.next;
    assertThat(gate.check(naru.token("p1"))).isInstanceOf(Verified.class);
  }

  @Test
  void poll_keysAreFetchedAgainEveryMinute_andWithdrawnOnesForgotten() {
    Gate gate = gate();
    String token = naru.token("p1");
    assertThat(gate.check(token)).isInstanceOf(Verified.class);
    naru.key = PassKey.generate(Algorithm.ES256);
    naru.published.clear();
    naru.published.add(naru.key);

    now.updateAndGet(t -> t.plus(Trust.KEYS_EVERY));
    gate.trust().poll();

    assertRefused(gate.check(token), Reason.UNKNOWN_KEY);
  }

  @ParameterizedTest
  @EnumSource(
      value = Mood.class,
      names = {"WELL"},
      mode = EnumSource.Mode.EXCLUDE)
  void check_whileNaruFails_cachedKeysServeOn(Mood mood) {
    Gate gate = gate();
    naru.mood = mood;
    now.updateAndGet(t -> t.plus(Trust.KEYS_EVERY));
    gate.trust().poll();

    assertThat(gate.status().problem()).isNotNull();
    assertThat(gate.status().ready()).isTrue();
    assertThat(gate.check(naru.token("p1"))).isInstanceOf(Verified.class);
    assertRefused(gate.check(unknown("A".repeat(43))), Reason.UNKNOWN_KEY);

    naru.mood = Mood.WELL;
    gate.trust().poll();
    assertThat(gate.status().problem()).isNull();
  }

  @ParameterizedTest
  @EnumSource(
      value = Mood.class,
      names = {"WELL"},
      mode = EnumSource.Mode.EXCLUDE)
  void open_whileNaruFails_refusesEverybodyUntilItIsBack(Mood mood) {
    naru.mood = mood;
    Gate gate = gate();

    assertThat(gate.status().ready()).isFalse();
    assertThat(gate.status().problem()).isNotNull();
    assertRefused(gate.check(naru.token("p1")), Reason.NO_KEYS);

    naru.mood = Mood.WELL;
    // A Naru that is silent is waited for.
    now.set(Instant.now());
    gate.trust().poll();
    assertThat(gate.check(naru.token("p1"))).isInstanceOf(Verified.class);
  }

  @Test
  void gate_naruGoneAndBack_noticesByItself() {
    naru.goAway();
    try (Gate gate = naru.gate().pollEvery(Duration.ofMillis(100)).open()) {
      assertRefused(gate.check(naru.token("p1")), Reason.NO_KEYS);
      naru.comeBack();
      await().until(() -> gate.check(naru.token("p1")) instanceof Verified);
      naru.goAway();
      await().until(() -> gate.status().problem() != null);
      assertThat(gate.check(naru.token("p2"))).isInstanceOf(Verified.class);
    }
  }

  @Test
  void fetch_redirects_areNotFollowed() {
    try (var trap = new FakeNaru()) {
      naru.mood = Mood.REDIRECTING;
      naru.elsewhere = trap.url();
      Gate gate = gate();

      assertThat(gate.status().ready()).isFalse();
      assertThat(gate.complete(naru.token("p1"))).isEqualTo(Answer.UNREACHABLE);
      assertThat(trap.asked).isEmpty();
    }
  }

  @Test
  void fetch_answerOfMoreThan64kB_isHungUpOn() {
    naru.mood = Mood.ENDLESS;

    assertThat(gate().status().problem()).contains("64 kB");
  }

  @Test
  void open_withoutRevocations_refusesEverybody() {
    // Keys alone are not enough: a revoked pass would be as good as any.
    naru.revokedKeys.add(naru.key.id());
    Gate gate = gate();
    assertThat(gate.status().keys()).isEqualTo(2);
    assertRefused(gate.check(naru.token("p1")), Reason.REVOKED_KEY);

    naru.published.clear();
    naru.published.add(PassKey.generate(Algorithm.ES256));
    Gate second = gate();
    assertThat(second.status().ready()).isFalse();
    assertRefused(second.check(naru.token("p1")), Reason.NO_KEYS);
  }

  // --- attacks 8 and 10: revocation

  @Test
  void check_revokedPass_isRefusedAfterOnePoll() {
    Gate gate = gate();
    String token = naru.token("p1");
    assertThat(gate.check(token)).isInstanceOf(Verified.class);

    naru.revokedPasses.add("p1");
    gate.trust().poll();

    assertRefused(gate.check(token), Reason.REVOKED_PASS);
    assertThat(gate.check(naru.token("p2"))).isInstanceOf(Verified.class);
  }

  @Test
  void check_revokedKey_isRefusedAfterOnePoll_andItsSuccessorIsKnown() {
    PassKey leaked = naru.key;
    PassKey next = PassKey.generate(Algorithm.ES256);
    naru.published.add(next);
    Gate gate = gate();
    String token = naru.token("p1");
    assertThat(gate.check(token)).isInstanceOf(Verified.class);

    naru.key = next;
    naru.published.remove(leaked);
    naru.revokedKeys.add(leaked.id());
    gate.trust().poll();
    long before = naru.fetchesOfKeys();

    assertRefused(gate.check(token), Reason.REVOKED_KEY);
    assertThat(gate.check(naru.token("p2"))).isInstanceOf(Verified.class);
    assertThat(naru.fetchesOfKeys()).as("nobody asks for revoked keys").isEqualTo(before);
  }

  @Test
  void poll_listSignedWithTheLeakedKey_isNotBelieved() {
    PassKey leaked = naru.key;
    PassKey next = PassKey.generate(Algorithm.ES256);
    naru.published.add(next);
    Gate gate = gate();
    String token = naru.token("p1");
    naru.key = next;
    naru.revokedKeys.add(leaked.id());
    gate.trust().poll();
    assertRefused(gate.check(token), Reason.REVOKED_KEY);

    naru.key = leaked;
    naru.revokedKeys.clear();
    gate.trust().poll();

    assertThat(gate.status().problem()).contains("revoked");
    assertRefused(gate.check(token), Reason.REVOKED_KEY);
  }

  @Test
  void poll_olderList_takesNothingBack() {
    naru.revokedPasses.add("p1");
    Gate gate = gate();
    assertRefused(gate.check(naru.token("p1")), Reason.REVOKED_PASS);

    naru.revokedPasses.clear();
    for (int seconds : new int[] {10, 1, 20}) {
      naru.listAge = Duration.ofSeconds(seconds);
      gate.trust().poll();
      assertRefused(gate.check(naru.token("p1")), Reason.REVOKED_PASS);
    }
  }

  @Test
  void gate_revokedPass_isRefusedWithoutHelp() {
    try (Gate gate = naru.gate().pollEvery(Duration.ofMillis(100)).open()) {
      String token = naru.token("p1");
      assertThat(gate.check(token)).isInstanceOf(Verified.class);
      naru.revokedPasses.add("p1");
      await().until(() -> gate.check(token) instanceof Refused);
    }
  }

  // --- complete and redeem

  @Test
  void complete_andRedeem_sayWhatNaruSaid() {
    Gate gate = gate();
    String token = naru.token("p1");
    naru.asked.clear();

    assertThat(gate.complete(token)).isEqualTo(Answer.DONE);
    assertThat(gate.redeem(token, "s-1")).isEqualTo(Answer.DONE);
    assertThat(naru.asked)
        .containsExactly(
            "POST /queue/TIMEDEAL/123/complete",
            "POST /queue/TIMEDEAL/123/redeem {\"session\":\"s-1\"}");
    naru.callStatus = 403;
    assertThat(gate.complete(token)).isEqualTo(Answer.REFUSED);
    assertThat(gate.redeem(token, "s-2")).isEqualTo(Answer.REFUSED);
    for (int status : new int[] {201, 204, 302, 429, 500, 503}) {
      naru.callStatus = status;
      assertThat(gate.redeem(token, "s-1")).as("%d", status).isEqualTo(Answer.UNREACHABLE);
    }
  }

  @Test
  void complete_withASiteKey_showsItToNaruAlone() {
    try (Gate gate = naru.gate().siteKey("key-of-the-site").open()) {
      assertThat(naru.siteKey).as("with what anybody may fetch").isNull();
      assertThat(gate.complete(naru.token("p1"))).isEqualTo(Answer.DONE);
      assertThat(naru.siteKey).isEqualTo("key-of-the-site");
      assertThat(gate.settings().toString()).doesNotContain("key-of-the-site");

      naru.callStatus = 401;
      assertThat(gate.complete(naru.token("p1")))
          .as("not the pass's fault")
          .isEqualTo(Answer.UNREACHABLE);
    }
    assertThatThrownBy(() -> naru.gate().siteKey("two\r\nlines").open())
        .isInstanceOf(WrongSetting.class)
        .hasMessageContaining("siteKey")
        .hasMessageNotContaining("lines");
  }

  @ParameterizedTest
  @EnumSource(
      value = Mood.class,
      names = {"WELL", "RUBBISH"},
      mode = EnumSource.Mode.EXCLUDE)
  void redeem_naruCannotBeAsked_isNoYes(Mood mood) {
    Gate gate = gate();
    naru.mood = mood;

    assertThat(gate.redeem(naru.token("p1"), "s-1")).isEqualTo(Answer.UNREACHABLE);
  }

  @Test
  void complete_keyThatTheGateDoesNotKnow_isForNaruToJudge() {
    Gate gate = gate();
    gate.check(unknown("A".repeat(43)));
    naru.key = PassKey.generate(Algorithm.ES256);
    naru.published.add(naru.key);
    String token = naru.token("p1");
    assertRefused(gate.check(token), Reason.UNKNOWN_KEY);

    assertThat(gate.complete(token)).isEqualTo(Answer.DONE);
  }

  @Test
  void complete_whatIsNoPass_neverLeavesTheHouse() {
    Gate gate = gate();
    naru.asked.clear();

    assertThat(gate.complete("junk\r\nX-Evil: 1")).isEqualTo(Answer.REFUSED);
    assertThat(naru.asked).isEmpty();
    assertThatThrownBy(() -> gate.redeem(naru.token("p1"), "a\",\"b\":\""))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void complete_expiredPass_isForNaruToJudge() {
    Gate gate = gate();
    String token = naru.token("p1");
    now.updateAndGet(t -> t.plusSeconds(3_600));

    assertThat(gate.complete(token)).isEqualTo(Answer.DONE);
  }

  // --- settings

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "naru.example", "ftp://naru.example", "http://u:p@naru.example",
        "http://naru.example?x", "http://naru.example#x", "http:///x", "http://a b"
      })
  void url_thatIsNoAddress_isRefusedByName(String url) {
    assertThatThrownBy(() -> Gate.builder(url, FakeNaru.QUEUE).open())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("url");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "TIMEDEAL", "timedeal/1", "A/../b", "A/b/c", "A/b?x", "A/%2e"})
  void queue_thatIsNoName_isRefused(String queue) {
    assertThatThrownBy(() -> Gate.builder("http://127.0.0.1:1", queue).open())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("queue must be TYPE/id");
  }

  @Test
  void settings_outOfRange_areNamed() {
    GateBuilder gate = Gate.builder("http://127.0.0.1:1/", FakeNaru.QUEUE);
    assertThat(gate.settings().waitingPage()).isEqualTo("http://127.0.0.1:1/wait/TIMEDEAL/123");
    assertThatThrownBy(() -> gate.pollEvery(Duration.ZERO).open())
        .hasMessageContaining("pollEvery");
    gate.pollEvery(GateBuilder.DEFAULT_POLL_EVERY);
    assertThatThrownBy(() -> gate.clockSkew(Duration.ofHours(1)).open())
        .hasMessageContaining("clockSkew");
    gate.clockSkew(Duration.ZERO);
    assertThatThrownBy(() -> gate.protect().open()).hasMessageContaining("protect");
  }

  private String unknown(String kid) {
    String[] parts = {"", encode("{}"), encode(new byte[64])};
    String header = "{\"typ\":\"naru-pass+jwt\",\"alg\":\"ES256\",\"kid\":\"%s\"}".formatted(kid);
    return encode(header) + "." + parts[1] + "." + parts[2];
  }

  private static void assertRefused(Verification verification, Reason reason) {
    assertThat(verification)
        .isInstanceOfSatisfying(
            Refused.class, refused -> assertThat(refused.reason()).isEqualTo(reason));
  }

  private static String encode(String text) {
    return encode(text.getBytes(UTF_8));
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
