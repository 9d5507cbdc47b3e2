package io.naru.server.access;

import io.naru.access.AccessKey;
import io.naru.access.AccessKeys.Kept;
import io.naru.queue.Actor;
import io.naru.queue.InvalidValue;
import io.naru.queue.QueueId;
import io.naru.server.http.Caller;
import io.naru.server.http.Exchange;
import io.naru.server.http.HttpDoor;
import io.naru.server.http.Problem;
import io.naru.server.http.Route;
import io.naru.server.limits.AddressLimits;
import io.naru.server.limits.Callers;
import io.vertx.core.http.HttpMethod;
import org.jspecify.annotations.Nullable;

/**
 * Who calls as an operator, and whether that one may: a key, {@code Authorization: Bearer <key>},
 * or the cookie of a console session. A key comes first.
 */
public final class OperatorGuard implements HttpDoor.Guard {

  private static final Problem UNAUTHORIZED =
      Problem.of(
          401,
          "unauthorized",
          "Unauthorized",
          "this call needs the admin key or an access key: Authorization: Bearer <key>");

  private static final Problem NOT_YOURS =
      Problem.of(
          403,
          "queue-not-yours",
          "Not your queue",
          "this key is for certain queues, and this call is not about one of them");

  private final AccessKeyring keys;
  private final Sessions sessions;
  private final AddressLimits limits;
  private final Callers callers;
  private final Refusals refusals;

  public OperatorGuard(
      AccessKeyring keys,
      Sessions sessions,
      AddressLimits limits,
      Callers callers,
      Refusals refusals) {
    this.keys = keys;
    this.sessions = sessions;
    this.limits = limits;
    this.callers = callers;
    this.refusals = refusals;
  }

  @Override
  public @Nullable Problem identify(Exchange exchange) {
    String bearer = exchange.bearer();
    if (bearer == null) {
      Sessions.Session session = sessions.of(exchange);
      return session == null ? unauthorized(exchange) : known(exchange, session.key(), true);
    }
    Problem wait = limits.beforeKey(exchange);
    if (wait != null) {
      return wait;
    }
    Kept kept = keys.find(bearer);
    if (kept == null) {
      limits.wrongKey(exchange, bearer);
      return unauthorized(exchange);
    }
    limits.rightKey(exchange);
    return known(exchange, kept.key(), false);
  }

  static Problem unauthorized(Exchange exchange) {
    exchange.response().putHeader("WWW-Authenticate", "Bearer");
    return UNAUTHORIZED;
  }

  private @Nullable Problem known(Exchange exchange, AccessKey key, boolean isBySession) {
    keys.used(key);
    String from =
        callers
            .callerAddress(exchange)
            .orElseGet(() -> exchange.request().remoteAddress().hostAddress());
    var actor = new Actor(key.name(), key.role().word(), from);
    exchange.calledBy(new Caller(key.id(), actor, key.role(), key.reach(), isBySession));
    return null;
  }

  @Override
  public @Nullable Problem refuse(Exchange exchange, Route route, boolean isOwnPage) {
    Caller caller = exchange.caller();
    QueueId queue = queueOf(exchange, route);
    Problem refusal = null;
    if (caller.isBySession() && !isOwnPage && !route.method().equals(HttpMethod.GET)) {
      refusal = HttpDoor.FOREIGN_ORIGIN;
    } else if (!caller.role().includes(route.least())) {
      refusal = Problem.roleNeeded("this call", route.least());
    } else if (!isInReach(caller, route, queue)) {
      refusal = NOT_YOURS;
    }
    if (refusal != null) {
      refusals.note(caller, route.method() + " " + route.path(), queue, refusal);
    }
    return refusal;
  }

  /** Whether whoever was let in is still to be: a key may be revoked while a stream is open. */
  public boolean isStillGood(Exchange exchange) {
    Caller caller = exchange.caller();
    return caller.isBySession() ? sessions.of(exchange) != null : keys.withId(caller.key()) != null;
  }

  private static boolean isInReach(Caller caller, Route route, @Nullable QueueId queue) {
    return caller.reach().isAll()
        || route.about() == Route.About.SEEN
        || (queue != null && caller.reach().includes(queue));
  }

  /** Null if it is about none, or does not say clearly which: the handler says what is wrong. */
  private static @Nullable QueueId queueOf(Exchange exchange, Route route) {
    try {
      return switch (route.about()) {
        case PATH -> exchange.queue();
        case BODY -> exchange.queueInBody();
        case SEEN, NONE -> null;
      };
    } catch (InvalidValue e) {
      return null;
    }
  }
}
