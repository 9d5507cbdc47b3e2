package io.naru.server.entry;

import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.EntryTokens;
import io.naru.queue.Queues;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;

/**
 * {@code POST /queue/{type}/{id}/complete} with the entry token as bearer: done inside, the place
 * is free again. Any doubt is the same refusal.
 */
public final class CompleteHandler {

  private final Queues queues;
  private final EntryTokens tokens;

  public CompleteHandler(Queues queues, EntryTokens tokens) {
    this.queues = queues;
    this.tokens = tokens;
  }

  public void handle(Exchange exchange) {
    var queue = exchange.queue();
    String bearer = exchange.bearer();
    if (bearer == null) {
      exchange.problem(Problems.ENTRY_REQUIRED);
      return;
    }
    tokens
        .read(bearer)
        .filter(key -> key.queue().equals(queue))
        .ifPresentOrElse(
            key -> complete(exchange, key), () -> exchange.problem(Problems.ENTRY_REQUIRED));
  }

  private void complete(Exchange exchange, EntryKey entry) {
    exchange.then(
        queues.complete(entry),
        ended -> {
          if (ended == Ended.DONE) {
            exchange.json(
                200, Json.object(json -> json.writeStringProperty("status", "COMPLETED")));
          } else {
            exchange.problem(Problems.ENTRY_REQUIRED);
          }
        });
  }
}
