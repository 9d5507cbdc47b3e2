package io.naru.queue;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Line;
import io.naru.line.Standing;
import io.naru.queue.Stay.CompletedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * A queue of its own for every test, so that implementations may share one store among them, and
 * the words to act on it. What the port says of a step is awaited before the next one.
 */
public abstract class QueueScenario {

  /** Longer than any test takes: the allowance is refilled when the test says so. */
  protected static final int CALM_SECONDS = 3_600;

  protected static final Duration CALM = Duration.ofSeconds(CALM_SECONDS);

  /** What may pass in real time, where the store's clock does not stand still. */
  protected static final Duration SLACK = Duration.ofSeconds(20);

  protected final QueueId queue = newQueueId();

  protected abstract Queues queues();

  protected abstract Line line();

  /** Moves the clock of the store forward, at least for {@code queue}. */
  protected abstract void advance(QueueId queue, Duration by);

  protected static QueueId newQueueId() {
    return new QueueId("CONTRACT", UUID.randomUUID().toString().replace("-", ""));
  }

  protected static <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(5, SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException expected) {
        throw expected;
      }
      throw new AssertionError(e);
    } catch (TimeoutException e) {
      throw new AssertionError("no answer within 5 s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  protected void advance(Duration by) {
    advance(queue, by);
  }

  protected Edited edit(Edit edit) {
    return await(queues().edit(queue, edit));
  }

  /** Opens the queue with these settings; all others have their default, or keep their value. */
  protected Overview activate(Map<String, Object> settings) {
    return switch (edit(Edit.activate(settings))) {
      case Edited.Created(Overview overview) -> overview;
      case Edited.Updated(Overview overview) -> overview;
      case Edited other -> throw new AssertionError("not activated: " + other);
    };
  }

  /** Opens the queue for as many as may come, admitted only by hand or when the test moves time. */
  protected void activateCalm(int maxCapacity, int batch) {
    activate(
        Map.of(
            "maxCapacity", maxCapacity,
            "entryBatchSize", batch,
            "entryIntervalSeconds", CALM_SECONDS,
            "passTtlSeconds", 86_400));
  }

  protected Joined join(String user) {
    return await(queues().join(queue, user));
  }

  protected Place joinNew(String user) {
    Joined joined = join(user);
    assertThat(joined).as("join of %s", user).isInstanceOf(Joined.Waiting.class);
    return ((Joined.Waiting) joined).place();
  }

  protected EntryKey keyOf(String user) {
    return joinNew(user).entry().key();
  }

  /**
   * So many a busy machine stores while a visitor is patient, whichever store it is: who waits
   * longer is told that it did not answer.
   */
  private static final int AT_ONCE = 500;

  /** Many at once; in the order in which they stand. */
  protected List<EntryKey> joinMany(String prefix, int count) {
    List<EntryKey> all = new ArrayList<>();
    for (int from = 0; from < count; from += AT_ONCE) {
      var joins =
          IntStream.range(from, Math.min(from + AT_ONCE, count))
              .mapToObj(i -> queues().join(queue, prefix + i))
              .toList();
      joins.stream()
          .map(stage -> await(stage))
          .map(joined -> ((Joined.Waiting) joined).place().entry().key())
          .forEach(all::add);
    }
    all.sort(Comparator.comparingLong(EntryKey::joined));
    return all;
  }

  protected Joined.Refused refused(String user) {
    Joined joined = join(user);
    assertThat(joined).as("join of %s", user).isInstanceOf(Joined.Refused.class);
    return (Joined.Refused) joined;
  }

  protected Ended leave(EntryKey entry) {
    return await(queues().leave(entry));
  }

  protected Ended complete(EntryKey entry) {
    return await(queues().complete(entry, CompletedBy.VISITOR));
  }

  protected Redeemed redeem(EntryKey entry, String session) {
    return await(queues().redeem(entry, session));
  }

  protected Admitted admit(Admission admission) {
    return await(queues().admit(queue, admission));
  }

  /** One step on the beat. */
  protected Admitted.Done admitPaced() {
    return done(admit(new Admission.Paced()));
  }

  protected Admitted.Done admitByHand(int count) {
    return done(admit(new Admission.ByHand(count, Actor.SYSTEM)));
  }

  protected static Admitted.Done done(Admitted admitted) {
    assertThat(admitted).isInstanceOf(Admitted.Done.class);
    return (Admitted.Done) admitted;
  }

  protected static List<EntryKey> keys(Admitted.Done step) {
    return step.entries().stream().map(Entry::key).toList();
  }

  protected Overview overview() {
    return await(queues().find(queue)).orElseThrow();
  }

  protected Figures figures() {
    return overview().figures();
  }

  protected Standing locate(String user) {
    return await(line().locate(queue, user));
  }

  protected Place placeOf(String user) {
    Standing standing = locate(user);
    assertThat(standing).as("standing of %s", user).isInstanceOf(Standing.Found.class);
    return ((Standing.Found) standing).place();
  }

  protected Entry.Status statusOf(String user) {
    return placeOf(user).entry().status();
  }
}
