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
 *     number of microseconds. Less than nothing where less is to come with the next interval than a
 *     batch, since the rate was lower in a part of this one
 * @param refilledAt up to when it was earned, in microseconds
 */
public record Allowance(long units, long refilledAt) {

  /** A bucket is not looked into more often than this. */
  private static final long LEAST_MICROS = 20_000;

  /** How often to look where people wait for something else than the rate. */
  private static final long IDLE_MICROS = 1_000_000;

  /** Beyond this, units are too many to be added and taken away. */
  private static final long COUNTABLE = Long.MAX_VALUE / 4;

  /** The first allowance, given when a queue is first opened. */
  public static Allowance full(Pacing pacing, long now) {
    return new Allowance(pacing.most(), now);
  }

  /**
   * As a store keeps it.
   *
   * @param rest what is left beyond {@link #whole}
   */
  public static Allowance of(long whole, long rest, long refilledAt, Pacing pacing) {
    return new Allowance(whole * pacing.person() + rest, refilledAt);
  }

  /** How many may go in. */
  public long tokens(Pacing pacing) {
    return Math.max(0, whole(pacing));
  }

  /** For how many there is something left; negative if something is missing. */
  public long whole(Pacing pacing) {
    return Math.floorDiv(units, pacing.person());
  }

  /** What is left beyond {@link #whole}, always less than a person. */
  public long rest(Pacing pacing) {
    return Math.floorMod(units, pacing.person());
  }

  /** The allowance as it stands at {@code now}. */
  public Allowance at(long now, Pacing pacing) {
    long kept = Math.min(units, pacing.most());
    if (now < refilledAt) {
      // The clock went back. Waiting until it has caught up could take hours; starting the interval
      // anew costs at most one.
      return new Allowance(Math.max(0, kept), now);
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
   *
   * <p>In steps that part of the interval stays over as well, or a rate that goes up and down would
   * never see the end of one: what is missing to the larger batch is taken from what is left, and
   * given back when the batch is small again. Only somebody whose turn it is already does not wait
   * for that; then the part is shortened.
   */
  public Allowance repaced(Pacing from, Pacing to, long now) {
    Allowance before = at(now, from);
    long tokens = Math.min(before.whole(from), to.mostTokens());
    long whole = tokens * to.person();
    long kept = whole + Math.min(to.most() - whole, scaled(before.rest(from), from, to));
    long over = scaled(now - before.refilledAt, from, to);
    if (to.most() > COUNTABLE) {
      long part = to.milli() > from.milli() ? part(over, from.milli(), to.milli()) : over;
      return new Allowance(Math.max(0, kept), now - part);
    }
    if (to.milli() <= from.milli()) {
      long more = times(over, from.milli() - to.milli());
      // Less than a person: whoever goes in goes in with an interval.
      long most = Math.max(0, whole) + to.person() - 1;
      return new Allowance(Math.min(most, kept + more), now - over);
    }
    long missing = times(over, to.milli() - from.milli());
    return tokens > 0
        ? new Allowance(kept, now - part(over, from.milli(), to.milli()))
        : new Allowance(kept - missing, now - over);
  }

  private static long times(long some, long each) {
    return each > 0 && some > COUNTABLE / each ? COUNTABLE : some * each;
  }

  /** So much of a whole; where that would be more than can be counted, as near as can be. */
  private static long part(long of, long some, long whole) {
    return of <= Long.MAX_VALUE / some ? of * some / whole : (long) ((double) of * some / whole);
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
