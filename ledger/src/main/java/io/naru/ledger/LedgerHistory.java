package io.naru.ledger;

import io.naru.history.Course;
import io.naru.history.History;
import io.naru.history.Minute;
import io.naru.history.Past;
import io.naru.history.Period;
import io.naru.history.Statistics;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import io.naru.rate.RateView;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * What the ledger's rows tell of the past. Millions of them are read in parts, each in a short
 * snapshot of its own on a connection for which no visitor waits, with rests between them, and for
 * one who asks at a time. Each entry is in one part, so that it is counted once, as it stood then.
 */
final class LedgerHistory implements History {

  /** Some ten milliseconds of work. */
  private static final int PART = 10_000;

  private static final Duration LIMIT = Duration.ofSeconds(15);

  private final Reader reader;
  private final Dialect dialect;
  private final Background background;
  private final Semaphore counting = new Semaphore(1, true);

  LedgerHistory(Reader reader, Dialect dialect, Background background) {
    this.reader = reader;
    this.dialect = dialect;
    this.background = background;
  }

  /** A queue, by the number that no other one gets, and the time that is asked about. */
  private record Asked(long queue, Period.Range time, long now) {}

  @Override
  public CompletionStage<Optional<Statistics>> statistics(QueueId queue, Period period) {
    return background.callAtLeisure(
        "count statistics",
        () -> {
          Optional<Asked> asked = asked(queue, period);
          return asked.isEmpty() ? Optional.empty() : Optional.of(countInTurn(asked.get()));
        });
  }

  private Optional<Asked> asked(QueueId queue, Period period) throws Exception {
    return reader.read(
        (connection, rows) -> {
          long now = dialect.now(connection);
          return rows.queues()
              .find(queue)
              .map(row -> new Asked(row.id, period.in(row.createdAt, now), now));
        });
  }

  private Statistics countInTurn(Asked asked) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    if (!counting.tryAcquire(LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
      throw tooLong();
    }
    try {
      return count(asked, end);
    } finally {
      counting.release();
    }
  }

  private Statistics count(Asked asked, long end) throws Exception {
    var count = new Statistics.Count(asked.time, asked.now);
    long from = asked.time.from();
    List<Course> part;
    do {
      long began = System.nanoTime();
      if (began > end) {
        throw tooLong();
      }
      long first = from;
      part =
          reader.readLong(
              (_, rows) -> rows.courses().joined(asked.queue, first, asked.time.to(), PART));
      part.forEach(count::add);
      if (part.size() == PART) {
        from = part.getLast().joined() + 1;
        // As long as it took, so that at least half of the time is for others.
        Thread.sleep(Duration.ofNanos(System.nanoTime() - began));
      }
    } while (part.size() == PART);
    return count.sum();
  }

  private static QueueUnavailable tooLong() {
    return new QueueUnavailable(
        Kind.TIMEOUT, "statistics take longer than " + LIMIT.toSeconds() + " s");
  }

  @Override
  public CompletionStage<Optional<List<Past>>> entries(
      QueueId queue, String user, long before, int limit) {
    return ofQueue(queue, (rows, row, now) -> rows.people().of(row, user, before, limit, now));
  }

  @Override
  public CompletionStage<Optional<Past>> entry(QueueId queue, long joined) {
    return ofQueue(queue, (rows, row, now) -> rows.people().at(row, joined, now))
        .thenApply(found -> found.flatMap(some -> some.stream().findFirst()));
  }

  /** Something short about one queue. */
  private interface Reading<T> {
    T read(Rows rows, QueueRow row, long now) throws SQLException;
  }

  private <T> CompletionStage<Optional<T>> ofQueue(QueueId queue, Reading<T> reading) {
    return background.call(
        "read what has been",
        () ->
            reader.read(
                (connection, rows) -> {
                  Optional<QueueRow> row = rows.queues().find(queue);
                  return row.isEmpty()
                      ? Optional.<T>empty()
                      : Optional.of(reading.read(rows, row.get(), dialect.now(connection)));
                }));
  }

  @Override
  public CompletionStage<Optional<RateView>> rate(QueueId queue, long micros) {
    return ofQueue(
        queue,
        (rows, row, now) ->
            new RateView(row.rateNow(now), row.rate, rows.rates().from(row.id, now - micros)));
  }

  @Override
  public CompletionStage<Optional<List<Minute>>> timeline(QueueId queue, Period period) {
    return ofQueue(
        queue,
        (rows, row, now) -> {
          Period.Range time = period.in(row.createdAt, now);
          List<Minute> totals = rows.minutes().from(row, Minute.of(time.from()));
          return Minute.timeline(totals, row.createdAt, time);
        });
  }
}
