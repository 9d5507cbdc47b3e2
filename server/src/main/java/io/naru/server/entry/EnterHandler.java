package io.naru.server.entry;

import io.naru.queue.Claim;
import io.naru.queue.InvalidValue;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.server.doors.Doorkeeper;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.identity.Identity;
import io.naru.server.limits.AddressLimits;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /queue/{type}/{id}/enter}: a place at the end of the line, or the one held already.
 */
public final class EnterHandler {

  private final Queues queues;
  private final Identity identity;
  private final Doorkeeper doorkeeper;
  private final EntryJson entries;
  private final AddressLimits limits;

  public EnterHandler(
      Queues queues,
      Identity identity,
      Doorkeeper doorkeeper,
      EntryJson entries,
      AddressLimits limits) {
    this.limits = limits;
    this.doorkeeper = doorkeeper;
    this.queues = queues;
    this.identity = identity;
    this.entries = entries;
  }

  public void handle(Exchange exchange) {
    QueueId queue = exchange.queue();
    String lane = identity.laneOf(exchange);
    String code = code(exchange.body());
    Doorkeeper.Arrival arrival = doorkeeper.arrive(exchange, queue, false);
    exchange.ifUnavailable(
        "you are not in line yet: nobody can be put in line right now; please try again");
    var claim = new Claim(lane, code, arrival.from());
    exchange.then(
        doorkeeper.let(exchange, arrival, () -> queues.join(queue, arrival.user(), claim)),
        joined -> {
          doorkeeper.joined(exchange, arrival, joined);
          switch (joined) {
            case Joined.Waiting(var place) -> {
              entries.lookout().see(place);
              identity.keepPlace(exchange, place.entry().key());
              exchange.json(201, entries.of(place));
            }
            case Joined.AlreadyIn(var place) -> {
              entries.lookout().see(place);
              identity.keepPlace(exchange, place.entry().key());
              exchange.problem(Problems.ALREADY_ENTERED, entries.asMember(place));
            }
            case Joined.Over(var place) ->
                exchange.problem(Problems.ONCE_ONLY, entries.asMember(place));
            case Joined.NotYet(var opensAt) ->
                exchange.problem(Problems.NOT_YET, json -> Json.time(json, "opensAt", opensAt));
            case Joined.Refused(var reason, var retryAfter) ->
                exchange.problem(
                    switch (reason) {
                      case NO_QUEUE -> Problems.QUEUE_NOT_FOUND;
                      case NOT_ACTIVE -> Problems.NOT_ALLOWED;
                      case LINE_FULL -> Problems.LINE_FULL;
                      case SIGNED_ONLY -> Doorkeeper.SIGNED_ONLY;
                      case CODE_INVALID -> limits.missed(exchange, Problems.CODE_INVALID);
                      case TOO_OFTEN -> Problems.TOO_OFTEN.retryAfter(retryAfter);
                    });
          }
        });
  }

  /** The hash of the code that somebody shows; empty if none. */
  private static String code(Map<String, @Nullable Object> body) {
    for (String field : body.keySet()) {
      if (!field.equals("code")) {
        throw new InvalidValue(field, "code", "is not a field of this call");
      }
    }
    return body.containsKey("code") ? LaneCodes.typed(body.get("code")) : "";
  }
}
