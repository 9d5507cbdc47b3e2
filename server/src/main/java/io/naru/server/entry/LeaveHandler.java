package io.naru.server.entry;

import io.naru.line.Line;
import io.naru.line.Standing;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.EntryTokens;
import io.naru.queue.Queues;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.identity.Identity;
import io.naru.server.limits.AddressLimits;

/**
 * {@code POST /queue/{type}/{id}/leave}: gives the place up, in line or inside. Whoever shows an
 * entry token leaves that entry. Otherwise it is looked up first and left by its name, so that a
 * late repeat cannot hit the next entry of the same person.
 */
public final class LeaveHandler {

  private final Queues queues;
  private final Line line;
  private final Identity identity;
  private final EntryTokens tokens;
  private final AddressLimits limits;

  public LeaveHandler(
      Queues queues, Line line, Identity identity, EntryTokens tokens, AddressLimits limits) {
    this.limits = limits;
    this.queues = queues;
    this.line = line;
    this.identity = identity;
    this.tokens = tokens;
  }

  public void handle(Exchange exchange) {
    var queue = exchange.queue();
    String bearer = identity.entryToken(exchange);
    if (bearer != null) {
      tokens
          .read(bearer)
          .filter(key -> key.queue().equals(queue))
          .ifPresentOrElse(
              key -> leave(exchange, key),
              () -> exchange.problem(limits.missed(exchange, Problems.ENTRY_NOT_FOUND)));
      return;
    }
    identity
        .userOf(exchange)
        .ifPresentOrElse(
            user ->
                exchange.then(
                    line.locate(queue, user, SeenChange.of(exchange)),
                    standing -> {
                      switch (standing) {
                        case Standing.Found(var place) when place.entry().isLive() ->
                            leave(exchange, place.entry().key());
                        case Standing.Found _, Standing.Unknown _ ->
                            exchange.problem(Problems.ENTRY_NOT_FOUND);
                        case Standing.NoQueue _ -> exchange.problem(Problems.QUEUE_NOT_FOUND);
                      }
                    }),
            () -> exchange.problem(Problems.ENTRY_NOT_FOUND));
  }

  private void leave(Exchange exchange, EntryKey entry) {
    exchange.then(
        queues.leave(entry),
        ended -> {
          if (ended == Ended.DONE) {
            exchange.json(200, Json.object(json -> json.writeStringProperty("status", "LEFT")));
          } else {
            exchange.problem(Problems.ENTRY_NOT_FOUND);
          }
        });
  }
}
