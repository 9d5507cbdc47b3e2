package io.naru.server.entry;

import io.naru.line.Line;
import io.naru.line.Standing;
import io.naru.queue.EntryKey;
import io.naru.queue.InvalidValue;
import io.naru.queue.Queues;
import io.naru.queue.Returned;
import io.naru.queue.Stay.CompletedBy;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.naru.server.pass.Passes;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /queue/{type}/{id}/return} with the pass as bearer: a payment failed. The place
 * inside is kept for another try, and after that, or with {@code giveUp}, there is a new one in
 * front of the line. Told again, it answers the same. Any doubt is the same refusal.
 */
public final class ReturnHandler {

  private final Queues queues;
  private final Line line;
  private final Passes passes;
  private final SiteKey siteKey;
  private final EntryJson entries;

  public ReturnHandler(
      Queues queues, Line line, Passes passes, SiteKey siteKey, EntryJson entries) {
    this.queues = queues;
    this.line = line;
    this.passes = passes;
    this.siteKey = siteKey;
    this.entries = entries;
  }

  public void handle(Exchange exchange) {
    boolean givesUp = givesUp(exchange);
    CompletedBy by = siteKey.of(exchange);
    var entry = PassBearer.entryOf(exchange, passes);
    if (entry.isEmpty()) {
      exchange.problem(Problems.ENTRY_REQUIRED);
      return;
    }
    exchange.then(
        queues.giveBack(entry.get(), givesUp, by),
        returned -> {
          switch (returned) {
            case Returned.Has(var has) -> show(exchange, has);
            case Returned.NotInside _ -> exchange.problem(Problems.ENTRY_REQUIRED);
            case Returned.SiteOnly _ -> exchange.problem(Problems.SITE_ONLY);
            case Returned.TooOften(var most) -> exchange.problem(Problems.noMoreReturns(most));
            case Returned.HasEnded _ -> exchange.problem(Problems.NOT_ALLOWED);
            case Returned.NeedsLedger _ ->
                exchange.problem(Problem.needsLedger("return", "complete or leave"));
          }
        });
  }

  private static boolean givesUp(Exchange exchange) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>(exchange.body());
    Object giveUp = fields.containsKey("giveUp") ? fields.remove("giveUp") : (Object) false;
    if (!(giveUp instanceof Boolean givesUp)) {
      throw new InvalidValue("giveUp", "true or false", "is neither of them");
    }
    if (!fields.isEmpty()) {
      throw new InvalidValue(
          fields.keySet().iterator().next(), "giveUp", "is not a field of this call");
    }
    return givesUp;
  }

  private void show(Exchange exchange, EntryKey has) {
    exchange.then(
        line.locate(has),
        standing -> {
          if (standing instanceof Standing.Found(var place) && place.entry().isLive()) {
            exchange.json(200, entries.of(place));
          } else {
            // It was over before it could be read.
            exchange.problem(Problems.ENTRY_REQUIRED);
          }
        });
  }
}
