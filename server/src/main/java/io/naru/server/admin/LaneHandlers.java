package io.naru.server.admin;

import io.naru.queue.Actor;
import io.naru.queue.InvalidValue;
import io.naru.queue.Lanes;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Shifted;
import io.naru.queue.UserId;
import io.naru.server.entry.LaneCodes;
import io.naru.server.entry.Problems;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.http.Problem;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who stands in which lane: codes that are given away, and moving somebody by hand. */
public final class LaneHandlers {

  private static final Logger audit = LoggerFactory.getLogger("naru.audit");
  private static final int MAX_CODES = 10_000;

  private static final Problem NO_LANE =
      Problem.of(404, "lane-not-found", "Lane not found", "this queue has no such lane");
  private static final Problem NOT_WAITING =
      Problem.of(
          404, "person-not-found", "Person not found", "nobody of that name waits in this queue");

  private static final Problem BEING_DRAWN =
      Problem.of(
              409,
              "being-drawn",
              "Being drawn",
              "the order of this queue is being drawn: move people when everybody has a place")
          .retryAfter(2);

  private final Queues queues;

  public LaneHandlers(Queues queues) {
    this.queues = queues;
  }

  /** Told once, here: only hashes are kept. */
  public void codes(Exchange exchange) {
    QueueId queue = exchange.queueInBody();
    Map<String, @Nullable Object> fields = fields(exchange, "lane", "count");
    String lane = lane(fields);
    int count = count(fields.get("count"));
    Set<String> codes = new LinkedHashSet<>();
    while (codes.size() < count) {
      codes.add(LaneCodes.newCode());
    }
    Set<String> hashes = new HashSet<>();
    codes.forEach(code -> hashes.add(LaneCodes.hash(code)));
    exchange.then(
        queues.makeCodes(queue, lane, hashes, exchange.actor()),
        made -> {
          switch (made) {
            case DONE -> {
              note(exchange.actor(), "CODES " + count + " for " + lane, queue);
              exchange.json(
                  200,
                  Json.object(
                      json -> {
                        json.writeArrayPropertyStart("codes");
                        codes.forEach(json::writeString);
                        json.writeEndArray();
                      }));
            }
            case NO_LANE -> exchange.problem(NO_LANE);
            case NO_QUEUE -> exchange.problem(Problems.QUEUE_NOT_FOUND);
            case NEEDS_LEDGER -> exchange.problem(Problem.needsLedger("lanes", "none"));
          }
        });
  }

  public void move(Exchange exchange) {
    QueueId queue = exchange.queueInBody();
    Map<String, @Nullable Object> fields = fields(exchange, "lane", "user");
    String lane = lane(fields);
    if (!(fields.get("user") instanceof String user) || !UserId.isValid(user)) {
      throw new InvalidValue("user", UserId.ALLOWED, "is not a valid user id");
    }
    exchange.then(
        queues.move(queue, user, lane, exchange.actor()),
        moved -> {
          switch (moved) {
            case Shifted.Done(long ahead, boolean isMoved) -> {
              if (isMoved) {
                note(exchange.actor(), "MOVE a person to " + lane, queue);
              }
              exchange.json(
                  200,
                  Json.object(
                      json -> {
                        json.writeStringProperty("lane", lane);
                        if (isMoved && ahead != Shifted.NO_PLACE) {
                          json.writeNumberProperty("position", ahead + 1);
                        }
                      }));
            }
            case Shifted.NotNow _ -> exchange.problem(BEING_DRAWN);
            case Shifted.Nobody _ -> exchange.problem(NOT_WAITING);
            case Shifted.NoLane _ -> exchange.problem(NO_LANE);
            case Shifted.NoQueue _ -> exchange.problem(Problems.QUEUE_NOT_FOUND);
            case Shifted.NeedsLedger _ -> exchange.problem(Problem.needsLedger("lanes", "none"));
          }
        });
  }

  /** What a body has besides the queue's name; nothing but these. */
  private static Map<String, @Nullable Object> fields(Exchange exchange, String... allowed) {
    Map<String, @Nullable Object> fields = new HashMap<>(exchange.body());
    fields.keySet().removeAll(Set.of("eventType", "eventId"));
    Set<String> others = new HashSet<>(fields.keySet());
    others.removeAll(Set.of(allowed));
    if (!others.isEmpty()) {
      throw new InvalidValue(
          others.iterator().next(),
          "eventType, eventId, " + String.join(", ", allowed),
          "is not a field of this call");
    }
    return fields;
  }

  private static String lane(Map<String, @Nullable Object> fields) {
    if (fields.get("lane") instanceof String lane && Lanes.isName(lane)) {
      return lane;
    }
    throw new InvalidValue("lane", Lanes.NAME_ALLOWED, "is not a name of a lane");
  }

  private static int count(@Nullable Object given) {
    if (given instanceof Long count && count >= 1 && count <= MAX_CODES) {
      return count.intValue();
    }
    throw new InvalidValue("count", "1.." + MAX_CODES, "is not a whole number in range");
  }

  private static void note(Actor by, String act, QueueId queue) {
    audit.info("{} {} by {} from {}", act, queue, by.who(), by.from());
  }
}
