package io.naru.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BoardTest {

  private static final String JSON =
      """
      {"eventType":"CONCERT","eventId":"1","board":7,"turnSeconds":300,"waiting":9000,"change":4711,\
      "askWithin":1100,"ratePerSecond":100,"block":1024,"lanes":[\
      {"id":0,"name":"vip","waiting":2399,"front":501,"next":3002,"gone":[2,100,0],"waits":[[0,0,3]]},\
      {"id":1,"name":"all","waiting":6601,"front":1,"next":9002,"gone":[],"waits":[[0,0,3],[9,7,10]]}]}""";

  @Test
  void board_isReadAsItIsWritten() {
    Board board = Board.read(JSON);

    assertThat(board.change()).isEqualTo(4711);
    assertThat(board.askWithin()).isEqualTo(1100);
    assertThat(board.block()).isEqualTo(1024);
    assertThat(board.lanes()).extracting(Board.OfLane::name).containsExactly("vip", "all");
    assertThat(board.lanes().getFirst().gone()).containsExactly(2L, 100L, 0L);
  }

  /** Who is near asks, and who may be near: nobody is to miss their turn for a tile. */
  @ParameterizedTest
  @CsvSource({
    "vip, 501, true",
    "vip, 1600, true",
    // 1,101 behind the front, of whom 102 are gone.
    "vip, 1702, true",
    "vip, 1703, false",
    "all, 1100, true",
    "all, 1101, false",
    "all, 0, true",
    "other, 9000, true",
  })
  void mustAsk_whoIsNear(String lane, long ticket, boolean mustAsk) {
    assertThat(Board.read(JSON).mustAsk(lane, ticket)).isEqualTo(mustAsk);
  }

  /** All lanes but the first one have one below zero. */
  @Test
  void mustAsk_inALaneBelowZero_isReadTheSame() {
    Board board = Board.read(JSON.replace("{\"id\":1", "{\"id\":-5"));

    assertThat(board.mustAsk("all", 1_101)).isFalse();
    assertThat(board.mustAsk("all", 1_100)).isTrue();
  }

  @Test
  void boardWithoutLanes_isNoneToLiveOn() {
    Board board = Board.read("{\"board\":7,\"waiting\":9000}");
    assertThat(board.mustAsk("", 9_000)).isTrue();
  }

  @Test
  void olderBoard_saysNothing() {
    Board now = Board.read(JSON);
    Board older = Board.read(JSON.replace("4711", "4710").replace("501", "400"));
    Board none = Board.read("{\"board\":7,\"waiting\":9000}");

    assertThat(older.orNewer(now)).isEqualTo(now);
    assertThat(now.orNewer(older)).isEqualTo(now);
    assertThat(none.orNewer(now)).as("where nobody counts any more").isEqualTo(none);
  }

  @Test
  void oneLane_needsNoName() {
    Board board =
        Board.read(
            "{\"askWithin\":10,\"block\":1024,\"lanes\":[{\"id\":0,\"waiting\":9,\"front\":1,\"next\":99,\"gone\":[]}]}");
    assertThat(board.mustAsk("", 50)).isFalse();
    assertThat(board.mustAsk("", 5)).isTrue();
  }
}
