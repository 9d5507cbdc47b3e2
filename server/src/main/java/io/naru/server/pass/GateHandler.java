package io.naru.server.pass;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.naru.gate.OverTurns;
import io.naru.gate.PathRules;
import io.naru.gate.WrongSetting;
import io.naru.pass.Pass;
import io.naru.pass.WayBack;
import io.naru.queue.InvalidValue;
import io.naru.queue.QueueId;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.naru.server.identity.OneAddress;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /gate/check?queue=TYPE/id}: the gate as one call, for proxies that ask somebody else
 * before they let a request through. Judged as a gate judges. Nothing is changed, and what is
 * answered is for the proxy: a page that has a browser call this learns nothing.
 *
 * <p>A proxy passes on what the visitor sent unless it is told otherwise. So what decides comes
 * with the address, which is the proxy's own; headers can only ask for more protection, or say how
 * a refusal looks.
 */
public final class GateHandler {

  private static final int MAX_CANDIDATES = 4;
  private static final int MAX_RULES = 256;

  /** Anybody may call this, and each of them is compared with each reading of a path. */
  private static final int MAX_PATTERNS = 32;

  private static final int MAX_QUEUES = 1_000;
  private static final Duration IDLE = Duration.ofHours(1);
  private static final int RETRY_SECONDS = 5;

  /** In which proxies say what was asked for: nginx by custom, Caddy and Traefik by themselves. */
  private static final List<String> ASKED = List.of("X-Original-URI", "X-Forwarded-Uri");

  private static final Problem NO_PASS =
      Problem.of(
          401,
          "S806",
          "QUEUE_ENTRY_REQUIRED",
          "this needs a valid pass of the queue, as Authorization: Bearer or as a cookie");

  private static final Problem LATER =
      Problem.of(
          429,
          "S806",
          "QUEUE_ENTRY_REQUIRED",
          "this needs a valid pass of the queue, which is had by waiting: see waitUrl");

  private final Passes passes;
  private final Function<Exchange, OneAddress> addresses;
  private final Cache<QueueId, KnownTurns> turns =
      Caffeine.newBuilder().maximumSize(MAX_QUEUES).expireAfterAccess(IDLE).build();
  private final Cache<String, PathRules> rules =
      Caffeine.newBuilder().maximumSize(MAX_RULES).build();
  private final Function<QueueId, KnownTurns> opening;

  /** What becomes of whoever has no pass. */
  private enum Refusal {
    /** 401, for proxies that make of it what they are told to. */
    STATUS,
    /** 303 or 429, for proxies that hand on what they hear. */
    ANSWER
  }

  /**
   * @param addresses whether a request came by a proxy that has page and site at one address
   */
  public GateHandler(
      Passes passes,
      EndedFeeds feeds,
      Function<Exchange, OneAddress> addresses,
      InstantSource clock) {
    this.passes = passes;
    this.addresses = addresses;
    this.opening = queue -> new KnownTurns(queue, feeds, clock);
  }

  public void handle(Exchange exchange) {
    QueueId queue = queue(exchange);
    Refusal refusal = refusal(exchange);
    if (isFree(exchange)) {
      allow(exchange, null);
      return;
    }
    // Only who shows a pass of ours makes us look at turns: strangers cost the store nothing.
    List<Pass> shown =
        candidates(exchange).stream()
            .flatMap(token -> passes.current(token, queue).stream())
            .toList();
    if (shown.isEmpty()) {
      refuse(exchange, queue, refusal);
      return;
    }
    exchange.then(
        turns.get(queue, opening).known(),
        known ->
            firstOf(shown, known)
                .ifPresentOrElse(
                    pass -> allow(exchange, pass), () -> refuse(exchange, queue, refusal)));
  }

  private static Optional<Pass> firstOf(List<Pass> shown, OverTurns known) {
    return shown.stream().filter(pass -> !known.isOver(pass)).findFirst();
  }

  private static QueueId queue(Exchange exchange) {
    List<String> given = exchange.queries("queue");
    if (given.size() != 1) {
      throw new InvalidValue("queue", "TYPE/id, once", "must name the queue whose passes count");
    }
    return QueueId.parse(given.getFirst());
  }

  private static Refusal refusal(Exchange exchange) {
    return switch (exchange.query("refuse")) {
      case null -> Refusal.STATUS;
      case "303" -> Refusal.ANSWER;
      default -> throw new InvalidValue("refuse", "303, or nothing", "is something else");
    };
  }

  // --- which paths

  /** Whether none of the paths that were asked for needs a pass. */
  private boolean isFree(Exchange exchange) {
    List<String> given = exchange.queries("protect");
    if (given.isEmpty()) {
      return false;
    }
    PathRules needing = rules.get(String.join(",", given), GateHandler::rules);
    // A visitor may have sent one of them: it is one more path that must be free, not another one.
    List<String> asked = asked(exchange);
    return !asked.isEmpty() && asked.stream().noneMatch(uri -> isProtected(uri, needing));
  }

  private static boolean isProtected(String uri, PathRules needing) {
    // No browser sends a fragment, and some servers read on behind it.
    return uri.indexOf('#') >= 0 || needing.protects(uri.split("\\?", 2)[0]);
  }

  private static PathRules rules(String given) {
    List<String> patterns = List.of(given.split(",", -1));
    if (patterns.size() > MAX_PATTERNS) {
      throw new InvalidValue(
          "protect", "1.." + MAX_PATTERNS + " patterns", "has " + patterns.size() + " of them");
    }
    try {
      return new PathRules(patterns);
    } catch (WrongSetting e) {
      throw new InvalidValue("protect", e.allowed(), "has a pattern that is none");
    }
  }

  private static List<String> asked(Exchange exchange) {
    MultiMap headers = exchange.request().headers();
    return ASKED.stream().flatMap(name -> headers.getAll(name).stream()).toList();
  }

  // --- whose pass

  /** More than one: sites have logins of their own in that header, and cookies may be planted. */
  private static List<String> candidates(Exchange exchange) {
    MultiMap headers = exchange.request().headers();
    var tokens = new ArrayList<String>();
    for (String value : headers.getAll(HttpHeaders.AUTHORIZATION)) {
      if (value.regionMatches(true, 0, "Bearer ", 0, 7)) {
        tokens.add(value.substring(7).strip());
      }
    }
    // First the one that nobody but this very host can have set.
    for (String name : List.of(Pass.HOST_COOKIE, Pass.COOKIE)) {
      for (String header : headers.getAll(HttpHeaders.COOKIE)) {
        for (String cookie : header.split(";", -1)) {
          String pair = cookie.strip();
          if (pair.startsWith(name + "=")) {
            tokens.add(pair.substring(name.length() + 1));
          }
        }
      }
    }
    return tokens.subList(0, Math.min(tokens.size(), MAX_CANDIDATES));
  }

  // --- the answer

  /**
   * @param pass null where none was needed
   */
  private static void allow(Exchange exchange, @Nullable Pass pass) {
    var response = exchange.response();
    if (response.ended() || response.closed()) {
      return;
    }
    response.setStatusCode(204).putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
    if (pass != null) {
      response
          .putHeader("Naru-User", pass.user())
          .putHeader("Naru-Pass-Id", pass.id())
          .putHeader("Naru-Pass-Expires", pass.expiresAt().toString());
    }
    var _ = response.end();
  }

  private void refuse(Exchange exchange, QueueId queue, Refusal refusal) {
    String page = page(exchange, queue);
    String location = page + wayBack(exchange);
    exchange.response().putHeader("Referrer-Policy", "no-referrer");
    if (refusal == Refusal.ANSWER && isBrowser(exchange)) {
      exchange.redirect(location);
      return;
    }
    // Not all at the same moment.
    int later = RETRY_SECONDS + ThreadLocalRandom.current().nextInt(RETRY_SECONDS);
    if (refusal == Refusal.STATUS) {
      exchange.response().putHeader(HttpHeaders.LOCATION, location);
    }
    exchange.problem(
        (refusal == Refusal.STATUS ? NO_PASS : LATER).retryAfter(later),
        json -> json.writeStringProperty("waitUrl", page));
  }

  /** A path where page and site have one address; the visitor's browser knows which. */
  private String page(Exchange exchange, QueueId queue) {
    return (addresses.apply(exchange).isThere() ? "" : passes.issuer()) + "/wait/" + queue;
  }

  private static String wayBack(Exchange exchange) {
    return asked(exchange).stream()
        .findFirst()
        .filter(WayBack::isSafe)
        .map(WayBack::query)
        .orElse("");
  }

  private static boolean isBrowser(Exchange exchange) {
    MultiMap headers = exchange.request().headers();
    String method = headers.get("X-Forwarded-Method");
    String accept = headers.get(HttpHeaders.ACCEPT);
    return (method == null || method.equals("GET") || method.equals("HEAD"))
        && accept != null
        && accept.contains("text/html");
  }
}
