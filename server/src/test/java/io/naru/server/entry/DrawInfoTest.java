package io.naru.server.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Score;
import io.naru.queue.Drawing;
import io.naru.queue.Drawing.Phase;
import io.naru.queue.EntryKey;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Units;
import io.naru.server.http.Ascii;
import io.naru.server.presence.Lookout;
import io.naru.testkit.StrictJson;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What those without a place are told. */
class DrawInfoTest {

  private static final QueueId QUEUE = new QueueId("SALE", "1");
  private static final Settings SALE =
      Settings.DEFAULT.with(
          Map.of(
              "lobbyOpensAt", "2026-12-24T19:00:00Z",
              "opensAt", "2026-12-24T20:00:00Z",
              "draw", "COIN"));
  private static final long NOW = Micros.of(Instant.parse("2026-12-24T19:30:00Z"));

  private static LineState line(Phase phase, long lastJoined) {
    return new LineState(
        7,
        1_234,
        List.of(new LaneCount(0, "", 10, 0), new LaneCount(Score.unsettled(0), "", 1_224, 0)),
        3,
        State.OPEN,
        SALE,
        Units.NONE,
        0,
        new Drawing(phase, lastJoined, 10));
  }

  private static Map<String, @Nullable Object> told(LineState line, long joined, Drawn drawn) {
    InstantSource clock = () -> Micros.toInstant(NOW);
    var outlook =
        new Outlook(new Pauses(_ -> false, clock), (_, _, _) -> null, Lookout.NONE, drawn, clock);
    var key = new EntryKey(QUEUE, "ann", joined);
    long score = Score.inBand(Score.unsettled(0), joined);
    return StrictJson.object(
        new WaitingJson(key, "token", outlook)
            .addTo(new Ascii(16), score, 3, 99, line, 7)
            .buffer()
            .toString());
  }

  private static Drawn knowing(long ahead) {
    return new Drawn() {
      @Override
      public long ahead(EntryKey key, int lane, LineState line) {
        return ahead;
      }

      @Override
      public Facts facts(QueueId queue) {
        return new Facts(1_000, 42, NOW);
      }
    };
  }

  @Test
  void lobby_hasNoPlaceAndSaysWhenItOpens() {
    assertThat(told(line(Phase.LOBBY, 0), 5, Drawn.NONE))
        .containsEntry("status", "LOBBY")
        .containsEntry("opensAt", "2026-12-24T20:00:00.000000Z")
        .containsEntry("ticket", 0)
        .containsEntry(
            "draw",
            Map.of(
                "kind", "COIN",
                "phase", "LOBBY",
                "opensAt", "2026-12-24T20:00:00.000000Z",
                "people", 1_200))
        .doesNotContainKeys("position", "ahead", "wait", "estimatedWaitSeconds");
  }

  @Test
  void closed_whoIsDrawnIsInTheLobby_whoCameLaterWaits() {
    Map<String, @Nullable Object> drawn = told(line(Phase.CLOSED, 5), 5, knowing(1));
    Map<String, @Nullable Object> late = told(line(Phase.CLOSED, 5), 6, knowing(1));

    assertThat(drawn)
        .containsEntry("status", "LOBBY")
        .containsEntry(
            "draw",
            Map.of(
                "kind", "COIN",
                "phase", "CLOSED",
                "people", 1_000,
                "round", 42,
                "coinAt", "2026-12-24T19:30:00.000000Z"))
        .doesNotContainKeys("position", "opensAt");
    assertThat(late).containsEntry("status", "WAITING").doesNotContainKey("position");
  }

  @Test
  void drawn_thePlaceIsThatOfTheOrder_asSoonAsItIsKnownHere() {
    assertThat(told(line(Phase.DRAWN, 5), 5, knowing(17)))
        .containsEntry("status", "WAITING")
        .containsEntry("position", 18)
        .containsEntry("ahead", 17)
        .containsEntry("ticket", 0);
    assertThat(told(line(Phase.DRAWN, 5), 5, knowing(Drawn.UNKNOWN)))
        .containsEntry("status", "LOBBY")
        .doesNotContainKey("position");
    assertThat(told(line(Phase.DRAWN, 5), 6, knowing(17)))
        .as("who came later is not in the order")
        .containsEntry("status", "WAITING")
        .doesNotContainKey("position");
  }

  @Test
  void done_whoHasJustComeWaitsWithoutAPlace() {
    assertThat(told(line(Phase.DONE, 5), 6, Drawn.NONE))
        .containsEntry("status", "WAITING")
        .doesNotContainKeys("position", "draw", "opensAt");
  }

  @ParameterizedTest
  @CsvSource({"0,0", "7,7", "99,99", "100,100", "109,100", "1234,1200", "999999,990000"})
  void people_areToldToTwoFigures(long people, long told) {
    assertThat(DrawInfo.rounded(people)).isEqualTo(told);
  }
}
