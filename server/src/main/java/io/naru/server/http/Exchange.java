package io.naru.server.http;

import io.naru.queue.Actor;
import io.naru.queue.InvalidValue;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.ServerWebSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One request and its answer. Everything happens on the event loop that the request came in on. */
public final class Exchange {

  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
  private static final CharSequence PROBLEM_JSON =
      HttpHeaders.createOptimized("application/problem+json");
  private static final CharSequence NO_STORE = HttpHeaders.createOptimized("no-store");

  private static final String SOCKET_VERSION = "13";
  private static final Pattern CONNECTION_UPGRADE = Pattern.compile("(?i)\\bupgrade\\b");
  private static final Problem NO_WEB_SOCKET =
      Problem.badRequest("this is not how a WebSocket is asked for (RFC 6455)");

  private final HttpServerRequest request;
  private final String id;
  private final Headers headers;
  private final List<String> parameters;
  private final Context context;
  private final Failures failures;
  private long askedAt = System.nanoTime();
  private Map<String, @Nullable Object> body = Map.of();
  private @Nullable String unavailableDetail;
  private boolean mayRepeat = true;
  private @Nullable Caller caller;
  private @Nullable Duration patience;
  private Deadlines.@Nullable Open open;
  private boolean isUpgraded;

  /** Turns what went wrong into a problem. */
  @FunctionalInterface
  public interface Failures {
    Problem explain(Throwable failure);
  }

  Exchange(
      HttpServerRequest request,
      String id,
      Headers headers,
      List<String> parameters,
      Context context,
      Failures failures) {
    this.request = request;
    this.id = id;
    this.headers = headers;
    this.parameters = parameters;
    this.context = context;
    this.failures = failures;
  }

  public HttpServerRequest request() {
    return request;
  }

  /** What this request is called, in its answer and in log lines. */
  public String id() {
    return id;
  }

  public Headers headers() {
    return headers;
  }

  /** All of the path's, in order. */
  public List<String> parameters() {
    return parameters;
  }

  public String parameter(int index) {
    return parameters.get(index);
  }

  /** The queue that the path names; every such path begins {@code …/{type}/{id}}. */
  public QueueId queue() {
    return new QueueId(parameters.get(0), parameters.get(1));
  }

  /** A parameter of the query; null if it is not there. */
  public @Nullable String query(String name) {
    try {
      return request.getParam(name);
    } catch (IllegalArgumentException e) {
      throw new Problem.Found(Problem.badRequest("the query is not well-formed"));
    }
  }

  /** All that the query has under a name, read as browsers read it. */
  public List<String> queries(String name) {
    try {
      return request.params(true).getAll(name);
    } catch (IllegalArgumentException e) {
      throw new Problem.Found(Problem.badRequest("the query is not well-formed"));
    }
  }

  public Map<String, @Nullable Object> body() {
    return body;
  }

  void body(Map<String, @Nullable Object> fields) {
    body = fields;
    // The time that it took to arrive is the caller's own.
    askedAt = System.nanoTime();
  }

  /** The credential of {@code Authorization: Bearer …}; null if there is none. */
  public @Nullable String bearer() {
    String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
    return authorization != null && authorization.regionMatches(true, 0, "Bearer ", 0, 7)
        ? authorization.substring(7).strip()
        : null;
  }

  /** The queue that the body names; an event id may be a number there. */
  public QueueId queueInBody() {
    return queueIn(body);
  }

  /** The same of any fields. */
  public static QueueId queueIn(Map<String, @Nullable Object> fields) {
    if (!(fields.get("eventType") instanceof String type)) {
      throw new InvalidValue("eventType", QueueId.TYPE_ALLOWED, "is missing or not text");
    }
    return switch (fields.get("eventId")) {
      case String id -> new QueueId(type, id);
      case Long id -> new QueueId(type, id.toString());
      case null, default ->
          throw new InvalidValue(
              "eventId", QueueId.ID_ALLOWED, "is missing, or neither text nor a whole number");
    };
  }

  /** Whoever checked it says who calls as an operator. */
  public void calledBy(Caller operator) {
    caller = operator;
  }

  /** Who calls as an operator; of an admin route, somebody always does. */
  public Caller caller() {
    return Objects.requireNonNull(caller, "nobody has checked who calls");
  }

  /** The same, for whoever keeps what was done. */
  public Actor actor() {
    return caller().actor();
  }

  /** Goes on with a result when it is there, back on this request's event loop. */
  public <T> void then(CompletionStage<T> stage, Consumer<T> next) {
    stage.whenComplete(
        (result, failure) -> {
          if (context.equals(Vertx.currentContext())) {
            proceed(result, failure, next);
          } else {
            context.runOnContext(_ -> proceed(result, failure, next));
          }
        });
  }

  private <T> void proceed(T result, @Nullable Throwable failure, Consumer<T> next) {
    if (response().ended()) {
      return;
    }
    if (failure != null) {
      within(() -> fail(failure));
      return;
    }
    guard(() -> next.accept(result));
  }

  void guard(Runnable step) {
    within(
        () -> {
          try {
            step.run();
          } catch (RuntimeException e) {
            fail(e);
          }
        });
  }

  /** Has what is logged during a step name this request. */
  void within(Runnable step) {
    RequestIds.within(id, step);
  }

  /** Whether the answer is there, or at least its head, as of a stream; or nobody waits for it. */
  boolean hasBegunToAnswer() {
    HttpServerResponse response = response();
    return isUpgraded || response.headWritten() || response.ended() || response.closed();
  }

  public boolean wantsWebSocket() {
    return "websocket".equalsIgnoreCase(request.getHeader(HttpHeaders.UPGRADE));
  }

  /**
   * Reads no further for now: what was read to its end becomes no WebSocket any more, and whether
   * this one may is not known at once.
   */
  public void holdForUpgrade() {
    if (wantsWebSocket() && !request.isEnded()) {
      request.pause();
    }
  }

  /** Makes a WebSocket of the connection, or says what is wrong with the way it was asked for. */
  public Future<ServerWebSocket> upgrade() {
    if (request.isEnded() || !isHandshake()) { // ended: it came with a body
      response().putHeader(HttpHeaderNames.SEC_WEBSOCKET_VERSION, SOCKET_VERSION);
      problem(NO_WEB_SOCKET);
      return Future.failedFuture(NO_WEB_SOCKET.detail());
    }
    isUpgraded = true;
    RoomyBuffers.takeBack(request.connection());
    return request
        .toWebSocket()
        .onFailure(
            _ -> {
              isUpgraded = false;
              problem(NO_WEB_SOCKET);
            });
  }

  /** Vert.x looks at the same, but refuses in words of its own. */
  private boolean isHandshake() {
    return request.headers().contains(HttpHeaderNames.SEC_WEBSOCKET_KEY)
        && SOCKET_VERSION.equals(request.getHeader(HttpHeaderNames.SEC_WEBSOCKET_VERSION))
        && CONNECTION_UPGRADE
            .matcher(String.valueOf(request.getHeader(HttpHeaders.CONNECTION)))
            .find();
  }

  /** When its handler was called. */
  long askedAt() {
    return askedAt;
  }

  /** Who asks this knows that the answer may take longer than others. */
  public void mayTake(Duration limit) {
    patience = limit;
  }

  /** For how long its answer is waited for. */
  Duration patience(Duration ofMost) {
    return patience == null ? ofMost : patience;
  }

  /** Who waits for its answer is to be told when it is there. */
  void waits(Deadlines.Open until) {
    open = until;
  }

  /** Nobody has answered; what comes later goes nowhere. */
  void tooLate(Duration limit) {
    var late =
        new QueueUnavailable(
            QueueUnavailable.Kind.TIMEOUT, "no answer within " + limit.toMillis() + " ms");
    within(() -> fail(late));
  }

  /** What it means to this caller if the store cannot answer. */
  public void ifUnavailable(String detail) {
    unavailableDetail = detail;
  }

  /** The same where it may have happened all the same: who repeats it unseen does it twice. */
  public void ifUnknown(String detail) {
    unavailableDetail = detail;
    mayRepeat = false;
  }

  private void fail(Throwable failure) {
    if (response().ended()) {
      return;
    }
    Problem problem = failures.explain(failure);
    if (problem.status() == 503 && unavailableDetail != null) {
      problem = problem.detail(unavailableDetail);
      problem = mayRepeat ? problem : problem.retryAfter(0);
    }
    problem(problem);
  }

  public HttpServerResponse response() {
    return request.response();
  }

  public void json(int status, Buffer json) {
    send(status, JSON, json);
  }

  public void problem(Problem problem) {
    problem(problem, _ -> {});
  }

  /** A problem with members of its own, as the place that a 409 is about. */
  public void problem(Problem problem, Json.Fields more) {
    if (problem.retryAfterSeconds() > 0) {
      response().putHeader(HttpHeaders.RETRY_AFTER, Long.toString(problem.retryAfterSeconds()));
    }
    send(problem.status(), PROBLEM_JSON, problem.json(id, more));
  }

  private void send(int status, CharSequence contentType, Buffer body) {
    send(status, contentType, NO_STORE, body);
  }

  public void send(int status, CharSequence contentType, CharSequence cacheControl, Buffer body) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return;
    }
    response.setStatusCode(status);
    response.putHeader(HttpHeaders.CONTENT_TYPE, contentType);
    response.putHeader(HttpHeaders.CACHE_CONTROL, cacheControl);
    response.end(body);
    if (open != null) {
      open.answered();
    }
  }

  /** Sends somebody elsewhere, now and for once. */
  public void redirect(String location) {
    HttpServerResponse response = request.response();
    if (!response.ended() && !response.closed()) {
      response
          .setStatusCode(303)
          .putHeader(HttpHeaders.LOCATION, location)
          .putHeader(HttpHeaders.CACHE_CONTROL, NO_STORE)
          .putHeader("Referrer-Policy", "no-referrer")
          .end();
    }
  }

  static InvalidValue unexpectedField(String name) {
    return new InvalidValue(name, "no fields", "cannot be set here");
  }
}
