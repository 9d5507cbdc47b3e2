package io.naru.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.bench.scenario.Watch.Watched;
import io.naru.bench.viewers.Seen;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchRowsTest {

  private static final int OWED = 100;

  @Test
  void moved_asManyViewersAsOwed_isJudgedByItsP99() {
    assertThat(rows(100, 900, List.of()).moved().notes()).last().isEqualTo(verdict("reached"));
    assertThat(rows(100, 1_100, List.of()).moved().notes()).last().isEqualTo(verdict("MISSED"));
  }

  @Test
  void moved_fewerViewersThanOwed_hasNoVerdict() {
    assertThat(rows(99, 900, List.of()).moved().notes())
        .contains("owed for 100")
        .last()
        .isEqualTo(verdict("undecided"));
  }

  @Test
  void moved_somethingWentWrong_saysWhatAndHasNoVerdict() {
    assertThat(rows(100, 900, List.of("3 moves NEVER SHOWN")).moved().notes())
        .contains("3 moves NEVER SHOWN")
        .last()
        .isEqualTo(verdict("undecided"));
  }

  private static String verdict(String word) {
    return "p99 at most 1 s: " + word;
  }

  private static WatchRows rows(int viewers, long millis, List<String> doubts) {
    var histogram = Seen.histogram();
    histogram.recordValue(millis * 1_000);
    var span = new Meter.Span(1, 1);
    return new WatchRows(
        new Watched(viewers, histogram, histogram, histogram, histogram, span, span, doubts),
        "some",
        OWED);
  }
}
