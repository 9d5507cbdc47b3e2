package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.history.HistoryContract;
import io.naru.line.InLane;
import io.naru.line.Moved;
import io.naru.line.Spot;
import io.naru.line.Standing;
import io.naru.line.Tickets;
import io.naru.queue.Stay.CompletedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What every queue with lanes promises, wherever it is decided. */
public abstract class LanesContract extends HistoryContract {

  private static List<Map<String, Object>> lanes(Object... namesAndShares) {
    List<Map<String, Object>> lanes = new ArrayList<>();
    for (int i = 0; i < namesAndShares.length; i += 2) {
      lanes.add(Map.of("name", namesAndShares[i], "share", namesAndShares[i + 1]));
    }
    return lanes;
  }

  /** A queue with a lane for few and one for everybody else. */
  private void activateLanes() {
    activateCalm(1_000, 1_000);
    activate(Map.of("lanes", lanes("vip", 70, "normal", 30)));
  }

  private Place join(String user, String lane) {
    return ((Joined.Waiting) await(queues().join(queue, user, new Claim(lane, "")))).place();
  }

  private static String laneOf(Place place) {
    return InLane.of(place.line(), place.score(), place.ahead()).name();
  }

  private List<String> names(Admitted.Done admitted) {
    return admitted.entries().stream().map(entry -> entry.key().user()).toList();
  }

  private List<LaneCount> counts() {
    return await(queues().find(queue)).orElseThrow().figures().lanes();
  }

  private static List<Long> waiting(List<LaneCount> lanes) {
    return lanes.stream().map(LaneCount::waiting).toList();
  }

  @Test
  void lanes_placesAndTurns_areOfEachLane() {
    activateLanes();
    for (int i = 0; i < 10; i++) {
      assertThat(join("normal" + i, "").ahead()).isEqualTo(i);
      Place vip = join("vip" + i, "vip");
      assertThat(vip.ahead()).isEqualTo(i);
      assertThat(laneOf(vip)).isEqualTo("vip");
    }
    assertThat(waiting(counts())).containsExactly(10L, 10L);
    Place last = placeOf("normal9");
    assertThat(last.ahead()).isEqualTo(9);
    assertThat(laneOf(last)).isEqualTo("normal");
    assertThat(waiting(last.line().lanes())).containsExactly(10L, 10L);
    var spot = new Spot(last.score(), last.ahead(), last.line().change());

    List<String> first = names(admitByHand(10));

    assertThat(first.stream().filter(user -> user.startsWith("vip")))
        .containsExactly("vip0", "vip1", "vip2", "vip3", "vip4", "vip5", "vip6");
    assertThat(first).contains("normal0", "normal1", "normal2");
    var moved = (Moved.Steps) await(line().since(queue, spot.change()));
    assertThat(spot.follow(moved.moves())).isEqualTo(Spot.Seen.NEARER);
    assertThat(spot.ahead()).isEqualTo(6);
    assertThat(placeOf("normal9").ahead()).isEqualTo(6);
    assertThat(placeOf("vip9").ahead()).isEqualTo(2);
    assertThat(waiting(counts())).containsExactly(3L, 7L);

    assertThat(names(admitByHand(100))).hasSize(10);
    assertThat(waiting(counts())).containsExactly(0L, 0L);
    assertThat(join("late", "vip").ahead()).isZero();
  }

  @Test
  void tickets_areCountedByLane_alsoAsLanesComeAndGo() {
    activateCalm(1_000, 1_000);
    joinMany("early", 2);
    leave(placeOf("early0").entry().key());

    activateLanes();
    assertThat(join("normal", "").ticket()).isEqualTo(3);
    assertThat(join("vip", "vip").ticket()).isEqualTo(1);
    await(queues().move(queue, "normal", "vip", Actor.SYSTEM));
    assertThat(placeOf("normal").ticket()).isEqualTo(2);
    assertThat(join("last", "").ticket()).isEqualTo(4);
    assertThat(placeOf("early1").ticket()).isEqualTo(2);
    assertThat(await(line().tickets(queue)).orElseThrow().lanes())
        .extracting(Tickets.OfLane::gone)
        .containsExactly(List.of(0), List.of(1));

    admitByHand(3);
    activate(Map.of("lanes", List.of()));
    assertThat(join("later", "").ticket()).isEqualTo(5);
  }

  @Test
  void lanes_unknownOne_isThatOfEverybodyElse() {
    activateLanes();
    assertThat(laneOf(join("ann", "nobody-knows"))).isEqualTo("normal");
    activate(Map.of("lanes", List.of()));
    assertThat(laneOf(join("bob", "vip"))).isEmpty();
    assertThat(placeOf("bob").ahead()).isEqualTo(1);
  }

  @Test
  void lanes_editedWhilePeopleWait_keepEverybodysPlace() {
    activateCalm(1_000, 1_000);
    joinMany("early", 3);

    activate(Map.of("lanes", lanes("vip", 1, "press", 1, "normal", 8)));
    assertThat(laneOf(placeOf("early2"))).isEqualTo("normal");
    assertThat(placeOf("early2").ahead()).isEqualTo(2);
    join("ann", "vip");

    assertThat(edit(Edit.activate(Map.of("lanes", lanes("press", 1, "normal", 8)))))
        .isEqualTo(new Edited.LaneOccupied("vip", 1));
    assertThat(edit(Edit.activate(Map.of("lanes", List.of()))))
        .isEqualTo(new Edited.LaneOccupied("vip", 1));
    activate(Map.of("lanes", lanes("normal", 5, "vip", 5)));
    assertThat(laneOf(placeOf("ann"))).isEqualTo("vip");
    assertThat(laneOf(placeOf("early0"))).isEqualTo("normal");
    assertThat(laneOf(join("cid", ""))).isEqualTo("vip");
    leave(placeOf("ann").entry().key());
    leave(placeOf("cid").entry().key());

    activate(Map.of("lanes", List.of()));
    assertThat(counts()).isEmpty();
    assertThat(placeOf("early2").ahead()).isEqualTo(2);
    assertThat(names(admitByHand(2))).hasSize(2);
    assertThat(placeOf("early2").ahead()).isZero();
  }

  @Test
  void lanes_strict_lowerLaneWaitsForThoseAbove() {
    activateLanes();
    activate(Map.of("laneOrder", "STRICT"));
    join("ann", "");
    join("bob", "vip");
    join("cid", "vip");

    assertThat(names(admitByHand(2))).containsExactly("bob", "cid");
    assertThat(names(admitByHand(2))).containsExactly("ann");
  }

  @Test
  void lanes_turnRanOut_standsAgainInTheSameLane() {
    activateLanes();
    activate(Map.of("onExpiry", "REQUEUE", "passTtlSeconds", 10));
    join("ann", "vip");
    admitByHand(1);
    advance(Duration.ofSeconds(10).plus(SLACK));
    admitPaced();

    assertThat(laneOf(placeOf("ann"))).isEqualTo("vip");
    assertThat(waiting(counts())).containsExactly(1L, 0L);
  }

  /** A new lane may stand where one was that is gone; that gives it to nobody who stood there. */
  @Test
  void lanes_turnRanOutOfALaneThatIsGone_standsWithEverybodyElse() {
    activateCalm(1_000, 1_000);
    activate(
        Map.of(
            "onExpiry",
            "REQUEUE",
            "passTtlSeconds",
            10,
            "lanes",
            lanes("silver", 1, "bronze", 1, "normal", 1)));
    join("sam", "silver");
    join("bob", "bronze");
    admitByHand(2);
    activate(Map.of("lanes", lanes("bronze", 1, "gold", 1, "normal", 1)));
    join("ann", "gold");
    admitByHand(1);
    activate(Map.of("lanes", lanes("gold", 1, "normal", 1)));
    activate(Map.of("lanes", lanes("gold", 1, "iron", 1, "normal", 1)));

    advance(Duration.ofSeconds(10).plus(SLACK));
    admitPaced();

    assertThat(laneOf(placeOf("sam"))).isEqualTo("normal");
    assertThat(laneOf(placeOf("bob"))).isEqualTo("normal");
    assertThat(laneOf(placeOf("ann"))).isEqualTo("gold");
    assertThat(waiting(counts())).containsExactly(1L, 0L, 2L);
  }

  @Test
  void lanes_queueEnds_everybodyHears() {
    activateLanes();
    for (int i = 0; i < 3; i++) {
      join("normal" + i, "");
      join("vip" + i, "vip");
    }
    edit(Edit.of(Edit.Act.END, ""));
    admit(new Admission.Paced());

    assertThat(waiting(counts())).containsExactly(0L, 0L);
    assertThat(placeOf("vip2").entry().isEndedWithQueue()).isTrue();
    assertThat(placeOf("normal2").entry().isEndedWithQueue()).isTrue();
  }

  private Joined joinWith(String user, String code) {
    return await(queues().join(queue, user, new Claim("", code)));
  }

  @Test
  void code_givesOnePlaceInItsLane_once() {
    activateLanes();
    assertThat(await(queues().makeCodes(queue, "nowhere", Set.of("a"), Actor.SYSTEM)))
        .isEqualTo(Coded.NO_LANE);
    assertThat(await(queues().makeCodes(newQueueId(), "vip", Set.of("a"), Actor.SYSTEM)))
        .isEqualTo(Coded.NO_QUEUE);
    assertThat(await(queues().makeCodes(queue, "vip", Set.of("a", "b", "c"), Actor.SYSTEM)))
        .isEqualTo(Coded.DONE);

    assertThat(joinWith("ann", "a"))
        .isInstanceOfSatisfying(
            Joined.Waiting.class, in -> assertThat(laneOf(in.place())).isEqualTo("vip"));
    assertThat(joinWith("bob", "a")).isEqualTo(new Joined.Refused(Joined.Reason.CODE_INVALID, 0));
    assertThat(joinWith("bob", "x")).isEqualTo(new Joined.Refused(Joined.Reason.CODE_INVALID, 0));
    assertThat(locate("bob")).isInstanceOf(Standing.Unknown.class);

    Place normal = join("bob", "");
    assertThat(joinWith("bob", "b"))
        .isInstanceOfSatisfying(
            Joined.Waiting.class,
            in -> {
              assertThat(laneOf(in.place())).isEqualTo("vip");
              assertThat(in.place().ahead()).isEqualTo(1);
              assertThat(in.place().entry()).isEqualTo(normal.entry());
            });
    assertThat(placeOf("bob").entry()).isEqualTo(normal.entry());
    assertThat(joinWith("bob", "c")).isInstanceOf(Joined.AlreadyIn.class);
    assertThat(joinWith("cid", "c")).isInstanceOf(Joined.Waiting.class);
    assertThat(waiting(counts())).containsExactly(3L, 0L);
  }

  /** Whoever is first of all loses by a lane, however good it is. */
  @Test
  void code_inFallback_keepsBoth() {
    activateLanes();
    await(queues().makeCodes(queue, "vip", Set.of("a"), Actor.SYSTEM));
    EntryKey ann = join("ann", "").entry().key();
    admitByHand(1);
    assertThat(await(queues().giveBack(ann, true, CompletedBy.VISITOR)))
        .isInstanceOf(Returned.Has.class);
    join("bob", "vip");
    Place before = placeOf("ann");

    assertThat(joinWith("ann", "x")).isEqualTo(new Joined.Refused(Joined.Reason.CODE_INVALID, 0));
    assertThat(joinWith("ann", "a")).isInstanceOf(Joined.AlreadyIn.class);

    assertThat(placeOf("ann").score()).isEqualTo(before.score());
    assertThat(names(admitByHand(1))).containsExactly("ann");
    assertThat(joinWith("cid", "a"))
        .isInstanceOfSatisfying(
            Joined.Waiting.class, in -> assertThat(laneOf(in.place())).isEqualTo("vip"));
  }

  @Test
  void move_toAnotherLane_standsAtItsEnd() {
    activateLanes();
    join("ann", "");
    join("bob", "");
    join("cid", "vip");
    Place before = placeOf("bob");
    var spot = new Spot(before.score(), before.ahead(), before.line().change());

    assertThat(await(queues().move(queue, "ann", "vip", Actor.SYSTEM)))
        .isEqualTo(new Shifted.Done(1, true));
    assertThat(await(queues().move(queue, "ann", "vip", Actor.SYSTEM)))
        .isEqualTo(new Shifted.Done(0, false));
    assertThat(await(queues().move(queue, "zoe", "vip", Actor.SYSTEM)))
        .isEqualTo(new Shifted.Nobody());
    assertThat(await(queues().move(queue, "ann", "gold", Actor.SYSTEM)))
        .isEqualTo(new Shifted.NoLane());
    assertThat(await(queues().move(newQueueId(), "ann", "vip", Actor.SYSTEM)))
        .isEqualTo(new Shifted.NoQueue());

    assertThat(placeOf("ann").ahead()).isEqualTo(1);
    assertThat(laneOf(placeOf("ann"))).isEqualTo("vip");
    assertThat(placeOf("bob").ahead()).isZero();
    var moved = (Moved.Steps) await(line().since(queue, spot.change()));
    assertThat(spot.follow(moved.moves())).isEqualTo(Spot.Seen.NEARER);
    assertThat(names(admitByHand(9))).containsExactlyInAnyOrder("ann", "bob", "cid");
  }
}
