package io.naru.bench.scenario;

import io.naru.bench.load.Sample;
import io.naru.bench.load.Steady;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures several contenders in turns. What disturbs a shared machine comes and goes within
 * seconds; in turns it hits all alike, and the median of the turns leaves it out.
 */
final class Contest {

  private static final int AGREEING_WINDOWS = 3;
  private static final double TOLERANCE = 0.05;

  private final Stage stage;
  private final List<Contender> contenders = new ArrayList<>();

  Contest(Stage stage) {
    this.stage = stage;
  }

  void add(Contender contender) {
    contenders.add(contender);
  }

  void hold() {
    contenders.forEach(this::warmUp);
    for (int round = 1; round <= stage.pace().rounds(); round++) {
      if (round > 1 && stage.late()) {
        var doubt = "%d of %d rounds".formatted(round - 1, stage.pace().rounds());
        contenders.forEach(contender -> contender.doubt(doubt));
        return;
      }
      // There and back: nobody always comes right after the same other one.
      for (var contender : round % 2 == 1 ? contenders : contenders.reversed()) {
        var sample = run(contender, stage.pace().round());
        contender.add(sample);
        say("round %d of %d".formatted(round, stage.pace().rounds()), contender, sample);
      }
    }
  }

  private void warmUp(Contender contender) {
    var steady = new Steady(AGREEING_WINDOWS, TOLERANCE);
    for (int window = 1; ; window++) {
      var sample = run(contender, stage.pace().window());
      if (steady.after(sample.perSecond())) {
        say("warm after %d".formatted(window), contender, sample);
        return;
      }
      if (window == stage.pace().windows() || stage.late()) {
        say("not steady after %d".formatted(window), contender, sample);
        contender.remark("warm-up cut short");
        return;
      }
    }
  }

  private Sample run(Contender contender, Duration duration) {
    var traffic = contender.nextRound();
    return stage.load().run(contender.target(), traffic, stage.pace().connections(), duration);
  }

  private void say(String when, Contender contender, Sample sample) {
    stage
        .progress()
        .say(
            "%s: %-24s %,9.0f/s  p50 %.2f ms  p99 %.2f ms"
                .formatted(
                    when,
                    contender.name(),
                    sample.perSecond(),
                    sample.millisAt(50),
                    sample.millisAt(99)));
    if (sample.failures() > 0) {
      stage
          .progress()
          .say("%,d failed, first: %s".formatted(sample.failures(), sample.firstFailure()));
    }
  }
}
