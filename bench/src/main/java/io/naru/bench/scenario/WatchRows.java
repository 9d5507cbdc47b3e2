package io.naru.bench.scenario;

import io.naru.bench.report.Row;
import io.naru.bench.report.Unit;
import io.naru.bench.scenario.Watch.Watched;
import org.HdrHistogram.Histogram;

/** The figures of one audience as rows, all of them with its doubts. */
final class WatchRows {

  private static final double OWED_MILLIS = 1_000;
  private static final double OWED_FAR_MILLIS = 3_000;

  private final Watched watched;
  private final String who;
  private final int owed;

  /**
   * Rows for one audience.
   *
   * @param who that is, as {@code 15,000 viewers}
   * @param owed the number of viewers our floors are about
   */
  WatchRows(Watched watched, String who, int owed) {
    this.watched = watched;
    this.who = who;
    this.owed = owed;
  }

  Row first() {
    return latency("first event, ", watched.first()).note("from connecting on, 256 at a time");
  }

  Row moved() {
    return soon(latency("admission to new place, the first 1,000 of ", watched.moved()));
  }

  Row movedFar() {
    var row = latency("admission to new place, the others of ", watched.movedFar());
    return owing(row, "p99 at most 3 s", row.p99Millis().orElseThrow() <= OWED_FAR_MILLIS);
  }

  Row entered() {
    return soon(latency("admission to queue-entered, ", watched.entered()));
  }

  private Row soon(Row row) {
    return owing(
        row.note("%d admitted each second".formatted(Watch.BATCH)),
        "p99 at most 1 s",
        row.p99Millis().orElseThrow() <= OWED_MILLIS);
  }

  private Row latency(String what, Histogram micros) {
    var p99 = micros.getValueAtPercentile(99) / 1e3;
    return of(what, p99, Unit.MILLIS)
        .latency(micros.getValueAtPercentile(50) / 1e3, p99)
        .note("max %,.0f ms".formatted(micros.getMaxValue() / 1e3));
  }

  Row cpuMoving() {
    return of("CPU, line moving, ", watched.moving().corePercent(), Unit.CORE_PERCENT);
  }

  Row cpuStill() {
    return of("CPU, line still, ", watched.still().corePercent(), Unit.CORE_PERCENT);
  }

  Row redisMoving() {
    return of("Redis commands, line moving, ", watched.moving().redisCommands(), Unit.PER_SECOND);
  }

  Row redisStill() {
    return of("Redis commands, line still, ", watched.still().redisCommands(), Unit.PER_SECOND);
  }

  /** A row of another figure of the same audience. */
  Row of(String what, double value, Unit unit) {
    var row = Row.of(what + who, value, unit);
    for (var doubt : watched.doubts()) {
      row = row.doubt(doubt);
    }
    return row;
  }

  /** The row with a verdict, which a smaller audience than the one we promised for cannot give. */
  Row owing(Row row, String floor, boolean reached) {
    var enough = watched.viewers() >= owed;
    return (enough ? row : row.doubt("owed for %,d".formatted(owed))).owes(floor, reached);
  }
}
