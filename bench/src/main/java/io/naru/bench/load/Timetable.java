package io.naru.bench.load;

/**
 * An open loop: so many requests per second, each due at its own time, whatever became of those
 * before it. Visitors do not wait for each other, so a server that stalls finds all of them at its
 * door afterwards, and each has waited since it came. A closed loop would send nothing meanwhile
 * and count the stall once.
 *
 * <p>What could not be sent in time is sent late and never left out, so that the stall shows.
 */
final class Timetable implements Schedule {

  private final long start;
  private final double nanosApart;
  private final long requests;
  private long taken;

  /** Evenly from {@code start}, for {@code nanos}. */
  Timetable(long start, double perSecond, long nanos) {
    this.start = start;
    this.nanosApart = 1e9 / perSecond;
    this.requests = Math.round(nanos / nanosApart);
  }

  @Override
  public boolean isDue(long now) {
    return taken < requests && now - next() >= 0;
  }

  @Override
  public long take(long now) {
    var due = next();
    taken++;
    return due;
  }

  @Override
  public boolean isOver(long now) {
    return taken >= requests;
  }

  // From the start each time: adding up a rounded distance would drift.
  private long next() {
    return start + (long) (taken * nanosApart);
  }
}
