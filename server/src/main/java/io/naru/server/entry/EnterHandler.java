package io.naru.server.entry;

import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.server.http.Exchange;
import io.naru.server.http.Json;
import io.naru.server.identity.Identity;

/**
 * {@code POST /queue/{type}/{id}/enter}: a place at the end of the line, or the one held already.
 */
public final class EnterHandler {

  private final Queues queues;
  private final Identity identity;
  private final EntryJson entries;

  public EnterHandler(Queues queues, Identity identity, EntryJson entries) {
    this.queues = queues;
    this.identity = identity;
    this.entries = entries;
  }

  public void handle(Exchange exchange) {
    QueueId queue = exchange.queue();
    String lane = identity.laneOf(exchange);
    String user = identity.userOrNew(exchange);
    exchange.ifUnavailable(
        "you are not in line yet: nobody can be put in line right now; please try again");
    exchange.then(
        queues.join(queue, user, lane),
        joined -> {
          switch (joined) {
            case Joined.Waiting(var place) -> exchange.json(201, entries.of(place));
            case Joined.AlreadyIn(var place) ->
                exchange.problem(Problems.ALREADY_ENTERED, entries.asMember(place));
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
                      case TOO_OFTEN -> Problems.TOO_OFTEN.retryAfter(retryAfter);
                    });
          }
        });
  }
}
