package io.naru.rate;

import io.naru.queue.InvalidValue;
import io.naru.queue.Signal;
import io.naru.queue.SiteNow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * What all sources of a queue said last; the worst of them wins.
 *
 * @param heard a source that is silent for long is forgotten; of more than are kept, those with the
 *     best news are: each says the next within a second, and is kept then if that is worse
 */
public record Signals(List<Heard> heard) {

  /** What is older than this is no news: the rate may not grow by it. */
  public static final long FRESH = 5_000_000;

  /** What is older than this is forgotten. */
  public static final long KNOWN = 30_000_000;

  /** The clock of somebody else may be ahead by as much. */
  private static final long AHEAD = 5_000_000;

  private static final int MOST_KEPT = 32;

  public static final Signals NONE = new Signals(List.of());

  public Signals {
    heard = List.copyOf(heard);
  }

  /**
   * What is known at one moment.
   *
   * @param newest when the newest window ended that counts; 0 if nothing is known
   * @param isFresh whether that is news
   * @param isWhole whether everybody who is known has said something fresh
   */
  public record Seen(
      long newest, boolean isFresh, boolean isWhole, double p95Millis, double errorPercent) {

    /** How the site does, as far as that is news. */
    public SiteNow site() {
      return isFresh ? new SiteNow(p95Millis, errorPercent) : SiteNow.UNKNOWN;
    }
  }

  /**
   * With one more.
   *
   * @throws InvalidValue if it is of another time
   */
  public Signals and(Signal signal, long now) {
    if (signal.at() != 0 && (signal.at() > now + AHEAD || signal.at() < now - KNOWN)) {
      throw new InvalidValue(
          "at",
          "at most 30 s ago, and at most 5 s ahead",
          signal.at() > now ? "is in the future" : "is too long ago");
    }
    Heard before = Heard.nothing(signal.source());
    List<Heard> others = new ArrayList<>();
    for (Heard each : at(now).heard) {
      if (each.source().equals(signal.source())) {
        before = each;
      } else {
        others.add(each);
      }
    }
    others.add(before.and(signal, now));
    if (others.size() > MOST_KEPT) {
      others.remove(best(others));
    }
    return new Signals(others);
  }

  /** Neither the slowest nor the one that fails most, if any other is there. */
  private static Heard best(List<Heard> some) {
    double slowest = some.stream().mapToDouble(Heard::worstMillis).max().orElse(0);
    double failing = some.stream().mapToDouble(Heard::worstPercent).max().orElse(0);
    return Collections.min(
        some,
        Comparator.<Heard>comparingDouble(
                each ->
                    Math.max(part(each.worstMillis(), slowest), part(each.worstPercent(), failing)))
            .thenComparingLong(Heard::toldAt));
  }

  private static double part(double some, double whole) {
    return whole == 0 ? 0 : some / whole;
  }

  /** Without those who have been silent for long. */
  Signals at(long now) {
    return new Signals(
        heard.stream()
            .map(each -> each.notAfter(now))
            .filter(each -> now - each.toldAt() <= KNOWN)
            .toList());
  }

  public Seen seen(long now) {
    long newest = 0;
    boolean isWhole = true;
    double p95 = 0;
    double errors = 0;
    for (Heard each : heard) {
      // After the clock went back, nothing was heard later than now.
      long at = Math.min(each.at(), now);
      if (at == 0 || now - at > KNOWN || now - each.toldAt() > KNOWN) {
        continue;
      }
      newest = Math.max(newest, at);
      if (now - at > FRESH) {
        isWhole = false;
      } else {
        p95 = Math.max(p95, each.p95Millis());
        errors = Math.max(errors, each.errorPercent());
      }
    }
    return new Seen(newest, newest > 0 && now - newest <= FRESH, isWhole, p95, errors);
  }
}
