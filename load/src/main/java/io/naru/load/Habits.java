package io.naru.load;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * What people do once they are in line.
 *
 * @param leaving how many of a hundred give their place up, within their patience
 * @param sleeping how many of a hundred close the page within it and never come back; their places
 *     stay
 * @param paying how many of a hundred who got in complete; the others keep their turn until it ends
 * @param failing how many of a hundred who complete do so at the second try, because the first
 *     payment fails
 * @param patience within which those who leave or sleep do so
 * @param stay how long those who complete are inside, on average
 */
public record Habits(
    double leaving,
    double sleeping,
    double paying,
    double failing,
    Duration patience,
    Duration stay) {

  public static final Habits DEFAULT =
      new Habits(5, 10, 80, 0, Duration.ofSeconds(60), Duration.ofSeconds(10));

  private static final int LONGEST_SECONDS = 86_400;

  /** How somebody ends their wait by themselves. */
  enum End {
    NONE,
    LEAVES,
    SLEEPS
  }

  /**
   * What one of them will do.
   *
   * @param afterNanos after which they leave or sleep
   * @param stayNanos how long they stay; negative if they never complete
   * @param payFails whether they need a second try, as long as the first
   */
  record Mind(End end, long afterNanos, long stayNanos, boolean payFails) {}

  public Habits {
    Range.check("--leaving", leaving, 0, 100);
    Range.check("--sleeping", sleeping, 0, 100);
    Range.check("--leaving and --sleeping together", leaving + sleeping, 0, 100);
    Range.check("--paying", paying, 0, 100);
    Range.check("--failing", failing, 0, 100);
    Range.check("--patience", patience.toSeconds(), 1, LONGEST_SECONDS);
    Range.check("--stay", stay.toSeconds(), 0, LONGEST_SECONDS);
  }

  /** The n-th visitor's: the same for the same seed, whoever else there is. */
  Mind of(long seed, int n) {
    var random = new SplittableRandom(seed + n * 0x9e3779b97f4a7c15L);
    double first = 100 * random.nextDouble();
    End end = first < leaving ? End.LEAVES : first < leaving + sleeping ? End.SLEEPS : End.NONE;
    long after = (long) (random.nextDouble() * patience.toNanos());
    boolean pays = 100 * random.nextDouble() < paying;
    long inside = (long) ((0.5 + random.nextDouble()) * stay.toNanos());
    boolean fails = 100 * random.nextDouble() < failing;
    return new Mind(end, after, pays ? inside : -1, fails);
  }
}
