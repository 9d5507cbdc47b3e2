package io.naru.server.admin;

import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.InvalidValue;
import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.server.entry.Problems;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Problem;
import io.naru.server.wait.TargetAdvice;
import io.vertx.core.http.HttpHeaders;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The admin API: activate, deactivate, process, and the queues as resources. */
public final class AdminHandlers {

  /** Who, what, when: one line per change, in a log of its own. */
  private static final Logger audit = LoggerFactory.getLogger("naru.audit");

  private static final int MAX_COUNT = 100_000;
  private static final int DEFAULT_PAGE = 100;
  private static final int MAX_PAGE = 1_000;

  private static final Problem HAS_ENDED =
      Problem.of(
          409,
          "queue-ended",
          "Queue ended",
          "this queue has ended; activate makes a line of it again, for whoever enters then");

  private static final Logger log = LoggerFactory.getLogger(AdminHandlers.class);

  private final Queues queues;
  private final Supplier<String> publicUrl;

  /**
   * @param publicUrl the address of this server as everybody knows it
   */
  public AdminHandlers(Queues queues, Supplier<String> publicUrl) {
    this.queues = queues;
    this.publicUrl = publicUrl;
  }

  public void activate(Exchange exchange) {
    var fields = new LinkedHashMap<>(exchange.body());
    QueueId queue = queueIn(fields);
    act(exchange, queue, Edit.activate(fields));
  }

  public void deactivate(Exchange exchange) {
    var fields = new LinkedHashMap<>(exchange.body());
    QueueId queue = queueIn(fields);
    refuseOthers(fields, "eventType, eventId");
    act(exchange, queue, Edit.deactivate());
  }

  /** Pauses admission, perhaps with a reason that those who wait are shown. */
  public void pause(Exchange exchange) {
    var fields = new LinkedHashMap<>(exchange.body());
    QueueId queue = queueIn(fields);
    Object reason = fields.containsKey("reason") ? fields.remove("reason") : "";
    if (!(reason instanceof String text)) {
      throw new InvalidValue("reason", "text of at most 200 characters", "is not text");
    }
    refuseOthers(fields, "eventType, eventId, reason");
    act(exchange, queue, Edit.of(Edit.Act.PAUSE, text));
  }

  public void resume(Exchange exchange) {
    act(exchange, Edit.Act.RESUME);
  }

  public void close(Exchange exchange) {
    act(exchange, Edit.Act.CLOSE);
  }

  public void open(Exchange exchange) {
    act(exchange, Edit.Act.OPEN);
  }

  public void end(Exchange exchange) {
    act(exchange, Edit.Act.END);
  }

  private void act(Exchange exchange, Edit.Act act) {
    var fields = new LinkedHashMap<>(exchange.body());
    QueueId queue = queueIn(fields);
    refuseOthers(fields, "eventType, eventId");
    act(exchange, queue, Edit.of(act, ""));
  }

  private void act(Exchange exchange, QueueId queue, Edit edit) {
    edit(exchange, queue, edit.ifVersion(ifMatch(exchange)));
  }

  public void put(Exchange exchange) {
    QueueId queue = exchange.queue();
    edit(exchange, queue, Edit.put(exchange.body(), ifMatch(exchange)));
  }

  private void edit(Exchange exchange, QueueId queue, Edit edit) {
    exchange.then(
        queues.edit(queue, edit.by(exchange.actor())),
        edited -> {
          switch (edited) {
            case Edited.Created(var overview) -> changed(exchange, 201, edit, overview);
            case Edited.Updated(var overview) -> changed(exchange, 200, edit, overview);
            case Edited.Conflict(var version) ->
                exchange.problem(
                    Problem.of(
                        412,
                        "edited-meanwhile",
                        "Edited meanwhile",
                        "somebody else edited this queue; read it again, it is at version "
                            + version));
            case Edited.NoQueue _ -> exchange.problem(Problems.QUEUE_NOT_FOUND);
            case Edited.HasEnded _ -> exchange.problem(HAS_ENDED);
            case Edited.StillEnding(var waiting) ->
                exchange.problem(
                    Problem.of(
                            409,
                            "still-ending",
                            "Still ending",
                            waiting + " people have not heard yet that this queue has ended")
                        .retryAfter(1));
            case Edited.NeedsLedger(var what) ->
                exchange.problem(
                    Problem.needsLedger(
                        what, edit.act().needsLedger() ? "activate or deactivate" : "its default"));
          }
        });
  }

  private void changed(Exchange exchange, int status, Edit edit, Overview overview) {
    QueueId queue = overview.queue().id();
    audit(exchange, edit.act() + " " + edit.changes(), queue);
    List<String> warnings =
        TargetAdvice.of(overview.queue().settings().look().targetUrl(), publicUrl.get()).stream()
            .toList();
    warnings.forEach(warning -> log.warn("{}: {}", queue, warning));
    show(exchange, status, overview, warnings);
  }

  public void get(Exchange exchange) {
    exchange.then(
        queues.find(exchange.queue()),
        found ->
            found.ifPresentOrElse(
                overview -> show(exchange, 200, overview, List.of()),
                () -> exchange.problem(Problems.QUEUE_NOT_FOUND)));
  }

  private static void show(
      Exchange exchange, int status, Overview overview, List<String> warnings) {
    exchange.response().putHeader(HttpHeaders.ETAG, "\"" + overview.queue().version() + "\"");
    exchange.json(status, QueueJson.of(overview, warnings));
  }

  /** In pages: one more than asked for says whether there is another. */
  public void list(Exchange exchange) {
    QueueId after = after(exchange.query("after"));
    int limit = limit(exchange.query("limit"));
    exchange.then(
        queues.list(after, limit + 1),
        found -> {
          boolean hasMore = found.size() > limit;
          exchange.json(200, QueueJson.of(hasMore ? found.subList(0, limit) : found, hasMore));
        });
  }

  private static @Nullable QueueId after(@Nullable String name) {
    if (name == null) {
      return null;
    }
    int slash = name.indexOf('/');
    try {
      return new QueueId(name.substring(0, Math.max(0, slash)), name.substring(slash + 1));
    } catch (InvalidValue e) {
      throw new InvalidValue("after", "TYPE/id", "is not the name of a queue");
    }
  }

  private static int limit(@Nullable String limit) {
    if (limit == null) {
      return DEFAULT_PAGE;
    }
    try {
      int wanted = Integer.parseInt(limit);
      if (wanted >= 1 && wanted <= MAX_PAGE) {
        return wanted;
      }
    } catch (NumberFormatException e) {
      // Said below, as for a number out of range.
    }
    throw new InvalidValue("limit", "1.." + MAX_PAGE, "is not a whole number in range");
  }

  /** A queue with people in it, or an active one, goes only when its name is typed again. */
  public void delete(Exchange exchange) {
    QueueId queue = exchange.queue();
    boolean confirmed = (queue.type() + "/" + queue.id()).equals(exchange.query("confirm"));
    exchange.then(
        queues.find(queue),
        found -> {
          if (found.isEmpty()) {
            exchange.problem(Problems.QUEUE_NOT_FOUND);
          } else if (isLive(found.get()) && !confirmed) {
            exchange.problem(
                Problem.of(
                    409,
                    "confirmation-needed",
                    "Confirmation needed",
                    "this queue is active or has people in it; to delete it with all of them, add"
                        + " ?confirm="
                        + queue.type()
                        + "/"
                        + queue.id()));
          } else {
            exchange.then(queues.delete(queue, exchange.actor()), _ -> deleted(exchange, queue));
          }
        });
  }

  private static boolean isLive(Overview overview) {
    return overview.queue().state().isActive()
        || overview.figures().waiting() > 0
        || overview.figures().inside() > 0;
  }

  private void deleted(Exchange exchange, QueueId queue) {
    audit(exchange, "DELETE", queue);
    exchange.response().setStatusCode(204).end();
  }

  public void process(Exchange exchange) {
    var fields = new LinkedHashMap<>(exchange.body());
    QueueId queue = queueIn(fields);
    Integer count = count(fields);
    refuseOthers(fields, "eventType, eventId, count");
    if (count != null) {
      admit(exchange, queue, count, 0);
      return;
    }
    exchange.then(
        queues.find(queue),
        found ->
            found.ifPresentOrElse(
                o -> admit(exchange, queue, o.queue().settings().pace().entryBatchSize(), 0),
                () -> exchange.problem(Problems.QUEUE_NOT_FOUND)));
  }

  /** In steps, until everybody wanted is in or no more can go. */
  private void admit(Exchange exchange, QueueId queue, int count, int before) {
    exchange.then(
        queues.admit(queue, new Admission.ByHand(count - before, exchange.actor())),
        admitted -> {
          switch (admitted) {
            case Admitted.Done done -> {
              int total = before + done.entries().size();
              if (done.more() && total < count) {
                admit(exchange, queue, count, total);
              } else {
                audit(exchange, "PROCESS " + total, queue);
                exchange.json(
                    200, Json.object(json -> json.writeNumberProperty("admitted", total)));
              }
            }
            case Admitted.NotActive _ -> exchange.problem(Problems.NOT_ALLOWED);
            case Admitted.NoQueue _ -> exchange.problem(Problems.QUEUE_NOT_FOUND);
          }
        });
  }

  private static @Nullable Integer count(Map<String, @Nullable Object> fields) {
    if (!fields.containsKey("count")) {
      return null;
    }
    if (fields.remove("count") instanceof Long count && count >= 1 && count <= MAX_COUNT) {
      return count.intValue();
    }
    throw new InvalidValue("count", "1.." + MAX_COUNT, "is not a whole number in range");
  }

  /** Takes the queue's name out of a body; an event id may be a number there. */
  private static QueueId queueIn(Map<String, @Nullable Object> fields) {
    if (!(fields.remove("eventType") instanceof String type)) {
      throw new InvalidValue("eventType", QueueId.TYPE_ALLOWED, "is missing or not text");
    }
    return switch (fields.remove("eventId")) {
      case String id -> new QueueId(type, id);
      case Long id -> new QueueId(type, id.toString());
      case null, default ->
          throw new InvalidValue(
              "eventId", QueueId.ID_ALLOWED, "is missing, or neither text nor a whole number");
    };
  }

  private static void refuseOthers(Map<String, @Nullable Object> fields, String allowed) {
    if (!fields.isEmpty()) {
      throw new InvalidValue(
          fields.keySet().iterator().next(), allowed, "is not a field of this call");
    }
  }

  private static OptionalLong ifMatch(Exchange exchange) {
    String etag = exchange.request().getHeader(HttpHeaders.IF_MATCH);
    if (etag == null) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(etag.strip().replace("\"", "")));
    } catch (NumberFormatException e) {
      throw new InvalidValue("If-Match", "the ETag of the queue as it was read", "is not one");
    }
  }

  private static void audit(Exchange exchange, String act, QueueId queue) {
    audit.info("{} {} by {}", act, queue, exchange.actor().from());
  }
}
