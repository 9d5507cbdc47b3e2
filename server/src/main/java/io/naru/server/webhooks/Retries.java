package io.naru.server.webhooks;

import static io.naru.queue.Micros.PER_SECOND;

import io.naru.webhook.Delivery.State;
import io.naru.webhook.Tried;
import io.naru.webhook.Webhooks;

/**
 * When a try that failed is made again: after the pauses that Standard Webhooks proposes, as far as
 * they fit into a day, each a little shorter by chance, so that what failed together does not come
 * back together. Beside that a webhook that fails is left alone for a while, so that what waits for
 * it does not hammer on it one by one.
 */
final class Retries {

  private static final long MINUTE = 60 * PER_SECOND;
  private static final long HOUR = 60 * MINUTE;

  private static final long[] PAUSES = {
    5 * PER_SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 6 * HOUR
  };

  /** The first and the last. */
  static final int MAX_TRIES = PAUSES.length + 1;

  private static final double LEAST = 0.8;

  private static final long FIRST_REST = PER_SECOND;
  private static final long LONGEST_REST = MINUTE;
  private static final int MAX_DOUBLINGS = 6;

  private Retries() {}

  /**
   * What becomes of a delivery that did not arrive.
   *
   * @param tries before this one
   * @param failures in a row of its webhook, before this one
   * @param chance 0 to 1
   */
  static Tried failed(Answer answer, int tries, int failures, double chance) {
    double factor = LEAST + (1 - LEAST) * chance;
    long asked = Math.clamp(answer.retryAfterSeconds() * PER_SECOND, 0, Webhooks.LONGEST_REST);
    long rest = Math.min(LONGEST_REST, FIRST_REST << Math.min(failures, MAX_DOUBLINGS));
    long resting = Math.max((long) (rest * factor), asked);
    return tries + 1 >= MAX_TRIES
        ? new Tried(State.FAILED, answer.status(), answer.error(), 0, resting)
        : new Tried(
            State.PENDING,
            answer.status(),
            answer.error(),
            Math.max((long) (PAUSES[tries] * factor), asked),
            resting);
  }
}
