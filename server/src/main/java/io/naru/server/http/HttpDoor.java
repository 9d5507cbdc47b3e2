package io.naru.server.http;

import io.naru.queue.InvalidValue;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.UserId;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives every request: refuses what is too large or badly made, finds its route, checks who may
 * call, reads the body, and answers whatever goes wrong with a problem.
 */
public final class HttpDoor {

  private static final Logger log = LoggerFactory.getLogger(HttpDoor.class);

  private static final int MAX_HEADERS = 8_192;
  private static final int MAX_LINE = 4_096;
  private static final int MAX_BODY = 16_384;

  /** Of what only operators may send, whose key is known by then. */
  private static final int MAX_LONG_BODY = 1 << 20;

  private static final int MAX_SOCKET_FRAME = 1_024;
  private static final String JSON = "application/json";
  private static final String FORM = "application/x-www-form-urlencoded";

  /** How long a body may take to arrive. */
  private static final long BODY_MILLIS = 10_000;

  private static final long SWEEP_MILLIS = 1_000;

  private static final Problem BODY_TOO_LARGE =
      tooLong(413, "body-too-large", "the body is larger than 16 kB");

  private static final Problem LONG_BODY_TOO_LARGE =
      tooLong(413, "body-too-large", "the body is larger than 1 MB");

  private static final Problem BODY_TOO_SLOW =
      Problem.of(408, "body-too-slow", "Too slow", "the body took longer than 10 s to arrive");

  public static final Problem FOREIGN_ORIGIN =
      Problem.of(
          403,
          "foreign-origin",
          "Foreign origin",
          "a page of another origin may not do this for its visitors, unless it is an allowed one");

  private static final String ADMIN = "/admin/";
  private static final String CONSOLE = "/console";

  private final RouteTable routes;
  private final Guard guard;
  private final Cors cors;
  private final ForeignPages foreignPages;
  private final RequestIds ids;
  private final @Nullable String userHeader;
  private final Consumer<String> errorCounter;

  private final Connections connections;
  private final Deadlines deadlines;
  private final List<Long> timers = new ArrayList<>();

  /** Says why a request may not use a route for operators; null if it may. */
  public interface Guard {

    /** Where there are no such routes. */
    Guard NONE =
        new Guard() {
          @Override
          public @Nullable Problem identify(Exchange exchange) {
            return null;
          }

          @Override
          public @Nullable Problem refuse(Exchange exchange, Route route, boolean isOwnPage) {
            return null;
          }
        };

    /** Who calls, of which the exchange is told; before its body is read. */
    @Nullable Problem identify(Exchange exchange);

    /**
     * Whether that one may do this; its body is read.
     *
     * @param isOwnPage whether a browser says that one of our own pages makes it call
     */
    @Nullable Problem refuse(Exchange exchange, Route route, boolean isOwnPage);
  }

  /**
   * @param publicUrl the address that visitors know this server by
   * @param userHeader in which a proxy may name the visitor; null if none may
   * @param errorCounter told the code of every problem that is not the caller's own doing
   */
  public HttpDoor(
      RouteTable routes,
      Guard guard,
      Cors cors,
      Supplier<String> publicUrl,
      RequestIds ids,
      @Nullable String userHeader,
      Consumer<String> errorCounter) {
    this(
        routes,
        guard,
        cors,
        publicUrl,
        ids,
        userHeader,
        errorCounter,
        Connections.Patience.DEFAULT);
  }

  HttpDoor(
      RouteTable routes,
      Guard guard,
      Cors cors,
      Supplier<String> publicUrl,
      RequestIds ids,
      @Nullable String userHeader,
      Consumer<String> errorCounter,
      Connections.Patience patience) {
    this.connections = new Connections(patience);
    this.deadlines = new Deadlines(patience.answer());
    this.routes = routes;
    this.guard = guard;
    this.cors = cors;
    this.foreignPages = new ForeignPages(cors, publicUrl);
    this.ids = ids;
    this.userHeader = userHeader;
    this.errorCounter = errorCounter;
  }

  public static HttpServerOptions options() {
    return new HttpServerOptions()
        .setMaxInitialLineLength(MAX_LINE)
        // Twice our own limit: a header that is too long is then still read, and can be named.
        .setMaxHeaderSize(2 * MAX_HEADERS)
        .setIdleTimeout(75)
        .setTcpNoDelay(true)
        .setAcceptBacklog(8_192)
        // Our limits and checks are those of HTTP/1.1; who wants HTTP/2 has a proxy for TLS anyway.
        .setHttp2ClearTextEnabled(false)
        // Visitors have nothing to say over a WebSocket; and deflating costs memory for each.
        .setMaxWebSocketFrameSize(MAX_SOCKET_FRAME)
        .setMaxWebSocketMessageSize(MAX_SOCKET_FRAME)
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false)
        .setHandle100ContinueAutomatically(true);
  }

  /** Begins to look for connections that are not worth waiting for, and for late answers. */
  public void start(Vertx vertx) {
    timers.add(vertx.setPeriodic(SWEEP_MILLIS, _ -> connections.sweep()));
    timers.add(vertx.setPeriodic(Deadlines.SWEEP_MILLIS, _ -> deadlines.sweep()));
  }

  /** Looks no more: event loops end one after the other, and would be asked after their end. */
  public void stop(Vertx vertx) {
    timers.forEach(vertx::cancelTimer);
  }

  public void connected(HttpConnection connection) {
    RoomyBuffers.give(connection);
    connections.opened(connection);
  }

  public void handle(HttpServerRequest request) {
    if (!connections.asked(request)) {
      return;
    }
    Headers headers = Headers.of(request.headers(), userHeader);
    var match = routes.find(request.method(), request.path());
    List<String> parameters = match.isPresent() ? match.get().parameters() : List.of();
    Exchange exchange = exchange(request, headers, parameters);
    exchange.within(() -> handle(exchange, match.map(RouteTable.Match::route).orElse(null)));
  }

  private Exchange exchange(HttpServerRequest request, Headers headers, List<String> parameters) {
    String id = ids.of(request, headers.requestId());
    request.response().putHeader(RequestIds.HEADER, id);
    return new Exchange(request, id, headers, parameters, Vertx.currentContext(), this::explain);
  }

  private void handle(Exchange exchange, @Nullable Route route) {
    HttpServerRequest request = exchange.request();
    Headers headers = exchange.headers();
    if (headers.size() > MAX_HEADERS && !isUserIdTooLong(headers)) {
      close(exchange, tooLong(431, "headers-too-large", "the headers are larger than 8 kB"));
      return;
    }
    if (headers.bodyLength() == Headers.UNCLEAR) {
      close(exchange, Problem.badRequest("the headers do not say clearly where the body ends"));
      return;
    }
    boolean isPublic = isPublic(request.path());
    if (isPublic && headers.origin() != null) {
      cors.admit(exchange.response(), headers.origin());
    }
    if (route == null) {
      noRoute(exchange, isPublic);
      return;
    }
    if (route.isForOperators()) {
      Problem refusal = guard.identify(exchange);
      if (refusal != null) {
        close(exchange, refusal);
        return;
      }
    }
    if (foreignPages.sent(request, route)) {
      close(exchange, FOREIGN_ORIGIN);
      return;
    }
    if (headers.bodyLength() != Headers.NO_BODY) {
      readBody(exchange, route);
    } else if (needsBody(route)) {
      exchange.problem(Problem.badRequest("this call needs a JSON object as its body"));
    } else {
      exchange.guard(() -> answer(exchange, route));
    }
  }

  /** Whether pages of other sites may read what is there, if they are allowed ones. */
  private static boolean isPublic(String path) {
    return !path.startsWith(ADMIN) && !path.startsWith(CONSOLE);
  }

  private void answer(Exchange exchange, Route route) {
    if (route.isForOperators()) {
      Problem refusal = guard.refuse(exchange, route, foreignPages.isOwn(exchange.request()));
      if (refusal != null) {
        exchange.problem(refusal);
        return;
      }
    }
    route.handler().accept(exchange);
    deadlines.begun(exchange, Vertx.currentContext());
  }

  /** What the HTTP decoder could not make sense of. */
  public void handleInvalid(HttpServerRequest request) {
    if (!connections.asked(request)) {
      return;
    }
    Throwable cause = request.decoderResult().cause();
    Problem problem =
        switch (cause) {
          case TooLongHttpLineException _ ->
              tooLong(414, "uri-too-long", "the request line is longer than 4 kB");
          case TooLongHttpHeaderException _ ->
              tooLong(431, "headers-too-large", "the headers are larger than 8 kB");
          case null, default -> Problem.badRequest("the request is not well-formed HTTP");
        };
    close(exchange(request, Headers.NONE, List.of()), problem);
  }

  private void noRoute(Exchange exchange, boolean isPublic) {
    String path = exchange.request().path();
    if (path.startsWith(ADMIN)) {
      // Whoever may not call admin routes does not learn which ones there are.
      Problem refusal = guard.identify(exchange);
      if (refusal != null) {
        close(exchange, refusal);
        return;
      }
    }
    var methods = routes.methods(path);
    if (methods.isEmpty()) {
      close(exchange, Problem.of(404, "not-found", "Not found", "there is nothing at this path"));
    } else if (isPublic
        && exchange.request().method().equals(HttpMethod.OPTIONS)
        && cors.allows(exchange.headers().origin())) {
      Cors.preflight(exchange.response(), methods);
    } else {
      String allowed = String.join(", ", methods);
      exchange.response().putHeader(HttpHeaders.ALLOW, allowed);
      close(
          exchange,
          Problem.of(
              405, "method-not-allowed", "Method not allowed", "this path answers " + allowed));
    }
  }

  private void readBody(Exchange exchange, Route route) {
    HttpServerRequest request = exchange.request();
    if (request.headers().contains(HttpHeaders.CONTENT_ENCODING)) {
      close(exchange, unsupported("compressed bodies are not accepted"));
      return;
    }
    boolean isLong = route.body() == Route.Body.LONG;
    int max = isLong ? MAX_LONG_BODY : MAX_BODY;
    Problem tooLarge = isLong ? LONG_BODY_TOO_LARGE : BODY_TOO_LARGE;
    if (exchange.headers().bodyLength() > max) {
      close(exchange, tooLarge);
      return;
    }
    Vertx vertx = Vertx.currentContext().owner();
    long timer = vertx.setTimer(BODY_MILLIS, _ -> close(exchange, BODY_TOO_SLOW));
    Buffer body = Buffer.buffer();
    request.exceptionHandler(_ -> close(exchange, Problem.badRequest("the body is badly framed")));
    request.handler(
        chunk -> {
          if (body.length() + chunk.length() > max) {
            request.handler(null).endHandler(null);
            close(exchange, tooLarge);
          } else {
            body.appendBuffer(chunk);
          }
        });
    request.endHandler(
        _ -> {
          vertx.cancelTimer(timer);
          exchange.guard(() -> parsed(exchange, route, body));
        });
  }

  private void parsed(Exchange exchange, Route route, Buffer body) {
    String type = exchange.request().getHeader(HttpHeaders.CONTENT_TYPE);
    if (body.length() > 0 && !(route.body() == Route.Body.FORM && is(type, FORM))) {
      if (!is(type, JSON)) {
        exchange.problem(unsupported("the body must be sent as Content-Type: application/json"));
        return;
      }
      boolean isLong = route.body() == Route.Body.LONG;
      Map<String, @Nullable Object> fields = isLong ? Json.readLong(body) : Json.read(body);
      boolean isRead = needsBody(route) || route.body() == Route.Body.PERHAPS;
      if (!isRead && !fields.isEmpty()) {
        throw Exchange.unexpectedField(fields.keySet().iterator().next());
      }
      exchange.body(fields);
    } else if (needsBody(route)) {
      throw new Problem.Found(Problem.badRequest("this call needs a JSON object as its body"));
    }
    answer(exchange, route);
  }

  private static boolean needsBody(Route route) {
    return route.body() == Route.Body.JSON || route.body() == Route.Body.LONG;
  }

  private static boolean is(@Nullable String contentType, String expected) {
    return contentType != null && contentType.split(";", 2)[0].strip().equalsIgnoreCase(expected);
  }

  /** Answers and hangs up: what follows on this connection could be the rest of a bad request. */
  private void close(Exchange exchange, Problem problem) {
    if (exchange.response().ended() || exchange.response().closed()) {
      return;
    }
    boolean mayHaveMore =
        problem.status() != 404 && problem.status() != 405 && problem.status() != 401;
    if (mayHaveMore || exchange.headers().bodyLength() != Headers.NO_BODY) {
      HttpConnection connection = exchange.request().connection();
      // Requests that arrived behind this one are on their way to us already.
      connections.closing(connection);
      exchange.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
      exchange.response().endHandler(_ -> connection.close());
    }
    exchange.problem(problem);
  }

  /** A long user id alone is named as such, not as a header block that is too large. */
  private static boolean isUserIdTooLong(Headers headers) {
    return headers.userId() != null && headers.userId().length() > UserId.MAX_LENGTH;
  }

  private Problem explain(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return switch (cause) {
      case Problem.Found found -> found.problem();
      case InvalidValue invalid -> Problem.invalid(invalid);
      case QueueUnavailable unavailable -> {
        errorCounter.accept(unavailable.kind().name().toLowerCase(Locale.ROOT));
        yield Problem.of(
                503,
                "unavailable",
                "Temporarily unavailable",
                "the line cannot be reached right now; places are kept, please try again")
            // Not all at the same moment.
            .retryAfter(1 + ThreadLocalRandom.current().nextInt(3));
      }
      default -> {
        errorCounter.accept("internal");
        log.error("a request failed for a reason that nobody expected", cause);
        yield Problem.of(
            500,
            "internal-error",
            "Internal error",
            "something went wrong here; it has been logged");
      }
    };
  }

  private static Problem tooLong(int status, String code, String detail) {
    return Problem.of(status, code, "Too large", detail);
  }

  private static Problem unsupported(String detail) {
    return Problem.of(415, "unsupported-media-type", "Unsupported media type", detail);
  }
}
