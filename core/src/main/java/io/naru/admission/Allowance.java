package io.naru.admission;

/**
 * What may still be let in: {@code min(burst, credit + rate × elapsed)}, the same sum for every
 * {@link Pacing.Kind}.
 *
 * <p>In steps time counts by whole intervals, on a grid that starts at the first activation: a late
 * tick does not push the later ones back, so the long-run rate is exact. In a bucket it counts by
 * the microsecond. Nothing adds up beyond one burst, so nothing is caught up after an outage.
 *
 * <p>Over any time at most what can be kept and {@code ∫ rate} go in; in steps up to one batch
 * more, which is earned but not given yet. That is so because no change of the rate ever makes more
 * of what was earned before it. {@code plain.lua} does the same sum on Redis; the contract of
 * {@code Queues} holds both to it.
 *
 * @param units credit × interval, in whole numbers: at 70,000 a second one person is no whole
 *     number of microseconds
 * @param refilledAt up to when it was earned, in microseconds
 */
public record Allowance(long units, long refilledAt) {

  /** A bucket is not looked into more often than this. */
  private static final long LEAST_MICROS = 20_000;

  /** How often to look where people wait for something else than the rate. */
  private static final long IDLE_MICROS = 1_000_000;

  /** The first allowance, given when a queue is first opened. */
  public static Allowance full(Pacing pacing, long now) {
    return new Allowance(pacing.most(), now);
  }

  /**
   * As a store keeps it.
   *
   * @param rest what is left beyond {@link #tokens}
   */
  public static Allowance of(long tokens, long rest, long refilledAt, Pacing pacing) {
    return new Allowance(tokens * pacing.person() + rest, refilledAt);
  }

  /** How many may go in. */
  public long tokens(Pacing pacing) {
    return units / pacing.person();
  }

  /** What is left beyond {@link #tokens}. */
  public long rest(Pacing pacing) {
    return units % pacing.person();
  }

  /** The allowance as it stands at {@code now}. */
  public Allowance at(long now, Pacing pacing) {
    long kept = Math.min(units, pacing.most());
    if (now < refilledAt) {
      // The clock went back. Waiting until it has caught up could take hours; starting the interval
      // anew costs at most one.
      return new Allowance(kept, now);
    }
    long elapsed = (now - refilledAt) / pacing.grainMicros() * pacing.grainMicros();
    long missing = pacing.most() - kept;
    // However far the clock jumps, it is worth one burst at most.
    long earned = elapsed >= pacing.microsFor(missing) ? missing : elapsed * pacing.milli();
    return new Allowance(kept + earned, refilledAt + elapsed);
  }

  /**
   * The same under another rate. What is left stays, and so does what the part of an interval that
   * is over has earned, or less: were it the time instead, a moment with a short interval would be
   * worth a batch, and a moment with a large batch too.
   */
  public Allowance repaced(Pacing from, Pacing to, long now) {
    Allowance before = at(now, from);
    long kept = before.tokens(from) * to.person() + scaled(before.rest(from), from, to);
    long over = scaled(now - before.refilledAt, from, to);
    if (to.milli() > from.milli()) {
      over = over * from.milli() / to.milli();
    }
    return new Allowance(Math.min(kept, to.most()), now - over);
  }

  private static long scaled(long part, Pacing from, Pacing to) {
    return part * to.intervalSeconds() / from.intervalSeconds();
  }

  public Allowance spend(int admitted, Pacing pacing) {
    return new Allowance(units - admitted * pacing.person(), refilledAt);
  }

  /** From when on there is something for those who wait; 0 for at once. */
  public long roomFrom(Pacing pacing) {
    long missing = pacing.portion() - units;
    return missing <= 0 ? 0 : refilledAt + pacing.microsFor(missing);
  }

  /** When to look again if people still wait. */
  public long nextRefillAt(Pacing pacing) {
    if (pacing.kind() == Pacing.Kind.STEPS) {
      return refilledAt + pacing.intervalMicros();
    }
    long from = roomFrom(pacing);
    return from == 0 ? refilledAt + IDLE_MICROS : Math.max(from, refilledAt + LEAST_MICROS);
  }

  /** {@code min(maxCapacity − inside, allowance)}, never negative. */
  public static int places(int maxCapacity, long inside, long allowance) {
    return Math.clamp(Math.min(maxCapacity - inside, allowance), 0, Integer.MAX_VALUE);
  }
}
