package io.naru.server.access;

import io.naru.access.AccessKey;
import io.naru.access.AccessKeys;
import io.naru.access.Reach;
import io.naru.access.Role;
import io.naru.queue.Actor;
import io.naru.queue.InvalidValue;
import io.naru.queue.Micros;
import io.naru.server.http.Blocking;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Paging;
import io.naru.server.http.Problem;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JsonGenerator;

/** The admin API of access keys: make, list, revoke. */
public final class AccessHandlers {

  private static final Logger audit = LoggerFactory.getLogger("naru.audit");

  private static final Set<String> FIELDS = Set.of("name", "role", "queues", "expiresAt");

  private static final Pattern NAME =
      Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} ._@-]{0,63}");
  private static final String NAME_ALLOWED =
      "1 to 64 letters, digits, blanks, . _ @ and -, a letter or digit first; not admin";

  private static final Pattern ID = Pattern.compile("[0-9a-f]{1,32}");
  private static final String ID_ALLOWED = "the id of an access key";

  private static final String EXPIRY_ALLOWED =
      "null, or an instant to come before 2100, like 2027-01-31T18:00:00Z";
  private static final Instant LATEST = Instant.parse("2100-01-01T00:00:00Z");

  private static final Problem NOT_FOUND =
      Problem.of(
          404, "access-key-not-found", "Access key not found", "there is no key with this id");

  private static final Problem NAME_TAKEN =
      Problem.of(
          409,
          "name-taken",
          "Name taken",
          "there is a key with this name; the audit could not tell them apart, so revoke that one"
              + " first or take another name");

  private static final Problem TOO_MANY =
      Problem.of(
          409,
          "too-many-access-keys",
          "Too many access keys",
          "there are " + AccessKeys.MAX_KEPT + " access keys; revoke some that nobody uses");

  private final AccessKeyring keys;

  public AccessHandlers(AccessKeyring keys) {
    this.keys = keys;
  }

  public void add(Exchange exchange) {
    needKept();
    Map<String, @Nullable Object> fields = exchange.body();
    for (String field : fields.keySet()) {
      if (!FIELDS.contains(field)) {
        throw new InvalidValue(
            field, "name, role, queues, expiresAt", "is not a field of this call");
      }
    }
    String name = name(fields.get("name"));
    Role role = role(fields.get("role"));
    Reach reach = reach(fields.get("queues"));
    long expiresAt = expiry(fields.get("expiresAt"));
    Actor by = exchange.actor();
    exchange.then(
        Blocking.call(() -> keys.add(name, role, reach, expiresAt, by)),
        made -> {
          switch (made.added()) {
            case DONE -> {
              audit(exchange, "ACCESS-ADD " + made.key().id() + " " + name + " " + role.word());
              exchange.json(
                  201,
                  Json.object(
                      json -> {
                        write(json, made.key());
                        json.writeStringProperty("key", made.secret());
                      }));
            }
            case NAME_TAKEN -> exchange.problem(NAME_TAKEN);
            case TOO_MANY -> exchange.problem(TOO_MANY);
          }
        });
  }

  private static String name(@Nullable Object given) {
    if (given instanceof String name
        && NAME.matcher(name).matches()
        && !name.equalsIgnoreCase(Role.ADMIN.word())) {
      return name;
    }
    throw new InvalidValue("name", NAME_ALLOWED, "is missing or is not one");
  }

  private static Role role(@Nullable Object given) {
    if (given instanceof String word) {
      return Role.of(word);
    }
    throw new InvalidValue("role", Role.ALLOWED, "is missing or not text");
  }

  private static Reach reach(@Nullable Object given) {
    return switch (given) {
      case null -> Reach.ALL;
      case List<?> names when names.stream().allMatch(String.class::isInstance) ->
          Reach.of(names.stream().map(String.class::cast).toList());
      default -> throw new InvalidValue("queues", Reach.ALLOWED, "is not a list of names");
    };
  }

  private long expiry(@Nullable Object given) {
    if (given == null) {
      return 0;
    }
    try {
      if (given instanceof String text) {
        Instant at = Instant.from(DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(text));
        if (at.isBefore(LATEST) && Micros.of(at) > keys.now()) {
          return Micros.of(at);
        }
      }
    } catch (DateTimeException | ArithmeticException e) {
      // Said below.
    }
    throw new InvalidValue("expiresAt", EXPIRY_ALLOWED, "is not one");
  }

  public void list(Exchange exchange) {
    needKept();
    String after = after(exchange.query("after"));
    int limit = Paging.limit(exchange);
    exchange.then(
        Blocking.call(() -> keys.list(after, limit + 1)),
        found ->
            exchange.json(
                200,
                Json.object(
                    json ->
                        Paging.write(
                            json,
                            "accessKeys",
                            found,
                            limit,
                            key -> write(json, key),
                            AccessKey::id))));
  }

  private static @Nullable String after(@Nullable String id) {
    if (id != null && !ID.matcher(id).matches()) {
      throw new InvalidValue("after", ID_ALLOWED, "is not one");
    }
    return id;
  }

  public void revoke(Exchange exchange) {
    needKept();
    String id = exchange.parameter(0);
    Actor by = exchange.actor();
    exchange.then(
        Blocking.call(() -> keys.revoke(id, by)),
        revoked -> {
          if (revoked.isEmpty()) {
            exchange.problem(NOT_FOUND);
          } else {
            audit(exchange, "ACCESS-REVOKE " + revoked.get().id() + " " + revoked.get().name());
            exchange.response().setStatusCode(204).end();
          }
        });
  }

  private void needKept() {
    if (!keys.isKept()) {
      throw new Problem.Found(Problem.withoutLedger("access keys"));
    }
  }

  static void write(JsonGenerator json, AccessKey key) {
    json.writeStringProperty("id", key.id());
    json.writeStringProperty("name", key.name());
    json.writeStringProperty("role", key.role().word());
    writeReach(json, key.reach());
    Json.time(json, "createdAt", key.createdAt());
    json.writeStringProperty("createdBy", key.createdBy());
    Json.time(json, "expiresAt", key.expiresAt());
    Json.time(json, "lastUsedAt", key.lastUsedAt());
    Json.time(json, "revokedAt", key.revokedAt());
  }

  /** Null for all queues: an empty list would look like none. */
  static void writeReach(JsonGenerator json, Reach reach) {
    if (reach.isAll()) {
      json.writeNullProperty("queues");
      return;
    }
    json.writeArrayPropertyStart("queues");
    reach.names().forEach(json::writeString);
    json.writeEndArray();
  }

  private static void audit(Exchange exchange, String act) {
    audit.info("{} by {} from {}", act, exchange.actor().who(), exchange.actor().from());
  }
}
