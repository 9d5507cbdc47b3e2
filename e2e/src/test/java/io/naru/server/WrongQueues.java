package io.naru.server;

import static java.util.concurrent.CompletableFuture.completedStage;
import static java.util.concurrent.CompletableFuture.delayedExecutor;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.Coded;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.EndReason;
import io.naru.queue.Ended;
import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.Erased;
import io.naru.queue.HandedOff;
import io.naru.queue.Joined;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.Owed;
import io.naru.queue.Place;
import io.naru.queue.Proved;
import io.naru.queue.Pushed;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Redeemed;
import io.naru.queue.Removed;
import io.naru.queue.Returned;
import io.naru.queue.Seen;
import io.naru.queue.Settings;
import io.naru.queue.Shifted;
import io.naru.queue.Sightings;
import io.naru.queue.Signal;
import io.naru.queue.Signaled;
import io.naru.queue.State;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stock;
import io.naru.queue.Stocked;
import io.naru.queue.Summary;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Acknowledges before the commit, or what it does not do at all, or admits twice. */
final class WrongQueues implements Queues {

  static final String ACKNOWLEDGE_BEFORE_COMMIT = "acknowledge-before-commit";
  static final String ADMIT_TWICE = "admit-twice";
  static final String KEEP_RETURNED = "keep-returned";
  static final String DEAF_TO_STOCK = "deaf-to-stock";

  private final Queues right;

  WrongQueues(Queues right) {
    this.right = right;
  }

  @Override
  public CompletionStage<Joined> join(QueueId queue, String user, Claim claim) {
    if (!queue.id().equals(ACKNOWLEDGE_BEFORE_COMMIT)) {
      return right.join(queue, user, claim);
    }
    delayedExecutor(50, MILLISECONDS).execute(() -> right.join(queue, user, claim));
    var key = new EntryKey(queue, user, Micros.now(InstantSource.system()));
    var line = new LineState(0, 1, 1, State.OPEN, Settings.DEFAULT);
    return completedStage(new Joined.Waiting(new Place(Entry.waiting(key), 0, 0, 1, line)));
  }

  @Override
  public CompletionStage<Admitted> admit(QueueId queue, Admission admission) {
    CompletionStage<Admitted> once = right.admit(queue, admission);
    if (!queue.id().equals(ADMIT_TWICE)) {
      return once;
    }
    return once.thenCompose(
        first ->
            first instanceof Admitted.Done done && !done.entries().isEmpty()
                ? right
                    .admit(queue, new Admission.ByHand(done.entries().size(), Actor.SYSTEM))
                    .thenApply(_ -> first)
                : completedStage(first));
  }

  @Override
  public CompletionStage<Ended> leave(EntryKey entry) {
    return right.leave(entry);
  }

  @Override
  public CompletionStage<Ended> complete(EntryKey entry, CompletedBy by) {
    return right.complete(entry, by);
  }

  @Override
  public CompletionStage<Redeemed> redeem(EntryKey entry, String session) {
    return right.redeem(entry, session);
  }

  @Override
  public CompletionStage<Removed> remove(QueueId queue, String user, EndReason reason, Actor by) {
    return right.remove(queue, user, reason, by);
  }

  @Override
  public CompletionStage<Shifted> move(QueueId queue, String user, String lane, Actor by) {
    return right.move(queue, user, lane, by);
  }

  @Override
  public CompletionStage<Coded> makeCodes(
      QueueId queue, String lane, Set<String> hashes, Actor by) {
    return right.makeCodes(queue, lane, hashes, by);
  }

  @Override
  public CompletionStage<Erased> erase(QueueId queue, String user, String name, Actor by) {
    return right.erase(queue, user, name, by);
  }

  @Override
  public CompletionStage<HandedOff> handOff(EntryKey entry, String to) {
    return right.handOff(entry, to);
  }

  @Override
  public CompletionStage<Returned> giveBack(EntryKey entry, boolean givesUp, CompletedBy by) {
    return entry.queue().id().equals(KEEP_RETURNED)
        ? completedStage(new Returned.Has(entry))
        : right.giveBack(entry, givesUp, by);
  }

  @Override
  public CompletionStage<Owed> owed(EntryKey entry) {
    return right.owed(entry);
  }

  @Override
  public CompletionStage<Proved> prove(EntryKey entry) {
    return right.prove(entry);
  }

  @Override
  public CompletionStage<Seen> see(QueueId queue, Sightings sightings) {
    return right.see(queue, sightings);
  }

  @Override
  public CompletionStage<Pushed> push(QueueId queue, Stock stock) {
    return queue.id().equals(DEAF_TO_STOCK) && stock.version() > 1
        ? completedStage(new Pushed.Taken(new Stocked(stock, Micros.now(InstantSource.system()))))
        : right.push(queue, stock);
  }

  @Override
  public CompletionStage<Edited> edit(QueueId queue, Edit edit) {
    return right.edit(queue, edit);
  }

  @Override
  public CompletionStage<List<Overview>> findAll(Set<QueueId> queues) {
    return right.findAll(queues);
  }

  @Override
  public CompletionStage<Signaled> signal(QueueId queue, Signal signal) {
    return right.signal(queue, signal);
  }

  @Override
  public CompletionStage<Optional<Overview>> find(QueueId queue) {
    return right.find(queue);
  }

  @Override
  public CompletionStage<List<QueueId>> due() {
    return right.due();
  }

  @Override
  public CompletionStage<List<Overview>> list(@Nullable QueueId after, int limit) {
    return right.list(after, limit);
  }

  @Override
  public CompletionStage<Summary> summary(int busiest) {
    return right.summary(busiest);
  }

  @Override
  public CompletionStage<Boolean> delete(QueueId queue, Actor by) {
    return right.delete(queue, by);
  }

  @Override
  public void onRoom(Consumer<QueueId> listener) {
    right.onRoom(listener);
  }
}
