package io.naru.memory;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import io.naru.admission.Admission;
import io.naru.line.Line;
import io.naru.line.Moved;
import io.naru.line.OverTurn;
import io.naru.line.Standing;
import io.naru.line.Told;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.InvalidValue;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Redeemed;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Summary;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Queues that live in this process and end with it. Exact and fast, for one server; nothing is
 * stored.
 */
public final class MemoryQueues implements Queues, Line {

  private final Map<QueueId, MemoryQueue> queues = new ConcurrentHashMap<>();
  private final InstantSource clock;
  private volatile Consumer<QueueId> roomListener = _ -> {};

  public MemoryQueues(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public CompletionStage<Joined> join(QueueId queue, String user) {
    return change(queue, new Joined.Refused(Joined.Reason.NO_QUEUE, 0), q -> q.join(user, now()));
  }

  @Override
  public CompletionStage<Ended> leave(EntryKey entry) {
    return change(entry.queue(), Ended.UNKNOWN, q -> q.leave(entry, now()));
  }

  @Override
  public CompletionStage<Ended> complete(EntryKey entry, CompletedBy by) {
    return change(entry.queue(), Ended.UNKNOWN, q -> q.complete(entry, by, now()));
  }

  @Override
  public CompletionStage<Redeemed> redeem(EntryKey entry, String session) {
    return change(entry.queue(), Redeemed.UNKNOWN, q -> q.redeem(entry, session, now()));
  }

  @Override
  public CompletionStage<Admitted> admit(QueueId queue, Admission admission) {
    MemoryQueue q = queues.get(queue);
    return completedFuture(q == null ? new Admitted.NoQueue() : q.admit(admission, now()));
  }

  @Override
  public CompletionStage<Edited> edit(QueueId queue, Edit edit) {
    boolean mayMake = edit.create() && edit.ifVersion().isEmpty();
    Edited[] edited = {new Edited.NoQueue()};
    try {
      // In one step with the making: nobody finds a queue without its settings, and one whose
      // settings are refused does not stay behind.
      queues.compute(
          queue,
          (id, present) -> {
            if (present == null && !mayMake) {
              return null;
            }
            MemoryQueue q = present == null ? new MemoryQueue(id, now()) : present;
            edited[0] = q.edit(edit, now());
            return q;
          });
    } catch (InvalidValue e) {
      return failedFuture(e);
    }
    return change(queue, edited[0], _ -> edited[0]);
  }

  @Override
  public CompletionStage<Optional<Overview>> find(QueueId queue) {
    return completedFuture(Optional.ofNullable(queues.get(queue)).map(q -> q.overview(now())));
  }

  @Override
  public CompletionStage<List<QueueId>> due() {
    long now = now();
    return completedFuture(
        queues.entrySet().stream()
            .filter(entry -> entry.getValue().isDue(now))
            .map(Map.Entry::getKey)
            .toList());
  }

  @Override
  public CompletionStage<List<Overview>> list(@Nullable QueueId after, int limit) {
    long now = now();
    return completedFuture(
        queues.entrySet().stream()
            .filter(entry -> after == null || entry.getKey().compareTo(after) > 0)
            .sorted(Map.Entry.comparingByKey())
            .limit(limit)
            .map(entry -> entry.getValue().overview(now))
            .toList());
  }

  @Override
  public CompletionStage<Summary> summary(int busiest) {
    long now = now();
    var count = new Summary.Count(busiest);
    queues.values().forEach(q -> count.add(q.overview(now)));
    return completedFuture(count.sum());
  }

  @Override
  public CompletionStage<Boolean> delete(QueueId queue) {
    return completedFuture(queues.remove(queue) != null);
  }

  @Override
  public CompletionStage<Standing> locate(QueueId queue, String user) {
    MemoryQueue q = queues.get(queue);
    return completedFuture(q == null ? new Standing.NoQueue() : q.locate(user, now()));
  }

  @Override
  public CompletionStage<Standing> earlier(EntryKey entry) {
    MemoryQueue q = queues.get(entry.queue());
    return completedFuture(q == null ? new Standing.NoQueue() : q.earlier(entry, now()));
  }

  @Override
  public CompletionStage<Moved> since(QueueId queue, long change) {
    MemoryQueue q = queues.get(queue);
    return completedFuture(q == null ? new Moved.Gap() : q.since(change));
  }

  @Override
  public CompletionStage<Told> over(QueueId queue, long after, Consumer<OverTurn> each) {
    MemoryQueue q = queues.get(queue);
    if (q == null) {
      return completedFuture(new Told.NoQueue());
    }
    var turns = new ArrayDeque<OverTurn>();
    Told told = q.over(after, now(), turns);
    // Not under the queue's lock: nobody in it must wait for who is told.
    turns.forEach(each);
    return completedFuture(told);
  }

  @Override
  public void onRoom(Consumer<QueueId> listener) {
    roomListener = listener;
  }

  private <T> CompletionStage<T> change(QueueId queue, T ifNone, Function<MemoryQueue, T> step) {
    MemoryQueue q = queues.get(queue);
    if (q == null) {
      return completedFuture(ifNone);
    }
    T result = step.apply(q);
    if (q.hasRoom(now())) {
      roomListener.accept(queue);
    }
    return completedFuture(result);
  }

  private long now() {
    return Micros.now(clock);
  }
}
