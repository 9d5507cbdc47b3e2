package io.naru.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.naru.gate.FakeNaru.Mood;
import io.naru.pass.Algorithm;
import io.naru.pass.EndedTurns;
import io.naru.pass.Pass;
import io.naru.pass.PassKey;
import io.naru.pass.PassSigner;
import io.naru.pass.Reason;
import io.naru.pass.Verification;
import io.naru.pass.Verification.Refused;
import io.naru.pass.Verification.Verified;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Attack 25: a pass is used after its turn, and lists that lie about that. */
class TurnsOverTest {

  private final FakeNaru naru = new FakeNaru();
  private volatile Instant now = Instant.now();

  TurnsOverTest() {
    naru.clock = () -> now;
  }

  @AfterEach
  void close() {
    naru.close();
  }

  /** Polls only when a test says so. */
  private Gate gate(GateBuilder builder) {
    var gate = new Gate(builder.settings(), Gate.Keys.NONE, GateListener.NONE, () -> now, false);
    gate.trust().poll();
    return gate;
  }

  private Gate gate() {
    return gate(naru.gate());
  }

  @Test
  void turnOver_isRefusedAfterOnePoll_andOthersGoOn() {
    Gate gate = gate();
    Pass left = naru.pass("p1");
    assertThat(gate.check(sign(left))).isInstanceOf(Verified.class);

    naru.over.add(left);
    gate.trust().poll();

    assertRefused(gate.check(sign(left)), Reason.TURN_OVER);
    assertThat(gate.check(naru.token("p2"))).isInstanceOf(Verified.class);
  }

  @Test
  void turnOver_withoutHelp() {
    naru.clock = InstantSource.system();
    try (Gate gate = naru.gate().pollEvery(Duration.ofMillis(100)).open()) {
      Pass left = naru.pass("p1");
      assertThat(gate.check(sign(left))).isInstanceOf(Verified.class);
      naru.over.add(left);
      await().until(() -> gate.check(sign(left)) instanceof Refused);
    }
  }

  @Test
  void manyParts_areAllTakenWithOnePoll_andThenOnlyWhatIsNew() {
    for (int i = 0; i < 100; i++) {
      naru.over.add(naru.pass("p" + i));
    }
    Gate gate = gate();
    for (Pass each : naru.over) {
      assertRefused(gate.check(sign(each)), Reason.TURN_OVER);
    }
    naru.asked.clear();
    naru.over.add(naru.pass("late"));
    gate.trust().poll();

    assertThat(naru.asked.stream().filter(what -> what.endsWith("/ended"))).hasSize(1);
    assertRefused(gate.check(naru.token("late")), Reason.TURN_OVER);
  }

  @Test
  void beforeTheFirstList_everybodyIsRefused() {
    naru.endedStatus = 503;
    Gate gate = gate();

    assertThat(gate.status().ready()).isFalse();
    assertThat(gate.status().problem()).contains("ended").contains("503");
    assertRefused(gate.check(naru.token("p1")), Reason.NO_KEYS);

    naru.endedStatus = 200;
    gate.trust().poll();
    assertThat(gate.check(naru.token("p1"))).isInstanceOf(Verified.class);
    assertThat(gate.status().turnsAt()).isEqualTo(now);
  }

  @Test
  void olderNaru_thatDoesNotTell_isTakenAsItIs() {
    naru.endedStatus = 404;
    Gate gate = gate();

    assertThat(gate.status().ready()).isTrue();
    assertThat(gate.status().problem()).isNull();
    assertThat(gate.check(naru.token("p1"))).isInstanceOf(Verified.class);
  }

  @Test
  void queueDeleted_isOneLine_andNobodyGetsIn() {
    Gate gate = gate();
    assertThat(gate.check(naru.token("p1"))).isInstanceOf(Verified.class);

    naru.born = 0;
    gate.trust().poll();

    assertRefused(gate.check(naru.token("p1")), Reason.TURN_OVER);
  }

  @Test
  void queueMadeAnew_itsPassesAreGood_andThoseOfTheOldOneAreNot() {
    naru.born = 1_000;
    Gate gate = gate();
    String old = sign(naru.pass(id(1_500)));
    assertThat(gate.check(old)).isInstanceOf(Verified.class);

    naru.born = 2_000;
    gate.trust().poll();

    assertRefused(gate.check(old), Reason.TURN_OVER);
    assertThat(gate.check(sign(naru.pass(id(2_000))))).isInstanceOf(Verified.class);
    naru.over.add(naru.pass(id(2_000)));
    gate.trust().poll();
    assertRefused(gate.check(sign(naru.pass(id(2_000)))), Reason.TURN_OVER);
  }

  /** As NTP does; and as with two servers whose clocks are apart. */
  @Test
  void clockOfNaruSetBack_whatIsOverOrRevokedThenIsHeardOf() {
    Gate gate = gate();
    naru.listAge = Duration.ofSeconds(60);
    Pass left = naru.pass("p1");
    naru.over.add(left);
    naru.revokedPasses.add("p2");
    gate.trust().poll();

    assertThat(gate.status().problem()).isNull();
    assertRefused(gate.check(sign(left)), Reason.TURN_OVER);
    assertRefused(gate.check(naru.token("p2")), Reason.REVOKED_PASS);

    naru.listAge = Duration.ZERO;
    naru.revokedPasses.remove("p2");
    gate.trust().poll();
    assertThat(gate.status().problem()).isNull();
    assertThat(gate.check(naru.token("p2"))).isInstanceOf(Verified.class);
  }

  // --- lists that lie

  @Test
  void listOfAnotherKey_orUnsigned_isNotBelieved() {
    naru.over.add(naru.pass("p1"));
    Gate gate = gate();
    PassKey attackers = PassKey.generate(Algorithm.ES256);
    EndedTurns nothing = part(naru.born, 0, 99);
    for (String hostile :
        new String[] {nothing.sign(attackers), "", "junk", unsigned(nothing.sign(naru.key))}) {
      naru.replayed = hostile;
      gate.trust().poll();
      assertThat(gate.status().problem()).as(hostile).isNotNull();
    }
    naru.replayed = null;
    naru.over.add(naru.pass("p2"));
    gate.trust().poll();

    assertRefused(gate.check(naru.token("p1")), Reason.TURN_OVER);
    assertRefused(gate.check(naru.token("p2")), Reason.TURN_OVER);
  }

  @Test
  void listOfAnotherQueue_orAnotherNaru_isNotBelieved() {
    Gate gate = gate();
    for (EndedTurns foreign :
        new EndedTurns[] {
          new EndedTurns(naru.url(), "TIMEDEAL/124", now, 0, 0, 0, false, new TreeMap<>()),
          new EndedTurns(
              "https://other.example", FakeNaru.QUEUE, now, 0, 0, 0, false, new TreeMap<>())
        }) {
      naru.replayed = foreign.sign(naru.key);
      gate.trust().poll();
      assertThat(gate.status().problem()).contains("refused");
      assertThat(gate.check(naru.token("p1"))).isInstanceOf(Verified.class);
    }
  }

  @Test
  void oldList_sentAgain_isNotBelieved() {
    Pass left = naru.pass("p1");
    String before = naru.ended(0);
    naru.over.add(left);
    now = now.plusSeconds(70);
    Gate gate = gate();
    assertRefused(gate.check(sign(left)), Reason.TURN_OVER);

    naru.replayed = before;
    gate.trust().poll();

    assertThat(gate.status().problem()).contains("its time is over");
    assertRefused(gate.check(sign(left)), Reason.TURN_OVER);
  }

  /** Within its life it says nothing new, and takes nothing back. */
  @Test
  void listFromBeforeAnEnd_sentAgain_changesNothing() {
    String before = naru.ended(0);
    now = now.plusSeconds(20);
    Pass left = naru.pass("p1");
    naru.over.add(left);
    Gate gate = gate();

    naru.replayed = before;
    for (int i = 0; i < 12; i++) {
      gate.trust().poll();
      assertRefused(gate.check(sign(left)), Reason.TURN_OVER);
    }
    naru.replayed = null;
    naru.over.add(naru.pass("p2"));
    gate.trust().poll();

    assertRefused(gate.check(naru.token("p2")), Reason.TURN_OVER);
    assertRefused(gate.check(sign(left)), Reason.TURN_OVER);
  }

  /** Within its life, an earlier one of a queue that is gone since. */
  @Test
  void listFromBeforeTheDeletion_sentAgain_isNotBelieved() {
    String before = naru.ended(0);
    naru.born = 0;
    now = now.plusSeconds(20);
    Gate gate = gate();
    assertRefused(gate.check(naru.token("p1")), Reason.TURN_OVER);

    naru.replayed = before;
    gate.trust().poll();

    assertThat(gate.status().problem()).contains("older than those known");
    assertRefused(gate.check(naru.token("p1")), Reason.TURN_OVER);
  }

  @Test
  void listWithAHoleBefore_isNotBelieved() {
    Gate gate = gate();
    naru.lie = part -> part(naru.born, 5, 9);
    gate.trust().poll();

    assertThat(gate.status().problem()).contains("missing");
  }

  @Test
  void listThatHasNoEnd_isLeft() {
    naru.lie = part -> more(part);
    Gate gate = gate();

    assertThat(gate.status().problem()).contains("no end");
    assertThat(gate.status().ready()).isFalse();
  }

  @Test
  void listThatIsTooLong_isHungUpOn() {
    Gate gate = gate();
    naru.replayed = "x".repeat(EndedTurns.MAX_LENGTH + 1);
    gate.trust().poll();

    assertThat(gate.status().problem()).contains("more than 390 kB");
  }

  @Test
  void morePassesThanAGateHolds_areNotTaken() throws Exception {
    var turns = new OverTurns(Duration.ZERO, 10);
    var passes = new TreeMap<Long, long[]>();
    passes.put(end(), new long[] {1, 2, 3, 4, 5, 6});
    turns.take(part(passes, 0, 6), now);
    passes.put(end(), new long[] {7, 8, 9, 10, 11});

    assertThatThrownBy(() -> turns.take(part(passes, 6, 11), now))
        .hasMessageContaining("more turns");
    assertThat(turns.cursor()).isEqualTo("1.6");
  }

  @Test
  void passesThatWouldNeverEnd_areNotTaken() {
    var turns = new OverTurns(Duration.ZERO, 10);
    var passes = new TreeMap<Long, long[]>();
    passes.put(end() + 10 * Pass.MAX_LIFE_SECONDS, new long[] {1});

    assertThatThrownBy(() -> turns.take(part(passes, 0, 1), now))
        .hasMessageContaining("more turns");
  }

  // --- forgetting, and not knowing

  @Test
  void passEnded_isForgotten() throws Exception {
    var turns = new OverTurns(Duration.ofSeconds(5), 100);
    var passes = new TreeMap<Long, long[]>();
    passes.put(end(), new long[] {1, 2, 3});
    turns.take(part(passes, 0, 3), now);
    assertThat(turns.size()).isEqualTo(3);

    turns.take(part(1, 3, 3), Instant.ofEpochSecond(end() + 5));
    assertThat(turns.size()).as("clocks may be apart").isEqualTo(3);
    turns.take(part(1, 3, 3), Instant.ofEpochSecond(end() + 6));
    assertThat(turns.size()).isZero();
    assertThat(turns.bytes()).isZero();
  }

  /** Those that were forgotten as long past are not. */
  @Test
  void clockThatWasAhead_isReadAnew() throws Exception {
    var turns = new OverTurns(Duration.ofSeconds(5), 100);
    var passes = new TreeMap<Long, long[]>();
    passes.put(end(), new long[] {1, 2, 3});
    turns.take(part(passes, 0, 3), now);
    turns.take(part(1, 3, 3), Instant.ofEpochSecond(end() + 6));
    assertThat(turns.cursor()).isEqualTo("1.3");

    turns.take(part(1, 3, 3), now);
    assertThat(turns.cursor()).isEqualTo("1.0");
    turns.take(part(passes, 0, 3), now);
    turns.take(part(1, 3, 3), now);

    assertThat(turns.size()).isEqualTo(3);
    assertThat(turns.cursor()).isEqualTo("1.3");
  }

  @Test
  void lineThatLostChanges_isReadAnew() throws Exception {
    var turns = new OverTurns(Duration.ZERO, 100);
    turns.take(part(1, 0, 50), now);
    for (int i = 0; i < 4; i++) {
      turns.take(part(1, 10, 10), now);
      assertThat(turns.cursor()).as("a server that is late").isEqualTo("1.50");
    }
    turns.take(part(1, 10, 10), now);

    assertThat(turns.cursor()).isEqualTo("1.0");
  }

  @Test
  void naruAway_knowledgeMayBeOfAnyAge_unlessTheSiteSaysHowOld() {
    Gate open = gate();
    Gate closing = gate(naru.gate().maxKnowledgeAge(Duration.ofSeconds(10)));
    naru.mood = Mood.FAILING;
    now = now.plusSeconds(9);
    open.trust().poll();
    closing.trust().poll();
    assertThat(closing.check(naru.token("p1"))).isInstanceOf(Verified.class);

    now = now.plusSeconds(1);
    assertThat(open.check(naru.token("p1"))).isInstanceOf(Verified.class);
    assertRefused(closing.check(naru.token("p1")), Reason.STALE);
    assertThat(closing.status().ready()).isFalse();
    assertThat(open.status().ready()).isTrue();

    naru.mood = Mood.WELL;
    closing.trust().poll();
    assertThat(closing.check(naru.token("p1"))).isInstanceOf(Verified.class);
  }

  // --- how it is held

  @Test
  void longSet_holdsWhatWasAdded_andNothingElse_inSixteenBytesEach() {
    var random = new Random(7);
    var set = new LongSet();
    for (int i = 0; i < 200_000; i++) {
      set.add(EndedTurns.fingerprint("pass " + i));
      if (i > 64) {
        assertThat(set.bytes()).isLessThanOrEqualTo(16L * (i + 1));
      }
    }
    assertThat(set.size()).isEqualTo(200_000);
    assertThat(set.largestArray())
        .as("no more than half a region of a small heap, or it would take whole ones")
        .isLessThan(512 * 1024 - 64);
    for (int i = 0; i < 200_000; i++) {
      assertThat(set.contains(EndedTurns.fingerprint("pass " + i))).isTrue();
      assertThat(set.contains(random.nextLong())).isFalse();
    }
  }

  private EndedTurns part(long born, long from, long to) {
    return new EndedTurns(naru.url(), FakeNaru.QUEUE, now, born, from, to, false, new TreeMap<>());
  }

  private EndedTurns part(SortedMap<Long, long[]> passes, long from, long to) {
    return new EndedTurns(naru.url(), FakeNaru.QUEUE, now, 1, from, to, false, passes);
  }

  private static EndedTurns more(EndedTurns part) {
    return new EndedTurns(
        part.issuer(),
        part.queue(),
        part.issuedAt(),
        part.born(),
        part.from(),
        part.to(),
        true,
        part.passes());
  }

  private long end() {
    return EndedTurns.endOf(now.plusSeconds(300));
  }

  /** As Naru makes them: when one joined, and a MAC. */
  private static String id(long joined) {
    byte[] id = ByteBuffer.allocate(24).putLong(joined).array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(id);
  }

  private static String unsigned(String token) {
    return token.substring(0, token.lastIndexOf('.') + 1);
  }

  private String sign(Pass pass) {
    return new PassSigner(naru.key).sign(pass);
  }

  private static void assertRefused(Verification verification, Reason reason) {
    assertThat(verification)
        .isInstanceOfSatisfying(
            Refused.class, refused -> assertThat(refused.reason()).isEqualTo(reason));
  }
}
