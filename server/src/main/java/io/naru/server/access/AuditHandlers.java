package io.naru.server.access;

import io.naru.audit.Act;
import io.naru.audit.AuditRow;
import io.naru.audit.AuditTrail;
import io.naru.queue.InvalidValue;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.server.http.Blocking;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Paging;
import io.naru.server.http.Problem;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Who did what, the latest first. */
public final class AuditHandlers {

  private final @Nullable AuditTrail trail;

  /**
   * @param trail null where only the log has it
   */
  public AuditHandlers(@Nullable AuditTrail trail) {
    this.trail = trail;
  }

  public void all(Exchange exchange) {
    list(exchange, null);
  }

  /** Also of a queue that is gone. */
  public void ofQueue(Exchange exchange) {
    list(exchange, exchange.queue());
  }

  private void list(Exchange exchange, @Nullable QueueId queue) {
    AuditTrail kept = trail;
    if (kept == null) {
      throw new Problem.Found(Problem.withoutLedger("audit rows"));
    }
    long below = below(exchange.query("after"));
    int limit = Paging.limit(exchange);
    exchange.then(
        Blocking.call(() -> kept.list(queue, below, limit + 1)),
        found ->
            exchange.json(
                200,
                Json.object(
                    json ->
                        Paging.write(
                            json,
                            "audit",
                            found,
                            limit,
                            row -> write(json, row),
                            row -> Long.toString(row.id())))));
  }

  private static long below(@Nullable String id) {
    if (id == null) {
      return Long.MAX_VALUE;
    }
    if (id.matches("[0-9]{1,18}")) {
      return Long.parseLong(id);
    }
    throw new InvalidValue("after", "the id of an audit row", "is not one");
  }

  private static void write(JsonGenerator json, AuditRow row) {
    Act act = row.act();
    json.writeNumberProperty("id", row.id());
    json.writeStringProperty("at", Micros.iso(row.at()));
    json.writeStringProperty("who", act.by().who());
    json.writeStringProperty("role", act.by().role());
    json.writeStringProperty("from", act.by().from());
    json.writeStringProperty("act", act.kind().word());
    QueueId queue = act.queue();
    json.writeStringProperty("queue", queue == null ? null : queue.toString());
    json.writeName("before");
    json.writeRawValue(io.naru.queue.Json.write(act.before()));
    json.writeName("after");
    json.writeRawValue(io.naru.queue.Json.write(act.after()));
    json.writeStringProperty("outcome", act.isDone() ? "DONE" : "REFUSED");
  }
}
