package io.naru.server.people;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.naru.history.History;
import io.naru.history.Minute;
import io.naru.history.Period;
import io.naru.history.Statistics;
import io.naru.queue.InvalidValue;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.server.entry.Problems;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@code GET …/statistics} and {@code GET …/timeline}: what has been, in numbers. */
public final class HistoryHandlers {

  private static final CharSequence CSV =
      HttpHeaders.createOptimized("text/csv; charset=utf-8; header=present");
  private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");

  /** Millions of entries are read for it; nobody else waits meanwhile. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Ten consoles that show the same cost as much as one. */
  private static final Duration SHARED = Duration.ofSeconds(5);

  private static final int MAX_SHARED = 64;
  private static final int DEFAULT_MINUTES = 60;
  private static final int MAX_MINUTES = 1_440;

  /** As long as entries are kept. */
  private static final long MAX_ROWS_MICROS = Duration.ofDays(30).toNanos() / 1_000;

  private static final String INSTANT = "an instant as 2026-03-01T20:00:00Z";

  private final @Nullable History history;
  private final AsyncCache<Asked, Optional<Statistics>> counted =
      Caffeine.newBuilder().maximumSize(MAX_SHARED).expireAfterWrite(SHARED).buildAsync();
  private final AsyncCache<Lately, Optional<List<Minute>>> lately =
      Caffeine.newBuilder().maximumSize(MAX_SHARED).expireAfterWrite(SHARED).buildAsync();

  /** Which timeline: of how long until now. */
  private record Lately(QueueId queue, int minutes) {

    /** Up to the minute that is on, so many in all. */
    Period period() {
      return (_, now) -> new Period.Range((Minute.of(now) + 1 - minutes) * Minute.MICROS, now + 1);
    }
  }

  /** Which statistics; times as they were asked for, so that those until now are one. */
  private record Asked(QueueId queue, @Nullable Long from, @Nullable Long to) {

    Period period() {
      return (createdAt, now) ->
          new Period.Range(from == null ? createdAt : from, to == null ? now : to);
    }

    /** Of which every minute is a row: those that are kept. */
    Period rows() {
      return (createdAt, now) -> {
        Period.Range whole = period().in(createdAt, now);
        long end = Math.min(whole.to(), now);
        return new Period.Range(
            Math.max(Math.max(whole.from(), createdAt), end - MAX_ROWS_MICROS), end);
      };
    }
  }

  /**
   * @param history null where nothing keeps it
   */
  public HistoryHandlers(@Nullable History history) {
    this.history = history;
  }

  public void statistics(Exchange exchange) {
    History kept = kept();
    var asked = new Asked(exchange.queue(), instant(exchange, "from"), instant(exchange, "to"));
    if (asked.from != null && asked.to != null && asked.from >= asked.to) {
      throw new InvalidValue("to", INSTANT + " behind from", "is not behind from");
    }
    if (wantsCsv(exchange)) {
      csv(exchange, kept, asked);
      return;
    }
    exchange.mayTake(PATIENCE);
    exchange.then(
        counted.get(
            asked, (_, _) -> kept.statistics(asked.queue, asked.period()).toCompletableFuture()),
        found -> found(exchange, found, HistoryJson::of));
  }

  private static void csv(Exchange exchange, History kept, Asked asked) {
    exchange.then(
        kept.timeline(asked.queue, asked.rows()),
        found -> {
          if (found.isEmpty()) {
            exchange.problem(Problems.QUEUE_NOT_FOUND);
            return;
          }
          String name = asked.queue.type() + "-" + asked.queue.id() + ".csv";
          exchange
              .response()
              .putHeader("Content-Disposition", "attachment; filename=\"" + name + "\"");
          exchange.send(200, CSV, NO_STORE, HistoryJson.csv(found.get()));
        });
  }

  public void timeline(Exchange exchange) {
    History kept = kept();
    var asked = new Lately(exchange.queue(), minutes(exchange.query("minutes")));
    exchange.then(
        lately.get(
            asked, (_, _) -> kept.timeline(asked.queue, asked.period()).toCompletableFuture()),
        found -> found(exchange, found, HistoryJson::of));
  }

  /** The rate, now and for some minutes back. */
  public void rate(Exchange exchange) {
    History kept = kept();
    long span = minutes(exchange.query("minutes")) * Minute.MICROS;
    exchange.then(kept.rate(exchange.queue(), span), found -> found(exchange, found, RateJson::of));
  }

  private History kept() {
    if (history == null) {
      throw new Problem.Found(Problem.withoutLedger("statistics"));
    }
    return history;
  }

  private static <T> void found(Exchange exchange, Optional<T> found, Function<T, Buffer> json) {
    found.ifPresentOrElse(
        it -> exchange.json(200, json.apply(it)), () -> exchange.problem(Problems.QUEUE_NOT_FOUND));
  }

  private static boolean wantsCsv(Exchange exchange) {
    return switch (exchange.query("format")) {
      case "csv" -> true;
      case "json" -> false;
      case null -> {
        String accept = exchange.request().getHeader(HttpHeaders.ACCEPT);
        yield accept != null && accept.toLowerCase(Locale.ROOT).contains("text/csv");
      }
      default -> throw new InvalidValue("format", "json or csv", "is neither");
    };
  }

  /** With any offset; null if it is not there. */
  private static @Nullable Long instant(Exchange exchange, String name) {
    String text = exchange.query(name);
    if (text == null) {
      return null;
    }
    try {
      Instant at = OffsetDateTime.parse(text).toInstant();
      int year = at.atOffset(ZoneOffset.UTC).getYear();
      if (year >= 2000 && year < 3000) {
        return Micros.of(at);
      }
    } catch (DateTimeException e) {
      // Said below, as for one that nobody can mean: it is no text of one, or no calendar has it.
    }
    throw new InvalidValue(name, INSTANT, "is not one");
  }

  private static int minutes(@Nullable String text) {
    if (text == null) {
      return DEFAULT_MINUTES;
    }
    try {
      int minutes = Integer.parseInt(text);
      if (minutes >= 1 && minutes <= MAX_MINUTES) {
        return minutes;
      }
    } catch (NumberFormatException e) {
      // Said below, as for a number out of range.
    }
    throw new InvalidValue("minutes", "1.." + MAX_MINUTES, "is not a whole number in range");
  }
}
