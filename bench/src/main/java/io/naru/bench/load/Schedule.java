package io.naru.bench.load;

/** When requests are sent. Each thread of the load has its own. */
interface Schedule {

  /** Whether one more request is to be sent by now. */
  boolean isDue(long now);

  /** Takes the request that is due and returns since when it is: its latency counts from there. */
  long take(long now);

  /** Whether nothing will be due any more. */
  boolean isOver(long now);

  /** A closed loop: whoever got its reply sends the next request at once, until the end. */
  record Busy(long deadline) implements Schedule {

    @Override
    public boolean isDue(long now) {
      return !isOver(now);
    }

    @Override
    public long take(long now) {
      return now;
    }

    @Override
    public boolean isOver(long now) {
      return now - deadline >= 0;
    }
  }
}
