package io.naru.server.entry;

import io.naru.queue.Ended;
import io.naru.queue.Queues;
import io.naru.queue.Stay.CompletedBy;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.pass.Passes;

/**
 * {@code POST /queue/{type}/{id}/complete} with the pass as bearer: done inside, the place is free
 * again. Any doubt is the same refusal. Where only the site may say so, it takes the {@link
 * SiteKey}, too.
 */
public final class CompleteHandler {

  private final Queues queues;
  private final Passes passes;
  private final SiteKey siteKey;

  public CompleteHandler(Queues queues, Passes passes, SiteKey siteKey) {
    this.queues = queues;
    this.passes = passes;
    this.siteKey = siteKey;
  }

  public void handle(Exchange exchange) {
    CompletedBy by = siteKey.of(exchange);
    var entry = PassBearer.entryOf(exchange, passes);
    if (entry.isEmpty()) {
      exchange.problem(Problems.ENTRY_REQUIRED);
      return;
    }
    exchange.then(
        queues.complete(entry.get(), by),
        ended -> {
          if (ended == Ended.SITE_ONLY) {
            exchange.problem(Problems.SITE_ONLY);
          } else if (ended == Ended.DONE) {
            exchange.json(
                200, Json.object(json -> json.writeStringProperty("status", "COMPLETED")));
          } else {
            exchange.problem(Problems.ENTRY_REQUIRED);
          }
        });
  }
}
