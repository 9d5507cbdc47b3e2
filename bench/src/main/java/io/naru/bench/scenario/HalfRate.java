package io.naru.bench.scenario;

import io.naru.bench.report.Row;

/**
 * Latency at half of what a contender has just been measured at: a server that is busy but not
 * drowning. At the peak a closed loop shows only how many connections it has.
 */
final class HalfRate {

  /** Far more than are under way while latency is anywhere near what we owe. */
  private static final int CONNECTIONS = 1_024;

  private static final double OWED_MILLIS = 30;

  private HalfRate() {}

  static Row measure(Stage stage, Contender peak) {
    var row = latency(stage, peak);
    return row.owes("p99 at most 30 ms", row.p99Millis().orElseThrow() <= OWED_MILLIS);
  }

  /** The same where nothing is owed. */
  static Row latency(Stage stage, Contender peak) {
    var rate = peak.perSecond() / 2;
    var half = new Contender(peak.name() + ", half the rate", peak.target(), peak::nextRound);
    for (int round = 1; round <= stage.pace().rounds(); round++) {
      if (round > 1 && stage.late()) {
        half.doubt("%d of %d rounds".formatted(round - 1, stage.pace().rounds()));
        break;
      }
      var sample =
          stage
              .load()
              .offer(half.target(), half.nextRound(), CONNECTIONS, rate, stage.pace().round());
      half.add(sample);
      stage
          .progress()
          .say(
              "round %d of %d: %s %,9.0f/s  p50 %.2f ms  p99 %.2f ms"
                  .formatted(
                      round,
                      stage.pace().rounds(),
                      half.name(),
                      sample.perSecond(),
                      sample.millisAt(50),
                      sample.millisAt(99)));
    }
    return half.row().note("%,.0f/s offered, latency from when each was due".formatted(rate));
  }
}
