package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Fact;
import io.naru.line.Moved;
import io.naru.line.Original;
import io.naru.line.Score;
import io.naru.line.Spot;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.queue.Drawing;
import io.naru.queue.Entry.Status;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Units;
import io.naru.support.Seeded;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TallyTest {

  private static final Original OF = new Original(new QueueId("TALLY", "1"), "ledger/1");

  private static LineState line(long change, long waiting) {
    return new LineState(change, waiting, 1, State.OPEN, Settings.DEFAULT);
  }

  private static Fact with(long score, Status status) {
    return new Fact("u" + score, score, score, status, 0, 0, score);
  }

  private static Tally of(long... scores) {
    return new Tally(OF, scores, new long[scores.length], scores.length, line(1, scores.length));
  }

  @Test
  void ahead_readFromTheLedger_isTheOrder() {
    Tally tally = of(10, 20, 30);

    assertThat(tally.ahead(10)).isZero();
    assertThat(tally.ahead(30)).isEqualTo(2);
    assertThat(tally.ahead(25)).isEqualTo(-1);
  }

  @Test
  void advance_doesNotAddUp_saysSo() {
    assertThat(of(10, 20).advance(List.of(with(10, Status.LEFT)), line(2, 2))).isFalse();
  }

  @Test
  void advance_manyComeAndGoForLong_takesNoMoreThanThoseWhoWait() {
    Tally tally = of(IntStream.range(0, 100).asLongStream().toArray());

    for (int i = 0; i < 10_000; i++) {
      List<Fact> moved = List.of(with(i, Status.ENTERED), with(100 + i, Status.WAITING));
      assertThat(tally.advance(moved, line(2 + i, 100))).isTrue();
    }

    assertThat(tally.ahead(10_099)).isEqualTo(99);
    assertThat(tally.room()).isLessThan(300);
  }

  @Test
  void advance_somebodyInsideEnds_movesNobody() {
    Tally tally = of(10, 20);

    assertThat(tally.advance(List.of(with(5, Status.COMPLETED)), line(2, 2))).isTrue();

    assertThat(tally.ahead(20)).isEqualTo(1);
  }

  @Test
  void advance_placeTakenOver_movesNobodyAndTellsWhoHadIt() {
    Tally tally = of(10, 20, 30);
    var first = new Fact("b", 50, 20, Status.LEFT, 0, 0, 20);

    assertThat(
            tally.advance(
                List.of(Fact.waiting("c", 60, 20, 20), with(20, Status.LEFT), first), line(2, 3)))
        .isTrue();

    assertThat(tally.ahead(30)).isEqualTo(2);
    var moves = ((Moved.Steps) tally.since(1)).moves();
    assertThat(new Spot(30, 2, 1).follow(moves)).isEqualTo(Spot.Seen.SAME);
    assertThat(new Spot(20, 1, 1).follow(moves)).isEqualTo(Spot.Seen.OUT);
    assertThat(tally.advance(List.of(first, with(20, Status.LEFT)), line(3, 2))).isTrue();
    assertThat(tally.ahead(30)).isEqualTo(1);
  }

  /** Whoever gets a place is not where they were, whatever became of them since. */
  @Test
  void advance_placesComeAbout_leaveTheBandOfThoseWithout() {
    int lobby = Score.unsettled(0);
    long[] scores = {Score.inBand(lobby, 10), Score.inBand(lobby, 20), Score.inBand(lobby, 30), 5};
    List<LaneCount> lanes = List.of(new LaneCount(0, "", 1, 0), new LaneCount(lobby, "", 3, 0));
    var before =
        new LineState(1, 4, lanes, 1, State.OPEN, Settings.DEFAULT, Units.NONE, 0, Drawing.NONE);
    var tally = new Tally(OF, scores, new long[] {0, 0, 0, 1}, 4, before);
    List<Fact> touched =
        List.of(
            new Fact("a", 10, 101, Status.WAITING, 0, 0, 3),
            new Fact("b", 20, 100, Status.ENTERED, 7, 9, 2),
            new Fact("c", 30, Score.inBand(lobby, 30), Status.LEFT, 0, 0));

    assertThat(tally.advance(touched, line(2, 2))).isTrue();

    assertThat(tally.ahead(5)).isZero();
    assertThat(tally.ahead(101)).isEqualTo(1);
    assertThat(tally.ahead(Score.inBand(lobby, 10))).isEqualTo(-1);
    assertThat(tally.tickets().lanes().getFirst().range()).isEqualTo(new Tickets.Range(0, 1, 3));
  }

  /** Whoever has no place is where they were when they are back in their lane. */
  @Test
  void advance_toAnotherLaneAndBackWithoutAPlace_isInLineAgain() {
    for (int who = 0; who < 3; who++) {
      moveAndBack(who);
    }
  }

  private static void moveAndBack(int who) {
    int normal = Score.unsettled(0);
    int vip = Score.unsettled(Score.FIRST_LANE);
    long[] joined = {10, 20, 30};
    long[] scores = LongStream.of(joined).map(at -> Score.inBand(normal, at)).toArray();
    var tally = new Tally(OF, scores.clone(), new long[3], 3, lobby(1, 0, 3));
    var there = Fact.waiting("u", joined[who], Score.inBand(vip, joined[who]));
    var back = Fact.waiting("u", joined[who], scores[who]);

    assertThat(tally.advance(List.of(there), lobby(2, 1, 2))).isTrue();
    assertThat(tally.ahead(there.score())).isZero();
    assertThat(tally.ahead(back.score())).isEqualTo(-1);
    assertThat(tally.advance(List.of(back), lobby(3, 0, 3))).isTrue();

    assertThat(tally.ahead(there.score())).isEqualTo(-1);
    for (int i = 0; i < scores.length; i++) {
      assertThat(tally.ahead(scores[i])).as("%d after %d went", i, who).isEqualTo(i);
    }
  }

  private static LineState lobby(long change, long vip, long normal) {
    List<LaneCount> lanes =
        List.of(
            new LaneCount(Score.FIRST_LANE, "vip", 0, 0),
            new LaneCount(0, "normal", 0, 0),
            new LaneCount(Score.unsettled(Score.FIRST_LANE), "vip", vip, 0),
            new LaneCount(Score.unsettled(0), "normal", normal, 0));
    return new LineState(
        change, 3, lanes, 1, State.OPEN, Settings.DEFAULT, Units.NONE, 0, Drawing.NONE);
  }

  @Test
  void since_beforeItWasRead_isAGap() {
    assertThat(of(10).since(0)).isEqualTo(new Moved.Gap());
    assertThat(of(10).since(2)).isEqualTo(new Moved.Older());
  }

  @Test
  void advance_randomHistory_isWhatASortedSetSays() {
    Seeded.histories(30, TallyTest::replay);
  }

  private static void replay(Random random) {
    var model = new TreeSet<Long>();
    long next = 1_000;
    for (int i = random.nextInt(20_000); i > 0; i--) {
      model.add(next += 1 + random.nextInt(5));
    }
    long[] scores = model.stream().mapToLong(Long::longValue).toArray();
    var tally = new Tally(OF, scores, scores.clone(), scores.length, line(0, scores.length));
    int watched = scores.length == 0 ? -1 : random.nextInt(scores.length);
    var spot = watched < 0 ? null : new Spot(scores[watched], watched, 0);
    long change = 0;
    for (int step = 0; step < 40; step++) {
      Map<Long, Fact> touched = new LinkedHashMap<>();
      for (int i = random.nextInt(50); i > 0; i--) {
        model.add(next += 1 + random.nextInt(5));
        touched.put(next, with(next, Status.WAITING));
      }
      List<Long> all = new ArrayList<>(model);
      // From the front, and now and then more from the middle than are kept as holes.
      int front = Math.min(all.size(), random.nextInt(100));
      IntStream.range(0, front).forEach(i -> leave(all.get(i), Status.ENTERED, model, touched));
      for (int i = random.nextInt(10) == 0 ? 6_000 : random.nextInt(100); i > 0; i--) {
        long gone = all.isEmpty() ? -1 : all.get(random.nextInt(all.size()));
        leave(gone, Status.LEFT, model, touched);
      }
      change += 1 + random.nextInt(3);
      assertThat(tally.advance(List.copyOf(touched.values()), line(change, model.size()))).isTrue();
    }
    long ahead = 0;
    for (long score : model) {
      assertThat(tally.ahead(score)).isEqualTo(ahead++);
    }
    assertTickets(tally, model);
    if (spot != null && tally.since(0) instanceof Moved.Steps(var _, var moves)) {
      boolean isOut = spot.follow(moves) == Spot.Seen.OUT;
      assertThat(isOut).isEqualTo(!model.contains(scores[watched]));
      assertThat(isOut || spot.ahead() == tally.ahead(scores[watched])).isTrue();
    }
  }

  /** Here everybody's ticket is their score. */
  private static void assertTickets(Tally tally, NavigableSet<Long> model) {
    var range =
        model.isEmpty()
            ? Tickets.Range.empty(0)
            : new Tickets.Range(0, model.first(), model.last());
    Tickets tickets = tally.tickets();
    assertThat(tickets)
        .isEqualTo(
            Tickets.of(
                tickets.line(), List.of(range), (_, ticket) -> model.headSet(ticket).size()));
    var block = new Tile.Block(0, 3 * 1_024, 4_096);
    assertThat(tally.tile(block))
        .isEqualTo(
            Tile.of(
                tally.change(),
                range,
                block,
                List.copyOf(model.subSet(block.from(), block.upTo()))));
  }

  private static void leave(long score, Status status, Set<Long> model, Map<Long, Fact> touched) {
    if (model.remove(score)) {
      touched.remove(score);
      touched.put(score, with(score, status));
    }
  }
}
