package io.naru.e2e.crash;

/** How a queue of these runs spends its rate. */
enum Pacing {
  STEPS,
  TOKEN_BUCKET,
  LEAKY_BUCKET;

  /** How many may go in at once, beyond what the rate lets in over any time. */
  int burst(int batch, int intervalSeconds) {
    return switch (this) {
      // One may be left over from one interval when the next begins, and a short time can have an
      // end of an interval in it.
      case STEPS -> 2 * batch;
      case TOKEN_BUCKET -> batch;
      case LEAKY_BUCKET -> (int) Math.ceil(batch / 10.0 / intervalSeconds);
    };
  }
}
