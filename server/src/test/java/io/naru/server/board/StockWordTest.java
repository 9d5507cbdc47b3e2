package io.naru.server.board;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Drawing;
import io.naru.queue.LineState;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Units;
import io.naru.server.entry.PausedBy;
import io.naru.server.entry.Pauses;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StockWordTest {

  /** The clock of a server that shows it is never quite the one that noted it. */
  @Test
  void of_figuresThatCameJustNow_knowsThem() {
    var line =
        new LineState(
            1,
            5,
            List.of(),
            1,
            State.OPEN,
            Settings.DEFAULT.with(Map.of("stock", Map.of("whenStale", "PAUSE", "staleSeconds", 5))),
            new Units(9, 0, 1_000_000),
            0,
            Drawing.NONE);

    assertThat(StockWord.of(line, 999_000)).isEqualTo(StockWord.ON);
    assertThat(StockWord.of(line, 5_999_999)).isEqualTo(StockWord.ON);
    assertThat(StockWord.of(line, 6_000_000)).isEqualTo(StockWord.STALE);
  }

  /** Where nobody can go in for what there is the board says so, and why. */
  @ParameterizedTest
  @CsvSource({
    "4, 4, 0, ON",
    "4, 3, 0, SOLD_OUT",
    "4, 1, 2, PAYING",
    "4, 1, 3, ON",
    "4, 0, 8, PAYING",
    "4, 0, 0, SOLD_OUT",
    "1, 1, 0, ON"
  })
  void of_whatIsLeftAndHeld_saysWhetherAnybodyCanGoIn(
      int perVisitor, int remaining, int held, StockWord word) {
    var line =
        new LineState(
            1,
            5,
            List.of(),
            1,
            State.OPEN,
            Settings.DEFAULT.with(Map.of("stock", Map.of("perVisitor", perVisitor))),
            new Units(remaining, held, 1),
            0,
            Drawing.NONE);

    assertThat(StockWord.of(line, 2)).isEqualTo(word);
    PausedBy paused =
        new Pauses(_ -> false, InstantSource.system()).by(new QueueId("SALE", "1"), line);
    assertThat(paused).isEqualTo(word == StockWord.ON ? null : PausedBy.STOCK);
  }
}
