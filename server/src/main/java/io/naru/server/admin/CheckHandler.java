package io.naru.server.admin;

import io.naru.audit.Act;
import io.naru.audit.AuditTrail;
import io.naru.line.Checked;
import io.naru.queue.InvalidValue;
import io.naru.queue.QueueId;
import io.naru.server.entry.Problems;
import io.naru.server.http.Blocking;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Problem;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code POST /admin/queues/{type}/{id}/check}: whether the line is what its ledger says. A long
 * one takes several calls, each from where the one before ended.
 */
public final class CheckHandler {

  private static final Logger audit = LoggerFactory.getLogger("naru.audit");

  private static final Problem NO_LEDGER =
      Problem.of(
          422,
          "needs-ledger",
          "Needs a ledger",
          "without a ledger there is nothing to compare the line with; start with one (--ledger)");

  private final @Nullable Checks checks;
  private final @Nullable AuditTrail trail;

  /** Compares the copy of a queue with its ledger; empty if there is no such queue. */
  @FunctionalInterface
  public interface Checks {
    CompletionStage<Optional<Checked>> check(QueueId queue, String after);
  }

  /**
   * @param checks null without a ledger
   * @param trail null where only the log has what was done
   */
  public CheckHandler(@Nullable Checks checks, @Nullable AuditTrail trail) {
    this.checks = checks;
    this.trail = trail;
  }

  public void handle(Exchange exchange) {
    QueueId queue = exchange.queue();
    String after = Optional.ofNullable(exchange.query("after")).orElse("");
    if (!after.isEmpty() && !after.matches(Checked.NEXT_ALLOWED)) {
      throw new InvalidValue("after", Checked.NEXT_ALLOWED, "is not where a check ended");
    }
    if (checks == null) {
      exchange.problem(NO_LEDGER);
      return;
    }
    exchange.ifUnavailable(
        "this line cannot be compared now: it is frozen, being healed or not reached; GET /health on"
            + " the management port says which");
    exchange.then(
        checks.check(queue, after),
        checked ->
            checked.ifPresentOrElse(
                c -> exchange.then(noted(exchange, queue, c), _ -> answer(exchange, queue, c)),
                () -> exchange.problem(Problems.QUEUE_NOT_FOUND)));
  }

  /** It has happened; it is answered when it is also in the audit. */
  private CompletionStage<Checked> noted(Exchange exchange, QueueId queue, Checked checked) {
    AuditTrail kept = trail;
    if (kept == null) {
      return CompletableFuture.completedStage(checked);
    }
    Map<String, Long> found =
        Map.of(
            "checked", checked.entries(),
            "differences", checked.differences(),
            "repaired", checked.repaired());
    var act = new Act(exchange.actor(), Act.Kind.CHECK, queue, Map.of(), found);
    return Blocking.call(
        () -> {
          kept.note(act);
          return checked;
        });
  }

  private static void answer(Exchange exchange, QueueId queue, Checked checked) {
    audit.info(
        "CHECK {} {} of {} differed, by {} from {}",
        queue,
        checked.differences(),
        checked.entries(),
        exchange.actor().who(),
        exchange.actor().from());
    exchange.json(
        200,
        Json.object(
            json -> {
              json.writeNumberProperty("checked", checked.entries());
              json.writeNumberProperty("differences", checked.differences());
              json.writeNumberProperty("repaired", checked.repaired());
              json.writeNumberProperty("change", checked.change());
              if (!checked.next().isEmpty()) {
                json.writeStringProperty("next", checked.next());
              }
            }));
  }
}
