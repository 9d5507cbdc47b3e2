package io.naru.server.fair;

import io.naru.audit.Act;
import io.naru.audit.AuditTrail;
import io.naru.queue.DrawStep;
import io.naru.queue.DrawView;
import io.naru.queue.Drawing.Phase;
import io.naru.queue.Draws;
import io.naru.queue.InvalidValue;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Queues;
import io.naru.server.content.Content;
import io.naru.server.content.Glances;
import io.naru.server.entry.Problems;
import io.naru.server.http.Blocking;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code GET /queue/{type}/{id}/draw} and the leaves of its list, which are everybody's; {@code
 * POST /admin/queue/draw}, by which an operator brings the coin.
 */
public final class DrawHandlers {

  private static final Logger audit = LoggerFactory.getLogger("naru.audit");

  private static final CharSequence FOR_A_SECOND =
      HttpHeaders.createOptimized("public, max-age=1, s-maxage=1, stale-while-revalidate=1");
  private static final CharSequence FOR_GOOD =
      HttpHeaders.createOptimized("public, max-age=31536000, immutable");
  private static final CharSequence BYTES = HttpHeaders.createOptimized("application/octet-stream");

  private static final Problem NO_DRAW =
      Problem.of(404, "no-draw", "No draw", "nothing is drawn in this queue, and nothing will be");
  private static final Problem NO_LEAVES =
      Problem.of(
          404,
          "no-leaves",
          "No leaves",
          "the list of this draw is not fixed yet, has no such part, or is of an earlier draw");

  private static final Pattern PART = Pattern.compile("[0-9]{1,6}");
  private static final String SIGNATURE_ALLOWED = "96 hexadecimal digits";

  /** So many parts are read at a time; each is a read of the database. */
  private static final int MAX_READING = 4;

  private final @Nullable Draws draws;
  private final @Nullable DrawKeeper keeper;
  private final Queues queues;
  private final @Nullable AuditTrail trail;
  private final Glances<QueueId, Looked> looks = new Glances<>((queue, _) -> look(queue));
  private final Semaphore reading = new Semaphore(MAX_READING);

  /**
   * @param draws null where there are none, as on Redis alone
   * @param keeper null where there are none
   * @param trail null where only the log has it
   */
  public DrawHandlers(
      @Nullable Draws draws,
      @Nullable DrawKeeper keeper,
      Queues queues,
      @Nullable AuditTrail trail) {
    this.draws = draws;
    this.keeper = keeper;
    this.queues = queues;
    this.trail = trail;
  }

  /**
   * What there is of a queue.
   *
   * @param draw empty where nothing is drawn, as in most: that, too, is asked once a second
   */
  private record Looked(Optional<DrawView> draw) {}

  private CompletionStage<Optional<Looked>> look(QueueId queue) {
    CompletionStage<Optional<DrawView>> found =
        draws == null ? CompletableFuture.completedStage(Optional.empty()) : draws.draw(queue);
    return found.thenCompose(
        draw ->
            draw.isPresent()
                ? CompletableFuture.completedStage(Optional.of(new Looked(draw)))
                : queues.find(queue).thenApply(there -> there.map(_ -> new Looked(draw))));
  }

  /** Goes on with the draw of a queue, or says that there is none. */
  private void withDraw(Exchange exchange, QueueId queue, Consumer<DrawView> next) {
    exchange.then(
        looks.find(queue),
        found ->
            found
                .flatMap(Looked::draw)
                .ifPresentOrElse(
                    next,
                    () -> exchange.problem(found.isEmpty() ? Problems.QUEUE_NOT_FOUND : NO_DRAW)));
  }

  /** {@code GET /queue/{type}/{id}/draw}. */
  public void draw(Exchange exchange) {
    QueueId queue = exchange.queue();
    withDraw(
        exchange,
        queue,
        draw -> {
          share(exchange, FOR_A_SECOND);
          byte[] json = DrawJson.of(queue, draw, there(keeper).chain()).getBytes();
          new Content("application/json", json).send(exchange, 200);
        });
  }

  /** Whoever has a draw got it from there. */
  private static <T> T there(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("nothing is drawn here");
    }
    return part;
  }

  private void none(Exchange exchange, QueueId queue) {
    exchange.then(
        queues.find(queue),
        found -> exchange.problem(found.isEmpty() ? Problems.QUEUE_NOT_FOUND : NO_DRAW));
  }

  /**
   * {@code GET /queue/{type}/{id}/draw/leaves/{part}}: those of one list never change. A queue may
   * have another one later, so only whoever names the root may keep them for good.
   */
  public void leaves(Exchange exchange) {
    QueueId queue = exchange.queue();
    String part = exchange.parameter(2);
    if (!PART.matcher(part).matches()) {
      throw new InvalidValue("part", "0..999999", "is not the number of a part");
    }
    withDraw(exchange, queue, draw -> leaves(exchange, queue, draw, Integer.parseInt(part)));
  }

  private void leaves(Exchange exchange, QueueId queue, DrawView view, int part) {
    String root = exchange.query("root");
    boolean isNamed = root != null;
    if (!view.isSealed() || (isNamed && !view.root().equals(root))) {
      exchange.problem(NO_LEAVES);
      return;
    }
    exchange.then(
        read(queue, view.sealId(), part),
        leaves -> {
          if (leaves.isEmpty()) {
            exchange.problem(NO_LEAVES);
            return;
          }
          share(exchange, isNamed ? FOR_GOOD : FOR_A_SECOND);
          exchange.send(200, BYTES, isNamed ? FOR_GOOD : FOR_A_SECOND, Buffer.buffer(leaves.get()));
        });
  }

  private CompletionStage<Optional<byte[]>> read(QueueId queue, String sealId, int part) {
    if (!reading.tryAcquire()) {
      return CompletableFuture.failedStage(
          new QueueUnavailable(
              QueueUnavailable.Kind.OVERLOADED, "too many parts of lists are being read"));
    }
    return there(draws).leaves(queue, sealId, part).whenComplete((_, _) -> reading.release());
  }

  /** What everybody may read is the same for pages of any site. */
  private static void share(Exchange exchange, CharSequence kept) {
    HttpServerResponse response = exchange.response();
    response
        .headers()
        .remove(HttpHeaders.VARY)
        .remove(HttpHeaders.ACCESS_CONTROL_ALLOW_CREDENTIALS);
    response
        .putHeader(HttpHeaders.CACHE_CONTROL, kept)
        .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, "*")
        .putHeader("X-Content-Type-Options", "nosniff");
  }

  // --- by hand

  /** {@code POST /admin/queue/draw}. Whoever brings it: a coin is verified. */
  public void bring(Exchange exchange) {
    QueueId queue = exchange.queueInBody();
    Map<String, @Nullable Object> fields = new HashMap<>(exchange.body());
    fields.remove("eventType");
    fields.remove("eventId");
    Object round = fields.remove("round");
    Object signature = fields.remove("signature");
    fields
        .keySet()
        .forEach(
            other -> {
              throw new InvalidValue(
                  other, "eventType, eventId, round, signature", "is not a field of this call");
            });
    if (!(round instanceof Long number) || number < 1) {
      throw new InvalidValue("round", "a whole number from 1 on", "is missing or something else");
    }
    if (!(signature instanceof String text)) {
      throw new InvalidValue("signature", SIGNATURE_ALLOWED, "is missing or not text");
    }
    if (draws == null || keeper == null) {
      exchange.problem(Problem.needsLedger("draw", "none"));
      return;
    }
    DrawKeeper brought = keeper;
    exchange.then(
        draws.draw(queue),
        found -> {
          if (found.isEmpty()) {
            none(exchange, queue);
          } else {
            bring(exchange, brought, queue, found.get(), number, text);
          }
        });
  }

  private void bring(
      Exchange exchange,
      DrawKeeper keeper,
      QueueId queue,
      DrawView view,
      long round,
      String signature) {
    boolean isKnown = view.isDrawn() && view.round() == round && view.signature().equals(signature);
    if (isKnown) {
      answer(exchange, keeper, queue, view);
      return;
    }
    check(keeper, view, round, signature);
    exchange.then(
        keeper.bring(queue, view, round, signature),
        step -> {
          switch (step) {
            case DrawStep.Taken(var now) ->
                exchange.then(
                    noted(exchange, queue, now), _ -> answer(exchange, keeper, queue, now));
            case DrawStep.NotTaken(var now) -> {
              check(keeper, now, round, signature);
              answer(exchange, keeper, queue, now);
            }
            case DrawStep.NoDraw _ -> none(exchange, queue);
          }
        });
  }

  private static void check(DrawKeeper keeper, DrawView view, long round, String signature) {
    Phase phase = view.drawing().phase();
    if (phase == Phase.NONE || phase == Phase.LOBBY || !view.isSealed()) {
      throw new InvalidValue(
          "round", "none before the lobby is closed", "which coin decides is not known yet");
    }
    if (view.isDrawn()) {
      throw new InvalidValue(
          "round",
          view.round() > 0 ? Long.toString(view.round()) : "none",
          "this draw is decided already");
    }
    if (round != view.round()) {
      throw new InvalidValue(
          "round",
          Long.toString(view.round()),
          "is %s, and another round decides this draw".formatted(round));
    }
    if (!keeper.chain().verifies(round, signature)) {
      throw new InvalidValue(
          "signature",
          SIGNATURE_ALLOWED + ", those of round " + round + " of chain " + keeper.chain().chain(),
          "is not the signature of that round of that chain");
    }
  }

  /** It has happened; it is answered when it is also in the audit. */
  private CompletionStage<DrawView> noted(Exchange exchange, QueueId queue, DrawView view) {
    audit.info(
        "DRAW {} with round {} by {} from {}",
        queue,
        view.round(),
        exchange.actor().who(),
        exchange.actor().from());
    AuditTrail kept = trail;
    if (kept == null) {
      return CompletableFuture.completedStage(view);
    }
    Map<String, Object> what = Map.of("round", view.round(), "signature", view.signature());
    var act = new Act(exchange.actor(), Act.Kind.DRAW, queue, Map.of(), what);
    return Blocking.call(
        () -> {
          kept.note(act);
          return view;
        });
  }

  private static void answer(Exchange exchange, DrawKeeper keeper, QueueId queue, DrawView view) {
    exchange.json(200, DrawJson.of(queue, view, keeper.chain()));
  }
}
