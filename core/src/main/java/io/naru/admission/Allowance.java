package io.naru.admission;

/**
 * What is left of the current interval's batch.
 *
 * <p>The allowance is refilled to one batch in steps, on a grid that starts at the first
 * activation: a late tick does not push the later ones back, so the long-run rate is exact. It
 * never holds more than one batch, so nothing is caught up after an outage. {@code admit.lua} does
 * the same sum on Redis; the contract of {@code Queues} holds both to it.
 *
 * @param tokens how many may still be admitted before the next refill
 * @param refilledAt when the current interval began, in microseconds
 */
public record Allowance(int tokens, long refilledAt) {

  /** The first allowance, given when a queue is first opened. */
  public static Allowance full(Pacing pacing, long now) {
    return new Allowance(pacing.batch(), now);
  }

  /** The allowance as it stands at {@code now}. */
  public Allowance at(long now, Pacing pacing) {
    if (now < refilledAt) {
      // The clock went back. Waiting until it has caught up could take hours; starting the interval
      // anew costs at most one.
      return new Allowance(Math.min(tokens, pacing.batch()), now);
    }
    long steps = (now - refilledAt) / pacing.intervalMicros();
    return steps == 0
        ? new Allowance(Math.min(tokens, pacing.batch()), refilledAt)
        : new Allowance(pacing.batch(), refilledAt + steps * pacing.intervalMicros());
  }

  /**
   * The same under another rate: what is left stays, and so does the part of the interval that is
   * over. Were it the time instead, a moment with a short interval would be worth a batch.
   */
  public Allowance repaced(Pacing from, Pacing to, long now) {
    Allowance before = at(now, from);
    long over = (now - before.refilledAt) * to.intervalSeconds() / from.intervalSeconds();
    return new Allowance(Math.min(before.tokens, to.batch()), now - over);
  }

  public Allowance spend(int admitted) {
    return new Allowance(tokens - admitted, refilledAt);
  }

  public long nextRefillAt(Pacing pacing) {
    return refilledAt + pacing.intervalMicros();
  }

  /** {@code min(maxCapacity − inside, allowance)}, never negative. */
  public static int places(int maxCapacity, long inside, long allowance) {
    return Math.clamp(Math.min(maxCapacity - inside, allowance), 0, Integer.MAX_VALUE);
  }
}
