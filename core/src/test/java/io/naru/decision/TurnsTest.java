package io.naru.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.InLane;
import io.naru.line.Score;
import io.naru.queue.Lane;
import io.naru.queue.Lanes;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.support.Seeded;
import io.naru.support.ShareRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whose turn it is: counts alone, no store. */
class TurnsTest {

  private final QueueState queue = new QueueState(new QueueId("TEST", "1"));
  private long joined;

  private static Lanes lanes(Lanes.Order order, int... shares) {
    List<Lane> all = new ArrayList<>();
    for (int share : shares) {
      all.add(new Lane("lane" + all.size(), share));
    }
    return new Lanes(all, order);
  }

  private void edit(Lanes next) {
    queue.bands.edit(queue.settings.lanes(), next, queue);
    List<Map<String, Object>> plain = new ArrayList<>();
    next.lanes().forEach(lane -> plain.add(Map.of("name", lane.name(), "share", lane.share())));
    queue.settings =
        queue.settings.with(Map.of("lanes", plain, "laneOrder", next.laneOrder().name()));
  }

  private void join(int lane, int count) {
    int band = lane < 0 ? Score.FALLBACK : queue.bands.of("lane" + lane);
    for (int i = 0; i < count; i++) {
      joined++;
      queue.bands.add(Score.inBand(band, joined), queue);
      queue.waiting++;
    }
  }

  /** Counts are all that matters here, so it may be anybody of the lane. */
  private void leave(int lane) {
    queue.bands.remove(Score.inBand(queue.bands.of("lane" + lane), joined));
    queue.waiting--;
  }

  /** The lanes that go in, one after the other; -1 for those who came back. */
  private List<Integer> take(int count) {
    var turns = new Turns(queue.bands, queue.settings.lanes());
    List<Integer> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Bands.Band band = turns.take();
      if (band == null) {
        break;
      }
      queue.waiting--;
      taken.add(band.isFallback() ? -1 : Integer.parseInt(band.name.substring(4)));
    }
    turns.end();
    queue.bands.tidy();
    return taken;
  }

  @Test
  void shares_seventyThirty_areSevenOfEveryTen() {
    edit(lanes(Lanes.Order.SHARES, 70, 30));
    join(0, 100);
    join(1, 100);

    assertThat(take(20))
        .containsExactly(0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0);
  }

  /** What the k-th of a lane was promised, by brute force. */
  @Test
  void shares_allWait_kThGoesInAsNumberKOverShareOfAll() {
    for (int[] shares : List.of(new int[] {70, 30}, IntStream.rangeClosed(1, 10).toArray())) {
      edit(Lanes.NONE);
      edit(lanes(Lanes.Order.SHARES, shares));
      for (int i = 0; i < shares.length; i++) {
        join(i, 1_000);
      }
      int sum = IntStream.of(shares).sum();
      int[] taken = new int[shares.length];
      List<Integer> all = take(1_000);
      for (int number = 1; number <= all.size(); number++) {
        int lane = all.get(number - 1);
        taken[lane]++;
        assertThat((long) number)
            .isLessThanOrEqualTo(Math.ceilDiv((long) taken[lane] * sum, shares[lane]));
      }
      take(Integer.MAX_VALUE);
    }
  }

  @Test
  void shares_oneLargeLaneAndNineSmallOnes_largeOneDoesNotRunAhead() {
    edit(lanes(Lanes.Order.SHARES, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1));
    IntStream.range(0, 10).forEach(lane -> join(lane, 100));

    List<Integer> taken = take(18);

    assertThat(taken.subList(0, 4)).containsOnlyOnce(1).contains(0);
    assertThat(taken.stream().filter(lane -> lane == 0)).hasSize(9);
  }

  @Test
  void shares_laneIdleForLong_getsNoBurst() {
    edit(lanes(Lanes.Order.SHARES, 1, 1));
    join(0, 10_000);
    take(5_000);
    join(1, 100);

    assertThat(take(20).stream().filter(lane -> lane == 1)).hasSizeBetween(9, 11);
  }

  /** Each of the small ones has had its turn, and of all that go in nobody gets less than it. */
  @Test
  void shares_largeLaneComesRightBehindARound_isAheadByThatRoundAtMost() {
    edit(lanes(Lanes.Order.SHARES, 90, 1, 1, 1, 1, 1, 1, 1, 1, 1));
    IntStream.range(1, 10).forEach(lane -> join(lane, 10));
    assertThat(take(9)).containsExactlyInAnyOrder(1, 2, 3, 4, 5, 6, 7, 8, 9);
    join(0, 1_000);

    List<Integer> next = take(180);

    assertThat(next.subList(0, 80)).containsOnly(0);
    assertThat(next.stream().filter(lane -> lane == 0)).hasSize(171);
    IntStream.range(1, 10).forEach(lane -> assertThat(next).containsOnlyOnce(lane));
  }

  @Test
  void strict_lowerLane_onlyWhenThoseAboveAreEmpty() {
    edit(lanes(Lanes.Order.STRICT, 1, 1_000));
    join(1, 2);
    join(0, 2);

    assertThat(take(10)).containsExactly(0, 0, 1, 1);
  }

  @Test
  void fallback_goesFirst_atNobodysCost() {
    edit(lanes(Lanes.Order.SHARES, 70, 30));
    join(0, 50);
    join(1, 50);
    var without = new Turns(queue.bands.copy(), queue.settings.lanes());
    List<String> expected = new ArrayList<>();
    IntStream.range(0, 20).forEach(_ -> expected.add(Objects.requireNonNull(without.take()).name));
    join(-1, 3);

    List<Integer> taken = take(23);

    assertThat(taken.subList(0, 3)).containsOnly(-1);
    assertThat(taken.subList(3, 23).stream().map(lane -> "lane" + lane)).isEqualTo(expected);
  }

  @Test
  void text_readAgain_isTheSame() {
    edit(lanes(Lanes.Order.SHARES, 3, 2, 1));
    join(0, 5);
    join(2, 7);
    take(3);
    join(-1, 1);

    assertThat(Bands.ofText(queue.bands.text(), 0).text()).isEqualTo(queue.bands.text());
    assertThat(new Bands().text()).isEmpty();
  }

  /** A hundred thousand go in while lanes come and go, people leave, and shares are edited. */
  @Test
  void shares_randomHistory_noLaneIsBehindOrAhead() {
    Seeded.histories(20, this::history);
  }

  private void history(Random random) {
    queue.bands = new Bands();
    queue.waiting = 0;
    queue.settings = Settings.DEFAULT;
    int count = 1 + random.nextInt(10);
    int[] shares = shares(random, count);
    edit(lanes(Lanes.Order.SHARES, shares));
    var record = new ShareRecord(shares);
    // In some lanes hardly ever anybody waits, in others nearly always.
    int crowd = random.nextBoolean() ? 500 : 40;
    while (record.admitted() < 5_000) {
      int lane = random.nextInt(count);
      if (random.nextInt(4) == 0) {
        int many = 1 + random.nextInt(random.nextInt(3) == 0 ? crowd : 3);
        join(lane, many);
        record.joined(lane, many);
      }
      if (record.waiting(lane) > 0) {
        int ahead = random.nextInt(record.waiting(lane));
        record.told(lane, ahead, atMostBefore(lane, ahead));
      }
      if (record.waiting(lane) > 0 && random.nextInt(8) == 0) {
        leave(lane);
        record.left(lane, random.nextInt(record.waiting(lane)));
      }
      if (random.nextInt(1_000) == 0) {
        int[] others = shares(random, count);
        edit(lanes(Lanes.Order.SHARES, others));
        record.edited(others);
      }
      take(random.nextInt(8)).forEach(record::admitted);
    }
  }

  private static int[] shares(Random random, int count) {
    return random.ints(count, 1, random.nextBoolean() ? 10 : 1_001).toArray();
  }

  private long atMostBefore(int lane, long ahead) {
    long score = Score.inBand(queue.bands.of("lane" + lane), 1);
    return InLane.of(queue.lineState(), score, ahead).atMostBefore().orElseThrow();
  }
}
