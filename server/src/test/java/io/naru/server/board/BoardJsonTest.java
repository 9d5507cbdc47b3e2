package io.naru.server.board;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.admission.Estimate;
import io.naru.line.Tickets;
import io.naru.queue.Drawing;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Units;
import io.naru.server.entry.Outlook;
import io.naru.server.entry.Pauses;
import io.naru.server.presence.Lookout;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BoardJsonTest {

  private static final int LANES = 10;

  /** Ten lanes with long names, ten million who wait, and half of all tickets gone. */
  @Test
  void of_theLongestLine_isAtMostFourKilobytesWithoutTheOperatorsTexts() {
    List<Map<String, Object>> settings = new ArrayList<>();
    List<LaneCount> counts = new ArrayList<>();
    List<Tickets.OfLane> lanes = new ArrayList<>();
    for (int i = 0; i < LANES; i++) {
      String name = "lane-with-name-" + (char) ('a' + i);
      settings.add(Map.of("name", name, "share", 10));
      counts.add(new LaneCount(i - 5, name, 1_000_000, 100_000));
      long front = 900_000_000L + i;
      int blocks = Tickets.MOST_BLOCKS / LANES;
      lanes.add(
          new Tickets.OfLane(
              new Tickets.Range(i - 5, front, front + blocks * 65_536L),
              Collections.nCopies(blocks, 32_768)));
    }
    var line =
        new LineState(
            1_000_000_000,
            10_000_000,
            counts,
            1_000,
            State.OPEN,
            Settings.DEFAULT.with(Map.of("lanes", settings, "opensAt", "2026-12-24T21:00:00Z")),
            Units.NONE,
            100_000,
            Drawing.NONE);
    var pauses = new Pauses(_ -> false, InstantSource.system());
    var outlook =
        new Outlook(
            pauses,
            (_, _, _) -> new Estimate(600_000, 604_800),
            Lookout.NONE,
            InstantSource.system());

    byte[] board =
        BoardJson.of(
                new QueueId("T".repeat(32), "1".repeat(64)),
                new Tickets(line, 65_536, lanes),
                outlook)
            .getBytes();

    assertThat(board.length).isLessThanOrEqualTo(4_096);
  }
}
