package io.naru.e2e.crash;

import static java.util.Comparator.comparingLong;

import io.naru.e2e.crash.Call.Act;
import io.naru.e2e.crash.Call.Outcome;
import io.naru.e2e.crash.Evidence.LedgerClock;
import io.naru.e2e.crash.Evidence.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * 5. {@code inside ≤ maxCapacity} always; over any interval T admissions ≤ burst + rate × T (an
 * operator's {@code process} apart); none while paused. No catch-up burst after an outage. Nobody
 * goes in beyond what there is by the last stock that was told.
 */
final class LimitsRule implements Rule {

  /** The database reads the machine's clock, we count on from it: they may drift a little. */
  private static final long SAME_TIME_MICROS = 100_000;

  /** Somebody goes in (+1) or comes out (−1). */
  private record Step(long at, int by) {}

  @Override
  public int number() {
    return 5;
  }

  @Override
  public void check(Evidence evidence, Told told, Consumer<String> broken) {
    LedgerClock clock = evidence.clock();
    List<Step> ledger = new ArrayList<>();
    for (Row row : evidence.quiet()) {
      if (row.wasAdmitted()) {
        ledger.add(new Step(clock.real(row.entered()), 1));
        ledger.add(new Step(row.isInside() ? Long.MAX_VALUE : clock.real(row.ended()), -1));
      }
    }
    neverTooMany("by the ledger", ledger, evidence.limits(), broken);
    neverTooMany("by what visitors were told", certainlyInside(told), evidence.limits(), broken);
    neverTooFast(evidence, broken);
    neverBeyondStock(evidence, ledger, broken);
    noneWhilePaused(evidence, broken);
  }

  private static void noneWhilePaused(Evidence evidence, Consumer<String> broken) {
    for (Row row : evidence.quiet()) {
      if (evidence.clock().real(row.entered()) > evidence.paused() + SAME_TIME_MICROS) {
        broken.accept("admission had stopped at %d: %s".formatted(evidence.paused(), row));
      }
    }
  }

  /** From the first answer that says so until its owner first asked to be out. */
  private static List<Step> certainlyInside(Told told) {
    List<Step> steps = new ArrayList<>();
    for (Told.Entry entry : told.entries()) {
      entry.answers().stream()
          .filter(call -> Told.seen(call).isEntered())
          .mapToLong(Call::answered)
          .min()
          .ifPresent(
              from -> {
                long to = told.mayEnd(entry);
                if (from < to) {
                  steps.add(new Step(from, 1));
                  steps.add(new Step(to, -1));
                }
              });
    }
    return steps;
  }

  private static void neverTooMany(
      String how, List<Step> steps, Limits limits, Consumer<String> broken) {
    // Whoever comes out makes room for whoever goes in in the same moment.
    steps.sort(comparingLong(Step::at).thenComparingInt(Step::by));
    int inside = 0;
    for (Step step : steps) {
      inside += step.by;
      if (inside > limits.maxCapacity()) {
        broken.accept(
            "%d inside at %d %s, where %d fit"
                .formatted(inside, step.at, how, limits.maxCapacity()));
        return;
      }
    }
  }

  /**
   * Of the stock that was told, the highest version counts that has been taken by then. Which one
   * that is nobody knows for certain: any that had been sent, unless a higher one had been
   * acknowledged. So somebody went in beyond it only if it was beyond all of those.
   */
  private static void neverBeyondStock(
      Evidence evidence, List<Step> steps, Consumer<String> broken) {
    List<Call> told =
        evidence.calls().stream()
            .filter(call -> call.act() == Act.STOCK && call.outcome() != Outcome.REFUSED)
            .toList();
    if (told.isEmpty()) {
      return;
    }
    int inside = 0;
    // In order of time already, whoever comes out first.
    for (Step step : steps) {
      inside += step.by;
      int most = step.by > 0 ? mostByStock(told, step.at) : Integer.MAX_VALUE;
      if (inside > most) {
        broken.accept(
            "%d inside at %d, where there was enough for %d".formatted(inside, step.at, most));
        return;
      }
    }
  }

  private static int mostByStock(List<Call> told, long at) {
    long least =
        told.stream()
            .filter(call -> call.isOk() && call.answered() + SAME_TIME_MICROS < at)
            .mapToLong(Call::meant)
            .max()
            .orElse(0);
    return told.stream()
        .filter(call -> call.meant() >= least && call.asked() <= at + SAME_TIME_MICROS)
        .mapToInt(Call::count)
        .max()
        .orElse(0);
  }

  /**
   * With admissions 0, 1, 2, … in order of time, (j + 1 − i) ≤ burst + rate × (tj − ti) + what an
   * operator let in between, for all i ≤ j. Taking j's part and i's part apart, one pass with a
   * running minimum will do.
   */
  private static void neverTooFast(Evidence evidence, Consumer<String> broken) {
    Limits limits = evidence.limits();
    long[] admissions =
        evidence.quiet().stream()
            .mapToLong(Row::entered)
            .filter(at -> at != 0)
            .map(evidence.clock()::real)
            .sorted()
            .toArray();
    List<Call> byBegin =
        evidence.calls().stream()
            .filter(call -> call.act() == Act.PROCESS && call.outcome() != Outcome.REFUSED)
            .sorted(comparingLong(Call::asked))
            .toList();
    // What nobody knows the end of can still happen at any time.
    List<Call> byEnd =
        byBegin.stream().filter(Call::isOk).sorted(comparingLong(Call::answered)).toList();
    int begins = 0;
    int ends = 0;
    long begunCount = 0;
    long endedCount = 0;
    double least = Double.MAX_VALUE;
    // However far a clock jumps ahead, it is worth one batch.
    int atOnce = limits.burst() + (evidence.clock().by() > 0 ? limits.batch() : 0);
    for (int j = 0; j < admissions.length; j++) {
      long at = admissions[j];
      while (begins < byBegin.size() && byBegin.get(begins).asked() <= at + SAME_TIME_MICROS) {
        begunCount += byBegin.get(begins++).count();
      }
      while (ends < byEnd.size() && byEnd.get(ends).answered() + SAME_TIME_MICROS < at) {
        endedCount += byEnd.get(ends++).count();
      }
      double paced = limits.perMicro() * (at - admissions[0]);
      least = Math.min(least, j - paced - endedCount);
      double most = j + 1 - paced - begunCount;
      if (most - least > atOnce + 1e-6) {
        broken.accept(
            "%.1f more admissions up to %d than the rate allows (%d at once, then %d per %d s)"
                .formatted(
                    most - least - atOnce, at, atOnce, limits.batch(), limits.intervalSeconds()));
        return;
      }
    }
  }
}
