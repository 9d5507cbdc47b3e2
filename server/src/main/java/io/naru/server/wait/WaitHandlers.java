package io.naru.server.wait;

import io.naru.line.Line;
import io.naru.line.Standing;
import io.naru.queue.Joined;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Settings;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.naru.server.identity.Identity;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * {@code /wait/{type}/{id}}: the waiting page, the same for everybody; and below it the way through
 * a queue for browsers without scripts: a form, a cookie, and a page that refreshes itself.
 */
public final class WaitHandlers {

  private static final CharSequence SHARED =
      HttpHeaders.createOptimized(
          "public, max-age=5, stale-while-revalidate=60, stale-if-error=86400");
  private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");

  /** Longer than a person's patience would be a place that looks stuck. */
  private static final long MAX_REFRESH_SECONDS = 60;

  private static final long MIN_REFRESH_SECONDS = 3;
  private static final long AWAY_REFRESH_SECONDS = 5;

  private static final Problem CROSS_SITE =
      Problem.of(
          403,
          "cross-site",
          "Cross-site request",
          "this form can only be sent from the waiting page itself");

  private final Queues queues;
  private final Line line;
  private final Identity identity;
  private final Pages pages;
  private final Rooms rooms;

  public WaitHandlers(Queues queues, Line line, Identity identity, Assets assets) {
    this.queues = queues;
    this.line = line;
    this.identity = identity;
    this.pages = new Pages(assets);
    this.rooms = new Rooms(queues);
  }

  /** {@code GET /wait/{type}/{id}}. */
  public void page(Exchange exchange) {
    QueueId queue = exchange.queue();
    Language language = language(exchange);
    exchange.then(
        asked(rooms.find(queue)),
        found -> {
          switch (found) {
            case Answered(var room) when room.isPresent() -> {
              exchange.response().putHeader(HttpHeaders.CACHE_CONTROL, SHARED);
              Content page = room.get().page(language, l -> pages.waiting(room.get(), l));
              send(exchange, 200, room.get(), page);
            }
            case Answered<Optional<Room>> _ -> missing(exchange, queue);
            // The page finds its own way back; only how the queue looks is not known here.
            case Failed<Optional<Room>> _ -> {
              Room plain = plain(queue);
              uncached(exchange, 503, plain, pages.waiting(plain, language));
            }
          }
        });
  }

  /** {@code POST /wait/{type}/{id}/enter}: the form of a browser without scripts. */
  public void enter(Exchange exchange) {
    QueueId queue = exchange.queue();
    // Such a request comes without our cookie, and the one set in answer would replace it.
    if (isCrossSite(exchange.request())) {
      exchange.problem(CROSS_SITE);
      return;
    }
    String user = identity.userOrNew(exchange);
    inRoom(
        exchange,
        room ->
            exchange.then(
                asked(queues.join(queue, user)),
                joined -> {
                  switch (joined) {
                    case Answered(Joined.Refused(var reason, var retryAfter)) ->
                        refused(exchange, room, reason, retryAfter);
                    case Answered(Joined.Over _) ->
                        notice(exchange, 403, room, "completed", "completed.once", null);
                    case Answered<Joined> _ -> redirect(exchange, room.path() + "/place");
                    case Failed<Joined> _ ->
                        notice(exchange, 503, room, "away", "away.later", "enter.button");
                  }
                }));
  }

  private void refused(Exchange exchange, Room room, Joined.Reason reason, long retryAfter) {
    switch (reason) {
      case NO_QUEUE -> missing(exchange, room.queue());
      case NOT_ACTIVE -> notice(exchange, 403, room, "closed", "closed.later", "enter.button");
      case LINE_FULL -> notice(exchange, 409, room, "full", "full.later", "enter.button");
      case TOO_OFTEN -> {
        exchange.response().putHeader(HttpHeaders.RETRY_AFTER, Long.toString(retryAfter));
        notice(exchange, 429, room, "often", "often.later", "enter.button");
      }
    }
  }

  /** {@code GET /wait/{type}/{id}/place}: where this visitor stands. */
  public void place(Exchange exchange) {
    QueueId queue = exchange.queue();
    Optional<String> user = identity.userOf(exchange);
    inRoom(
        exchange,
        room -> {
          if (user.isEmpty()) {
            notice(exchange, 404, room, "unknown", "unknown.text", "enter.button");
            return;
          }
          exchange.then(
              asked(line.locate(queue, user.get())),
              located -> {
                switch (located) {
                  case Answered(Standing.Found(var found)) -> found(exchange, room, found);
                  case Answered(Standing.NoQueue _) -> missing(exchange, queue);
                  case Answered(Standing.Unknown _) ->
                      notice(exchange, 404, room, "unknown", "unknown.text", "enter.button");
                  case Failed<Standing> _ -> {
                    refresh(exchange, AWAY_REFRESH_SECONDS);
                    notice(exchange, 503, room, "away", "away.text", null);
                  }
                }
              });
        });
  }

  private void found(Exchange exchange, Room room, Place found) {
    switch (found.entry().status()) {
      case WAITING -> {
        refresh(exchange, found.estimatedWaitSeconds() / 10);
        uncached(exchange, 200, room, pages.place(room, language(exchange), found));
      }
      case ENTERED -> {
        String target = found.line().targetUrl();
        if (target.isEmpty()) {
          notice(exchange, 200, room, "entered", "entered.text", null);
        } else {
          redirect(exchange, target);
        }
      }
      case COMPLETED -> {
        if (room.settings().once()) {
          notice(exchange, 200, room, "completed", "completed.once", null);
        } else {
          notice(exchange, 200, room, "completed", "completed.text", "again.button");
        }
      }
      case EXPIRED -> {
        if (room.settings().requeues()) {
          // The next beat gives them a new place.
          refresh(exchange, MIN_REFRESH_SECONDS);
        }
        notice(exchange, 410, room, "expired", "expired.text", "again.button");
      }
      case LEFT -> notice(exchange, 404, room, "unknown", "unknown.text", "again.button");
    }
  }

  /** Goes on in the queue's room; in a plain one, if nobody can say now how it looks. */
  private void inRoom(Exchange exchange, Consumer<Room> next) {
    QueueId queue = exchange.queue();
    exchange.then(
        asked(rooms.find(queue)),
        found -> {
          switch (found) {
            case Answered(var room) when room.isPresent() -> next.accept(room.get());
            case Answered<Optional<Room>> _ -> missing(exchange, queue);
            case Failed<Optional<Room>> _ -> next.accept(plain(queue));
          }
        });
  }

  private static Room plain(QueueId queue) {
    return new Room(queue, Settings.DEFAULT);
  }

  private void missing(Exchange exchange, QueueId queue) {
    notice(exchange, 404, plain(queue), "missing", "missing.text", null);
  }

  private void notice(
      Exchange exchange,
      int status,
      Room room,
      String state,
      String text,
      @Nullable String button) {
    uncached(exchange, status, room, pages.notice(room, language(exchange), state, text, button));
  }

  private static void uncached(Exchange exchange, int status, Room room, Content page) {
    exchange.response().putHeader(HttpHeaders.CACHE_CONTROL, NO_STORE);
    send(exchange, status, room, page);
  }

  private static void send(Exchange exchange, int status, Room room, Content page) {
    var response = exchange.response();
    if (response.ended() || response.closed()) {
      return;
    }
    response
        .putHeader(HttpHeaders.CONTENT_LANGUAGE, language(exchange).tag())
        .putHeader("Content-Security-Policy", policy(room.settings()))
        .putHeader("Referrer-Policy", "no-referrer");
    response.headers().add(HttpHeaders.VARY, HttpHeaders.ACCEPT_LANGUAGE);
    page.send(exchange, status);
  }

  private static String policy(Settings settings) {
    // A form's redirects count as the form's: who is admitted at once goes straight to the target.
    return "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src"
        + " 'self'"
        + Origins.of(settings.logoUrl())
        + "; form-action 'self'"
        + Origins.of(settings.targetUrl())
        + "; base-uri 'none'; frame-ancestors 'none'";
  }

  private static void refresh(Exchange exchange, long seconds) {
    exchange
        .response()
        .putHeader(
            "Refresh",
            Long.toString(Math.clamp(seconds, MIN_REFRESH_SECONDS, MAX_REFRESH_SECONDS)));
  }

  private static void redirect(Exchange exchange, String location) {
    var response = exchange.response();
    if (!response.ended() && !response.closed()) {
      response
          .setStatusCode(303)
          .putHeader(HttpHeaders.LOCATION, location)
          .putHeader(HttpHeaders.CACHE_CONTROL, NO_STORE)
          .putHeader("Referrer-Policy", "no-referrer")
          .end();
    }
  }

  /**
   * Browsers say where a form was sent from; who says nothing is no browser that has our cookie.
   */
  private static boolean isCrossSite(HttpServerRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    if (site != null) {
      return !site.equals("same-origin") && !site.equals("none");
    }
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    return origin != null && !Origins.isOf(origin, request.getHeader(HttpHeaders.HOST));
  }

  private static Language language(Exchange exchange) {
    return Language.of(exchange.request().getHeader(HttpHeaders.ACCEPT_LANGUAGE));
  }

  /** That a store is away is something to show here, not a failure. */
  private sealed interface Asked<T> {}

  private record Answered<T>(T value) implements Asked<T> {}

  private record Failed<T>() implements Asked<T> {}

  private static <T> CompletionStage<Asked<T>> asked(CompletionStage<T> stage) {
    return stage.handle(
        (value, failure) -> failure == null ? new Answered<>(value) : new Failed<>());
  }
}
