package io.naru.server.fair;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.fair.Lobby;
import io.naru.fair.Order;
import io.naru.line.Score;
import io.naru.queue.DrawView;
import io.naru.queue.Drawing;
import io.naru.queue.Drawing.Phase;
import io.naru.queue.Fairness;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Units;
import io.naru.server.entry.Drawn;
import io.naru.support.Seeded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Places while a line is being made of a drawn order, against a line that is really made. */
class DrawnOrderTest {

  private static final List<Integer> BANDS = List.of(-2, -1, 0);

  /** A line that is being made, as simple as it can be. */
  private static final class Making {
    final Random random;
    final Order order;
    final DrawnOrder drawn;
    final List<List<Long>> lines = new ArrayList<>();
    final Map<Long, Integer> lanes = new HashMap<>();
    final Set<Long> gone = new HashSet<>();
    final Map<Long, Long> told = new HashMap<>();
    int settled;

    Making(Random random) {
      this.random = random;
      int laneCount = 1 + random.nextInt(BANDS.size());
      var lobby = new Lobby();
      List<DrawView.OfLane> ofLanes = new ArrayList<>();
      long joined = 1;
      for (int lane = 0; lane < laneCount; lane++) {
        int people = random.nextInt(30);
        for (int i = 0; i < people; i++) {
          joined += 1 + random.nextInt(9);
          byte[] leaf = new byte[32];
          random.nextBytes(leaf);
          lobby.add(joined, lane, leaf);
          lanes.put(joined, lane);
        }
        lines.add(new ArrayList<>());
        ofLanes.add(new DrawView.OfLane("lane" + lane, BANDS.get(lane), people, people));
      }
      byte[] key = new byte[32];
      random.nextBytes(key);
      order = Order.of(lobby, key);
      drawn = new DrawnOrder(view(ofLanes, lobby.count()), order);
    }

    private static DrawView view(List<DrawView.OfLane> lanes, long count) {
      return new DrawView(
          1,
          Fairness.Draw.SEED,
          new Drawing(Phase.DRAWN, Long.MAX_VALUE, 0),
          "",
          "",
          1,
          lanes,
          1,
          "seal",
          "",
          count,
          0,
          "",
          1,
          "",
          "");
    }

    List<Long> lineOf(Long who) {
      return lines.get(Objects.requireNonNull(lanes.get(who)));
    }

    void step() {
      switch (random.nextInt(4)) {
        case 0, 1 -> settle(1 + random.nextInt(5));
        case 2 -> admit();
        default -> leave();
      }
    }

    private void settle(int some) {
      for (Long next : drawn.next(settled, some)) {
        if (!gone.contains(next)) {
          lines.get(order.laneAt(settled)).add(next);
        }
        settled++;
      }
    }

    private void admit() {
      List<Long> line = lines.get(random.nextInt(lines.size()));
      if (!line.isEmpty()) {
        gone.add(line.removeFirst());
      }
    }

    private void leave() {
      List<Long> all = List.copyOf(lanes.keySet());
      if (!all.isEmpty()) {
        Long who = all.get(random.nextInt(all.size()));
        gone.add(who);
        lines.forEach(line -> line.remove(who));
      }
    }

    LineState line() {
      List<LaneCount> counts = new ArrayList<>();
      for (int lane = 0; lane < lines.size(); lane++) {
        counts.add(new LaneCount(BANDS.get(lane), "lane" + lane, lines.get(lane).size(), 0));
        counts.add(
            new LaneCount(Score.unsettled(BANDS.get(lane)), "lane" + lane, random.nextInt(99), 0));
      }
      var drawing = new Drawing(Phase.DRAWN, Long.MAX_VALUE, settled);
      return new LineState(
          1, 1_000, counts, 1, State.OPEN, Settings.DEFAULT, Units.NONE, 0, drawing);
    }

    /** How many are really before somebody: in line, or still to come and not gone. */
    long before(long who) {
      int lane = Objects.requireNonNull(lanes.get(who));
      long count = lines.get(lane).size();
      for (int rank = settled; order.joinedAt(rank) != who; rank++) {
        boolean counts = order.laneAt(rank) == lane && !gone.contains(order.joinedAt(rank));
        count += counts ? 1 : 0;
      }
      return count;
    }

    void check() {
      LineState line = line();
      lanes.forEach(
          (who, lane) -> {
            if (gone.contains(who)) {
              return;
            }
            long ahead = drawn.ahead(who, BANDS.get(lane), line);
            long last = told.getOrDefault(who, Long.MAX_VALUE);
            if (order.rankOf(who) < settled) {
              assertThat(ahead).as("who is in line asks the line").isEqualTo(Drawn.UNKNOWN);
              assertThat((long) lines.get(lane).indexOf(who)).isLessThanOrEqualTo(last);
            } else {
              assertThat(ahead).isLessThanOrEqualTo(last).isGreaterThanOrEqualTo(before(who));
              told.put(who, ahead);
            }
          });
    }
  }

  @Test
  void ahead_neverRises_andIsNeverTooFew() {
    Seeded.histories(
        300,
        random -> {
          var making = new Making(random);
          making.check();
          for (int i = 0; i < 60; i++) {
            making.step();
            making.check();
          }
        });
  }

  @Test
  void ahead_whereNobodyLeaves_isThePlaceInTheEnd() {
    Seeded.histories(
        100,
        random -> {
          var making = new Making(random);
          making.check();
          making.settle(Integer.MAX_VALUE);
          making.told.forEach(
              (who, ahead) -> assertThat((long) making.lineOf(who).indexOf(who)).isEqualTo(ahead));
        });
  }

  @Test
  void ahead_ofSomebodyWhoWasNotDrawn_isNotKnown() {
    Seeded.histories(
        20,
        random -> {
          var making = new Making(random);
          assertThat(making.drawn.ahead(-1, BANDS.getFirst(), making.line()))
              .isEqualTo(Drawn.UNKNOWN);
          assertThat(making.drawn.ahead(1, 4, making.line())).isEqualTo(Drawn.UNKNOWN);
        });
  }
}
