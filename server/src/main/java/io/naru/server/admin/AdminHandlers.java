package io.naru.server.admin;

import io.naru.access.Reach;
import io.naru.access.Role;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.Entry;
import io.naru.queue.InvalidValue;
import io.naru.queue.Overview;
import io.naru.queue.Pushed;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Stock;
import io.naru.queue.Stocked;
import io.naru.server.access.Refusals;
import io.naru.server.entry.Pauses;
import io.naru.server.entry.Problems;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Paging;
import io.naru.server.http.Problem;
import io.naru.server.wait.TargetAdvice;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The admin API: activate, deactivate, process, and the queues as resources. */
public final class AdminHandlers {

  /** Who, what, when: one line per change, in a log of its own. */
  private static final Logger audit = LoggerFactory.getLogger("naru.audit");

  private static final int MAX_COUNT = 100_000;

  /** Very many go in by hand in very many steps. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final Problem HAS_ENDED =
      Problem.of(
          409,
          "queue-ended",
          "Queue ended",
          "this queue has ended; activate makes a line of it again, for whoever enters then");

  private static final Problem BEING_IMPORTED =
      Problem.of(
          409,
          "being-imported",
          "Being imported",
          "this queue is being imported; go on with that, or delete what is there of it");

  private static final Problem STOCK_OFF =
      Problem.of(
          409,
          "stock-off",
          "Stock off",
          "this queue does not go by stock; its setting stock switches that on");

  private static final Logger log = LoggerFactory.getLogger(AdminHandlers.class);

  private final Queues queues;
  private final Supplier<String> publicUrl;
  private final BiConsumer<QueueId, List<Entry>> admittedListener;
  private final Refusals refusals;
  private final QueueJson json;

  /**
   * @param publicUrl the address of this server as everybody knows it
   * @param admitted told of everybody who is let in by hand
   * @param pauses whether nobody is let in right now
   */
  public AdminHandlers(
      Queues queues,
      Supplier<String> publicUrl,
      BiConsumer<QueueId, List<Entry>> admitted,
      Refusals refusals,
      Pauses pauses) {
    this.queues = queues;
    this.publicUrl = publicUrl;
    this.admittedListener = admitted;
    this.refusals = refusals;
    this.json = new QueueJson(pauses);
  }

  public void activate(Exchange exchange) {
    var fields = new LinkedHashMap<>(exchange.body());
    QueueId queue = queueIn(exchange, fields);
    act(exchange, queue, Edit.activate(fields));
  }

  public void deactivate(Exchange exchange) {
    var fields = new LinkedHashMap<>(exchange.body());
    QueueId queue = queueIn(exchange, fields);
    refuseOthers(fields, "eventType, eventId");
    act(exchange, queue, Edit.deactivate());
  }

  /** Pauses admission, perhaps with a reason that those who wait are shown. */
  public void pause(Exchange exchange) {
    var fields = new LinkedHashMap<>(exchange.body());
    QueueId queue = queueIn(exchange, fields);
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
    QueueId queue = queueIn(exchange, fields);
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

  /** Making a queue is for admins; others change those that are there. */
  private void edit(Exchange exchange, QueueId queue, Edit wanted) {
    Edit edit = exchange.caller().role().includes(Role.ADMIN) ? wanted : wanted.ofExisting();
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
            case Edited.NoQueue _ -> noQueue(exchange, queue, wanted);
            case Edited.HasEnded _ -> exchange.problem(HAS_ENDED);
            case Edited.StillEnding(var waiting) ->
                exchange.problem(
                    Problem.of(
                            409,
                            "still-ending",
                            "Still ending",
                            waiting + " people have not heard yet that this queue has ended")
                        .retryAfter(1));
            case Edited.LaneOccupied(var lane, var waiting) ->
                exchange.problem(
                    Problem.of(
                        409,
                        "lane-occupied",
                        "Lane occupied",
                        waiting
                            + " people wait in the lane "
                            + lane
                            + ", which can be removed when nobody does; nothing was changed"));
            case Edited.BeingRestored _ -> exchange.problem(BEING_IMPORTED);
            case Edited.NeedsLedger(var what) ->
                exchange.problem(
                    Problem.needsLedger(
                        what, edit.act().needsLedger() ? "activate or deactivate" : "its default"));
          }
        });
  }

  private void noQueue(Exchange exchange, QueueId queue, Edit wanted) {
    if (exchange.caller().role().includes(Role.ADMIN) || !wanted.makesQueue()) {
      exchange.problem(Problems.QUEUE_NOT_FOUND);
      return;
    }
    Problem refusal = Problem.roleNeeded("making a queue", Role.ADMIN);
    refusals.note(exchange.caller(), "make a queue", queue, refusal);
    exchange.problem(refusal);
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

  private void show(Exchange exchange, int status, Overview overview, List<String> warnings) {
    exchange.response().putHeader(HttpHeaders.ETAG, "\"" + overview.queue().version() + "\"");
    exchange.json(status, json.of(overview, warnings));
  }

  public void list(Exchange exchange) {
    QueueId after = after(exchange.query("after"));
    int limit = Paging.limit(exchange);
    Reach reach = exchange.caller().reach();
    exchange.then(
        reach.isAll()
            ? queues.list(after, limit + 1)
            : new ReachedQueues(queues, reach).list(after, limit + 1),
        found -> exchange.json(200, json.of(found, limit)));
  }

  private static @Nullable QueueId after(@Nullable String name) {
    if (name == null) {
      return null;
    }
    try {
      return QueueId.parse(name);
    } catch (InvalidValue e) {
      throw new InvalidValue("after", "TYPE/id", "is not the name of a queue");
    }
  }

  /** A queue with people in it, or an active one, goes only when its name is typed again. */
  public void delete(Exchange exchange) {
    QueueId queue = exchange.queue();
    boolean confirmed = queue.toString().equals(exchange.query("confirm"));
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
    QueueId queue = queueIn(exchange, fields);
    Integer count = count(fields);
    refuseOthers(fields, "eventType, eventId, count");
    exchange.mayTake(PATIENCE);
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

  /** What the site says of its stock. */
  public void stock(Exchange exchange) {
    QueueId queue = exchange.queueInBody();
    exchange.then(
        queues.push(queue, readStock(exchange.body())),
        pushed -> {
          switch (pushed) {
            case Pushed.Taken(var now) -> exchange.json(200, stock(true, now));
            case Pushed.Older(var now) -> exchange.json(200, stock(false, now));
            case Pushed.Off _ -> exchange.problem(STOCK_OFF);
            case Pushed.NoQueue _ -> exchange.problem(Problems.QUEUE_NOT_FOUND);
            case Pushed.NeedsLedger _ -> exchange.problem(Problem.needsLedger("stock", "null"));
          }
        });
  }

  /** What a body says of stock. */
  public static Stock readStock(Map<String, @Nullable Object> body) {
    var fields = new LinkedHashMap<>(body);
    fields.keySet().removeAll(Set.of("eventType", "eventId"));
    Stock said = Stock.of(fields.remove("version"), fields.remove("pools"));
    refuseOthers(fields, "eventType, eventId, version, pools");
    return said;
  }

  private static Buffer stock(boolean isTaken, Stocked now) {
    return Json.object(
        json -> {
          json.writeBooleanProperty("taken", isTaken);
          QueueJson.write(json, "stock", now);
        });
  }

  /** In steps, until everybody wanted is in or no more can go. */
  private void admit(Exchange exchange, QueueId queue, int count, int before) {
    // Who tries again unseen would let in as many once more.
    exchange.ifUnknown(
        before == 0
            ? "it is not known whether anybody has gone in: look at the queue before you try again"
            : before + " of " + count + " have gone in, perhaps more: look before you go on");
    exchange.then(
        queues.admit(queue, new Admission.ByHand(count - before, exchange.actor())),
        admitted -> {
          switch (admitted) {
            case Admitted.Done done -> {
              admittedListener.accept(queue, done.entries());
              int total = before + done.entries().size();
              if (done.more() && total < count) {
                admit(exchange, queue, count, total);
              } else {
                processed(exchange, queue, total);
              }
            }
            case Admitted.NotActive _ when before > 0 -> processed(exchange, queue, before);
            case Admitted.NotActive _ -> exchange.problem(Problems.NOT_ALLOWED);
            case Admitted.NoQueue _ -> exchange.problem(Problems.QUEUE_NOT_FOUND);
          }
        });
  }

  private static void processed(Exchange exchange, QueueId queue, int admitted) {
    audit(exchange, "PROCESS " + admitted, queue);
    exchange.json(200, Json.object(json -> json.writeNumberProperty("admitted", admitted)));
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

  /** Takes the queue's name out of the fields of a body. */
  private static QueueId queueIn(Exchange exchange, Map<String, @Nullable Object> fields) {
    QueueId queue = exchange.queueInBody();
    fields.keySet().removeAll(Set.of("eventType", "eventId"));
    return queue;
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
    audit.info("{} {} by {} from {}", act, queue, exchange.actor().who(), exchange.actor().from());
  }
}
