package io.naru.server.doors;

import io.naru.queue.Claim;
import io.naru.queue.Doors;
import io.naru.queue.Joined;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.naru.server.identity.Identity;
import io.naru.server.limits.AddressLimits;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Says how newcomers come to a queue's doors. Which doors it has is learned from every place that
 * is given out, so that nothing is asked for it; what somebody owes is decided with their place.
 */
public final class Doorkeeper {

  public static final Problem SIGNED_ONLY =
      Problem.of(
          401,
          "signed-only",
          "Only by name",
          "only those get a place here whom the site names: log in there, and come again");

  private final Identity identity;
  private final AddressLimits limits;
  private final SideDoor sideDoor;
  private final KnownDoors known = new KnownDoors();

  public Doorkeeper(Identity identity, AddressLimits limits, SideDoor sideDoor) {
    this.identity = identity;
    this.limits = limits;
    this.sideDoor = sideDoor;
  }

  /**
   * Somebody at the door.
   *
   * @param isCounted whether a place was counted for their address
   */
  public record Arrival(QueueId queue, String user, Claim.From from, boolean isCounted) {}

  /**
   * Who comes, and how.
   *
   * @param isPlain whether their browser runs no scripts
   * @throws Problem.Found if they get no place here, whatever they do now
   */
  public Arrival arrive(Exchange exchange, QueueId queue, boolean isPlain) {
    Doors doors = known.of(queue);
    boolean isNamed = identity.isNamed(exchange);
    if (doors == null) {
      String user = identity.userOrNew(exchange);
      return new Arrival(queue, user, new Claim.From(isNamed, false, isPlain), false);
    }
    Optional<String> user = identity.userOf(exchange);
    if (doors.signedOnly() && user.isEmpty()) {
      throw new Problem.Found(SIGNED_ONLY);
    }
    if (!doors.ask()) {
      String known = user.orElseGet(() -> identity.userOrNew(exchange));
      return new Arrival(queue, known, new Claim.From(isNamed, false, isPlain), false);
    }
    // Never a wall: whoever is one too many owes a proof.
    boolean isOneTooMany = user.isEmpty() && limits.isOneTooMany(exchange);
    boolean isCounted = doors.perAddressPerMinute() > 0;
    boolean isOver =
        isCounted && limits.isOver(exchange, queue.toString(), doors.perAddressPerMinute());
    return new Arrival(
        queue,
        user.orElseGet(() -> identity.welcome(exchange)),
        new Claim.From(isNamed, isOneTooMany || isOver, isPlain),
        isCounted && !isOver);
  }

  /** Lets somebody take their place: now, or in turn where too many come from. */
  public CompletionStage<Joined> let(
      Exchange exchange, Arrival arrival, Supplier<CompletionStage<Joined>> join) {
    return arrival.from().isCrowded()
        ? sideDoor.pass(limits.networkOf(exchange), join)
        : join.get();
  }

  /** Learns from what came of it; who got no new place has taken none of their address's. */
  public void joined(Exchange exchange, Arrival arrival, Joined joined) {
    if (arrival.isCounted() && !(joined instanceof Joined.Waiting)) {
      limits.notTaken(exchange, arrival.queue().toString());
    }
    switch (joined) {
      case Joined.Waiting(var place) -> learn(place);
      case Joined.AlreadyIn(var place) -> learn(place);
      case Joined.Over _, Joined.NotYet _, Joined.Refused _ -> {}
    }
  }

  private void learn(Place place) {
    known.learn(place.entry().key().queue(), place.line().settings().door().doors());
  }
}
