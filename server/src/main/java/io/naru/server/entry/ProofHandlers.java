package io.naru.server.entry;

import io.naru.line.Line;
import io.naru.line.Standing;
import io.naru.queue.Doors;
import io.naru.queue.EntryKey;
import io.naru.queue.EntryTokens;
import io.naru.queue.InvalidValue;
import io.naru.queue.Owed;
import io.naru.queue.Place;
import io.naru.queue.Proved;
import io.naru.queue.Queues;
import io.naru.server.doors.Proofs;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.naru.server.limits.AddressLimits;
import io.vertx.core.http.HttpHeaders;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What somebody in line owes, and the proof of it: {@code GET /queue/token/{entryToken}/challenge},
 * {@code POST /queue/token/{entryToken}/proof}. Whatever comes of it, they keep their place.
 */
public final class ProofHandlers {

  private static final Problem REFUSED =
      Problem.of(
          403,
          "proof-refused",
          "Proof refused",
          "this proves nothing for this place, which is kept: ask for a new challenge");

  private static final Problem BUSY =
      Problem.of(
          503,
          "proof-busy",
          "Try again",
          "too many prove something at this moment; your place is kept, please try again");

  private static final Problem VERIFIER_DOWN =
      Problem.of(
          503,
          "verifier-down",
          "Try again",
          "who says that you are a person cannot be asked now; your place is kept, please try"
              + " again");

  private final Queues queues;
  private final Line line;
  private final EntryTokens tokens;
  private final AddressLimits limits;
  private final EntryJson entries;
  private final Proofs proofs;

  public ProofHandlers(
      Queues queues,
      Line line,
      EntryTokens tokens,
      AddressLimits limits,
      EntryJson entries,
      Proofs proofs) {
    this.entries = entries;
    this.queues = queues;
    this.line = line;
    this.tokens = tokens;
    this.limits = limits;
    this.proofs = proofs;
  }

  /** {@code GET …/challenge}: what to prove; 204 if nothing is owed but time. */
  public void challenge(Exchange exchange) {
    ofWhoOwes(
        exchange,
        (place, owed) -> {
          EntryKey entry = place.entry().key();
          if (owed == Owed.VERIFIER && proofs.shown() != null) {
            exchange.json(200, proofs.verifierJson());
            return;
          }
          exchange.then(
              proofs.challenge(entry),
              made ->
                  made.ifPresentOrElse(
                      json -> exchange.json(200, json), () -> exchange.problem(later(BUSY))));
        });
  }

  /** {@code POST …/proof}. */
  public void prove(Exchange exchange) {
    Map<String, @Nullable Object> body = exchange.body();
    for (String field : body.keySet()) {
      if (!field.equals("payload") && !field.equals("response")) {
        throw new InvalidValue(field, "payload or response", "is not a field of this call");
      }
    }
    ofWhoOwes(
        exchange,
        (place, owed) -> {
          EntryKey entry = place.entry().key();
          if (owed == Owed.VERIFIER && proofs.shown() != null) {
            verify(exchange, place, text(body, "response"));
          } else if (proofs.isGood(text(body, "payload"), entry)) {
            proved(exchange, entry);
          } else {
            exchange.problem(REFUSED);
          }
        });
  }

  private static String text(Map<String, @Nullable Object> body, String field) {
    if (!(body.get(field) instanceof String text) || text.isEmpty()) {
      throw new InvalidValue(field, "text, as the challenge asks for it", "is missing or not text");
    }
    return text;
  }

  private void verify(Exchange exchange, Place place, String response) {
    Doors doors = place.line().settings().door().doors().orElseThrow();
    EntryKey entry = place.entry().key();
    exchange.then(
        proofs.verify(response),
        verdict -> {
          switch (verdict) {
            case GOOD -> proved(exchange, entry);
            case BAD -> exchange.problem(REFUSED);
            case BUSY -> exchange.problem(later(BUSY));
            case DOWN -> {
              proofs.noteDown(doors.verifierDown());
              if (doors.verifierDown() == Doors.Down.OPEN) {
                proved(exchange, entry);
              } else {
                exchange.problem(later(VERIFIER_DOWN));
              }
            }
          }
        });
  }

  private void proved(Exchange exchange, EntryKey entry) {
    exchange.then(
        queues.prove(entry),
        proved -> {
          if (proved == Proved.DONE) {
            nothing(exchange);
          } else {
            exchange.problem(Problems.ENTRY_NOT_FOUND);
          }
        });
  }

  private static void nothing(Exchange exchange) {
    var response = exchange.response();
    if (!response.ended() && !response.closed()) {
      response.setStatusCode(204).putHeader(HttpHeaders.CACHE_CONTROL, "no-store").end();
    }
  }

  /** Those who try again come one after another. */
  private static Problem later(Problem problem) {
    return problem.retryAfter(1 + ThreadLocalRandom.current().nextLong(4));
  }

  /** Goes on with somebody who waits and owes something that can be proved. */
  private void ofWhoOwes(Exchange exchange, BiConsumer<Place, Owed> next) {
    EntryKey key = tokens.read(exchange.parameter(0)).orElse(null);
    if (key == null) {
      exchange.problem(limits.missed(exchange, Problems.ENTRY_NOT_FOUND));
      return;
    }
    exchange.ifUnavailable("nobody can be asked now; your place is kept, please try again");
    exchange.then(
        line.locate(key),
        standing -> {
          switch (standing) {
            case Standing.Found(var place) when Problems.isOver(place.entry()) ->
                exchange.problem(Problems.over(place.entry()), entries.asMember(place));
            case Standing.Found(var place) when mayOwe(place) ->
                exchange.then(
                    queues.owed(key),
                    owed -> {
                      if (owed == Owed.WORK || owed == Owed.VERIFIER) {
                        next.accept(place, owed);
                      } else {
                        nothing(exchange);
                      }
                    });
            case Standing.Found _ -> nothing(exchange);
            case Standing.Unknown _ -> exchange.problem(Problems.ENTRY_NOT_FOUND);
            case Standing.NoQueue _ -> exchange.problem(Problems.QUEUE_NOT_FOUND);
          }
        });
  }

  /** Where nobody does, the store is not asked. */
  private static boolean mayOwe(Place place) {
    return place.entry().isWaiting() && place.line().settings().door().asks();
  }
}
