package io.naru.e2e.crash;

import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

/**
 * 11. Every refusal is a problem with a stable code; no 500 under any listed fault; every request
 * is answered within 3 s.
 */
final class AnswerRule implements Rule {

  /**
   * The server's limit is 3 s. It is measured by a client that shares two cores with everything it
   * attacks, so there is time to spare for a test that waits for its turn.
   */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Not an answer: the visitor went away before there could be one. */
  static final int GONE = 499;

  private static final Set<Integer> EXPECTED = Set.of(200, 201, 403, 404, 409, 410, 429, 503, GONE);

  @Override
  public int number() {
    return 11;
  }

  @Override
  public void check(Evidence evidence, Told told, Consumer<String> broken) {
    for (Call call : evidence.calls()) {
      boolean isExcused = evidence.excuses().stream().anyMatch(excuse -> excuse.covers(call));
      if (call.code() == 0) {
        if (!isExcused) {
          broken.accept("no answer: " + call);
        }
      } else if (!EXPECTED.contains(call.code())) {
        broken.accept("not an answer to give: " + call);
      } else if (call.code() >= 400 && call.problem().isEmpty()) {
        broken.accept("a refusal without its code: " + call);
      } else if (!isExcused && call.answered() - call.asked() > PATIENCE.toNanos() / 1_000) {
        broken.accept("answered too late: " + call);
      }
    }
  }
}
