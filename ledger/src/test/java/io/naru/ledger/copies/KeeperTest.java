package io.naru.ledger.copies;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.LineCopy;
import io.naru.line.Original;
import io.naru.memory.MemoryCopy;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import io.naru.testkit.Poll;
import java.io.IOException;
import java.lang.Thread.State;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What comes between two steps of somebody who heals a copy. */
class KeeperTest {

  private final Random random = new Random(7);
  private final ModelLedger ledger = new ModelLedger(false);
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private Runnable afterState = () -> {};
  private final Keeper keeper =
      new Keeper(watched(new MemoryCopy()), ledger, tasks::add, () -> 0, 1_000);

  /** The same copy; something happens whenever it has said where it is. */
  private LineCopy watched(LineCopy copy) {
    return watched(
        copy,
        (method, answer) -> {
          if (method.equals("state")) {
            Runnable next = afterState;
            afterState = () -> {};
            next.run();
          }
          return answer;
        });
  }

  /** The same copy; what it answers is looked at, and may be changed. */
  private static LineCopy watched(LineCopy copy, BiFunction<String, Object, Object> look) {
    return (LineCopy)
        Proxy.newProxyInstance(
            LineCopy.class.getClassLoader(),
            new Class<?>[] {LineCopy.class},
            (_, method, args) -> {
              try {
                return look.apply(method.getName(), method.invoke(copy, args));
              } catch (InvocationTargetException e) {
                throw requireNonNull(e.getCause());
              }
            });
  }

  private void committed(Change change) {
    assertThat(keeper.committed(ModelLedger.OF, change).toCompletableFuture().join()).isTrue();
  }

  /** Somebody locks the queue, and their commit is answered. */
  private static void lock(Keeper keeper, long ledgerChange) {
    keeper.compareWithSeen(ModelLedger.OF, ledgerChange);
    keeper.proven(ModelLedger.OF);
  }

  private void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  @Test
  void queueThatTheLedgerHasLost_leavesTheCopyThatAllShare() {
    var shared = new LooseCopy();
    var keeper = new Keeper(shared, ledger, tasks::add, () -> 0, 1_000);
    shared.apply(ModelLedger.OF, ledger.fill(3));
    keeper.beat(ModelLedger.OF, 2);
    ledger.hasLostAll = true;

    runTasks();

    assertThat(keeper.original(ModelLedger.OF.queue())).as("what is known of it here").isNull();
    assertThat(shared.state(ModelLedger.OF)).isCompletedWithValue(new CopyState.At(1));
  }

  @Test
  void queuesThatAreBehind_areFollowedTwoAtATime() throws Exception {
    var copy = new MemoryCopy();
    ledger.fill(3);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var keeper = new Keeper(copy, ledger, threads, () -> 0, 1_000);
      List<Original> queues = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        var of = new Original(new QueueId("SIM", "at-once-" + i), "ledger/" + i);
        queues.add(of);
        keeper.exists(of);
        await().until(() -> keeper.isFollowing(of));
      }
      long change = ledger.fill(3).to();
      var isUnderWay = new CountDownLatch(1);
      var mayGoOn = new CountDownLatch(1);
      ledger.whileReading =
          () -> {
            isUnderWay.countDown();
            join(mayGoOn);
          };
      CompletionStage<Boolean> first = keeper.has(queues.getFirst(), change);
      join(isUnderWay);
      List<CompletionStage<Boolean>> others =
          queues.stream().skip(1).map(of -> keeper.has(of, change)).toList();
      var together = new CountDownLatch(2);
      ledger.whileReading =
          () -> {
            together.countDown();
            join(together);
          };

      mayGoOn.countDown();

      assertThat(first.toCompletableFuture().get(10, SECONDS)).isTrue();
      for (CompletionStage<Boolean> other : others) {
        assertThat(other.toCompletableFuture().get(10, SECONDS)).isTrue();
      }
    }
  }

  private static void join(CountDownLatch latch) {
    try {
      assertThat(latch.await(5, SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void queueThatIsDeletedWhileItsCopyIsBuilt_leavesNoCopy() {
    var copy = new MemoryCopy();
    var keeper = new Keeper(copy, ledger, tasks::add, () -> 0, 1_000);
    keeper.beat(ModelLedger.OF, ledger.fill(3).to());
    ledger.whileReading =
        () -> {
          ledger.hasLostAll = true;
          keeper.forget(ModelLedger.OF);
          copy.drop(ModelLedger.OF.queue());
        };

    runTasks();

    assertThat(copy.state(ModelLedger.OF)).isCompletedWithValue(new CopyState.Lost());
    assertThat(keeper.original(ModelLedger.OF.queue())).as("what is known of it here").isNull();
  }

  /** It would not be healed, and what people were told is nowhere else. */
  @Test
  void copyOfAFrozenQueue_isAskedAlthoughItIsDoubted() {
    Change first = ledger.fill(3);
    committed(first);

    lock(keeper, first.to() - 1);
    keeper.doubt(ModelLedger.OF);
    runTasks();

    assertThat(keeper.frozen(ModelLedger.OF)).isNotNull();
    assertThat(keeper.isFollowing(ModelLedger.OF)).isTrue();
  }

  /** Nobody brought the copy the last commit, and whoever looks what it lacks finds less. */
  @Test
  void ledgerThatLostMoreThanTheCopyLacks_isFrozenByWhoeverLocksIt_andTheCopyStaysAsItIs() {
    LooseCopy shared = sharedAtTwo();
    var keeper = new Keeper(shared, ledger, tasks::add, () -> 0, 1_000);
    keeper.beat(ModelLedger.OF, 3);
    ledger.lose(1);

    runTasks();
    keeper.beat(ModelLedger.OF, 1);
    runTasks();

    assertInDoubt(keeper, shared);
    lock(keeper, 1);
    keeper.beat(ModelLedger.OF, 1);
    runTasks();
    assertThat(keeper.frozen(ModelLedger.OF)).contains("lost commits");
    assertThat(keeper.isFollowing(ModelLedger.OF)).isTrue();
    assertThat(shared.state(ModelLedger.OF)).isCompletedWithValue(new CopyState.At(2));
  }

  /** As of an old primary that waits for a standby, which has taken over. */
  @Test
  void ledgerThatIsBehindWhatWasSeen_isNotFrozenBeforeACommitIsAnswered() {
    LooseCopy shared = sharedAtTwo();
    var keeper = new Keeper(shared, ledger, tasks::add, () -> 0, 1_000);
    keeper.exists(ModelLedger.OF);
    runTasks();

    keeper.compareWithSeen(ModelLedger.OF, 1);
    keeper.compareWithCopy(ModelLedger.OF, 1);

    assertThat(keeper.lost(ModelLedger.OF)).contains("lost commits");
    assertInDoubt(keeper, shared);
    lock(keeper, 2);
    runTasks();
    assertWell(keeper);
  }

  /** A server that has just been started, and remembers nothing. */
  @Test
  void copyAheadOfALedgerThatLostCommits_isFrozenByWhoeverLocksIt() {
    LooseCopy shared = sharedAtTwo();
    var keeper = new Keeper(shared, ledger, tasks::add, () -> 0, 1_000);
    ledger.lose(1);

    for (int beat = 0; beat < 3; beat++) {
      keeper.beat(ModelLedger.OF, 1);
      runTasks();
      assertInDoubt(keeper, shared);
    }
    lock(keeper, 1);

    assertThat(keeper.frozen(ModelLedger.OF)).contains("lost commits");
    assertThat(shared.state(ModelLedger.OF)).isCompletedWithValue(new CopyState.At(2));
  }

  /** As from a standby that has not replayed everything yet, or from an old primary. */
  @Test
  void copyAheadOfWhatWasRead_isNotFrozen_ifWhoeverLocksTheQueueFindsItAll() {
    LooseCopy shared = sharedAtTwo();
    var keeper = new Keeper(shared, ledger, tasks::add, () -> 0, 1_000);
    ledger.lag = 1;
    keeper.exists(ModelLedger.OF);
    runTasks();
    assertInDoubt(keeper, shared);
    ledger.lag = 0;

    lock(keeper, 2);
    runTasks();

    assertWell(keeper);
  }

  @Test
  void moreLackingWhereItWasReadThanInTheCopy_isNotFrozen_ifWhoeverLocksTheQueueFindsItAll() {
    LooseCopy shared = sharedAtTwo();
    var keeper = new Keeper(shared, ledger, tasks::add, () -> 0, 1_000);
    ledger.fill(3);
    keeper.beat(ModelLedger.OF, 3);
    ledger.lag = 2;
    runTasks();
    assertInDoubt(keeper, shared);
    ledger.lag = 0;

    lock(keeper, 3);
    runTasks();

    assertWell(keeper);
    assertThat(shared.state(ModelLedger.OF)).isCompletedWithValue(new CopyState.At(3));
  }

  /** It may remember more than a ledger that took over, and nobody else may have seen that. */
  @Test
  void copyThatDidNotAnswerOverANewConnection_isAskedAgain() {
    var shared = new LooseCopy();
    var isAway = new AtomicBoolean();
    var reached =
        watched(
            shared,
            (method, answer) ->
                method.equals("state") && isAway.get()
                    ? CompletableFuture.failedStage(new IOException("no reply"))
                    : answer);
    var keeper = new Keeper(reached, ledger, tasks::add, () -> 0, 1_000);
    shared.apply(ModelLedger.OF, ledger.fill(3));
    keeper.beat(ModelLedger.OF, 1);
    runTasks();
    shared.apply(ModelLedger.OF, ledger.fill(3));
    ledger.lose(1);
    lock(keeper, 1);
    isAway.set(true);
    keeper.compareWithCopy(ModelLedger.OF, 1);
    isAway.set(false);

    runTasks();

    assertInDoubt(keeper, shared);
  }

  /** Everybody waits for the writer, which holds a lock meanwhile. */
  @Test
  void copyThatSaysNothing_isNotAskedForEachQueueByWhoeverHoldsALock() {
    var shared = new LooseCopy();
    var now = new AtomicLong();
    var asked = new AtomicInteger();
    var silent =
        watched(
            shared,
            (method, answer) -> {
              if (!method.equals("state")) {
                return answer;
              }
              asked.incrementAndGet();
              return new CompletableFuture<>();
            });
    var keeper = new Keeper(silent, ledger, tasks::add, now::get, 1_000);

    keeper.compareWithCopy(ModelLedger.OF, 1);
    keeper.compareWithCopy(ModelLedger.OF, 1);
    assertThat(asked).hasValue(1);
    assertThat(keeper.isFollowing(ModelLedger.OF)).isFalse();

    now.addAndGet(Duration.ofSeconds(2).toNanos());
    keeper.compareWithCopy(ModelLedger.OF, 1);
    assertThat(asked).hasValue(2);
  }

  /** It is the only record of the lost commits. */
  @Test
  void copyThatIsNotWhatTheLedgerSays_isNotDroppedOnceTheQueueIsFrozen() throws Exception {
    LooseCopy shared = sharedAtTwo();
    List<Keeper> known = new ArrayList<>();
    List<String> frozen = new ArrayList<>();
    var slow =
        watched(
            shared,
            (method, answer) -> {
              if (method.equals("drop")) {
                frozen.add(String.valueOf(frozenMeanwhile(known.getFirst())));
              }
              return answer;
            });
    var keeper = new Keeper(slow, ledger, tasks::add, () -> 0, 1_000);
    known.add(keeper);
    keeper.beat(ModelLedger.OF, 2);
    runTasks();

    keeper.distrust(ModelLedger.OF);

    assertThat(frozen).as("when it was dropped").containsExactly("null");
  }

  /** Somebody else locks the queue and finds less than was committed, as far as they get. */
  private static @Nullable String frozenMeanwhile(Keeper keeper) {
    Thread other = Thread.ofPlatform().start(() -> lock(keeper, 1));
    Poll.until(
        Duration.ofSeconds(10),
        () -> "it does something else: " + other.getState(),
        () -> Set.of(State.BLOCKED, State.TERMINATED).contains(other.getState()));
    return keeper.frozen(ModelLedger.OF);
  }

  /** There is no room for a new copy beside it, and meanwhile the queue was frozen. */
  @Test
  void copyOfAFrozenQueue_isNotDroppedToMakeRoom() {
    LooseCopy shared = sharedAtTwo();
    List<Keeper> known = new ArrayList<>();
    List<String> asked = new ArrayList<>();
    var full =
        watched(
            shared,
            (method, answer) -> {
              asked.add(method);
              if (method.equals("state")) {
                return CompletableFuture.completedStage(new CopyState.Lost());
              }
              if (method.equals("rebuild")) {
                lock(known.getFirst(), 1);
                throw new QueueUnavailable(Kind.REFUSED, "OOM command not allowed");
              }
              return answer;
            });
    var keeper = new Keeper(full, ledger, tasks::add, () -> 0, 1_000);
    known.add(keeper);
    keeper.beat(ModelLedger.OF, 2);
    runTasks();

    assertThat(keeper.frozen(ModelLedger.OF)).contains("lost commits");
    assertThat(asked).contains("rebuild").doesNotContain("drop");
  }

  private LooseCopy sharedAtTwo() {
    var shared = new LooseCopy();
    shared.apply(ModelLedger.OF, ledger.fill(3));
    shared.apply(ModelLedger.OF, ledger.fill(3));
    return shared;
  }

  /** Somebody is asked to lock the queue; until then it is as it was. */
  private static void assertInDoubt(Keeper keeper, LooseCopy shared) {
    assertThat(keeper.frozen(ModelLedger.OF)).isNull();
    assertThat(keeper.inDoubt()).containsExactly(ModelLedger.OF.queue());
    assertThat(keeper.isFollowing(ModelLedger.OF)).as("the line is asked").isTrue();
    assertThat(shared.state(ModelLedger.OF)).isCompletedWithValue(new CopyState.At(2));
  }

  private static void assertWell(Keeper keeper) {
    assertThat(keeper.frozen(ModelLedger.OF)).isNull();
    assertThat(keeper.inDoubt()).isEmpty();
    assertThat(keeper.isFollowing(ModelLedger.OF)).isTrue();
    assertThat(keeper.troubles()).isEmpty();
  }

  @Test
  void newQueueThatAHeartbeatSawFirst_isFollowedFromItsFirstChangeOn() {
    Change first = ledger.fill(3);
    keeper.beat(ModelLedger.OF, first.to());
    committed(first);
    List<Boolean> followed = new ArrayList<>();
    ledger.whileReading = () -> followed.add(keeper.isFollowing(ModelLedger.OF));
    afterState = () -> committed(ledger.commit(random));

    runTasks();

    assertThat(followed).as("while what is missing is read").doesNotContain(false);
    assertThat(keeper.isFollowing(ModelLedger.OF)).isTrue();
    assertThat(keeper.troubles()).isEmpty();
  }
}
