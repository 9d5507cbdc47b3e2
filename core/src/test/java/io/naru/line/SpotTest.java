package io.naru.line;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Spot.Seen;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SpotTest {

  private final Spot spot = new Spot(500, 10, 7);

  private static Move move(long from, long to, long front, long... out) {
    return new Move(from, to, Departures.of(front, out));
  }

  @Test
  void follow_frontAndSmallerScores_isNearer() {
    assertThat(spot.follow(List.of(move(7, 8, 3, 499, 501, 100)))).isEqualTo(Seen.NEARER);
    assertThat(spot.ahead()).isEqualTo(5);
    assertThat(spot.change()).isEqualTo(8);
  }

  @Test
  void follow_onlyLargerScores_isTheSame() {
    assertThat(spot.follow(List.of(move(7, 8, 0, 501, 502)))).isEqualTo(Seen.SAME);
    assertThat(spot.ahead()).isEqualTo(10);
  }

  @Test
  void follow_ownScore_isOut() {
    assertThat(spot.follow(List.of(move(7, 8, 0, 500)))).isEqualTo(Seen.OUT);
  }

  @Test
  void follow_takenWithTheFront_isOut() {
    assertThat(new Spot(500, 10, 7).follow(List.of(move(7, 8, 11)))).isEqualTo(Seen.OUT);
    assertThat(new Spot(500, 10, 7).follow(List.of(move(7, 8, 10)))).isEqualTo(Seen.NEARER);
    assertThat(new Spot(500, 3, 7).follow(List.of(move(7, 8, 5, 100, 200)))).isEqualTo(Seen.OUT);
  }

  @Test
  void follow_movesThatAreOver_arePassedBy() {
    assertThat(spot.follow(List.of(move(5, 6, 4), move(6, 7, 4), move(7, 8, 1))))
        .isEqualTo(Seen.NEARER);
    assertThat(spot.ahead()).isEqualTo(9);
  }

  @Test
  void follow_aHole_isLost() {
    assertThat(spot.follow(List.of(move(8, 9, 1)))).isEqualTo(Seen.LOST);
    assertThat(spot.ahead()).isEqualTo(10);
  }

  @Test
  void follow_fromTheMiddleOfAMove_isLostUnlessNobodyLeft() {
    assertThat(spot.follow(List.of(move(6, 8, 1)))).isEqualTo(Seen.LOST);
    assertThat(spot.follow(List.of(move(6, 8, 0)))).isEqualTo(Seen.SAME);
    assertThat(spot.change()).isEqualTo(8);
  }

  @Test
  void read_older_isRefused() {
    assertThat(spot.read(spot.score(), 3, 6)).isFalse();
    assertThat(spot.ahead()).isEqualTo(10);
    assertThat(spot.read(spot.score(), 3, 9)).isTrue();
    assertThat(spot.ahead()).isEqualTo(3);
  }

  @Test
  void follow_departuresOfAnotherLane_moveNobody() {
    long mine = Score.inBand(1, 500);
    var spot = new Spot(mine, 10, 7);
    var left = Departures.of(Map.of(0, 5L, 1, 2L), 300, Score.inBand(1, 100), Score.inBand(1, 900));

    assertThat(spot.follow(List.of(new Move(7, 8, left)))).isEqualTo(Seen.NEARER);

    assertThat(spot.ahead()).isEqualTo(7);
  }
}
