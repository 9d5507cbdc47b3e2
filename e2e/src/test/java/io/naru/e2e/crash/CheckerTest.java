package io.naru.e2e.crash;

import static io.naru.e2e.crash.Call.Act.COMPLETE;
import static io.naru.e2e.crash.Call.Act.ENTER;
import static io.naru.e2e.crash.Call.Act.LEAVE;
import static io.naru.e2e.crash.Call.Act.RETURN;
import static io.naru.e2e.crash.Call.Act.STATUS;
import static io.naru.e2e.crash.Sketch.ended;
import static io.naru.e2e.crash.Sketch.entered;
import static io.naru.e2e.crash.Sketch.inside;
import static io.naru.e2e.crash.Sketch.returned;
import static io.naru.e2e.crash.Sketch.row;
import static io.naru.e2e.crash.Sketch.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.e2e.crash.Evidence.Absent;
import io.naru.e2e.crash.Evidence.Excuse;
import io.naru.e2e.crash.Evidence.Limits;
import io.naru.e2e.crash.Evidence.Line;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Runs written by hand: the checker finds what is wrong with each, and names the rule. */
class CheckerTest {

  private static final long SECOND = 1_000_000;
  private static final long PASSED_OVER = 20 * SECOND;

  private final Sketch run = new Sketch();

  private void assertBroken(int rule, String... words) {
    List<String> breaches = run.breaches();
    assertThat(breaches).isNotEmpty().allMatch(breach -> breach.startsWith("rule " + rule + " "));
    assertThat(breaches.getFirst()).contains(words);
  }

  private Sketch aliceAndBob() {
    return run.call(ENTER, "alice", 100, 110, 201, waiting(105, 1, 1))
        .call(ENTER, "bob", 120, 130, 201, waiting(125, 2, 2));
  }

  @Test
  void goodRun_isFine() {
    aliceAndBob()
        .call(STATUS, "alice", 140, 150, 200, entered(105, 135, 3))
        .end(COMPLETE, "alice", 105, 160, 170, 200)
        .call(STATUS, "bob", 180, 190, 200, waiting(125, 1, 3))
        .end(LEAVE, "bob", 125, 200, 210, 0)
        .call(STATUS, "bob", 220, 230, 404, null)
        .call(ENTER, "bob", 240, 250, 503, null)
        .call(ENTER, "bob", 260, 270, 409, waiting(245, 1, 6))
        .rows(
            ended("alice", 105, "COMPLETED", 135, 165),
            ended("bob", 125, "LEFT", 0, 205),
            row("bob", 245));
    run.excuses.add(new Excuse("one", 205, 215));
    assertThat(run.breaches()).isEmpty();
  }

  // 1

  @Test
  void rule1_acknowledgedEntryIsNotInTheLedger() {
    aliceAndBob().rows(row("alice", 105));
    run.shown.put("two", Map.of());
    assertBroken(1, "has lost", "bob");
  }

  @Test
  void rule1_acknowledgedEntryHasAnotherScore() {
    aliceAndBob().rows(row("alice", 105), row("bob", 126));
    assertBroken(1, "has lost", "bob");
  }

  @Test
  void rule1_oneIsToldThatTheyAreUnknown() {
    aliceAndBob().call(STATUS, "bob", 140, 150, 404, null).rows(row("alice", 105), row("bob", 125));
    assertBroken(1, "unknown", "bob");
  }

  @Test
  void rule1_entryEndedWithoutAnybodyAsking() {
    aliceAndBob().rows(row("alice", 105), ended("bob", 125, "LEFT", 0, 140));
    assertBroken(1, "nobody asked", "bob");
  }

  @Test
  void rule1_acknowledgedLeaveIsNotKept() {
    aliceAndBob().end(LEAVE, "bob", 125, 140, 150, 200).rows(row("alice", 105), row("bob", 125));
    assertBroken(1, "not kept", "bob");
  }

  @Test
  void rule1_oneServerDoesNotFindThem() {
    aliceAndBob().rows(row("alice", 105), row("bob", 125));
    run.shown.put(
        "two",
        Map.of(
            "alice", Sketch.status("alice", waiting(105, 1, 9)),
            "bob", Sketch.status("bob", null)));
    assertBroken(1, "two and the ledger", "do not agree", "bob");
  }

  @Test
  void rule1_oneDoesNotComeOut() {
    aliceAndBob().rows(row("alice", 105), row("bob", 125));
    run.drained.addAll(List.of(inside("alice", 105, 900), row("bob", 125)));
    assertBroken(1, "did not come out", "bob");
  }

  // 2

  @Test
  void rule2_twoLiveEntriesOfOneUser() {
    run.call(ENTER, "alice", 100, 110, 201, waiting(105, 1, 1))
        .call(ENTER, "alice", 120, 130, 503, null)
        .rows(row("alice", 105), row("alice", 125));
    run.shown.put("two", Map.of());
    run.line = new Line(Map.of("alice", 125L), Map.of());
    assertBroken(2, "two at the same time", "alice");
  }

  @Test
  void rule2_twoPlacesWereTold() {
    run.call(ENTER, "alice", 100, 110, 201, waiting(105, 1, 1))
        .call(ENTER, "alice", 120, 130, 201, waiting(125, 1, 2))
        .rows(ended("alice", 105, "EXPIRED", 106, 107), row("alice", 125));
    assertThat(run.breaches())
        .anyMatch(breach -> breach.startsWith("rule 2 broken: alice was told"));
  }

  @Test
  void rule2_moreEntriesThanWereAskedFor() {
    run.call(ENTER, "alice", 100, 110, 201, waiting(105, 1, 1))
        .end(LEAVE, "alice", 105, 120, 130, 200)
        .rows(ended("alice", 105, "LEFT", 0, 125), row("alice", 140));
    assertBroken(2, "2 entries of alice, who asked 1 times");
  }

  private Sketch aliceComesBack() {
    return run.call(ENTER, "alice", 100, 110, 201, waiting(105, 1, 1))
        .call(STATUS, "alice", 140, 150, 200, entered(105, 135, 3))
        .end(RETURN, "alice", 105, 160, 170, 200)
        .rows(ended("alice", 105, "EXPIRED", 135, 165));
  }

  @Test
  void rule2_oneEntryPerReturnIsFine() {
    aliceComesBack().rows(returned("alice", 165));
    assertThat(run.breaches()).isEmpty();
  }

  @Test
  void rule2_twoEntriesOfOneReturn() {
    aliceComesBack()
        .end(RETURN, "alice", 105, 180, 190, 0)
        .rows(returned("alice", 165, 175, 177), returned("alice", 178));
    run.excuses.add(new Excuse("one", 180, 190));
    assertThat(run.breaches()).contains("rule 2 broken: 2 returns of alice, who asked for 1");
  }

  // 3

  @Test
  void rule3_laterOneStandsBefore() {
    run.call(ENTER, "alice", 100, 110, 201, waiting(105, 1, 1))
        .call(ENTER, "bob", 120, 130, 201, waiting(104, 1, 2))
        .rows(row("bob", 104), row("alice", 105));
    assertBroken(3, "alice", "is behind", "bob");
  }

  @Test
  void rule3_overlappingOnesMayStandEitherWay() {
    run.call(ENTER, "alice", 100, 125, 201, waiting(105, 2, 2))
        .call(ENTER, "bob", 120, 130, 201, waiting(104, 1, 2))
        .rows(row("bob", 104), row("alice", 105));
    assertThat(run.breaches()).isEmpty();
  }

  @Test
  void rule3_unansweredEnterMayBeTheOneThatCounts() {
    run.call(ENTER, "bob", 90, 95, 503, null)
        .call(ENTER, "alice", 100, 110, 201, waiting(105, 2, 2))
        .call(ENTER, "bob", 120, 130, 409, waiting(92, 1, 2))
        .rows(row("bob", 92), row("alice", 105));
    assertThat(run.breaches()).isEmpty();
  }

  // 4

  @Test
  void rule4_admittedASecondTime() {
    run.call(ENTER, "alice", 100, 110, 201, waiting(105, 1, 1))
        .call(STATUS, "alice", 140, 150, 200, entered(105, 135, 3))
        .rows(inside("alice", 105, 160));
    assertBroken(4, "admitted twice", "alice");
  }

  @Test
  void rule4_admittedOneIsBackInLine() {
    run.call(ENTER, "alice", 100, 110, 201, waiting(105, 1, 1))
        .call(STATUS, "alice", 140, 150, 200, entered(105, 135, 3))
        .call(STATUS, "alice", 160, 170, 200, waiting(105, 1, 4))
        .rows(inside("alice", 105, 135));
    assertBroken(4, "back in line", "alice");
  }

  // 5

  @Test
  void rule5_moreInsideThanFit() {
    run.limits = new Limits(1, 10, 1, Pacing.STEPS);
    run.call(ENTER, "alice", 100, 110, 201, waiting(105, 1, 1))
        .call(ENTER, "bob", 120, 130, 201, waiting(125, 2, 2))
        .rows(inside("alice", 105, 135), inside("bob", 125, 136));
    assertBroken(5, "2 inside at 136", "1 fit");
  }

  @Test
  void rule5_moreWereToldThatTheyAreInsideThanFit() {
    run.limits = new Limits(1, 10, 1, Pacing.STEPS);
    run.call(ENTER, "alice", 100, 110, 201, waiting(105, 1, 1))
        .call(ENTER, "bob", 120, 130, 201, waiting(125, 2, 2))
        .call(STATUS, "alice", 140, 150, 200, entered(105, 135, 3))
        .call(STATUS, "bob", 160, 170, 200, entered(125, 136, 4))
        .end(COMPLETE, "alice", 105, 180, 190, 200)
        .rows(ended("alice", 105, "COMPLETED", 135, 136), inside("bob", 125, 136));
    assertBroken(5, "by what visitors were told");
  }

  @Test
  void rule5_burstAfterAnOutage() {
    run.limits = new Limits(100, 2, 1, Pacing.STEPS);
    for (int i = 0; i < 6; i++) {
      run.call(ENTER, "u" + i, 100 + i, 101 + i, 0, null).rows(inside("u" + i, 100 + i, 5_000_000));
    }
    run.excuses.add(new Excuse("one", 0, 1_000));
    assertBroken(5, "1.0 more admissions");
  }

  @Test
  void rule5_operatorsAdmissionsAreApart() {
    run.limits = new Limits(100, 2, 1, Pacing.STEPS);
    for (int i = 0; i < 6; i++) {
      run.call(ENTER, "u" + i, 100 + i, 101 + i, 0, null).rows(inside("u" + i, 100 + i, 5_000_000));
    }
    run.excuses.add(new Excuse("one", 0, 1_000));
    run.process(4_900_000, 5_100_000, 2);
    assertThat(run.breaches()).isEmpty();
  }

  @Test
  void rule5_admissionWhilePaused() {
    run.call(ENTER, "alice", 100, 110, 201, waiting(105, 1, 1))
        .rows(inside("alice", 105, run.paused + 1_000_000));
    assertBroken(5, "admission had stopped", "alice");
  }

  @Test
  void rule5_beyondTheStock() {
    run.stock(1, 10, 20, 2)
        .stock(2, 200_000, 200_010, 1)
        .call(ENTER, "alice", 30, 40, 201, waiting(35, 1, 1))
        .call(ENTER, "bob", 50, 60, 201, waiting(55, 2, 2))
        .rows(inside("alice", 35, 70), inside("bob", 55, 400_000));
    assertBroken(5, "2 inside at 400000, where there was enough for 1");
  }

  @Test
  void rule5_stockOfWhichNothingWasHeardMayBeTaken() {
    run.stock(1, 10, 20, 1)
        .stock(2, 200_000, 0, 2)
        .call(ENTER, "alice", 30, 40, 201, waiting(35, 1, 1))
        .call(ENTER, "bob", 50, 60, 201, waiting(55, 2, 2))
        .rows(inside("alice", 35, 70), inside("bob", 55, 400_000));
    run.excuses.add(new Excuse("one", 199_000, 300_000));
    assertThat(run.breaches()).isEmpty();
  }

  @Test
  void rule5_lateStockIsNotTaken() {
    run.stock(2, 10, 20, 1)
        .stock(1, 200_000, 200_010, 9)
        .call(ENTER, "alice", 30, 40, 201, waiting(35, 1, 1))
        .call(ENTER, "bob", 50, 60, 201, waiting(55, 2, 2))
        .rows(inside("alice", 35, 70), inside("bob", 55, 400_000));
    assertBroken(5, "2 inside at 400000, where there was enough for 1");
  }

  @Test
  void rule5_leakyBucketLetsInFewAtOnce() {
    run.limits = new Limits(100, 10, 1, Pacing.LEAKY_BUCKET);
    aliceAndBob().rows(inside("alice", 105, 5_000), inside("bob", 125, 5_000));
    assertBroken(5, "1.0 more admissions", "1 at once");
  }

  @Test
  void rule5_tokenBucketLetsInOneBatchAtOnce() {
    run.limits = new Limits(100, 2, 1, Pacing.TOKEN_BUCKET);
    aliceAndBob()
        .call(ENTER, "cho", 140, 150, 201, waiting(145, 3, 3))
        .rows(inside("alice", 105, 5_000), inside("bob", 125, 5_000), inside("cho", 145, 5_000));
    assertBroken(5, "1.0 more admissions", "2 at once");
  }

  // 6

  @Test
  void rule6_whoCameBackGoesInFirst() {
    aliceComesBack()
        .call(ENTER, "bob", 120, 130, 201, waiting(125, 2, 2))
        .rows(returned("alice", 165), inside("bob", 125, 190));
    assertBroken(6, "bob", "went in before", "who had come back");
  }

  @Test
  void rule6_laterOneGoesInFirst() {
    aliceAndBob().rows(row("alice", 105), inside("bob", 125, 140));
    assertBroken(6, "bob", "went in before", "alice");
  }

  @Test
  void rule6_whoLeftIsNotWaitedFor() {
    aliceAndBob()
        .end(LEAVE, "alice", 105, 131, 139, 200)
        .rows(ended("alice", 105, "LEFT", 0, 135), inside("bob", 125, 140));
    assertThat(run.breaches()).isEmpty();
  }

  private Sketch bobGoesInBeforeAlice(int asksEvery) {
    run.hasPresence = true;
    aliceAsksEvery(asksEvery, 200);
    return run.call(ENTER, "bob", 120, 130, 201, waiting(125, 2, 2))
        .rows(inside("bob", 125, PASSED_OVER));
  }

  @Test
  void rule6_whoIsNotThereIsNotWaitedFor() {
    bobGoesInBeforeAlice(6);
    assertThat(run.breaches()).isEmpty();
  }

  @Test
  void rule6_whereItDoesNotMatterWhoIsThereEverybodyIsWaitedFor() {
    bobGoesInBeforeAlice(6).hasPresence = false;
    assertBroken(6, "bob", "went in before", "alice");
  }

  @Test
  void rule6_whoAsksIsWaitedFor() {
    bobGoesInBeforeAlice(4);
    assertBroken(6, "bob", "went in before", "alice");
  }

  // 7

  /** She enters, asks every so many seconds, and is looked for after twenty. */
  private Sketch aliceAsksEvery(int seconds, int code) {
    run.call(ENTER, "alice", 100, 110, 201, waiting(105, 1, 1)).rows(row("alice", 105));
    for (long at = seconds * SECOND; at <= PASSED_OVER; at += seconds * SECOND) {
      run.call(STATUS, "alice", at, at + 10, code, code == 200 ? waiting(105, 1, 2) : null);
    }
    run.paused = PASSED_OVER + SECOND;
    return run;
  }

  private void assertPassedOver(long since) {
    run.absent.add(new Absent(new Name("alice", 105), since, false));
    assertBroken(7, "alice", "asked all the time");
  }

  @Test
  void rule7_passedOverAlthoughSheAsks() {
    aliceAsksEvery(4, 200);
    assertPassedOver(PASSED_OVER);
  }

  @Test
  void rule7_whatWasNotAnsweredWasAskedToo() {
    aliceAsksEvery(4, 503);
    assertPassedOver(PASSED_OVER);
  }

  @Test
  void rule7_passedOverAtSomeTimeAlthoughSheAsks() {
    aliceAsksEvery(4, 200);
    assertPassedOver(0);
  }

  @Test
  void rule7_whoDidNotAskMayBePassedOver() {
    aliceAsksEvery(6, 200);
    for (long since : List.of(PASSED_OVER, 0L)) {
      run.absent.add(new Absent(new Name("alice", 105), since, false));
    }
    assertThat(run.breaches()).isEmpty();
  }

  @Test
  void rule7_nobodyLosesTheirPlace() {
    run.call(ENTER, "alice", 100, 110, 201, waiting(105, 1, 1))
        .rows(ended("alice", 105, "EXPIRED", 0, PASSED_OVER));
    run.absent.add(new Absent(new Name("alice", 105), 0, true));
    assertBroken(7, "alice", "lost their place");
  }

  // 8

  @Test
  void rule8_placeGoesUp() {
    aliceAndBob()
        .call(STATUS, "bob", 140, 150, 200, waiting(125, 3, 3))
        .rows(row("alice", 105), row("bob", 125));
    assertBroken(8, "a place went up", "bob");
  }

  @Test
  void rule8_twoPlacesInOneState() {
    aliceAndBob()
        .call(STATUS, "bob", 140, 150, 200, waiting(125, 1, 2))
        .rows(row("alice", 105), row("bob", 125));
    assertBroken(8, "two places in one state", "bob");
  }

  @Test
  void rule8_serverShowsAnOlderState() {
    aliceAndBob()
        .call(STATUS, "bob", 140, 150, 200, waiting(125, 2, 7))
        .call(STATUS, "alice", 160, 170, 200, waiting(105, 1, 6))
        .rows(row("alice", 105), row("bob", 125));
    assertBroken(8, "older state", "alice");
  }

  @Test
  void rule8_placeIsWrongOnceQuiet() {
    aliceAndBob().rows(row("alice", 105), row("bob", 125));
    run.shown.put(
        "two",
        Map.of(
            "alice", Sketch.status("alice", waiting(105, 1, 9)),
            "bob", Sketch.status("bob", waiting(125, 1, 9))));
    assertBroken(8, "the place of bob is 2");
  }

  // 9

  @Test
  void rule9_copyHasAnotherScore() {
    aliceAndBob().rows(row("alice", 105), row("bob", 125));
    run.line = new Line(Map.of("alice", 105L, "bob", 124L), Map.of());
    assertBroken(9, "waiting of bob is 125 in the ledger and 124 in the copy");
  }

  @Test
  void rule9_copyKeepsWhoHasLeft() {
    aliceAndBob()
        .end(LEAVE, "bob", 125, 140, 150, 200)
        .rows(row("alice", 105), ended("bob", 125, "LEFT", 0, 145));
    run.line = new Line(Map.of("alice", 105L, "bob", 125L), Map.of());
    assertBroken(9, "waiting of bob is null in the ledger and 125 in the copy");
  }

  // 11

  @Test
  void rule11_serverAnswers500() {
    aliceAndBob().call(STATUS, "bob", 140, 150, 500, null).rows(row("alice", 105), row("bob", 125));
    assertBroken(11, "not an answer to give", "500");
  }

  @Test
  void rule11_noAnswerFromAServerThatIsThere() {
    aliceAndBob().call(STATUS, "bob", 140, 150, 0, null).rows(row("alice", 105), row("bob", 125));
    assertBroken(11, "no answer", "bob");
  }

  @Test
  void rule11_answeredTooLate() {
    aliceAndBob()
        .call(STATUS, "bob", 140, 6_000_000, 200, waiting(125, 2, 2))
        .rows(row("alice", 105), row("bob", 125));
    assertBroken(11, "too late", "bob");
  }

  @Test
  void hundredThousandCalls_takeNoTime() {
    for (int i = 0; i < 100_000; i++) {
      long joined = 100 + 10L * i;
      run.call(ENTER, "u" + i, joined - 2, joined + 2, 201, waiting(joined, i + 1, i + 1))
          .rows(row("u" + i, joined));
    }
    assertThat(run.breaches()).isEmpty();
  }
}
