package io.naru.e2e.crash;

import java.util.List;
import java.util.Map;

/**
 * All that the checker judges by.
 *
 * @param calls everything that visitors asked and heard, in no particular order
 * @param excuses when which server could not be expected to answer
 * @param paused when the operator had stopped admission
 * @param quiet the ledger's entries once everything was healed after that, by score
 * @param line the copy at the same time
 * @param shown what each server said of each user at the same time
 * @param drained the ledger's entries after everybody was let in, by score
 * @param hasPresence whether it mattered who is there, until then
 * @param absent whom the ledger has taken for absent by the time that everything was healed
 * @param clock by which the ledger's times are
 */
record Evidence(
    Limits limits,
    List<Call> calls,
    List<Excuse> excuses,
    long paused,
    List<Row> quiet,
    Line line,
    Map<String, Map<String, Call>> shown,
    List<Row> drained,
    boolean hasPresence,
    List<Absent> absent,
    LedgerClock clock) {

  Evidence(
      Limits limits,
      List<Call> calls,
      List<Excuse> excuses,
      long paused,
      List<Row> quiet,
      Line line,
      Map<String, Map<String, Call>> shown,
      List<Row> drained) {
    this(
        limits,
        calls,
        excuses,
        paused,
        quiet,
        line,
        shown,
        drained,
        false,
        List.of(),
        LedgerClock.TRUE);
  }

  /**
   * The clock of the ledger, which may have been set once.
   *
   * @param at when, by the clock of whoever set it
   * @param by how far; far more than a run lasts
   */
  record LedgerClock(long at, long by) {

    static final LedgerClock TRUE = new LedgerClock(0, 0);

    /** When that really was. */
    long real(long time) {
      long between = at + by / 2;
      boolean isSince = by > 0 ? time > between : by < 0 && time < between;
      return time == 0 || time == Long.MAX_VALUE || !isSince ? time : time - by;
    }

    /** Whether it was set ahead after that: then that is by so much longer ago. */
    boolean isAheadOf(long time) {
      return by > 0 && real(time) == time;
    }

    /** Whether the numbers that it gives out are times as well: they go on where it went back. */
    boolean isTrue() {
      return by == 0;
    }
  }

  /** The settings of the queue, during the fault; the most that they were. */
  record Limits(int maxCapacity, int batch, int intervalSeconds, Pacing pacing) {

    double perMicro() {
      return (double) batch / intervalSeconds / 1_000_000;
    }

    int burst() {
      return pacing.burst(batch, intervalSeconds);
    }
  }

  /** A server that was frozen or gone, and from when to when. */
  record Excuse(String server, long from, long to) {

    boolean covers(Call call) {
      return call.server().equals(server) && call.asked() <= to && call.answered() >= from;
    }
  }

  /**
   * Somebody who was passed over when their turn came.
   *
   * @param since when; 0 if they were seen again after that
   * @param hasEnded whether they lost their place for it
   */
  record Absent(Name name, long since, boolean hasEnded) {

    boolean isBack() {
      return since == 0;
    }
  }

  /**
   * The line as its copy has it.
   *
   * @param waiting user → score
   * @param entered user → when the right to be inside ends
   */
  record Line(Map<String, Long> waiting, Map<String, Long> entered) {}
}
