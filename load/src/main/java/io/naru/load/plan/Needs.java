package io.naru.load.plan;

/**
 * What an expected crowd takes: by the busiest second of each kind, twice over, since a server that
 * is half idle is one that answers quickly.
 *
 * @param mostWaiting at once
 * @param entersPerSecond while they arrive
 * @param cores in all, of servers, database and Redis, streams for everybody
 * @param servers of the size asked about; two at least, so that one may fail
 * @param serverMegabytes of each, streams included
 * @param files that each server may have to open
 * @param redisMegabytes for the line, and again as much while it is built anew
 * @param ledgerMegabytes of the entries, for 30 days
 * @param megabitsPerSecond to all streams
 * @param siteRequests a second at the protected site
 */
public record Needs(
    long mostWaiting,
    double entersPerSecond,
    double cores,
    int servers,
    long serverMegabytes,
    long files,
    long redisMegabytes,
    long ledgerMegabytes,
    double megabitsPerSecond,
    double siteRequests) {

  private static final double HEADROOM = 2;
  private static final double MEGABYTE = 1e6;

  /** A heap for a server without anybody, and what is beside it. */
  private static final double SERVER_MEGABYTES = 400;

  private static final double REDIS_MEGABYTES = 50;

  /** 220 were measured on SQLite; others keep more beside each row. */
  private static final double ENTRY_BYTES = 500;

  /** A message, with its frame; of those far back, one every three seconds. */
  private static final double MESSAGE_BYTES = 450;

  private static final double MESSAGE_SECONDS = 3;

  /** What one server takes unless it is told otherwise. */
  private static final double STREAMS_PER_SERVER = 50_000;

  private static final int SPARE_FILES = 500;

  /**
   * @param cores of each server
   */
  public static Needs of(Expected expected, Plan plan, Figures figures, int cores) {
    double arriving = (double) expected.people() / expected.arriveSeconds();
    double meanwhile = plan.perSecond() * expected.arriveSeconds();
    double waiting = Math.max(0, expected.people() - meanwhile);
    // Whoever goes in completes, too; each is about what an enter is.
    double work =
        (arriving + 2 * Math.min(arriving, plan.perSecond())) / figures.enters()
            + waiting / figures.streams();
    double all = HEADROOM * work;
    int servers =
        (int)
            Math.max(2, Math.max(Math.ceil(all / cores), Math.ceil(waiting / STREAMS_PER_SERVER)));
    // One of them may be away, and the others have its people.
    double each = waiting / (servers - 1);
    return new Needs(
        Math.round(waiting),
        arriving,
        all,
        servers,
        Math.round(SERVER_MEGABYTES + each * figures.streamBytes() / MEGABYTE),
        Math.round(each) + SPARE_FILES,
        Math.round(REDIS_MEGABYTES + 2 * waiting * figures.redisBytes() / MEGABYTE),
        Math.max(1, Math.round(expected.people() * ENTRY_BYTES / MEGABYTE)),
        waiting * MESSAGE_BYTES * 8 / MESSAGE_SECONDS / MEGABYTE,
        expected.requests() * Math.min(plan.perSecond(), expected.people()));
  }
}
