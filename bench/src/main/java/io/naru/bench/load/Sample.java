package io.naru.bench.load;

import org.HdrHistogram.Histogram;

/**
 * What one run came to.
 *
 * @param answers successful ones within the time of the run
 * @param failures refusals, and requests lost with their connection
 * @param firstFailure what the first of them said, or empty
 * @param latency of every answer, in microseconds
 */
public record Sample(
    long answers, long nanos, long failures, String firstFailure, Histogram latency) {

  public double perSecond() {
    return answers * 1e9 / nanos;
  }

  public double millisAt(double percentile) {
    return latency.getValueAtPercentile(percentile) / 1e3;
  }
}
