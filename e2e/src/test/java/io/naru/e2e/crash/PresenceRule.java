package io.naru.e2e.crash;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.naru.e2e.crash.Call.Act;
import io.naru.e2e.crash.Evidence.Absent;
import java.util.List;
import java.util.function.Consumer;

/**
 * 7. Our own outages make nobody absent: whoever was passed over had not asked, by the record of
 * what they did. Visitors who wait for their turn on a busy machine may not have.
 */
final class PresenceRule implements Rule {

  /** A server that has not said for so long whom it has seen is silent, and nobody is judged. */
  private static final long BY_THEN = SECONDS.toMicros(3);

  /**
   * Who is named is not named again for 3 s, and is there for 10 s after it: whoever has asked
   * within this time is, if the server had the time to say so.
   */
  private static final long WITHIN = SECONDS.toMicros(7);

  @Override
  public int number() {
    return 7;
  }

  @Override
  public void check(Evidence evidence, Told told, Consumer<String> broken) {
    for (Absent absent : evidence.absent()) {
      List<Call> calls = told.of(absent.name().user());
      boolean mayBe =
          absent.isBack()
              ? hasRested(calls, absent.name().joined(), evidence.paused())
              : mayBeAway(calls, evidence.clock().real(absent.since()));
      if (absent.hasEnded()) {
        broken.accept("%s lost their place, long before anybody may".formatted(absent.name()));
      } else if (!mayBe) {
        broken.accept("%s was passed over and had asked all the time".formatted(absent));
      }
    }
  }

  /** Whether they may be taken for absent then. What was not answered was asked all the same. */
  static boolean mayBeAway(List<Call> calls, long at) {
    return calls.stream()
        .filter(PresenceRule::isQuestion)
        .noneMatch(call -> call.answered() >= at - WITHIN && call.asked() <= at - BY_THEN);
  }

  /** Whether there was such a moment between these. */
  private static boolean hasRested(List<Call> byAsked, long from, long to) {
    long last = from;
    for (Call call : byAsked) {
      if (isQuestion(call) && call.answered() >= from && call.asked() <= to) {
        if (call.asked() - last > WITHIN - BY_THEN) {
          return true;
        }
        last = Math.max(last, call.answered());
      }
    }
    return to - last > WITHIN - BY_THEN;
  }

  private static boolean isQuestion(Call call) {
    return call.act() == Act.ENTER || call.act() == Act.STATUS;
  }
}
