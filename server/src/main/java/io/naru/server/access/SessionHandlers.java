package io.naru.server.access;

import io.naru.access.AccessKeys.Kept;
import io.naru.access.Role;
import io.naru.queue.InvalidValue;
import io.naru.queue.Micros;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Problem;
import io.naru.server.limits.AddressLimits;
import org.jspecify.annotations.Nullable;

/** Who the console's user is: a key is given once, and is a cookie from then on. */
public final class SessionHandlers {

  private static final Problem WRONG_KEY =
      Problem.of(
          401, "unauthorized", "Unauthorized", "this is not a key, or it is revoked or expired");

  private final AccessKeyring keys;
  private final Sessions sessions;
  private final AddressLimits limits;

  public SessionHandlers(AccessKeyring keys, Sessions sessions, AddressLimits limits) {
    this.keys = keys;
    this.sessions = sessions;
    this.limits = limits;
  }

  public void begin(Exchange exchange) {
    String key = keyIn(exchange);
    Problem wait = limits.beforeKey(exchange);
    if (wait != null) {
      exchange.problem(wait);
      return;
    }
    Kept kept = keys.find(key);
    if (kept == null) {
      limits.wrongKey(exchange, key);
      exchange.problem(WRONG_KEY);
      return;
    }
    limits.rightKey(exchange);
    if (!kept.key().role().includes(Role.VIEWER)) {
      exchange.problem(Problem.roleNeeded("the console", Role.VIEWER));
      return;
    }
    keys.used(kept.key());
    show(exchange, sessions.begin(exchange, kept));
  }

  private static String keyIn(Exchange exchange) {
    for (String field : exchange.body().keySet()) {
      if (!field.equals("key")) {
        throw new InvalidValue(field, "key", "is not a field of this call");
      }
    }
    if (exchange.body().get("key") instanceof String key && !key.isBlank()) {
      return key.strip();
    }
    throw new InvalidValue("key", "the admin key or an access key", "is missing or not text");
  }

  public void get(Exchange exchange) {
    Sessions.@Nullable Session session = sessions.of(exchange);
    if (session == null) {
      exchange.problem(OperatorGuard.unauthorized(exchange));
    } else {
      keys.used(session.key());
      show(exchange, session);
    }
  }

  public void end(Exchange exchange) {
    sessions.end(exchange);
    exchange.response().setStatusCode(204).end();
  }

  private static void show(Exchange exchange, Sessions.Session session) {
    exchange.json(
        200,
        Json.object(
            json -> {
              json.writeStringProperty("who", session.key().name());
              json.writeStringProperty("role", session.key().role().word());
              AccessHandlers.writeReach(json, session.key().reach());
              json.writeStringProperty("expiresAt", Micros.iso(session.expiresAt()));
            }));
  }
}
