package io.naru.queue;

import io.naru.queue.Stay.CompletedBy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All that may change a queue. Each call is one atomic step that has happened, completely, when its
 * answer arrives; what is expected on a normal day is a value, a failed stage means broken
 * machinery ({@link QueueUnavailable}). Calls never block and may be repeated.
 */
public interface Queues {

  /**
   * Gives {@code user} a place at the end of the line, or says which place they have already; or,
   * where one may enter only {@link Stay#once}, that they have completed.
   *
   * @param claim to a lane. Who has none, or one to a lane that the queue does not have, stands in
   *     the last one. A code is used up with the place that it gives; who waits already is moved
   *     with it to the end of its lane. Where the queue has {@link Doors}, it says what a newcomer
   *     owes; whoever still does when their turn comes is passed over, and is next once they have
   *     proved it. After {@link Doors#proofSeconds} their entry expires; who owes only time goes in
   *     after {@link Doors#slowSeconds}
   */
  CompletionStage<Joined> join(QueueId queue, String user, Claim claim);

  /** The same for somebody who has no claim to a lane. */
  default CompletionStage<Joined> join(QueueId queue, String user) {
    return join(queue, user, Claim.NONE);
  }

  /** What somebody who waits still owes; nothing, if there is no such entry. */
  CompletionStage<Owed> owed(EntryKey entry);

  /** Somebody brought the proof that they owed; who owes nothing may do so again. */
  CompletionStage<Proved> prove(EntryKey entry);

  /** Gives a place up, in the line or inside. */
  CompletionStage<Ended> leave(EntryKey entry);

  /**
   * Somebody inside is done; the place inside is free again.
   *
   * @param by who says so, which the queue's settings may not allow
   */
  CompletionStage<Ended> complete(EntryKey entry, CompletedBy by);

  /**
   * The payment of somebody inside failed. Their place is kept for another try, as long as {@link
   * Fallback#retrySeconds} and their pass; after that, or if they give up, their turn is over, and
   * with the same step they have a new entry that goes in before all who have not been in. Told
   * again, it is answered the same.
   *
   * @param by who says so, which the queue's settings may not allow
   */
  CompletionStage<Returned> giveBack(EntryKey entry, boolean givesUp, CompletedBy by);

  /**
   * Gives the place of somebody who waits to another user, who is perhaps the same person on
   * another device. Nobody else's place changes; of the entry before, only that this became of it
   * is known.
   */
  CompletionStage<HandedOff> handOff(EntryKey entry, String to);

  /**
   * Binds somebody inside to the first session that asks.
   *
   * @param session a hash of it: short, plain, and of no use to whoever reads the store
   */
  CompletionStage<Redeemed> redeem(EntryKey entry, String session);

  /**
   * Takes somebody out, from the line or from inside; the gates hear of a turn that ends so.
   *
   * @param reason that is kept with the entry
   * @param by who does so
   */
  CompletionStage<Removed> remove(QueueId queue, String user, EndReason reason, Actor by);

  /**
   * Moves somebody who waits to the end of another lane. Who stands there already keeps their
   * place.
   *
   * @param by who does so
   */
  CompletionStage<Shifted> move(QueueId queue, String user, String lane, Actor by);

  /**
   * Makes codes of which each gives one person a place in a lane.
   *
   * @param hashes of the codes, which nobody keeps
   * @param by who does so
   */
  CompletionStage<Coded> makeCodes(QueueId queue, String lane, Set<String> hashes, Actor by);

  /**
   * Forgets a name: a live entry ends, and in all that are kept another name stands in its place,
   * while their times and their order stay. With the name goes what was known of them: that they
   * completed where one may enter only {@link Stay#once}, and how often they came. Of somebody with
   * very many entries perhaps not all are done; then once more is needed.
   *
   * @param name that says nothing about them, for instance one made up at random
   * @param by who does so
   */
  CompletionStage<Erased> erase(QueueId queue, String user, String name, Actor by);

  /**
   * One step of admission: those who overstayed inside expire, then the first of the line go in, as
   * far as capacity and allowance reach, at most {@link Admission#MAX_STEP}. Where the queue {@link
   * Stay#requeues}, those who expired stand at the end of the line after the step, with new
   * entries, in the order of the old ones; none of them is admitted by the same step. Where the
   * queue has ended, the first of the line expire instead, as many.
   */
  CompletionStage<Admitted> admit(QueueId queue, Admission admission);

  /**
   * A server says whom it has seen near the front of a line, every second as long as it looks, for
   * a queue that goes by that ({@link Door#passesOver}). Somebody whom no server has seen for ten
   * seconds is passed over when their turn comes: they keep their place and are next once they are
   * seen again, and after {@link Door#absenceGraceSeconds} their entry expires. When a server falls
   * silent or stops, everybody counts as present for a minute.
   */
  CompletionStage<Seen> see(QueueId queue, Sightings sightings);

  /**
   * Takes what the site says of its stock, for a queue that goes by that: from this step on nobody
   * is admitted beyond it. What is older than what is known changes nothing.
   */
  CompletionStage<Pushed> push(QueueId queue, Stock stock);

  /**
   * Makes or changes a queue.
   *
   * @throws InvalidValue (in the stage) if a setting is unknown or out of range; nothing is changed
   */
  CompletionStage<Edited> edit(QueueId queue, Edit edit);

  /**
   * Somebody says how the site behind a queue does, which its rate may follow.
   *
   * @throws InvalidValue (in the stage) if that cannot be; nothing is changed
   */
  CompletionStage<Signaled> signal(QueueId queue, Signal signal);

  CompletionStage<Optional<Overview>> find(QueueId queue);

  /**
   * Those of these queues that exist, read together, for whoever looks at them again and again.
   * They do not say how long the first in line has been waiting.
   */
  CompletionStage<List<Overview>> findAll(Set<QueueId> queues);

  /**
   * The queues in which a step of admission may have something to do now: people wait who could go
   * in, or who wait although the queue has ended, or somebody inside has overstayed, also where
   * nobody is let in; or a time has come since which people may enter, or may not any more, or it
   * is over. None of those is missing, whoever made it so; some may be named without need, but
   * nobody's time is spent on a queue that nobody waits in and nobody is inside of, save once when
   * such a time has come.
   */
  CompletionStage<List<QueueId>> due();

  /**
   * Some queues with their figures, in the order of their names.
   *
   * @param after the last one that is known already, also if it is gone by now; null to begin
   * @param limit fewer are only the answer if there are no more
   */
  CompletionStage<List<Overview>> list(@Nullable QueueId after, int limit);

  /**
   * What all queues come to.
   *
   * @param busiest how many of them to name
   */
  CompletionStage<Summary> summary(int busiest);

  /** Removes a queue with everybody in it; false if there is none. */
  CompletionStage<Boolean> delete(QueueId queue, Actor by);

  /**
   * Registers who is told when a step made here leaves people waiting, room inside and allowance,
   * so that they need not wait for the next beat.
   */
  void onRoom(Consumer<QueueId> listener);
}
