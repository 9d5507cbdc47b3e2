package io.naru.line;

import io.naru.queue.Entry.Status;
import java.util.Comparator;

/**
 * A part of a line, or of those inside, in which a copy and its ledger are compared.
 *
 * @param isInside whether it is of those inside, by when their right to be there ends; else of
 *     those who wait, by their scores
 * @param after behind this; {@link #BEGINNING} for all
 * @param upTo and up to this; {@link #END} for all
 */
public record Part(boolean isInside, long after, long upTo) {

  public static final long BEGINNING = Long.MIN_VALUE;
  public static final long END = Long.MAX_VALUE;

  /** As they stand in it: two who end at the same time, by their names. */
  public static final Comparator<Fact> ORDER =
      Comparator.comparingLong(Part::at).thenComparing(Fact::user);

  /** Where somebody stands. */
  public static long at(Fact fact) {
    return fact.status() == Status.ENTERED ? fact.until() : fact.score();
  }

  public boolean contains(Fact fact) {
    return fact.status() == (isInside ? Status.ENTERED : Status.WAITING)
        && at(fact) > after
        && at(fact) <= upTo;
  }

  /** What a copy knows of somebody; where one stood before the turn, it does not. */
  public static Fact known(Fact fact) {
    return fact.status() == Status.ENTERED
        ? new Fact(fact.user(), fact.joined(), 0, Status.ENTERED, fact.entered(), fact.until())
        : Fact.waiting(fact.user(), fact.joined(), fact.score());
  }
}
