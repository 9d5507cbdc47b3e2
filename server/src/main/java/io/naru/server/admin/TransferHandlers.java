package io.naru.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.audit.Act;
import io.naru.audit.AuditTrail;
import io.naru.queue.Edit;
import io.naru.queue.InvalidValue;
import io.naru.queue.Json;
import io.naru.queue.QueueId;
import io.naru.server.entry.Problems;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.naru.transfer.MovedEntry;
import io.naru.transfer.MovedQueue;
import io.naru.transfer.RestoreStep;
import io.naru.transfer.Restored;
import io.naru.transfer.Transfers;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whole queues, out of this server and into it.
 *
 * <pre>
 * GET  /admin/queues/{type}/{id}/export   a JSON text in each line: {"queue":…}, {"entry":…} …, {"end":…}
 * POST /admin/queues/{type}/{id}/import   {"id","entries":n,"queue"}, then {"id","from","entries":[…]} …, {"id","end":true}
 * </pre>
 */
public final class TransferHandlers {

  private static final Logger audit = LoggerFactory.getLogger("naru.audit");
  private static final Logger log = LoggerFactory.getLogger(TransferHandlers.class);

  /** Whoever takes nothing for so long is gone; a snapshot of the database waits for them. */
  private static final long STALLED_SECONDS = 10;

  /** Until the first of it is there. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final Problem ONE_AT_A_TIME =
      Problem.of(
              409,
              "export-running",
              "Export running",
              "this server exports another queue right now, and one at a time; please try again")
          .retryAfter(5);

  private static final Problem EXISTS =
      Problem.of(
          409,
          "queue-exists",
          "Queue exists",
          "there is a queue of this name, or another import of one; delete it, or import under"
              + " another name");

  private final @Nullable Transfers transfers;
  private final @Nullable AuditTrail trail;
  private final AtomicBoolean isExporting = new AtomicBoolean();

  /**
   * @param transfers null where nothing can be moved
   * @param trail null where only the log has what was done
   */
  public TransferHandlers(@Nullable Transfers transfers, @Nullable AuditTrail trail) {
    this.transfers = transfers;
    this.trail = trail;
  }

  /** It is in the audit before the first name leaves. */
  public void export(Exchange exchange) {
    QueueId queue = exchange.queue();
    Transfers from = transfers;
    if (from == null) {
      exchange.problem(Problem.withoutLedger("exports"));
      return;
    }
    if (!isExporting.compareAndSet(false, true)) {
      exchange.problem(ONE_AT_A_TIME);
      return;
    }
    exchange.mayTake(PATIENCE);
    var out = new Lines(exchange.response(), () -> noted(exchange, queue));
    CompletionStage<Boolean> read;
    try {
      read = from.read(queue, out);
    } catch (RuntimeException e) {
      isExporting.set(false);
      throw e;
    }
    exchange.then(
        read.handle((found, failure) -> came(exchange, found, failure)),
        came -> {
          switch (came) {
            case WHOLE -> out.end();
            case NOTHING -> exchange.problem(Problems.QUEUE_NOT_FOUND);
            case CUT_OFF -> {}
          }
        });
  }

  /** What came of an export. */
  private enum Came {
    WHOLE,
    NOTHING,
    CUT_OFF
  }

  private Came came(Exchange exchange, @Nullable Boolean found, @Nullable Throwable failure) {
    isExporting.set(false);
    if (failure == null) {
      return Boolean.TRUE.equals(found) ? Came.WHOLE : Came.NOTHING;
    }
    if (!exchange.response().headWritten()) {
      throw failure instanceof CompletionException known ? known : new CompletionException(failure);
    }
    log.warn("the export of {} is cut off: {}", exchange.queue(), failure.getMessage());
    // Whoever reads it must not take it for whole.
    var _ = exchange.request().connection().close();
    return Came.CUT_OFF;
  }

  private void noted(Exchange exchange, QueueId queue) {
    audit.info("EXPORT {} by {} from {}", queue, exchange.actor().who(), exchange.actor().from());
    if (trail != null) {
      trail.note(new Act(exchange.actor(), Act.Kind.EXPORT, queue, Map.of(), Map.of()));
    }
  }

  /** A queue as lines, no faster than they are taken. */
  private static final class Lines implements Transfers.Taker {
    private final HttpServerResponse response;
    private final Runnable first;
    private long entries;

    Lines(HttpServerResponse response, Runnable first) {
      this.response = response;
      this.first = first;
    }

    @Override
    public void queue(MovedQueue queue) throws Exception {
      first.run();
      response
          .putHeader(HttpHeaders.CONTENT_TYPE, "application/x-ndjson")
          .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
          .setChunked(true);
      write(Json.write(Map.of("queue", queue.asMap())) + "\n");
    }

    @Override
    public void entries(List<MovedEntry> some) throws Exception {
      entries += some.size();
      var lines = new StringBuilder();
      some.forEach(e -> lines.append(Json.write(Map.of("entry", e.asMap()))).append('\n'));
      write(lines.toString());
    }

    private void write(String text) throws Exception {
      response
          .write(Buffer.buffer(text.getBytes(UTF_8)))
          .toCompletionStage()
          .toCompletableFuture()
          .get(STALLED_SECONDS, TimeUnit.SECONDS);
    }

    void end() {
      var _ = response.end(Json.write(Map.of("end", Map.of("entries", entries))) + "\n");
    }
  }

  public void restore(Exchange exchange) {
    QueueId queue = exchange.queue();
    RestoreStep step = step(exchange.body());
    Transfers to = transfers;
    if (to == null) {
      exchange.problem(Problem.withoutLedger("imports"));
      return;
    }
    exchange.then(
        to.restore(queue, step, exchange.actor()),
        restored -> {
          switch (restored) {
            case Restored.Taken(long entries) -> {
              if (!(step instanceof RestoreStep.Part)) {
                String what = step instanceof RestoreStep.End ? "IMPORT done" : "IMPORT begun";
                audit.info(
                    "{} {} by {} from {}",
                    what,
                    queue,
                    exchange.actor().who(),
                    exchange.actor().from());
              }
              exchange.json(200, taken(entries));
            }
            case Restored.NotNext(long entries) ->
                exchange.problem(
                    Problem.of(
                        409,
                        "not-next",
                        "Not next",
                        "something before this is missing: the next part begins behind " + entries),
                    json -> json.writeNumberProperty("taken", entries));
            case Restored.Exists _ -> exchange.problem(EXISTS);
            case Restored.NoQueue _ -> exchange.problem(Problems.QUEUE_NOT_FOUND);
          }
        });
  }

  private static Buffer taken(long entries) {
    return io.naru.server.http.Json.object(json -> json.writeNumberProperty("taken", entries));
  }

  private static RestoreStep step(Map<String, @Nullable Object> body) {
    if (!(body.get("id") instanceof String id)) {
      throw new InvalidValue("id", "64 hexadecimal digits", "is missing or not text");
    }
    if (body.containsKey("queue")) {
      only(body, "id", "entries", "queue");
      return new RestoreStep.Begin(
          id,
          MovedQueue.of(object("queue", body.get("queue"))),
          number(body, "entries"),
          Edit.activate(Map.of()).entropy());
    }
    if (body.containsKey("from")) {
      only(body, "id", "from", "entries");
      if (!(body.get("entries") instanceof List<?> list) || list.size() > Transfers.MAX_PART) {
        throw new InvalidValue("entries", "1.." + Transfers.MAX_PART + " of them", "are not");
      }
      List<MovedEntry> entries = new ArrayList<>(list.size());
      list.forEach(each -> entries.add(MovedEntry.of(object("entries", each))));
      return new RestoreStep.Part(id, number(body, "from"), entries);
    }
    only(body, "id", "end");
    if (!Boolean.TRUE.equals(body.get("end"))) {
      throw new InvalidValue("end", "true", "is missing: nothing says which step this is");
    }
    return new RestoreStep.End(id);
  }

  private static void only(Map<String, @Nullable Object> body, String... names) {
    Set<String> allowed = Set.of(names);
    Consumer<String> refuse =
        name -> {
          throw new InvalidValue(name, String.join(", ", names), "is not a field of this step");
        };
    body.keySet().stream().filter(name -> !allowed.contains(name)).forEach(refuse);
  }

  private static long number(Map<String, @Nullable Object> body, String name) {
    if (body.get(name) instanceof Number number
        && (number instanceof Integer || number instanceof Long)
        && number.longValue() >= 0) {
      return number.longValue();
    }
    throw new InvalidValue(name, "a whole number, 0 or more", "is not");
  }

  private static Map<String, @Nullable Object> object(String name, @Nullable Object value) {
    if (!(value instanceof Map<?, ?> given)) {
      throw new InvalidValue(name, "an object", "is not");
    }
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    given.forEach((key, each) -> object.put(String.valueOf(key), each));
    return object;
  }
}
