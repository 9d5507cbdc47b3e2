package io.naru.line;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Drawing;
import io.naru.queue.Entry.Status;
import io.naru.queue.LaneCount;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Units;
import io.naru.support.Seeded;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link LineCopy} promises. */
public abstract class LineCopyContract {

  private static final Settings SETTINGS =
      Settings.DEFAULT.with(
          Map.of("entryBatchSize", 7, "targetUrl", "https://shop.example/", "title", "Sale"));

  private static final long NEVER = Long.MAX_VALUE;
  private static final Rules RULES = new Rules(1, State.OPEN, SETTINGS);

  protected final Original of = newOriginal();

  protected abstract LineCopy copy();

  protected static Original newOriginal() {
    String id = UUID.randomUUID().toString().replace("-", "");
    return new Original(new QueueId("COPY", id), "ledger-1/7");
  }

  protected static <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(10, SECONDS);
    } catch (Exception e) {
      throw new AssertionError("no answer", e);
    }
  }

  protected CopyState apply(
      long from, long to, long waiting, long inside, @Nullable Rules rules, Fact... facts) {
    var change = new Change(from, to, List.of(facts), waiting, inside, rules);
    return await(copy().apply(of, change));
  }

  /** A copy at change 1 with these people in line, in this order. */
  protected void begin(String... users) {
    Fact[] facts =
        IntStream.range(0, users.length)
            .mapToObj(i -> waiting(users[i], score(i), score(i)))
            .toArray(Fact[]::new);
    assertThat(apply(0, 1, users.length, 0, RULES, facts)).isEqualTo(at(1));
  }

  /** Somebody in line, with a ticket by their score. */
  protected static Fact waiting(String user, long joined, long score) {
    return Fact.waiting(user, joined, score, joined(score) % 1_000_000 + 1);
  }

  protected static long score(int number) {
    return 1_000_000L + number;
  }

  protected static CopyState at(long change) {
    return new CopyState.At(change);
  }

  private static Fact entered(String user, int number) {
    return new Fact(user, score(number), score(number), Status.ENTERED, 5_000_000, 9_000_000);
  }

  private static Fact out(String user, int number, Status status) {
    return new Fact(user, score(number), score(number), status, 0, 0);
  }

  protected Standing locate(String user) {
    return await(copy().locate(of, user));
  }

  protected Place place(String user) {
    assertThat(locate(user)).as("standing of %s", user).isInstanceOf(Standing.Found.class);
    return ((Standing.Found) locate(user)).place();
  }

  protected CopyState state() {
    return await(copy().state(of));
  }

  /** A draw gives places that do not tell who came when. */
  @Test
  void apply_scoreApartFromWhenTheyJoined_keepsBoth() {
    Fact ann = waiting("ann", 500, score(2));
    Fact bob = waiting("bob", 600, score(1));
    apply(0, 1, 3, 0, RULES, ann, bob, waiting("cid", score(3), score(3)));

    assertThat(place("ann").entry()).isEqualTo(ann.in(of.queue()));
    assertThat(place("ann").score()).isEqualTo(score(2));
    assertThat(place("ann").ahead()).isEqualTo(1);
    assertThat(place("bob").entry().key().joined()).isEqualTo(600);
    assertThat(place("cid").entry().key().joined()).isEqualTo(score(3));

    apply(1, 2, 2, 1, null, new Fact("bob", 600, score(1), Status.ENTERED, 7, 9));
    apply(2, 3, 1, 1, null, new Fact("cid", score(3), score(3), Status.LEFT, 0, 0));

    assertThat(state()).isEqualTo(at(3));
    assertThat(place("bob").entry().key().joined()).isEqualTo(600);
    assertThat(place("ann").entry()).isEqualTo(ann.in(of.queue()));
    assertThat(place("ann").ahead()).isZero();
  }

  @Test
  void apply_movedToAnotherLane_leavesTheOneBefore() {
    long late = Score.inBand(-1, score(9));
    Fact ann = waiting("ann", score(0), score(0));
    Fact bob = waiting("bob", score(1), score(1));
    Fact cid = waiting("cid", score(2), Score.inBand(-1, score(2)));
    List<LaneCount> before =
        List.of(new LaneCount(-1, "vip", 1, 0), new LaneCount(0, "normal", 2, 0));
    List<LaneCount> after =
        List.of(new LaneCount(-1, "vip", 2, 5), new LaneCount(0, "normal", 1, 0));
    await(copy().apply(of, new Change(0, 1, List.of(ann, bob, cid), 3, before, 0, RULES)));
    assertThat(place("bob").ahead()).isEqualTo(1);
    assertThat(place("cid").ahead()).isZero();
    assertThat(place("cid").entry()).isEqualTo(cid.in(of.queue()));
    assertThat(place("cid").line().lanes()).isEqualTo(before);
    Spot bobs = new Spot(bob.score(), 1, 1);
    Spot anns = new Spot(ann.score(), 0, 1);

    Fact moved = waiting("ann", ann.joined(), late);
    await(copy().apply(of, new Change(1, 2, List.of(moved), 3, after, 0, null)));

    assertThat(place("ann").ahead()).isEqualTo(1);
    assertThat(place("ann").score()).isEqualTo(late);
    assertThat(place("ann").entry()).isEqualTo(ann.in(of.queue()));
    assertThat(place("bob").ahead()).isZero();
    assertThat(place("bob").line().lanes()).isEqualTo(after);
    assertThat(bobs.follow(since(1))).isEqualTo(Spot.Seen.NEARER);
    assertThat(anns.follow(since(1))).isEqualTo(Spot.Seen.OUT);
    var all = new Part(false, Part.BEGINNING, Part.END);
    assertThat(held(all, 9)).containsExactly(Part.known(cid), Part.known(moved), Part.known(bob));

    Fact inside = new Fact("ann", ann.joined(), late, Status.ENTERED, 7, 9);
    await(copy().apply(of, new Change(2, 3, List.of(inside), 2, before, 1, null)));
    await(
        copy()
            .apply(
                of,
                new Change(3, 4, List.of(cid, out("bob", 1, Status.LEFT)), 1, List.of(), 1, null)));
    assertThat(state()).isEqualTo(at(4));
    assertThat(place("cid").line().lanes()).isEmpty();
  }

  @Test
  void rebuild_scoreApartFromWhenTheyJoined_keepsBoth() {
    var rebuild = copy().rebuild(of);
    await(
        rebuild.add(
            1,
            List.of(
                waiting("ann", 500, score(2)),
                waiting("bob", 600, score(1)),
                waiting("cid", 700, score(4)))));
    await(rebuild.add(2, List.of(new Fact("cid", 700, score(4), Status.LEFT, 0, 0))));

    assertThat(await(rebuild.finish(9, 2, 0, RULES))).isEqualTo(at(9));

    assertThat(place("ann").entry().key().joined()).isEqualTo(500);
    assertThat(place("bob").score()).isEqualTo(score(1));
    assertThat(apply(9, 10, 1, 0, null, new Fact("ann", 500, score(2), Status.LEFT, 0, 0)))
        .isEqualTo(at(10));
    assertThat(state()).isEqualTo(at(10));
  }

  @Test
  void state_noCopy_isLost() {
    assertThat(state()).isEqualTo(new CopyState.Lost());
    assertThat(locate("ann")).isEqualTo(new Standing.NoQueue());
    assertThat(apply(4, 5, 1, 0, null, waiting("ann", score(1), score(1))))
        .isEqualTo(new CopyState.Lost());
  }

  @Test
  void apply_firstChange_beginsTheCopy() {
    begin("ann", "bob");

    assertThat(state()).isEqualTo(at(1));
    Place bob = place("bob");
    assertThat(bob.ahead()).isEqualTo(1);
    assertThat(bob.entry().key().joined()).isEqualTo(score(1));
    assertThat(bob.line().change()).isEqualTo(1);
    assertThat(bob.line().waiting()).isEqualTo(2);
    assertThat(bob.line().settings().pacing()).isEqualTo(SETTINGS.pacing());
    assertThat(bob.line().settings().look().targetUrl()).isEqualTo("https://shop.example/");
    assertThat(locate("cid")).isEqualTo(new Standing.Unknown());
  }

  @Test
  void apply_admission_movesThoseBehindUp() {
    begin("ann", "bob", "cid");

    assertThat(apply(1, 2, 2, 1, null, entered("ann", 0))).isEqualTo(at(2));

    assertThat(place("cid").ahead()).isEqualTo(1);
    Place ann = place("ann");
    assertThat(ann.entry().status()).isEqualTo(Status.ENTERED);
    assertThat(ann.entry().entered()).isEqualTo(5_000_000);
    assertThat(ann.entry().until()).isEqualTo(9_000_000);
    assertThat(ann.entry().key().joined()).isEqualTo(score(0));
  }

  @Test
  void apply_leaveAndComplete_areForgotten() {
    begin("ann", "bob", "cid");
    apply(1, 2, 2, 1, null, entered("ann", 0));

    assertThat(apply(2, 3, 1, 0, null, out("ann", 0, Status.COMPLETED), out("bob", 1, Status.LEFT)))
        .isEqualTo(at(3));

    assertThat(locate("ann")).isEqualTo(new Standing.Unknown());
    assertThat(locate("bob")).isEqualTo(new Standing.Unknown());
    assertThat(place("cid").ahead()).isZero();
  }

  @Test
  void apply_placeTakenOver_nobodyMoves() {
    begin("ann", "bob", "cid", "dan");
    var dan = new Spot(score(3), 3, 1);

    apply(1, 2, 4, 0, null, out("bob", 1, Status.LEFT), Fact.waiting("phone", score(8), score(1)));
    apply(2, 3, 4, 0, null, out("ann", 0, Status.LEFT), Fact.waiting("tablet", score(9), score(0)));

    assertThat(locate("bob")).isEqualTo(new Standing.Unknown());
    assertThat(place("phone").ahead()).isEqualTo(1);
    assertThat(place("phone").entry().key().joined()).isEqualTo(score(8));
    assertThat(place("tablet").ahead()).isZero();
    assertThat(place("dan").ahead()).isEqualTo(3);
    assertThat(dan.follow(since(1))).isEqualTo(Spot.Seen.SAME);
    assertThat(dan.ahead()).isEqualTo(3);
    assertThat(new Spot(score(1), 1, 1).follow(since(1))).isEqualTo(Spot.Seen.OUT);
    assertThat(new Spot(score(1), 1, 2).follow(since(2))).as("has it").isEqualTo(Spot.Seen.SAME);
    assertThat(new Spot(score(0), 0, 2).follow(since(2))).isEqualTo(Spot.Seen.OUT);

    // With others who leave, from the front and from behind, in one jump.
    apply(
        3,
        9,
        2,
        0,
        null,
        out("tablet", 9, Status.LEFT),
        out("phone", 8, Status.LEFT),
        Fact.waiting("desk", score(10), score(1)),
        out("cid", 2, Status.LEFT));
    assertThat(place("desk").ahead()).isZero();
    assertThat(dan.follow(since(3))).isEqualTo(Spot.Seen.NEARER);
    assertThat(dan.ahead()).isEqualTo(place("dan").ahead()).isEqualTo(1);
    apply(9, 10, 1, 1, null, new Fact("desk", score(10), score(1), Status.ENTERED, 7, 9));
    assertThat(place("dan").ahead()).isZero();
  }

  @Test
  void apply_outAndBackInOneChange_isBack() {
    begin("ann", "bob");
    apply(1, 2, 1, 1, null, entered("ann", 0));

    apply(2, 3, 2, 0, null, out("ann", 0, Status.EXPIRED), waiting("ann", score(9), score(9)));

    assertThat(place("ann").entry().isWaiting()).isTrue();
    assertThat(place("ann").ahead()).isEqualTo(1);
  }

  @Test
  void apply_jumpOverAWholeTurn_standsAtTheEndAndTheOldScoreHasLeft() {
    begin("ann", "bob", "cid");
    var ann = new Spot(score(0), 0, 1);
    var cid = new Spot(score(2), 2, 1);

    CopyState state =
        apply(
            1,
            9,
            2,
            1,
            null,
            out("ann", 0, Status.EXPIRED),
            entered("bob", 1),
            out("ann", 7, Status.EXPIRED),
            waiting("ann", score(9), score(9)));

    assertThat(state).isEqualTo(at(9));
    assertThat(place("ann").entry()).isEqualTo(waiting("ann", score(9), score(9)).in(of.queue()));
    assertThat(place("ann").ahead()).isEqualTo(1);
    assertThat(ann.follow(since(1))).isEqualTo(Spot.Seen.OUT);
    assertThat(cid.follow(since(1))).isEqualTo(Spot.Seen.NEARER);
    assertThat(cid.ahead()).isEqualTo(place("cid").ahead()).isZero();
  }

  @Test
  void apply_jumpToTheSecondAdmission_isInsideByTheSecondEntry() {
    begin("ann", "bob");

    CopyState state =
        apply(
            1,
            9,
            1,
            1,
            null,
            out("ann", 0, Status.EXPIRED),
            waiting("bob", score(1), score(1)),
            entered("ann", 5));

    assertThat(state).isEqualTo(at(9));
    assertThat(place("ann").entry().key().joined()).isEqualTo(score(5));
    assertThat(place("ann").entry().status()).isEqualTo(Status.ENTERED);
    assertThat(place("bob").ahead()).isZero();
  }

  @Test
  void apply_stayCut_takesTheNewEnd() {
    begin("ann");
    apply(1, 2, 0, 1, null, entered("ann", 0));

    apply(
        2,
        3,
        0,
        1,
        null,
        new Fact("ann", score(0), score(0), Status.ENTERED, 5_000_000, 7_000_000));

    assertThat(place("ann").entry().until()).isEqualTo(7_000_000);
  }

  @Test
  void apply_settingsChanged_areShown() {
    begin("ann");

    apply(1, 2, 1, 0, new Rules(1, State.OPEN, Settings.DEFAULT.with(Map.of("entryBatchSize", 3))));

    assertThat(place("ann").line().settings().pacing().batch()).isEqualTo(3);
    assertThat(place("ann").line().settings().look().targetUrl()).isEmpty();
  }

  @Test
  void apply_repeated_changesNothing() {
    begin("ann");
    apply(1, 2, 2, 0, null, waiting("bob", score(1), score(1)));

    assertThat(apply(1, 2, 2, 0, null, waiting("bob", score(1), score(1)))).isEqualTo(at(2));
    assertThat(apply(1, 2, 2, 0, null, waiting("cid", score(2), score(2)))).isEqualTo(at(2));

    assertThat(locate("cid")).isEqualTo(new Standing.Unknown());
    assertThat(place("bob").line().waiting()).isEqualTo(2);
  }

  @Test
  void apply_aChangeIsMissing_saysWhereItIs() {
    begin("ann");

    assertThat(apply(2, 3, 3, 0, null, waiting("cid", score(2), score(2)))).isEqualTo(at(1));

    assertThat(locate("cid")).isEqualTo(new Standing.Unknown());
  }

  /** A ledger that lost commits has nothing to say about what the copy still knows. */
  @Test
  void apply_toAnEarlierChange_changesNothing() {
    begin("ann");
    apply(1, 2, 2, 0, null, waiting("bob", score(1), score(1)));

    assertThat(apply(2, 1, 1, 0, null, out("bob", 1, Status.LEFT))).isEqualTo(at(2));

    assertThat(place("bob").ahead()).isEqualTo(1);
  }

  @Test
  void apply_jumpOverSeveral_isOneStep() {
    begin("ann", "bob");

    CopyState state =
        apply(
            1,
            40,
            2,
            1,
            null,
            entered("ann", 0),
            out("bob", 1, Status.LEFT),
            waiting("cid", score(2), score(2)),
            waiting("dan", score(3), score(3)));

    assertThat(state).isEqualTo(at(40));
    assertThat(place("dan").ahead()).isEqualTo(1);
  }

  @Test
  void apply_doesNotAddUp_isLost() {
    begin("ann", "bob");

    assertThat(apply(1, 2, 4, 0, null, waiting("cid", score(2), score(2))))
        .isEqualTo(new CopyState.Lost());

    assertThat(state()).isEqualTo(new CopyState.Lost());
    assertThat(locate("ann")).isEqualTo(new Standing.NoQueue());
  }

  @Test
  void apply_anotherOriginal_isLostAndChangesNothing() {
    begin("ann");
    var other = new Original(of.queue(), "ledger-1/8");

    assertThat(await(copy().state(other))).isEqualTo(new CopyState.Lost());
    assertThat(await(copy().locate(other, "ann"))).isEqualTo(new Standing.NoQueue());
    assertThat(await(copy().apply(other, new Change(1, 2, List.of(), 1, 0, null))))
        .isEqualTo(new CopyState.Lost());
    assertThat(state()).isEqualTo(at(1));
  }

  /** As whoever keeps a copy does: what was not answered in time may have happened all the same. */
  private CopyState applyRepeatedly(Change change) {
    for (int tries = 1; ; tries++) {
      try {
        return await(copy().apply(of, change));
      } catch (AssertionError e) {
        if (tries == 10) {
          throw e;
        }
      }
    }
  }

  @Test
  void apply_thousandsAtOnce_areAllThere() {
    Fact[] many =
        IntStream.range(0, 20_000)
            .mapToObj(i -> waiting("user" + i, score(i), score(i)))
            .toArray(Fact[]::new);
    assertThat(applyRepeatedly(new Change(0, 1, List.of(many), 20_000, 0, RULES))).isEqualTo(at(1));
    Fact[] half =
        IntStream.range(0, 10_000).mapToObj(i -> entered("user" + i, i)).toArray(Fact[]::new);

    assertThat(applyRepeatedly(new Change(1, 2, List.of(half), 10_000, 10_000, null)))
        .isEqualTo(at(2));

    assertThat(place("user10000").ahead()).isZero();
    assertThat(place("user19999").ahead()).isEqualTo(9_999);
    assertThat(place("user5000").entry().status()).isEqualTo(Status.ENTERED);
  }

  @Test
  void apply_deactivatedAndActivatedAgain_saysSoInEveryAnswer() {
    begin("ann");
    assertThat(place("ann").line().state().isActive()).isTrue();

    apply(1, 2, 1, 0, new Rules(1, State.INACTIVE, SETTINGS));
    assertThat(place("ann").line().state().isActive()).isFalse();
    assertThat(await(copy().since(of, 1)))
        .isInstanceOfSatisfying(
            Moved.Steps.class, steps -> assertThat(steps.line().state().isActive()).isFalse());

    apply(2, 3, 1, 0, null);
    assertThat(place("ann").line().state().isActive()).as("as it was").isFalse();
    apply(3, 4, 1, 0, RULES);
    assertThat(place("ann").line().state().isActive()).isTrue();
  }

  @Test
  void apply_whatThereIs_isSaidInEveryAnswer() {
    begin("ann");
    assertThat(place("ann").line().units()).isEqualTo(Units.NONE);
    var units = new Units(120, 8, score(3));
    State paused = new State(true, true, "+1 Rain, again", 0);

    var drawing = new Drawing(Drawing.Phase.DRAWN, score(2), 1_000);
    apply(1, 2, 1, 0, new Rules(1, paused, SETTINGS, units, 3_000, drawing));

    assertThat(place("ann").line().units()).isEqualTo(units);
    assertThat(place("ann").line().state()).isEqualTo(paused);
    assertThat(place("ann").line().passedOver()).isEqualTo(3_000);
    assertThat(place("ann").line().drawing()).isEqualTo(drawing);
    assertThat(await(copy().since(of, 1)))
        .isInstanceOfSatisfying(
            Moved.Steps.class, steps -> assertThat(steps.line().units()).isEqualTo(units));
  }

  @Test
  void rebuild_notActive_saysSo() {
    var rebuild = copy().rebuild(of);
    await(rebuild.add(1, List.of(waiting("ann", score(0), score(0)))));
    await(rebuild.finish(9, 1, 0, new Rules(1, State.INACTIVE, SETTINGS)));

    assertThat(place("ann").line().state().isActive()).isFalse();
  }

  @Test
  void rebuild_lostCopy_isThereAgain() {
    LineCopy.Rebuild rebuild = copy().rebuild(of);
    await(rebuild.add(1, List.of(waiting("ann", score(0), score(0)), entered("bob", 1))));
    await(rebuild.add(2, List.of(waiting("cid", score(2), score(2)))));
    assertThat(state()).as("before it is finished").isEqualTo(new CopyState.Lost());

    assertThat(await(rebuild.finish(9, 2, 1, RULES))).isEqualTo(at(9));

    assertThat(place("cid").ahead()).isEqualTo(1);
    assertThat(place("cid").line().settings().pacing()).isEqualTo(SETTINGS.pacing());
    assertThat(place("bob").entry().status()).isEqualTo(Status.ENTERED);
    assertThat(apply(9, 10, 3, 1, null, waiting("dan", score(4), score(4)))).isEqualTo(at(10));
  }

  @Test
  void rebuild_emptyQueue_isThere() {
    assertThat(await(copy().rebuild(of).finish(3, 0, 0, RULES))).isEqualTo(at(3));
    assertThat(locate("ann")).isEqualTo(new Standing.Unknown());
  }

  @Test
  void rebuild_partMissing_isRefused() {
    LineCopy.Rebuild rebuild = copy().rebuild(of);
    await(rebuild.add(1, List.of(waiting("ann", score(0), score(0)))));

    assertThat(await(rebuild.finish(9, 2, 0, RULES))).isEqualTo(new CopyState.Lost());
  }

  @Test
  void rebuild_olderThanWhatIsThere_isRefused() {
    begin("ann", "bob");
    apply(1, 12, 1, 0, null, out("ann", 0, Status.LEFT));
    LineCopy.Rebuild rebuild = copy().rebuild(of);
    await(
        rebuild.add(
            1, List.of(waiting("ann", score(0), score(0)), waiting("bob", score(1), score(1)))));

    assertThat(await(rebuild.finish(9, 2, 0, RULES))).isEqualTo(at(12));

    assertThat(locate("ann")).isEqualTo(new Standing.Unknown());
    assertThat(place("bob").ahead()).isZero();
  }

  @Test
  void rebuild_ofANewQueueOfTheSameName_takesItsPlace() {
    begin("ann");
    apply(1, 50, 1, 0, null);
    var anew = new Original(of.queue(), "ledger-1/8");

    assertThat(await(copy().rebuild(anew).finish(1, 0, 0, RULES))).isEqualTo(at(1));

    assertThat(await(copy().locate(anew, "ann"))).isEqualTo(new Standing.Unknown());
    assertThat(state()).isEqualTo(new CopyState.Lost());
  }

  @Test
  void rebuild_whilePeopleJoin_catchesUp() {
    begin("ann");
    LineCopy.Rebuild rebuild = copy().rebuild(of);
    await(rebuild.add(1, List.of(waiting("ann", score(0), score(0)))));
    apply(1, 2, 2, 0, null, waiting("bob", score(1), score(1)));

    assertThat(await(rebuild.finish(1, 1, 0, RULES))).isEqualTo(at(2));

    assertThat(place("bob").ahead()).isEqualTo(1);
  }

  @Test
  void rebuild_movedOnBeforeItIsFinished_isAsIfReadThen() {
    LineCopy.Rebuild rebuild = copy().rebuild(of);
    await(
        rebuild.add(
            1,
            List.of(
                waiting("ann", score(0), score(0)),
                waiting("bob", score(1), score(1)),
                waiting("cid", score(2), score(2)),
                entered("dan", 3),
                entered("eve", 4))));
    await(
        rebuild.add(
            2,
            List.of(
                entered("ann", 0),
                out("bob", 1, Status.LEFT),
                out("dan", 3, Status.COMPLETED),
                out("eve", 4, Status.EXPIRED),
                waiting("eve", score(9), score(9)),
                out("never", 5, Status.LEFT),
                waiting("fay", score(7), score(7)))));
    await(rebuild.add(3, List.of(out("fay", 7, Status.LEFT), waiting("fay", score(8), score(8)))));

    assertThat(await(rebuild.finish(9, 3, 1, RULES))).isEqualTo(at(9));

    assertThat(place("cid").ahead()).isZero();
    assertThat(place("fay").ahead()).isEqualTo(1);
    assertThat(place("eve").ahead()).isEqualTo(2);
    assertThat(place("ann").entry().status()).isEqualTo(Status.ENTERED);
    assertThat(locate("bob")).isEqualTo(new Standing.Unknown());
    assertThat(locate("dan")).isEqualTo(new Standing.Unknown());
  }

  @Test
  void rebuild_partComesAgainOrOutOfTurn_changesNothing() {
    LineCopy.Rebuild rebuild = copy().rebuild(of);
    List<Fact> first =
        List.of(waiting("ann", score(0), score(0)), waiting("bob", score(1), score(1)));
    await(rebuild.add(1, first));
    await(rebuild.add(2, List.of(out("ann", 0, Status.LEFT))));

    assertThat(isTaken(rebuild.add(1, first))).as("a late repeat").isFalse();
    assertThat(isTaken(rebuild.add(4, first))).as("one is missing before it").isFalse();

    assertThat(await(rebuild.finish(5, 1, 0, RULES))).isEqualTo(at(5));
    assertThat(locate("ann")).isEqualTo(new Standing.Unknown());
  }

  private static boolean isTaken(CompletionStage<?> part) {
    return await(part.handle((_, failure) -> failure == null));
  }

  @Test
  void rebuild_abandoned_canNotBeFinishedAndTheNextOneCan() {
    LineCopy.Rebuild abandoned = copy().rebuild(of);
    await(abandoned.add(1, List.of(waiting("ann", score(0), score(0)))));
    await(abandoned.abandon());
    assertThat(await(abandoned.finish(3, 1, 0, RULES))).isEqualTo(new CopyState.Lost());

    LineCopy.Rebuild rebuild = copy().rebuild(of);
    await(rebuild.add(1, List.of(waiting("ann", score(0), score(0)))));
    assertThat(await(rebuild.finish(3, 1, 0, RULES))).isEqualTo(at(3));
  }

  private List<Move> since(long change) {
    Moved moved = await(copy().since(of, change));
    assertThat(moved).isInstanceOf(Moved.Steps.class);
    return ((Moved.Steps) moved).moves();
  }

  @Test
  void since_frontMiddleAndJump_movesThoseBehind() {
    begin("ann", "bob", "cid", "dan", "eve");
    var eve = new Spot(score(4), 4, 1);
    var dan = new Spot(score(3), 3, 1);
    apply(1, 2, 5, 1, null, entered("ann", 0), waiting("fay", score(5), score(5)));
    apply(2, 9, 3, 2, null, entered("bob", 1), out("dan", 3, Status.LEFT));

    assertThat(dan.follow(since(1))).isEqualTo(Spot.Seen.OUT);
    assertThat(eve.follow(since(1))).isEqualTo(Spot.Seen.NEARER);
    assertThat(eve.ahead()).isEqualTo(place("eve").ahead()).isEqualTo(1);
    assertThat(eve.change()).isEqualTo(9);
  }

  @Test
  void since_insideAJump_isAGap() {
    begin("ann", "bob");
    apply(1, 9, 1, 1, null, entered("ann", 0));

    switch (await(copy().since(of, 5))) {
      case Moved.Gap _ -> {}
      case Moved.Steps steps ->
          assertThat(new Spot(score(1), 1, 5).follow(steps.moves())).isEqualTo(Spot.Seen.LOST);
      case Moved.Older _ -> throw new AssertionError("nothing is older than that");
    }
  }

  @Test
  void since_rebuilt_isAGap() {
    begin("ann", "bob");
    apply(1, 2, 1, 1, null, entered("ann", 0));
    await(copy().drop(of.queue()));
    LineCopy.Rebuild rebuild = copy().rebuild(of);
    await(rebuild.add(1, List.of(entered("ann", 0), waiting("bob", score(1), score(1)))));
    await(rebuild.finish(2, 1, 1, RULES));

    assertThat(await(copy().since(of, 1))).isEqualTo(new Moved.Gap());
    assertThat(since(2)).isEmpty();
    apply(2, 3, 0, 2, null, entered("bob", 1));
    assertThat(since(2)).hasSize(1);
  }

  @Test
  void since_noCopyOrAnothersOne_isAGap() {
    assertThat(await(copy().since(of, 0))).isEqualTo(new Moved.Gap());
    begin("ann");
    var other = new Original(of.queue(), "ledger-1/8");
    assertThat(await(copy().since(other, 1))).isEqualTo(new Moved.Gap());
    assertThat(await(copy().since(of, 2))).isEqualTo(new Moved.Older());
  }

  @Test
  void drop_isGone() {
    begin("ann");

    await(copy().drop(of.queue()));

    assertThat(state()).isEqualTo(new CopyState.Lost());
    assertThat(locate("ann")).isEqualTo(new Standing.NoQueue());
  }

  @Test
  void apply_randomHistory_isWhatAModelSays() {
    Seeded.histories(20, this::replay);
  }

  /** Rule 9: however a copy came about, it has the same members at the same places. */
  private List<Fact> held(Part part, int limit) {
    Held held = await(copy().held(of, part, limit)).orElseThrow();
    Sum sum = await(copy().sum(of, part, limit)).orElseThrow();
    assertThat(sum).isEqualTo(held.sum());
    assertThat(new CopyState.At(held.change())).isEqualTo(state());
    return held.facts();
  }

  private static List<String> users(List<Fact> facts) {
    return facts.stream().map(Fact::user).toList();
  }

  @Test
  void held_ofThoseWhoWait_isWhoStandsBetween() {
    begin("ann", "bob", "cid", "dan", "eve");
    var all = new Part(false, Part.BEGINNING, Part.END);

    assertThat(users(held(all, 100))).containsExactly("ann", "bob", "cid", "dan", "eve");
    assertThat(users(held(all, 2))).containsExactly("ann", "bob");
    assertThat(users(held(new Part(false, score(1), score(3)), 9))).containsExactly("cid", "dan");
    assertThat(held(new Part(false, score(4), Part.END), 9)).isEmpty();
    assertThat(held(new Part(true, Part.BEGINNING, Part.END), 9)).isEmpty();
    assertThat(held(all, 1)).containsExactly(Fact.waiting("ann", score(0), score(0)));
  }

  @Test
  void held_ofThoseInside_isByWhenTheyEnd_thenByName() {
    apply(0, 1, 1, 0, RULES, waiting("zoe", 500, score(9)));
    apply(
        1,
        2,
        1,
        3,
        null,
        new Fact("cid", 11, 0, Status.ENTERED, 40, 90),
        new Fact("Bob", 12, 0, Status.ENTERED, 40, 90),
        new Fact("ann", 13, 0, Status.ENTERED, 41, 91));

    assertThat(held(new Part(true, Part.BEGINNING, Part.END), 9))
        .containsExactly(
            new Fact("Bob", 12, 0, Status.ENTERED, 40, 90),
            new Fact("cid", 11, 0, Status.ENTERED, 40, 90),
            new Fact("ann", 13, 0, Status.ENTERED, 41, 91));
    assertThat(users(held(new Part(true, 90, 91), 9))).containsExactly("ann");
    assertThat(held(new Part(false, Part.BEGINNING, Part.END), 9))
        .containsExactly(Fact.waiting("zoe", 500, score(9)));
  }

  @Test
  void held_numbersOfAnySize_areExact() {
    long low = -5 * Score.BAND_MICROS + 3;
    long high = 4 * Score.BAND_MICROS + 999_999_999_999L;
    apply(0, 1, 2, 0, RULES, waiting("low", 7, low), waiting("high", 999_999_999_999L, high));

    assertThat(held(new Part(false, low - 1, high), 9))
        .containsExactly(Fact.waiting("low", 7, low), Fact.waiting("high", 999_999_999_999L, high));
  }

  @Test
  void held_ofWhatIsLostOrAnothers_isNothing() {
    var all = new Part(false, Part.BEGINNING, Part.END);
    assertThat(await(copy().held(of, all, 9))).isEmpty();
    assertThat(await(copy().sum(of, all, 9))).isEmpty();

    begin("ann");
    var other = new Original(of.queue(), "another/9");

    assertThat(await(copy().held(other, all, 9))).isEmpty();
    assertThat(await(copy().sum(other, all, 9))).isEmpty();
  }

  @Test
  void tickets_randomHistory_areThoseOfWhoWaits() {
    Seeded.histories(20, random -> new Ticketed(random).live());
  }

  @Test
  void tickets_ofACopyThatIsLost_areNone() {
    begin("ann");
    var other = new Original(of.queue(), "another/9");

    assertThat(await(copy().tickets(other))).isEmpty();
    assertThat(await(copy().tile(other, new Tile.Block(0, 0, 1_024)))).isEmpty();
  }

  private void replay(Random random) {
    Original original = newOriginal();
    var line = new TreeMap<Long, String>();
    Map<String, Fact> inside = new HashMap<>();
    boolean isRequeueing = random.nextBoolean();
    boolean isLaned = random.nextBoolean();
    var followed = new Followed(original);
    long change = 0;
    int next = 0;
    for (int step = 0; step < 60; step++) {
      List<Fact> facts = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        var joined = comer("u" + next, next, isLaned, random);
        line.put(joined.score(), joined.user());
        facts.add(joined);
        next++;
      }
      List<Long> scores = new ArrayList<>(line.keySet());
      int admitted = Math.min(random.nextInt(3), scores.size());
      Map<Long, Fact> touched = new TreeMap<>();
      facts.forEach(fact -> touched.put(fact.joined(), fact));
      for (long first : scores.subList(0, admitted)) {
        var fact =
            new Fact(
                requireNonNull(line.remove(first)), joined(first), first, Status.ENTERED, 1, 2);
        inside.put(fact.user(), fact);
        touched.put(fact.joined(), fact);
      }
      if (!inside.isEmpty() && random.nextInt(4) == 0) {
        Fact over = inside.values().iterator().next();
        inside.remove(over.user());
        touched.put(
            over.joined(),
            new Fact(over.user(), over.joined(), over.score(), Status.EXPIRED, over.entered(), 2));
        if (isRequeueing) {
          var again = comer(over.user(), next, isLaned, random);
          next++;
          line.put(again.score(), again.user());
          touched.put(again.joined(), again);
        }
      }
      if (scores.size() > admitted && random.nextBoolean()) {
        long gone = scores.get(admitted + random.nextInt(scores.size() - admitted));
        touched.put(
            joined(gone),
            new Fact(requireNonNull(line.remove(gone)), joined(gone), gone, Status.LEFT, 0, 0));
      }
      var next1 =
          new Change(
              change,
              change + 1,
              List.copyOf(touched.values()),
              line.size(),
              lanes(line, isLaned),
              inside.size(),
              change == 0 ? RULES : null);
      assertThat(await(copy().apply(original, next1))).isEqualTo(at(++change));
      followed.check(line, change, random);
      if (random.nextInt(20) == 0) {
        LineCopy.Rebuild rebuild = copy().rebuild(original);
        List<Fact> everybody = new ArrayList<>(inside.values());
        line.forEach((score, user) -> everybody.add(waiting(user, joined(score), score)));
        await(rebuild.add(1, everybody));
        assertThat(
                await(
                    rebuild.finish(
                        change, line.size(), lanes(line, isLaned), inside.size(), RULES)))
            .isEqualTo(at(change));
      }
    }
    Map<Integer, Long> ahead = new HashMap<>();
    line.forEach(
        (score, user) -> {
          Place place = ((Standing.Found) await(copy().locate(original, user))).place();
          assertThat(place.ahead()).isEqualTo(ahead.merge(Score.lane(score), 1L, Long::sum) - 1);
          assertThat(place.score()).isEqualTo(score);
          assertThat(place.entry().key().joined()).isEqualTo(joined(score));
        });
  }

  /**
   * Who waits with which tickets: what a copy says of that, whatever it was told in which steps,
   * and whether it was built anew meanwhile.
   */
  private final class Ticketed {
    private final Original original = newOriginal();
    private final Random random;
    private final boolean isLaned;

    /** Whether some come without a place, and get one later. */
    private final boolean hasLobby;

    private final TreeMap<Long, Fact> line = new TreeMap<>();
    private final Map<Integer, Long> givenOut = new TreeMap<>();

    /** Everybody who was touched since the copy was told, as they stand now. */
    private final Map<Long, Fact> touched = new TreeMap<>();

    private long told;
    private long change;
    private int next;

    Ticketed(Random random) {
      this.random = random;
      this.isLaned = random.nextBoolean();
      this.hasLobby = random.nextBoolean();
      (isLaned ? List.of(-1, 0, 2) : List.of(0))
          .forEach(band -> givenOut.put(band, (long) random.nextInt(3_000)));
    }

    void live() {
      for (int step = 0; step < 40; step++) {
        act();
        if (change == 1 || random.nextBoolean()) {
          tell();
          check();
        } else if (random.nextInt(8) == 0) {
          buildAnew();
          check();
        }
      }
    }

    private int someBand() {
      return List.copyOf(givenOut.keySet()).get(random.nextInt(givenOut.size()));
    }

    private void act() {
      change++;
      for (int i = random.nextInt(5); i > 0; i--) {
        place("u" + next, score(next), score(next));
      }
      for (int i = random.nextInt(3); i > 0 && !line.isEmpty(); i--) {
        // From the middle, from the front of a lane, or the very last.
        List<Long> all = new ArrayList<>(line.keySet());
        int at = random.nextInt(4) == 0 ? all.size() - 1 : random.nextInt(all.size());
        Long first = line.ceilingKey(someBand() * Score.BAND_MICROS);
        takeOut(random.nextBoolean() && first != null ? first : all.get(at), Status.LEFT);
      }
      if (random.nextInt(30) == 0) {
        List.copyOf(line.keySet()).forEach(score -> takeOut(score, Status.EXPIRED));
      }
      if (isLaned && !line.isEmpty() && random.nextInt(3) == 0) {
        List<Fact> all = new ArrayList<>(line.values());
        Fact moved = all.get(random.nextInt(all.size()));
        line.remove(moved.score());
        place(moved.user(), moved.joined(), score(next));
      }
      for (int i = hasLobby ? random.nextInt(4) : 0; i > 0; i--) {
        long joined = score(next++);
        put(Fact.waiting("l" + joined, joined, Score.inBand(Score.unsettled(someBand()), joined)));
      }
      List<Fact> lobby = new ArrayList<>(unsettled());
      Collections.shuffle(lobby, random);
      for (Fact fact : lobby.subList(0, lobby.isEmpty() ? 0 : random.nextInt(lobby.size() + 1))) {
        line.remove(fact.score());
        place(fact.user(), fact.joined(), score(next));
      }
      List<Fact> placed = new ArrayList<>(line.values());
      placed.removeAll(unsettled());
      if (!placed.isEmpty() && random.nextInt(3) == 0) {
        // Somebody else has the very place from then on.
        Fact before = placed.get(random.nextInt(placed.size()));
        takeOut(before.score(), Status.LEFT);
        put(Fact.waiting("u" + next, score(next), before.score(), before.ticket()));
        next++;
      }
      if (!line.isEmpty() && random.nextInt(3) == 0) {
        // Touched where they stand.
        Fact same = List.copyOf(line.values()).get(random.nextInt(line.size()));
        touched.put(same.joined(), same);
      }
    }

    private List<Fact> unsettled() {
      return line.values().stream()
          .filter(fact -> Score.isUnsettled(Score.lane(fact.score())))
          .toList();
    }

    private void place(String user, long joined, long at) {
      next++;
      int band = someBand();
      long ticket = givenOut.merge(band, 1L, Long::sum);
      put(Fact.waiting(user, joined, Score.inBand(band, at), ticket));
    }

    private void put(Fact fact) {
      line.put(fact.score(), fact);
      touched.put(fact.joined(), fact);
    }

    private void takeOut(long score, Status status) {
      Fact fact = requireNonNull(line.remove(score));
      touched.put(fact.joined(), out(fact, status));
    }

    private Fact out(Fact fact, Status status) {
      return new Fact(fact.user(), fact.joined(), fact.score(), status, 0, 0, fact.ticket());
    }

    private List<LaneCount> lanes() {
      if (!isLaned && unsettled().isEmpty()) {
        return List.of();
      }
      List<LaneCount> lanes = new ArrayList<>();
      givenOut.keySet().forEach(band -> lanes.add(lane(band, band)));
      givenOut.keySet().stream()
          .map(band -> lane(Score.unsettled(band), band))
          .filter(lane -> lane.waiting() > 0)
          .forEach(lanes::add);
      return lanes;
    }

    private LaneCount lane(int band, int of) {
      return new LaneCount(band, "lane" + (of + 1), count(band, 0, NEVER), 0);
    }

    private long count(int band, long from, long upTo) {
      return line.values().stream()
          .filter(fact -> Score.lane(fact.score()) == band)
          .filter(fact -> fact.ticket() >= from && fact.ticket() < upTo)
          .count();
    }

    private void tell() {
      var next =
          new Change(
              told,
              change,
              List.copyOf(touched.values()),
              line.size(),
              lanes(),
              0,
              told == 0 ? RULES : null);
      assertThat(await(copy().apply(original, next))).isEqualTo(at(change));
      told();
    }

    private void told() {
      told = change;
      touched.clear();
    }

    /** In parts, while others come and go, who are told in the order in which they were touched. */
    private void buildAnew() {
      LineCopy.Rebuild rebuild = copy().rebuild(original);
      int parts = add(rebuild, 0, new ArrayList<>(line.values()));
      for (int round = 0; round < 2; round++) {
        told();
        act();
        act();
        List<Fact> some = new ArrayList<>(touched.values());
        Collections.shuffle(some, random);
        parts = add(rebuild, parts, some);
      }
      assertThat(await(rebuild.finish(change, line.size(), lanes(), 0, RULES)))
          .isEqualTo(at(change));
      told();
    }

    private int add(LineCopy.Rebuild rebuild, int parts, List<Fact> facts) {
      int part = parts;
      for (int from = 0; from < facts.size(); from += 3) {
        await(rebuild.add(++part, facts.subList(from, Math.min(facts.size(), from + 3))));
      }
      return part;
    }

    private void check() {
      line.forEach(
          (score, fact) -> {
            Place place = ((Standing.Found) await(copy().locate(original, fact.user()))).place();
            assertThat(place.score()).isEqualTo(score);
            assertThat(place.entry().key().joined()).isEqualTo(fact.joined());
            assertThat(place.ahead()).isEqualTo(line.subMap(Score.laneFrom(score), score).size());
            assertThat(place.ticket()).as("ticket of %s", fact.user()).isEqualTo(fact.ticket());
          });
      List<Tickets.Range> ranges = givenOut.keySet().stream().map(this::range).toList();
      Tickets tickets = await(copy().tickets(original)).orElseThrow();
      assertThat(tickets)
          .isEqualTo(Tickets.of(tickets.line(), ranges, (band, ticket) -> count(band, 0, ticket)));
      assertThat(tickets.line().change()).isEqualTo(change);
      for (Tickets.Range range : ranges) {
        var block = new Tile.Block(range.band(), range.front() / 1_024 * 1_024, 1_024);
        List<Long> waiting =
            line.values().stream()
                .filter(fact -> Score.lane(fact.score()) == range.band())
                .map(Fact::ticket)
                .filter(ticket -> ticket >= block.from() && ticket < block.upTo())
                .toList();
        assertThat(await(copy().tile(original, block)).orElseThrow())
            .isEqualTo(Tile.of(change, range, block, waiting));
      }
    }

    private Tickets.Range range(int band) {
      List<Long> tickets =
          line.values().stream()
              .filter(fact -> Score.lane(fact.score()) == band)
              .map(Fact::ticket)
              .toList();
      return tickets.isEmpty()
          ? Tickets.Range.empty(band)
          : new Tickets.Range(band, tickets.getFirst(), tickets.getLast());
    }
  }

  /** One place that is followed from change to change, as viewers do. */
  private final class Followed {
    private final Original original;
    private String user = "";
    private Spot spot = new Spot(0, 0, 0);

    Followed(Original original) {
      this.original = original;
    }

    void check(NavigableMap<Long, String> line, long change, Random random) {
      if (spot.change() > 0
          && await(copy().since(original, spot.change())) instanceof Moved.Steps steps) {
        Spot.Seen seen = spot.follow(steps.moves());
        boolean isIn = user.equals(line.get(spot.score()));
        assertThat(seen)
            .isIn(isIn ? List.of(Spot.Seen.SAME, Spot.Seen.NEARER) : List.of(Spot.Seen.OUT));
        if (isIn) {
          long from = Score.laneFrom(spot.score());
          assertThat(spot.ahead()).isEqualTo(line.subMap(from, spot.score()).size());
          assertThat(spot.change()).isEqualTo(change);
          return;
        }
      }
      spot = new Spot(0, 0, 0);
      if (!line.isEmpty()) {
        user = List.copyOf(line.values()).get(random.nextInt(line.size()));
        Place place = ((Standing.Found) await(copy().locate(original, user))).place();
        spot = new Spot(place.score(), place.ahead(), place.line().change());
      }
    }
  }

  private static Fact comer(String user, int number, boolean isLaned, Random random) {
    int band = isLaned ? Score.FALLBACK + random.nextInt(11) : 0;
    return waiting(user, score(number), Score.inBand(band, score(number)));
  }

  private static long joined(long score) {
    return score - Score.laneFrom(score);
  }

  private static List<LaneCount> lanes(NavigableMap<Long, String> line, boolean isLaned) {
    Map<Integer, Long> counts = new TreeMap<>();
    line.keySet().forEach(score -> counts.merge(Score.lane(score), 1L, Long::sum));
    return isLaned
        ? counts.entrySet().stream()
            .map(band -> new LaneCount(band.getKey(), "lane", band.getValue(), 0))
            .toList()
        : List.of();
  }
}
