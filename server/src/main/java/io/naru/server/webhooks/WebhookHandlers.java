package io.naru.server.webhooks;

import io.naru.access.Reach;
import io.naru.queue.Actor;
import io.naru.queue.InvalidValue;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.server.http.Blocking;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Paging;
import io.naru.server.http.Problem;
import io.naru.server.webhooks.KnownWebhooks.Rotated;
import io.naru.webhook.Delivery;
import io.naru.webhook.Delivery.State;
import io.naru.webhook.Kinds;
import io.naru.webhook.Message;
import io.naru.webhook.Webhook;
import io.naru.webhook.Webhooks;
import io.naru.webhook.Webhooks.Kept;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JsonGenerator;

/** The admin API of webhooks: make, change, rotate, try, and see what became of deliveries. */
public final class WebhookHandlers {

  private static final Logger audit = LoggerFactory.getLogger("naru.audit");

  private static final Set<String> FIELDS = Set.of("url", "name", "queues", "events");
  private static final Set<String> EDITED = Set.of("url", "name", "queues", "events", "enabled");

  private static final Pattern NAME =
      Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} ._@-]{0,63}");
  private static final String NAME_ALLOWED =
      "1 to 64 letters, digits, blanks, . _ @ and -, a letter or digit first";

  private static final Pattern ID = Pattern.compile("[0-9a-f]{1,32}");
  private static final String ID_ALLOWED = "the id of a webhook";

  private static final Pattern MESSAGE = Pattern.compile("[0-9A-Za-z_]{1,64}");

  private static final long MAX_OVERLAP = Duration.ofDays(7).toSeconds();

  private static final String SINCE_ALLOWED = "an instant like 2027-01-31T18:00:00Z";

  private static final Problem NOT_FOUND =
      Problem.of(404, "webhook-not-found", "Webhook not found", "there is no webhook with this id");

  private static final Problem NO_DELIVERY =
      Problem.of(
          404,
          "delivery-not-found",
          "Delivery not found",
          "this webhook has no such delivery, or it is no longer kept");

  private static final Problem NAME_TAKEN =
      Problem.of(
          409, "name-taken", "Name taken", "there is a webhook with this name; take another name");

  private static final Problem TOO_MANY =
      Problem.of(
          409,
          "too-many-webhooks",
          "Too many webhooks",
          "there are " + Webhooks.MAX_KEPT + " webhooks; delete some that nobody listens to");

  private static final Problem TOO_MANY_SECRETS =
      Problem.of(
          409,
          "too-many-secrets",
          "Too many secrets",
          "it was rotated "
              + (Secrets.MAX - 1)
              + " times already while its former secrets still"
              + " sign; wait until the first of them is over");

  private static final Problem DISABLED =
      Problem.of(
          409,
          "webhook-disabled",
          "Webhook disabled",
          "nothing is sent there; PUT {\"enabled\": true} first");

  private final @Nullable KnownWebhooks known;
  private final Targets targets;

  /**
   * @param teller null where no webhook can be kept
   */
  public WebhookHandlers(@Nullable Teller teller, WebhookRules rules) {
    this.known = teller == null ? null : teller.known();
    this.targets = new Targets(rules.allowed(), Targets.Names.SYSTEM);
  }

  public void add(Exchange exchange) {
    KnownWebhooks all = needKept();
    Map<String, @Nullable Object> fields = fields(exchange, FIELDS);
    String url = targets.check(fields.get("url"));
    String name = fields.get("name") == null ? null : name(fields.get("name"));
    Reach reach = reach(fields.get("queues"));
    List<String> events = events(fields.get("events"));
    Actor by = exchange.actor();
    exchange.then(
        Blocking.call(() -> all.add(name, url, reach, events, by)),
        made -> answer(exchange, 201, "WEBHOOK-ADD", made));
  }

  public void edit(Exchange exchange) {
    KnownWebhooks all = needKept();
    String id = id(exchange);
    Map<String, @Nullable Object> fields = fields(exchange, EDITED);
    String url = fields.containsKey("url") ? targets.check(fields.get("url")) : null;
    String name = fields.containsKey("name") ? name(fields.get("name")) : null;
    Reach reach = fields.containsKey("queues") ? reach(fields.get("queues")) : null;
    List<String> events = fields.containsKey("events") ? events(fields.get("events")) : null;
    Boolean enabled = enabled(fields);
    Actor by = exchange.actor();
    exchange.then(
        Blocking.call(
            () ->
                all.edit(
                    id,
                    now -> {
                      Webhook next =
                          now.edited(
                              Objects.requireNonNullElse(name, now.name()),
                              Objects.requireNonNullElse(url, now.url()),
                              Objects.requireNonNullElse(reach, now.reach()),
                              Objects.requireNonNullElse(events, now.events()));
                      if (enabled == null || enabled == !now.isEnded()) {
                        return next;
                      }
                      return enabled
                          ? next.begun()
                          : next.ended(all.now(), "switched off by " + by.who());
                    },
                    by)),
        edited -> answer(exchange, 200, "WEBHOOK-EDIT", edited));
  }

  private static @Nullable Boolean enabled(Map<String, @Nullable Object> fields) {
    if (!fields.containsKey("enabled")) {
      return null;
    }
    if (fields.get("enabled") instanceof Boolean enabled) {
      return enabled;
    }
    throw new InvalidValue("enabled", "true or false", "is neither");
  }

  public void rotate(Exchange exchange) {
    KnownWebhooks all = needKept();
    String id = id(exchange);
    Map<String, @Nullable Object> fields = fields(exchange, Set.of("overlapSeconds"));
    Duration overlap = overlap(fields);
    Actor by = exchange.actor();
    exchange.then(
        Blocking.call(() -> all.rotate(id, overlap, by)),
        rotated -> {
          if (rotated.outcome() == KnownWebhooks.Outcome.TOO_MANY) {
            exchange.problem(TOO_MANY_SECRETS);
          } else {
            answer(exchange, 200, "WEBHOOK-ROTATE", rotated);
          }
        });
  }

  private static Duration overlap(Map<String, @Nullable Object> fields) {
    if (!fields.containsKey("overlapSeconds")) {
      return KnownWebhooks.OVERLAP;
    }
    if (fields.get("overlapSeconds") instanceof Long seconds
        && seconds >= 0
        && seconds <= MAX_OVERLAP) {
      return Duration.ofSeconds(seconds);
    }
    throw new InvalidValue("overlapSeconds", "0.." + MAX_OVERLAP, "is not a whole number in range");
  }

  private static void answer(Exchange exchange, int status, String act, Rotated done) {
    switch (done.outcome()) {
      case DONE -> {
        Webhook webhook = Objects.requireNonNull(done.webhook());
        audit(exchange, act + " " + webhook.id() + " " + webhook.name());
        exchange.json(
            status,
            Json.object(
                json -> {
                  write(json, webhook);
                  if (!done.secret().isEmpty()) {
                    json.writeStringProperty("secret", done.secret());
                  }
                }));
      }
      case NOT_FOUND -> exchange.problem(NOT_FOUND);
      case NAME_TAKEN -> exchange.problem(NAME_TAKEN);
      case TOO_MANY -> exchange.problem(TOO_MANY);
    }
  }

  public void list(Exchange exchange) {
    KnownWebhooks all = needKept();
    String after = after(exchange.query("after"));
    int limit = Paging.limit(exchange);
    exchange.then(
        Blocking.call(
            () ->
                all.store().kept().stream()
                    .map(Kept::webhook)
                    .filter(webhook -> webhook.id().compareTo(after) > 0)
                    .toList()),
        found ->
            exchange.json(
                200,
                Json.object(
                    json ->
                        Paging.write(
                            json,
                            "webhooks",
                            found,
                            limit,
                            webhook -> write(json, webhook),
                            Webhook::id))));
  }

  private static String after(@Nullable String id) {
    if (id != null && !ID.matcher(id).matches()) {
      throw new InvalidValue("after", ID_ALLOWED, "is not one");
    }
    return id == null ? "" : id;
  }

  public void get(Exchange exchange) {
    found(exchange, webhook -> exchange.json(200, Json.object(json -> write(json, webhook))));
  }

  /** What is to be done with a webhook that is there. */
  private void found(Exchange exchange, Consumer<Webhook> next) {
    KnownWebhooks all = needKept();
    String id = id(exchange);
    exchange.then(
        Blocking.call(() -> all.find(id)),
        kept -> {
          if (kept.isEmpty()) {
            exchange.problem(NOT_FOUND);
          } else {
            next.accept(kept.get().webhook());
          }
        });
  }

  public void delete(Exchange exchange) {
    KnownWebhooks all = needKept();
    String id = id(exchange);
    Actor by = exchange.actor();
    exchange.then(
        Blocking.call(() -> all.delete(id, by)),
        isDeleted -> {
          if (isDeleted) {
            audit(exchange, "WEBHOOK-DELETE " + id);
            exchange.response().setStatusCode(204).end();
          } else {
            exchange.problem(NOT_FOUND);
          }
        });
  }

  public void test(Exchange exchange) {
    KnownWebhooks all = needKept();
    Actor by = exchange.actor();
    found(
        exchange,
        webhook -> {
          Message ping = Messages.ping(webhook.id(), all.now());
          exchange.then(
              Blocking.call(
                  () ->
                      all.store().test(webhook.id(), ping, by)
                          ? all.store().delivery(webhook.id(), ping.id())
                          : Optional.<Delivery>empty()),
              sent -> {
                if (sent.isEmpty()) {
                  exchange.problem(DISABLED);
                } else {
                  audit(exchange, "WEBHOOK-TEST " + webhook.id() + " " + webhook.name());
                  delivery(exchange, 202, sent.get());
                }
              });
        });
  }

  public void deliveries(Exchange exchange) {
    KnownWebhooks all = needKept();
    String word = exchange.query("state");
    State state = word == null ? null : State.of(word);
    long below = below(exchange.query("after"));
    int limit = Paging.limit(exchange);
    found(
        exchange,
        webhook ->
            exchange.then(
                Blocking.call(() -> all.store().deliveries(webhook.id(), state, below, limit + 1)),
                some ->
                    exchange.json(
                        200,
                        Json.object(
                            json ->
                                Paging.write(
                                    json,
                                    "deliveries",
                                    some,
                                    limit,
                                    each -> write(json, each),
                                    each -> Long.toString(each.number()))))));
  }

  private static long below(@Nullable String number) {
    if (number == null) {
      return Long.MAX_VALUE;
    }
    if (number.matches("[0-9]{1,18}")) {
      return Long.parseLong(number);
    }
    throw new InvalidValue("after", "the number of a delivery", "is not one");
  }

  public void delivery(Exchange exchange) {
    KnownWebhooks all = needKept();
    String id = id(exchange);
    String message = message(exchange);
    exchange.then(
        Blocking.call(() -> all.store().delivery(id, message)),
        found -> {
          if (found.isEmpty()) {
            exchange.problem(NO_DELIVERY);
          } else {
            delivery(exchange, 200, found.get());
          }
        });
  }

  public void replay(Exchange exchange) {
    KnownWebhooks all = needKept();
    String message = message(exchange);
    Actor by = exchange.actor();
    found(
        exchange,
        webhook -> {
          if (webhook.isEnded()) {
            exchange.problem(DISABLED);
            return;
          }
          exchange.then(
              Blocking.call(() -> all.store().replay(webhook.id(), message, by)),
              replayed -> {
                if (replayed.isEmpty()) {
                  exchange.problem(NO_DELIVERY);
                } else {
                  audit(exchange, "WEBHOOK-REPLAY " + webhook.id() + " " + message);
                  delivery(exchange, 202, replayed.get());
                }
              });
        });
  }

  public void replayFailed(Exchange exchange) {
    KnownWebhooks all = needKept();
    long since = since(fields(exchange, Set.of("since")));
    Actor by = exchange.actor();
    found(
        exchange,
        webhook -> {
          if (webhook.isEnded()) {
            exchange.problem(DISABLED);
            return;
          }
          exchange.then(
              Blocking.call(() -> all.store().replayFailed(webhook.id(), since, by)),
              count -> {
                audit(exchange, "WEBHOOK-REPLAY " + webhook.id() + " " + count + " deliveries");
                exchange.json(
                    202, Json.object(json -> json.writeNumberProperty("replayed", count)));
              });
        });
  }

  private static long since(Map<String, @Nullable Object> fields) {
    try {
      if (fields.get("since") instanceof String text) {
        return Micros.of(Instant.from(DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(text)));
      }
    } catch (DateTimeException | ArithmeticException e) {
      // Said below.
    }
    throw new InvalidValue("since", SINCE_ALLOWED, "is missing or is not one");
  }

  private static Map<String, @Nullable Object> fields(Exchange exchange, Set<String> known) {
    Map<String, @Nullable Object> fields = exchange.body();
    for (String field : fields.keySet()) {
      if (!known.contains(field)) {
        throw new InvalidValue(
            field, String.join(", ", new TreeSet<>(known)), "is not a field of this call");
      }
    }
    return fields;
  }

  private static String name(@Nullable Object given) {
    if (given instanceof String name && NAME.matcher(name).matches()) {
      return name;
    }
    throw new InvalidValue("name", NAME_ALLOWED, "is not one");
  }

  private static Reach reach(@Nullable Object given) {
    List<String> names = texts(given, "queues", Reach.ALLOWED);
    return names == null ? Reach.ALL : Reach.of(names);
  }

  private static List<String> events(@Nullable Object given) {
    List<String> kinds = texts(given, "events", Kinds.ALLOWED);
    return kinds == null ? List.of() : Kinds.check(kinds);
  }

  private static @Nullable List<String> texts(
      @Nullable Object given, String field, String allowed) {
    return switch (given) {
      case null -> null;
      case List<?> texts when texts.stream().allMatch(String.class::isInstance) ->
          texts.stream().map(String.class::cast).toList();
      default -> throw new InvalidValue(field, allowed, "is not a list of texts");
    };
  }

  /** Empty text for one that nobody can have. */
  private static String id(Exchange exchange) {
    String id = exchange.parameter(0);
    return ID.matcher(id).matches() ? id : "";
  }

  private static String message(Exchange exchange) {
    String message = exchange.parameter(1);
    return MESSAGE.matcher(message).matches() ? message : "";
  }

  private KnownWebhooks needKept() {
    KnownWebhooks all = known;
    if (all == null) {
      throw new Problem.Found(Problem.withoutLedger("webhooks"));
    }
    return all;
  }

  private static void write(JsonGenerator json, Webhook webhook) {
    json.writeStringProperty("id", webhook.id());
    json.writeStringProperty("name", webhook.name());
    json.writeStringProperty("url", webhook.url());
    writeTexts(json, "queues", webhook.reach().names());
    writeTexts(json, "events", webhook.events());
    Json.time(json, "createdAt", webhook.createdAt());
    json.writeStringProperty("createdBy", webhook.createdBy());
    Json.time(json, "rotatingUntil", webhook.rotatingUntil());
    json.writeBooleanProperty("enabled", !webhook.isEnded());
    Json.time(json, "endedAt", webhook.endedAt());
    json.writeStringProperty("because", webhook.because().isEmpty() ? null : webhook.because());
  }

  /** Null for all of them, or the usual ones: an empty list would look like none. */
  private static void writeTexts(JsonGenerator json, String field, List<String> texts) {
    if (texts.isEmpty()) {
      json.writeNullProperty(field);
      return;
    }
    json.writeArrayPropertyStart(field);
    texts.forEach(json::writeString);
    json.writeEndArray();
  }

  private static void delivery(Exchange exchange, int status, Delivery delivery) {
    exchange.json(
        status,
        Json.object(
            json -> {
              write(json, delivery);
              json.writeName("message");
              json.writeRawValue(delivery.message().body());
            }));
  }

  private static void write(JsonGenerator json, Delivery delivery) {
    json.writeStringProperty("id", delivery.message().id());
    json.writeNumberProperty("number", delivery.number());
    json.writeStringProperty("event", delivery.message().kind());
    QueueId queue = delivery.message().queue();
    json.writeStringProperty("queue", queue == null ? null : queue.toString());
    json.writeStringProperty("state", delivery.state().word());
    Json.time(json, "createdAt", delivery.createdAt());
    json.writeNumberProperty("tries", delivery.tries());
    Json.time(json, "triedAt", delivery.triedAt());
    Json.time(json, "nextTryAt", delivery.state() == State.PENDING ? delivery.dueAt() : 0);
    if (delivery.status() == 0) {
      json.writeNullProperty("status");
    } else {
      json.writeNumberProperty("status", delivery.status());
    }
    json.writeStringProperty("error", delivery.error().isEmpty() ? null : delivery.error());
  }

  private static void audit(Exchange exchange, String act) {
    audit.info("{} by {} from {}", act, exchange.actor().who(), exchange.actor().from());
  }
}
