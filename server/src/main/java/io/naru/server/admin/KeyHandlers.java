package io.naru.server.admin;

import io.naru.queue.Actor;
import io.naru.queue.InvalidValue;
import io.naru.queue.Micros;
import io.naru.server.http.Blocking;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Problem;
import io.naru.server.keys.KeyRing;
import io.naru.server.keys.RingKey;
import io.naru.server.keys.SigningKeys;
import io.vertx.core.buffer.Buffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The admin API of what passes are signed with: list, rotate, revoke a key, revoke a pass. */
public final class KeyHandlers {

  private static final Logger audit = LoggerFactory.getLogger("naru.audit");

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");
  private static final String ID_ALLOWED = "1 to 64 letters, digits, - and _";

  private final SigningKeys keys;

  public KeyHandlers(SigningKeys keys) {
    this.keys = keys;
  }

  public void list(Exchange exchange) {
    exchange.json(200, json(keys.ring()));
  }

  public void rotate(Exchange exchange) {
    Actor by = exchange.actor();
    exchange.ifUnknown(
        "it is not known whether another key signs: list the keys before you try again");
    act(
        exchange,
        () -> keys.rotate(by),
        ring -> {
          audit(exchange, "ROTATE to " + ring.inUse().id());
          exchange.json(200, json(ring));
        });
  }

  public void revoke(Exchange exchange) {
    String id = idIn(exchange.body(), "kid");
    Actor by = exchange.actor();
    act(
        exchange,
        () -> keys.revoke(id, by),
        revoked ->
            revoked.ifPresentOrElse(
                ring -> {
                  audit(exchange, "REVOKE key " + id);
                  exchange.json(200, json(ring));
                },
                () ->
                    exchange.problem(
                        Problem.of(
                            404,
                            "key-not-found",
                            "Key not found",
                            "there is no key with this kid, or it was forgotten after its time"))));
  }

  public void revokePass(Exchange exchange) {
    String id = idIn(exchange.body(), "jti");
    Actor by = exchange.actor();
    act(
        exchange,
        () -> {
          keys.revokePass(id, null, by);
          return id;
        },
        _ -> {
          audit(exchange, "REVOKE pass " + id);
          exchange.json(200, Json.object(json -> json.writeStringProperty("status", "REVOKED")));
        });
  }

  /** The store is asked on a thread that may wait. */
  private static <T> void act(Exchange exchange, Supplier<T> step, Consumer<T> next) {
    CompletionStage<T> stage =
        Blocking.call(step)
            .exceptionallyCompose(
                e ->
                    CompletableFuture.failedStage(
                        e instanceof CompletionException c
                                && c.getCause() instanceof KeyRing.TooMany many
                            ? new Problem.Found(tooMany(many))
                            : e));
    exchange.then(stage, next);
  }

  private static Problem tooMany(KeyRing.TooMany many) {
    return Problem.of(409, "too-many-keys", "Too many keys", String.valueOf(many.getMessage()));
  }

  private static String idIn(Map<String, @Nullable Object> fields, String field) {
    for (String name : fields.keySet()) {
      if (!name.equals(field)) {
        throw new InvalidValue(name, field, "is not a field of this call");
      }
    }
    if (fields.get(field) instanceof String id && ID.matcher(id).matches()) {
      return id;
    }
    throw new InvalidValue(field, ID_ALLOWED, "is missing or is not one");
  }

  private static Buffer json(KeyRing ring) {
    return Json.object(
        json -> {
          json.writeArrayPropertyStart("keys");
          for (RingKey key : ring.keys()) {
            json.writeStartObject();
            json.writeStringProperty("kid", key.id());
            json.writeStringProperty("algorithm", key.key().algorithm().name());
            json.writeStringProperty("state", key.state().name());
            json.writeStringProperty("createdAt", Micros.iso(Micros.of(key.createdAt())));
            json.writeStringProperty("since", Micros.iso(Micros.of(key.since())));
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeNumberProperty("revokedPasses", ring.revokedPasses().size());
        });
  }

  private static void audit(Exchange exchange, String act) {
    audit.info("{} by {} from {}", act, exchange.actor().who(), exchange.actor().from());
  }
}
