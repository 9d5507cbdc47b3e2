package io.naru.server.admission;

import static org.awaitility.Awaitility.await;

import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.Coded;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.EndReason;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.Erased;
import io.naru.queue.HandedOff;
import io.naru.queue.Joined;
import io.naru.queue.Overview;
import io.naru.queue.Owed;
import io.naru.queue.Proved;
import io.naru.queue.Pushed;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Queues;
import io.naru.queue.Redeemed;
import io.naru.queue.Removed;
import io.naru.queue.Returned;
import io.naru.queue.Seen;
import io.naru.queue.Shifted;
import io.naru.queue.Sightings;
import io.naru.queue.Signal;
import io.naru.queue.Signaled;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stock;
import io.naru.queue.Summary;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Queues whose beat can be watched, and made to fail. */
final class WatchedQueues implements Queues {

  private final Queues queues;
  private final AtomicInteger ticks = new AtomicInteger();
  private final AtomicInteger looks = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();
  private volatile @Nullable Failure failure;
  private volatile @Nullable QueueId failing;

  /** In which way a store lets its caller down. */
  enum Failure {
    /** As agreed: a failed stage. */
    LATER,
    /** Before there is a stage. */
    AT_ONCE,
    /** With an answer that cannot be. */
    NONSENSE
  }

  WatchedQueues(Queues queues) {
    this.queues = queues;
  }

  /** From now on every step of the beat fails, until {@link #heal}. */
  void failWith(Failure kind) {
    failure = kind;
  }

  void heal() {
    failure = null;
    failing = null;
  }

  void awaitFailures(int more) {
    awaitMore(failures, more);
  }

  /** Nobody is told about room any more. */
  void keepRoomToYourself() {
    queues.onRoom(_ -> {});
  }

  int ticks() {
    return ticks.get();
  }

  int looks() {
    return looks.get();
  }

  /** Until the beat has looked for what is due so many times more. */
  void awaitLooks(int more) {
    awaitMore(looks, more);
  }

  /** From now on every admission to this queue fails, until {@link #heal}. */
  void failIn(QueueId queue) {
    failing = queue;
  }

  private static void awaitMore(AtomicInteger counter, int more) {
    int wanted = counter.get() + more;
    await().pollInterval(Duration.ofMillis(2)).until(() -> counter.get() >= wanted);
  }

  @Override
  public CompletionStage<Admitted> admit(QueueId queue, Admission admission) {
    CompletionStage<Admitted> stage =
        queue.equals(failing) ? fail() : perhaps(() -> queues.admit(queue, admission));
    return stage.whenComplete((_, _) -> ticks.incrementAndGet());
  }

  @Override
  public CompletionStage<List<QueueId>> due() {
    return perhaps(queues::due).whenComplete((_, _) -> looks.incrementAndGet());
  }

  @Override
  public CompletionStage<List<Overview>> list(@Nullable QueueId after, int limit) {
    return queues.list(after, limit);
  }

  @Override
  public CompletionStage<Summary> summary(int busiest) {
    return queues.summary(busiest);
  }

  @SuppressWarnings("NullAway") // An answer that cannot be is the point.
  private <T> CompletionStage<T> perhaps(Supplier<CompletionStage<T>> call) {
    Failure now = failure;
    if (now == null) {
      return call.get();
    }
    return switch (now) {
      case LATER -> fail();
      case AT_ONCE -> throw unavailable();
      case NONSENSE -> {
        failures.incrementAndGet();
        yield CompletableFuture.completedFuture(null);
      }
    };
  }

  private <T> CompletionStage<T> fail() {
    return CompletableFuture.failedFuture(unavailable());
  }

  private QueueUnavailable unavailable() {
    failures.incrementAndGet();
    return new QueueUnavailable(QueueUnavailable.Kind.DISCONNECTED, "no connection, says the test");
  }

  @Override
  public CompletionStage<Joined> join(QueueId queue, String user, Claim claim) {
    return queues.join(queue, user, claim);
  }

  @Override
  public CompletionStage<Ended> leave(EntryKey entry) {
    return queues.leave(entry);
  }

  @Override
  public CompletionStage<Ended> complete(EntryKey entry, CompletedBy by) {
    return queues.complete(entry, by);
  }

  @Override
  public CompletionStage<Redeemed> redeem(EntryKey entry, String session) {
    return queues.redeem(entry, session);
  }

  @Override
  public CompletionStage<Removed> remove(QueueId queue, String user, EndReason reason, Actor by) {
    return queues.remove(queue, user, reason, by);
  }

  @Override
  public CompletionStage<Shifted> move(QueueId queue, String user, String lane, Actor by) {
    return queues.move(queue, user, lane, by);
  }

  @Override
  public CompletionStage<Coded> makeCodes(
      QueueId queue, String lane, Set<String> hashes, Actor by) {
    return queues.makeCodes(queue, lane, hashes, by);
  }

  @Override
  public CompletionStage<Erased> erase(QueueId queue, String user, String name, Actor by) {
    return queues.erase(queue, user, name, by);
  }

  @Override
  public CompletionStage<HandedOff> handOff(EntryKey entry, String to) {
    return queues.handOff(entry, to);
  }

  @Override
  public CompletionStage<Returned> giveBack(EntryKey entry, boolean givesUp, CompletedBy by) {
    return queues.giveBack(entry, givesUp, by);
  }

  @Override
  public CompletionStage<Owed> owed(EntryKey entry) {
    return queues.owed(entry);
  }

  @Override
  public CompletionStage<Proved> prove(EntryKey entry) {
    return queues.prove(entry);
  }

  @Override
  public CompletionStage<Seen> see(QueueId queue, Sightings sightings) {
    return queues.see(queue, sightings);
  }

  @Override
  public CompletionStage<Pushed> push(QueueId queue, Stock stock) {
    return queues.push(queue, stock);
  }

  @Override
  public CompletionStage<Edited> edit(QueueId queue, Edit edit) {
    return queues.edit(queue, edit);
  }

  @Override
  public CompletionStage<List<Overview>> findAll(Set<QueueId> some) {
    return queues.findAll(some);
  }

  @Override
  public CompletionStage<Signaled> signal(QueueId queue, Signal signal) {
    return queues.signal(queue, signal);
  }

  @Override
  public CompletionStage<Optional<Overview>> find(QueueId queue) {
    return queues.find(queue);
  }

  @Override
  public CompletionStage<Boolean> delete(QueueId queue, Actor by) {
    return queues.delete(queue, by);
  }

  @Override
  public void onRoom(Consumer<QueueId> listener) {
    queues.onRoom(listener);
  }
}
