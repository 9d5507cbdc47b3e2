package io.naru.server.admin;

import io.naru.queue.InvalidValue;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Signal;
import io.naru.queue.Signaled;
import io.naru.server.entry.Problems;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Problem;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code POST /admin/queue/signal}: how the site behind a queue does. */
public final class SignalHandler {

  private static final List<String> FIELDS =
      List.of("eventType", "eventId", "source", "count", "errors", "p95Millis", "at");

  private static final String INSTANT = "an instant as 2026-03-01T20:00:00Z";

  private final Queues queues;
  private final Consumer<QueueId> heard;

  /**
   * @param heard told of every one that counts
   */
  public SignalHandler(Queues queues, Consumer<QueueId> heard) {
    this.queues = queues;
    this.heard = heard;
  }

  public void handle(Exchange exchange) {
    QueueId queue = exchange.queueInBody();
    exchange.then(
        queues.signal(queue, read(exchange.body())),
        signaled -> {
          switch (signaled) {
            case HEARD, NOT_ADAPTIVE -> {
              boolean isHeard = signaled == Signaled.HEARD;
              if (isHeard) {
                heard.accept(queue);
              }
              exchange.json(
                  202, Json.object(json -> json.writeBooleanProperty("adaptive", isHeard)));
            }
            case NO_QUEUE -> exchange.problem(Problems.QUEUE_NOT_FOUND);
            case NEEDS_LEDGER -> exchange.problem(Problem.withoutLedger("signals"));
          }
        });
  }

  /** What a body says. */
  public static Signal read(Map<String, @Nullable Object> fields) {
    for (String name : fields.keySet()) {
      if (!FIELDS.contains(name)) {
        throw new InvalidValue(name, String.join(", ", FIELDS), "is not a field of this call");
      }
    }
    if (!(fields.get("source") instanceof String source)) {
      throw new InvalidValue("source", "1 to 64 of A-Z a-z 0-9 . _ : -", "is not text");
    }
    if (!(fields.get("p95Millis") instanceof Number millis)) {
      throw new InvalidValue("p95Millis", "0..3600000", "is not a number");
    }
    return new Signal(
        source,
        whole(fields, "count"),
        whole(fields, "errors"),
        millis.doubleValue(),
        at(fields.get("at")));
  }

  private static long whole(Map<String, @Nullable Object> fields, String name) {
    if (fields.get(name) instanceof Long whole) {
      return whole;
    }
    throw new InvalidValue(name, "0..10000000", "is not a whole number in range");
  }

  private static long at(@Nullable Object given) {
    if (given == null) {
      return 0;
    }
    try {
      if (given instanceof String text) {
        return Micros.of(OffsetDateTime.parse(text).toInstant());
      }
    } catch (DateTimeParseException | ArithmeticException e) {
      // Said below, as for what is no text.
    }
    throw new InvalidValue("at", INSTANT, "is not one");
  }
}
