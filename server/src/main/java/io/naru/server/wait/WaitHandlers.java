package io.naru.server.wait;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.line.Line;
import io.naru.line.Standing;
import io.naru.queue.Claim;
import io.naru.queue.Doors.When;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.InvalidValue;
import io.naru.queue.Joined;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.server.content.Content;
import io.naru.server.doors.Doorkeeper;
import io.naru.server.entry.LaneCodes;
import io.naru.server.entry.Outlook;
import io.naru.server.entry.Problems;
import io.naru.server.entry.Shown;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.naru.server.identity.Identity;
import io.naru.server.limits.AddressLimits;
import io.naru.server.pass.Passes;
import io.vertx.core.http.HttpHeaders;
import java.net.URLEncoder;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code /wait/{type}/{id}}: the waiting page, the same for everybody; and below it the way through
 * a queue for browsers without scripts: a form, a cookie, and a page that refreshes itself.
 */
public final class WaitHandlers {

  private static final CharSequence SHARED =
      HttpHeaders.createOptimized(
          "public, max-age=5, stale-while-revalidate=60, stale-if-error=86400");

  /** Whoever comes for a page of the site may be inside by now, so their browser has to ask. */
  private static final CharSequence SHARED_BY_CACHES =
      HttpHeaders.createOptimized(
          "public, max-age=0, s-maxage=5, stale-while-revalidate=60, stale-if-error=86400");

  private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");

  /** Longer than a person's patience would be a place that looks stuck. */
  private static final long MAX_REFRESH_SECONDS = 60;

  private static final long MIN_REFRESH_SECONDS = 3;
  private static final long AWAY_REFRESH_SECONDS = 5;

  /** How long somebody waits for the page while it is looked up whether they are inside. */
  private static final long PATIENCE_MILLIS = 250;

  /**
   * Says that nobody was sent back: they waited until now, as another tab of theirs did that was
   * sent on a moment ago; or they want to try again.
   */
  private static final String GO = "go";

  /** What gives a place in a lane. */
  private static final String CODE = "code";

  /** A logo may be anywhere; all else is as on the page itself, which has no scripts here. */
  private static final String PREVIEW_POLICY =
      "default-src 'none'; style-src 'self'; img-src 'self' https: http:; form-action 'none';"
          + " base-uri 'none'; frame-ancestors 'self'";

  private final Queues queues;
  private final Line line;
  private final Identity identity;
  private final Doorkeeper doorkeeper;
  private final AddressLimits limits;
  private final List<String> verifierOrigins;
  private final Handover handover;
  private final Outlook outlook;
  private final Pages pages;
  private final Halls halls;

  /**
   * @param verifierOrigins whose scripts the page needs where people owe the word of a verifier
   */
  public WaitHandlers(
      Queues queues,
      Line line,
      Identity identity,
      Doorkeeper doorkeeper,
      AddressLimits limits,
      List<String> verifierOrigins,
      Passes passes,
      Assets assets,
      Outlook outlook) {
    this.queues = queues;
    this.line = line;
    this.identity = identity;
    this.doorkeeper = doorkeeper;
    this.limits = limits;
    this.verifierOrigins = verifierOrigins;
    this.handover = new Handover(passes);
    this.outlook = outlook;
    this.pages = new Pages(assets, outlook);
    this.halls = new Halls(queues);
  }

  /**
   * {@code GET /wait/{type}/{id}}. The page knows nobody; but whoever is inside already and was
   * sent here from a page of the site needs none.
   */
  public void page(Exchange exchange) {
    if (Way.of(exchange).back().isEmpty()) {
      page(exchange, SHARED);
      return;
    }
    exchange.then(
        isInside(exchange),
        isInside -> {
          if (isInside) {
            exchange.redirect(Way.of(exchange).to(Hall.placePath(exchange.queue())));
          } else {
            page(exchange, SHARED_BY_CACHES);
          }
        });
  }

  /** Not known in time is not inside: the page then finds out by itself. */
  private CompletionStage<Boolean> isInside(Exchange exchange) {
    Optional<String> user = identity.userOf(exchange);
    if (user.isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    return line.locate(exchange.queue(), user.get())
        .handle(
            (standing, _) ->
                standing instanceof Standing.Found(var place)
                    && place.entry().status() == Status.ENTERED)
        .toCompletableFuture()
        .copy()
        .completeOnTimeout(false, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void page(Exchange exchange, CharSequence caching) {
    QueueId queue = exchange.queue();
    // The way back is judged here, and left to the address.
    Way way = Way.of(exchange).forEverybody();
    exchange.then(
        outcome(halls.find(queue)),
        found -> {
          switch (found) {
            case Answered(var hall) when hall.isPresent() -> {
              exchange.response().putHeader(HttpHeaders.CACHE_CONTROL, caching);
              var view = new View(hall.get(), way, Hall.path(queue));
              Content page = hall.get().page(way, () -> pages.waiting(view));
              send(exchange, 200, view, page);
            }
            case Answered<Optional<Hall>> _ -> missing(exchange);
            // The page finds its own way back; only how the queue looks is not known here.
            case Failed<Optional<Hall>> _ -> {
              var view = new View(plain(queue), way, Hall.path(queue));
              uncached(exchange, 503, view, pages.waiting(view));
            }
          }
        });
  }

  /** {@code GET /wait/{type}/{id}/fair}: how the order comes about, and how it can be checked. */
  public void fair(Exchange exchange) {
    QueueId queue = exchange.queue();
    Way way = Way.of(exchange).forEverybody();
    exchange.then(
        outcome(halls.find(queue)),
        found -> {
          switch (found) {
            case Answered(var hall) when hall.isPresent() -> {
              exchange.response().putHeader(HttpHeaders.CACHE_CONTROL, SHARED);
              var view = new View(hall.get(), way, Hall.fairPath(queue));
              send(exchange, 200, view, pages.fair(view));
            }
            case Answered<Optional<Hall>> _ -> missing(exchange);
            case Failed<Optional<Hall>> _ -> {
              var view = new View(plain(queue), way, Hall.path(queue));
              notice(exchange, 503, view, "away", "away.text", null);
            }
          }
        });
  }

  /**
   * {@code POST /wait/{type}/{id}}: the form of a browser without scripts. It is sent to the
   * address of the page that it is on, so the way back and a code come along although the page is
   * everybody's.
   */
  public void enter(Exchange exchange) {
    QueueId queue = exchange.queue();
    String place = Way.of(exchange).to(Hall.placePath(queue));
    String lane = identity.laneOf(exchange);
    String shown = code(exchange);
    String code = shown.isEmpty() ? "" : LaneCodes.hash(shown);
    Doorkeeper.Arrival arrival;
    try {
      arrival = doorkeeper.arrive(exchange, queue, true);
    } catch (Problem.Found found) {
      turnAway(exchange, found);
      return;
    }
    var claim = new Claim(lane, code, arrival.from());
    inHall(
        exchange,
        Hall.path(queue),
        view ->
            exchange.then(
                outcome(
                    doorkeeper.let(
                        exchange, arrival, () -> queues.join(queue, arrival.user(), claim))),
                joined -> {
                  if (joined instanceof Answered(var what)) {
                    doorkeeper.joined(exchange, arrival, what);
                  }
                  switch (joined) {
                    case Answered(Joined.Refused(var reason, var retryAfter)) ->
                        refused(exchange, view, reason, retryAfter);
                    case Answered(Joined.NotYet(var opensAt)) -> early(exchange, view, opensAt);
                    case Answered(Joined.Over _) ->
                        notice(exchange, 403, view, "completed", "completed.once", null);
                    case Answered(Joined.Waiting(var taken)) -> goTo(exchange, place, taken);
                    case Answered(Joined.AlreadyIn(var held)) -> goTo(exchange, place, held);
                    case Failed<Joined> _ ->
                        notice(exchange, 503, view, "away", "away.later", "enter.button");
                  }
                }));
  }

  /** As somebody came with it; empty if they did not. */
  private static String code(Exchange exchange) {
    List<String> given = exchange.queries(CODE);
    return given.isEmpty() ? "" : given.getFirst();
  }

  private void goTo(Exchange exchange, String address, Place place) {
    identity.keepPlace(exchange, place.entry().key());
    exchange.redirect(address);
  }

  /** Of a browser, with a page. */
  private void turnAway(Exchange exchange, Problem.Found found) {
    Problem problem = found.problem();
    String path = Hall.path(exchange.queue());
    if (problem.equals(Doorkeeper.SIGNED_ONLY)) {
      inHall(exchange, path, view -> notice(exchange, 401, view, "signed", "signed.text", null));
    } else if (problem.status() == 429) {
      long seconds = problem.retryAfterSeconds();
      inHall(exchange, path, view -> later(exchange, seconds, view, "away"));
    } else {
      throw found;
    }
  }

  private void refused(Exchange exchange, View view, Joined.Reason reason, long retryAfter) {
    switch (reason) {
      case NO_QUEUE -> missing(exchange);
      case NOT_ACTIVE -> {
        if (view.hall().state().isEnded()) {
          uncached(exchange, 403, view, pages.over(view));
        } else {
          notice(exchange, 403, view, "closed", "closed.later", "enter.button");
        }
      }
      case LINE_FULL -> notice(exchange, 409, view, "full", "full.later", "enter.button");
      case SIGNED_ONLY -> notice(exchange, 401, view, "signed", "signed.text", null);
      case TOO_OFTEN -> later(exchange, retryAfter, view, "often");
      case CODE_INVALID -> codeInvalid(exchange, view);
    }
  }

  /** A place like everybody's can be had, without the code. */
  private void codeInvalid(Exchange exchange, View view) {
    Problem problem = limits.missed(exchange, Problems.CODE_INVALID);
    if (problem.status() == 429) {
      later(exchange, problem.retryAfterSeconds(), view, "away");
      return;
    }
    Language language = view.language();
    String button = Pages.form(view.way().to(view.hall().path()), language.say("enter.button"));
    uncached(
        exchange, 403, view, pages.notice(view, "nocode", language.say("nocode.text"), button));
  }

  private void early(Exchange exchange, View view, long opensAt) {
    uncached(exchange, 403, view, pages.early(view, opensAt, form(exchange, view, "enter.button")));
  }

  /** A button that enters, with the code that somebody came with: it may be good later. */
  private static String form(Exchange exchange, View view, String button) {
    String path = view.way().to(view.hall().path());
    String code = code(exchange);
    String query = code.isEmpty() ? "" : CODE + "=" + URLEncoder.encode(code, UTF_8);
    String address = query.isEmpty() ? path : path + (path.contains("?") ? "&" : "?") + query;
    return Pages.form(address, view.language().say(button));
  }

  private void later(Exchange exchange, long seconds, View view, String state) {
    exchange.response().putHeader(HttpHeaders.RETRY_AFTER, Long.toString(seconds));
    notice(exchange, 429, view, state, state + ".later", "enter.button");
  }

  /** {@code GET /wait/{type}/{id}/place}: where this visitor stands, or on to the site. */
  public void place(Exchange exchange) {
    QueueId queue = exchange.queue();
    Optional<String> user = identity.userOf(exchange);
    Optional<EntryKey> kept = identity.keptPlace(exchange);
    inHall(
        exchange,
        Hall.placePath(queue),
        view ->
            exchange.then(
                outcome(standing(queue, user, kept)),
                located -> {
                  switch (located) {
                    case Answered(Standing.Found(var found)) -> found(exchange, view, found);
                    case Answered(Standing.NoQueue _) -> missing(exchange);
                    case Answered(Standing.Unknown _) ->
                        notice(exchange, 404, view, "unknown", "unknown.text", "enter.button");
                    case Failed<Standing> _ -> {
                      refresh(exchange, AWAY_REFRESH_SECONDS, "");
                      notice(exchange, 503, view, "away", "away.text", null);
                    }
                  }
                }));
  }

  /** By who asks; else by the place that their browser was given to keep. */
  private CompletionStage<Standing> standing(
      QueueId queue, Optional<String> user, Optional<EntryKey> kept) {
    CompletionStage<Standing> byUser =
        user.isEmpty()
            ? CompletableFuture.completedStage(new Standing.Unknown())
            : line.locate(queue, user.get());
    return kept.isEmpty()
        ? byUser
        : byUser.thenCompose(
            standing ->
                standing instanceof Standing.Unknown
                    ? line.locate(kept.get())
                    : CompletableFuture.completedStage(standing));
  }

  private void found(Exchange exchange, View view, Place found) {
    String wayBack = view.way().back();
    switch (found.entry().status()) {
      case WAITING -> {
        outlook.lookout().see(found);
        Shown shown = outlook.shown(found);
        boolean isSoon = !shown.isKnown() || shown.isDrawn();
        boolean isNear = isSoon || found.line().looksAt(found.ahead());
        long seconds = isNear ? outlook.askAgainSeconds(found) : found.estimatedWaitSeconds() / 10;
        refresh(exchange, seconds, "; url=" + goingOn(view));
        uncached(
            exchange,
            200,
            view,
            shown.isKnown() ? pages.place(view, found) : pages.withoutPlace(view, found, shown));
      }
      case ENTERED ->
          handover
              .address(found, wayBack, identity.oneAddress(exchange))
              .ifPresentOrElse(
                  address -> goOn(exchange, view, found, address),
                  () -> {
                    String text = wayBack.isEmpty() ? "entered.text" : "nowhere.text";
                    notice(exchange, 200, view, "entered", text, null);
                  });
      case COMPLETED -> {
        if (view.hall().settings().stay().once()) {
          notice(exchange, 200, view, "completed", "completed.once", null);
        } else {
          notice(exchange, 200, view, "completed", "completed.text", "again.button");
        }
      }
      case EXPIRED -> expired(exchange, view, found);
      case LEFT -> {
        String why = found.entry().isHandedOff() ? "elsewhere" : "unknown";
        notice(exchange, 404, view, why, why + ".text", "again.button");
      }
    }
  }

  private void expired(Exchange exchange, View view, Place found) {
    if (found.entry().isEndedWithQueue()) {
      uncached(exchange, 410, view, pages.over(view));
      return;
    }
    if (found.entry().isAbsent()) {
      notice(exchange, 410, view, "absent", "absent.text", "again.button");
      return;
    }
    if (found.entry().isUnproven()) {
      notice(exchange, 410, view, "unproven", "unproven.text", "again.button");
      return;
    }
    if (found.entry().isReturned() || view.hall().settings().stay().requeues()) {
      // The next beat gives them a new place.
      refresh(exchange, MIN_REFRESH_SECONDS, "");
    }
    notice(exchange, 410, view, "expired", "expired.text", "again.button");
  }

  private void goOn(Exchange exchange, View view, Place found, String address) {
    if (exchange.queries(GO).isEmpty() && handover.isBack(exchange, found)) {
      Language language = view.language();
      String link = Pages.link(goingOn(view), language.say("untaken.button"));
      uncached(
          exchange, 200, view, pages.notice(view, "untaken", language.say("untaken.text"), link));
      return;
    }
    handover.addPass(exchange, view.hall(), found, identity.oneAddress(exchange));
    exchange.redirect(address);
  }

  /**
   * {@code GET /console/preview/{language}}: how the page looks to somebody in line, for our own
   * console to frame and to dress. Nothing of any queue or visitor is in it.
   */
  public void preview(Exchange exchange) {
    Language language =
        Language.tagged(exchange.parameter(0))
            .orElseThrow(
                () -> new InvalidValue("language", Language.tags(), "is not one of the page's"));
    exchange
        .response()
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache")
        .putHeader(HttpHeaders.CONTENT_LANGUAGE, language.tag())
        .putHeader("Content-Security-Policy", PREVIEW_POLICY)
        .putHeader("Referrer-Policy", "no-referrer");
    pages.sample(language).send(exchange, 200);
  }

  private static String goingOn(View view) {
    String place = view.way().to(Hall.placePath(view.hall().queue()));
    return place + (place.contains("?") ? "&" : "?") + GO + "=1";
  }

  /**
   * Goes on in the queue's hall; in a plain one, if nobody can say now how it looks.
   *
   * @param path of the page that is shown there
   */
  private void inHall(Exchange exchange, String path, Consumer<View> next) {
    QueueId queue = exchange.queue();
    Way way = Way.of(exchange);
    exchange.then(
        outcome(halls.find(queue)),
        found -> {
          switch (found) {
            case Answered(var hall) when hall.isPresent() ->
                next.accept(new View(hall.get(), way, path));
            case Answered<Optional<Hall>> _ -> missing(exchange);
            case Failed<Optional<Hall>> _ -> next.accept(new View(plain(queue), way, path));
          }
        });
  }

  private static Hall plain(QueueId queue) {
    return new Hall(queue, Settings.DEFAULT, State.OPEN);
  }

  private void missing(Exchange exchange) {
    QueueId queue = exchange.queue();
    var view = new View(plain(queue), Way.of(exchange), Hall.path(queue));
    notice(exchange, 404, view, "missing", "missing.text", null);
  }

  private void notice(
      Exchange exchange,
      int status,
      View view,
      String state,
      String text,
      @Nullable String button) {
    String action = button == null ? "" : form(exchange, view, button);
    uncached(exchange, status, view, pages.notice(view, state, view.language().say(text), action));
  }

  private void uncached(Exchange exchange, int status, View view, Content page) {
    exchange.response().putHeader(HttpHeaders.CACHE_CONTROL, NO_STORE);
    send(exchange, status, view, page);
  }

  private void send(Exchange exchange, int status, View view, Content page) {
    var response = exchange.response();
    if (response.ended() || response.closed()) {
      return;
    }
    response
        .putHeader(HttpHeaders.CONTENT_LANGUAGE, view.language().tag())
        .putHeader("Content-Security-Policy", policy(view.hall().settings()))
        .putHeader("Referrer-Policy", "no-referrer");
    response.headers().add(HttpHeaders.VARY, HttpHeaders.ACCEPT_LANGUAGE);
    page.send(exchange, status);
  }

  private String policy(Settings settings) {
    // A form's redirects count as the form's: who is admitted at once goes straight to the site.
    String verifier = verifierSources(settings);
    return "default-src 'none'; script-src 'self'"
        + verifier
        + (verifier.isEmpty() ? "" : "; frame-src" + verifier)
        + "; style-src 'self'"
        + verifier
        + "; connect-src 'self'"
        + verifier
        + "; worker-src 'self'; img-src 'self'"
        + (settings.look().logoUrl().isEmpty()
            ? ""
            : Origins.source(Site.of(settings.look().logoUrl())))
        + "; form-action 'self'"
        + (settings.look().targetUrl().isEmpty()
            ? ""
            : Origins.source(Site.of(settings.look().targetUrl())))
        + "; base-uri 'none'; frame-ancestors 'none'";
  }

  /** Whose scripts and frames a queue needs in which people may owe the word of a verifier. */
  private String verifierSources(Settings settings) {
    boolean isAsked =
        settings.door().doors().filter(doors -> doors.verifier() != When.NEVER).isPresent();
    return isAsked
        ? verifierOrigins.stream().map(origin -> " " + origin).collect(Collectors.joining())
        : "";
  }

  /**
   * @param where {@code ; url=…}, or empty for the same page again
   */
  private static void refresh(Exchange exchange, long seconds, String where) {
    long later = Math.clamp(seconds, MIN_REFRESH_SECONDS, MAX_REFRESH_SECONDS);
    exchange.response().putHeader("Refresh", later + where);
  }

  /** That a store is away is something to show here, not a failure. */
  private sealed interface Outcome<T> {}

  private record Answered<T>(T value) implements Outcome<T> {}

  private record Failed<T>() implements Outcome<T> {}

  private static <T> CompletionStage<Outcome<T>> outcome(CompletionStage<T> stage) {
    return stage.handle(
        (value, failure) -> failure == null ? new Answered<>(value) : new Failed<>());
  }
}
