package io.naru.history;

import io.naru.queue.Entry.Status;
import io.naru.queue.Micros;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * How those fared who joined within a time.
 *
 * @param counts as they stand when it is counted
 * @param noShows who were let in, and whose turn ran out without a session or a completion
 * @param waited how long those waited who were let in
 * @param inside how long those were inside whose turn is over
 * @param abandonment by how long people had waited
 */
public record Statistics(
    Period.Range time,
    Counts counts,
    long noShows,
    Spread waited,
    Spread inside,
    List<Band> abandonment) {

  /** Where one band of waiting ends and the next begins. */
  private static final long[] BAND_SECONDS = {0, 60, 300, 600, 1_800, 3_600, 7_200};

  /**
   * Those who waited for at least so long.
   *
   * @param toSeconds where the next band begins; nothing behind the last
   * @param people how many waited into this band
   * @param left how many of them gave up in it
   */
  public record Band(long fromSeconds, OptionalLong toSeconds, long people, long left) {}

  /** How many of those who joined were let in; nothing if nobody joined. */
  public OptionalDouble gotInShare() {
    return counts.joined() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of((double) counts.admitted() / counts.joined());
  }

  /** Adds them up, one entry after the other. */
  public static final class Count {
    private final Period.Range time;
    private final long now;
    private final Spread waited = new Spread();
    private final Spread inside = new Spread();
    private final long[] people = new long[BAND_SECONDS.length];
    private final long[] gaveUp = new long[BAND_SECONDS.length];
    private final Map<Status, Long> byStatus = new EnumMap<>(Status.class);
    private long joined;
    private long admitted;
    private long noShows;

    public Count(Period.Range time, long now) {
      this.time = time;
      this.now = now;
    }

    public void add(Course course) {
      Status status = course.statusAt(now);
      joined++;
      byStatus.merge(status, 1L, Long::sum);
      if (course.hasEntered()) {
        admitted++;
        waited.add(course.waitedMicros(now));
        if (status != Status.ENTERED) {
          inside.add(course.insideMicros());
        }
        if (status == Status.EXPIRED && !course.isRedeemed()) {
          noShows++;
        }
      }
      addToBands(course);
    }

    private void addToBands(Course course) {
      long seconds = course.waitedMicros(now) / Micros.PER_SECOND;
      int last = 0;
      for (int band = 0;
          band < people.length && BAND_SECONDS[band] <= Math.max(0, seconds);
          band++) {
        people[band]++;
        last = band;
      }
      if (course.isGivenUp()) {
        gaveUp[last]++;
      }
    }

    public Statistics sum() {
      var counts =
          new Counts(joined, admitted, of(Status.COMPLETED), of(Status.LEFT), of(Status.EXPIRED));
      return new Statistics(time, counts, noShows, waited, inside, bands());
    }

    private long of(Status status) {
      return byStatus.getOrDefault(status, 0L);
    }

    private List<Band> bands() {
      return IntStream.range(0, people.length)
          .mapToObj(
              band ->
                  new Band(
                      BAND_SECONDS[band],
                      band + 1 < people.length
                          ? OptionalLong.of(BAND_SECONDS[band + 1])
                          : OptionalLong.empty(),
                      people[band],
                      gaveUp[band]))
          .toList();
    }
  }
}
