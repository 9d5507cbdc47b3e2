package io.naru.server.entry;

import static java.time.ZoneOffset.UTC;
import static java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME;

import io.naru.line.Line;
import io.naru.line.Standing;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryTokens;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.server.http.Exchange;
import io.naru.server.identity.Identity;
import io.naru.server.limits.AddressLimits;
import io.vertx.core.http.HttpHeaders;
import java.time.Instant;
import java.util.concurrent.CompletionStage;

/** {@code GET …/status}, by user or by entry token: where one stands. */
public final class StatusHandler {

  private final Line line;
  private final Identity identity;
  private final EntryTokens tokens;
  private final EntryJson entries;
  private final AddressLimits limits;

  public StatusHandler(
      Line line, Identity identity, EntryTokens tokens, EntryJson entries, AddressLimits limits) {
    this.limits = limits;
    this.line = line;
    this.identity = identity;
    this.tokens = tokens;
    this.entries = entries;
  }

  public void byUser(Exchange exchange) {
    QueueId queue = exchange.queue();
    identity
        .userOf(exchange)
        .ifPresentOrElse(
            user -> answer(exchange, line.locate(queue, user, SeenChange.of(exchange))),
            () -> exchange.problem(Problems.ENTRY_NOT_FOUND));
  }

  public void byToken(Exchange exchange) {
    tokens
        .read(exchange.parameter(0))
        .ifPresentOrElse(
            key -> answer(exchange, line.locate(key, SeenChange.of(exchange))),
            () -> exchange.problem(limits.missed(exchange, Problems.ENTRY_NOT_FOUND)));
  }

  private void answer(Exchange exchange, CompletionStage<Standing> located) {
    exchange.then(
        located,
        standing -> {
          switch (standing) {
            case Standing.Found(var place) -> found(exchange, place);
            case Standing.Unknown _ -> exchange.problem(Problems.ENTRY_NOT_FOUND);
            case Standing.NoQueue _ -> exchange.problem(Problems.QUEUE_NOT_FOUND);
          }
        });
  }

  private void found(Exchange exchange, Place place) {
    entries.lookout().see(place);
    if (Problems.isOver(place.entry())) {
      exchange.problem(Problems.over(place.entry()), entries.asMember(place));
    } else {
      if (place.entry().status() == Status.ENTERED) {
        // How long the turn lasts is told as a time, which the clock of a visitor may not know.
        Instant now = Micros.toInstant(entries.outlook().pauses().now());
        exchange.response().putHeader(HttpHeaders.DATE, RFC_1123_DATE_TIME.format(now.atZone(UTC)));
      }
      if (place.entry().isWaiting()) {
        exchange
            .response()
            .putHeader(
                HttpHeaders.RETRY_AFTER, Long.toString(entries.outlook().askAgainSeconds(place)));
      }
      exchange.json(200, entries.of(place));
    }
  }
}
