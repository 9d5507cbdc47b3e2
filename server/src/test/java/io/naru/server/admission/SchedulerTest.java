package io.naru.server.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.naru.memory.MemoryQueues;
import io.naru.queue.Actor;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.Figures;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.queue.Stay.CompletedBy;
import io.naru.server.metrics.Health;
import io.naru.server.metrics.Metrics;
import io.naru.support.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** The beat on a line in memory whose clock stands still until it is moved. */
class SchedulerTest {

  private static final QueueId QUEUE = new QueueId("TIMEDEAL", "1");
  private static final Duration FAST = Duration.ofMillis(5);

  /** So slow that what happens at all does not happen by polling. */
  private static final Duration ONLY_WHEN_TOLD = Duration.ofHours(1);

  private final SettableClock clock = SettableClock.atOpening();
  private final WatchedQueues queues = new WatchedQueues(new MemoryQueues(clock));
  private final Health health = new Health();
  private final List<Scheduler> started = new ArrayList<>();

  @AfterEach
  void stop() {
    started.forEach(Scheduler::close);
  }

  @Test
  void placeFreedUp_isGivenAwayAtOnce_withinTheAllowance() {
    start(ONLY_WHEN_TOLD);
    open(Map.of("maxCapacity", 1L, "entryBatchSize", 3L, "entryIntervalSeconds", 3_600L));
    List<EntryKey> entries = join(5);

    awaitEntered(1);
    complete(entries.get(0));
    awaitEntered(2);
    complete(entries.get(1));
    awaitEntered(3);
    complete(entries.get(2));

    // The hour's allowance is spent; the free place stays free until the next one.
    assertThat(figures().inside()).isZero();
    assertThat(figures().waiting()).isEqualTo(2);
    clock.advance(Duration.ofHours(1));
    join("somebody");
    awaitEntered(4);
    assertThat(figures().inside()).isEqualTo(1);
  }

  @Test
  void queueOpenedAfterTheStart_isFoundWithoutBeingToldOf() {
    start(FAST);
    queues.keepRoomToYourself();
    open(Map.of());
    join(1);

    awaitEntered(1);
  }

  @Test
  void rate_isOneBatchPerInterval_andNothingIsCaughtUp() {
    start(FAST);
    open(Map.of("entryBatchSize", 10L, "entryIntervalSeconds", 1L));
    join(35);

    awaitEntered(10);
    staysAt(10);
    clock.advance(Duration.ofMillis(999));
    staysAt(10);
    clock.advance(Duration.ofMillis(1));
    awaitEntered(20);
    staysAt(20);
    clock.advance(Duration.ofSeconds(100));
    awaitEntered(30);
    staysAt(30);
    clock.advance(Duration.ofSeconds(1));
    awaitEntered(35);
  }

  @Test
  void capacity_isNeverExceeded_andMoreThanOneStepIsTaken() {
    start(FAST);
    open(Map.of("maxCapacity", 2_500L, "entryBatchSize", 100_000L));
    join(3_000);

    awaitEntered(2_500);
    clock.advance(Duration.ofSeconds(5));
    staysAt(2_500);
  }

  @Test
  void overstayed_expireAndMakeRoom_withoutAnybodyAsking() {
    start(FAST);
    open(Map.of("maxCapacity", 1L, "passTtlSeconds", 10L));
    join(2);
    awaitEntered(1);

    clock.advance(Duration.ofSeconds(10));

    awaitEntered(2);
    assertThat(figures().expired()).isEqualTo(1);
  }

  @Test
  void closedQueue_nobodyIsAdmitted() {
    start(FAST);
    open(Map.of("maxCapacity", 1L));
    List<EntryKey> entries = join(2);
    awaitEntered(1);
    queues.edit(QUEUE, Edit.deactivate()).toCompletableFuture().join();
    complete(entries.getFirst());
    clock.advance(Duration.ofSeconds(5));

    staysAt(1);

    open(Map.of());
    awaitEntered(2);
  }

  @ParameterizedTest
  @EnumSource
  void storeFails_isLoggedOnceAndOutlived(WatchedQueues.Failure failure) {
    var log = new ListAppender<ILoggingEvent>();
    var logger = (Logger) LoggerFactory.getLogger(Scheduler.class);
    log.start();
    logger.addAppender(log);
    try {
      start(FAST);
      open(Map.of("entryBatchSize", 1L, "entryIntervalSeconds", 1L));
      join(2);
      awaitEntered(1);
      await().until(health::isReady);

      queues.failWith(failure);
      queues.awaitFailures(6);
      assertThat(health.isReady()).isFalse();
      clock.advance(Duration.ofSeconds(1));
      queues.heal();

      awaitEntered(2);
      await().until(health::isReady);
      assertThat(log.list)
          .filteredOn(event -> event.getLevel() == Level.WARN)
          .singleElement()
          .satisfies(
              event ->
                  assertThat(event.getFormattedMessage())
                      .contains("admission is interrupted", "places are kept"));
      assertThat(log.list)
          .filteredOn(event -> event.getLevel() == Level.INFO)
          .singleElement()
          .satisfies(
              event -> assertThat(event.getFormattedMessage()).contains("admission goes on"));
    } finally {
      logger.detachAppender(log);
    }
  }

  @Test
  void ready_onlyAfterTheStoreHasAnswered() {
    queues.failWith(WatchedQueues.Failure.LATER);
    start(FAST);
    queues.awaitFailures(3);
    assertThat(health.isReady()).isFalse();

    queues.heal();

    await().until(health::isReady);
  }

  @Test
  void queueWithNobodyInIt_costsNothing() {
    start(FAST);
    for (int i = 0; i < 1_500; i++) {
      done(queues.edit(new QueueId("IDLE", "q" + i), Edit.activate(Map.of())));
    }
    open(Map.of());
    EntryKey ann = join("ann");
    awaitEntered(1);
    complete(ann);
    queues.awaitLooks(2);
    int ticks = queues.ticks();

    queues.awaitLooks(20);

    assertThat(queues.ticks()).isEqualTo(ticks);
  }

  @Test
  void manyQueuesDueAtOnce_allHaveTheirTurn() {
    List<QueueId> all = new ArrayList<>();
    for (int i = 0; i < 1_500; i++) {
      all.add(new QueueId("MANY", "q" + i));
      done(queues.edit(all.getLast(), Edit.activate(Map.of())));
      done(queues.join(all.getLast(), "ann"));
    }

    start(FAST);

    await()
        .untilAsserted(
            () ->
                assertThat(all)
                    .allMatch(q -> done(queues.find(q)).orElseThrow().figures().entered() == 1));
  }

  @Test
  void queueDeletedWhilePeopleWait_isForgotten() {
    start(FAST);
    open(Map.of("entryBatchSize", 1L));
    join(3);
    awaitEntered(1);

    queues.delete(QUEUE, Actor.SYSTEM).toCompletableFuture().join();
    clock.advance(Duration.ofSeconds(2));

    await()
        .until(
            () -> {
              int ticks = queues.ticks();
              queues.awaitLooks(5);
              return queues.ticks() == ticks;
            });
    assertThat(health.isWell()).isTrue();
  }

  @Test
  void oneQueueFails_othersGoOn_andOnlyItIsPaused() {
    QueueId other = new QueueId("TIMEDEAL", "2");
    var log = new ListAppender<ILoggingEvent>();
    var logger = (Logger) LoggerFactory.getLogger(Scheduler.class);
    log.start();
    logger.addAppender(log);
    try {
      start(FAST);
      queues.failIn(QUEUE);
      open(Map.of());
      join(1);
      queues.awaitFailures(3);
      done(queues.edit(other, Edit.activate(Map.of("entryBatchSize", 1L))));
      for (int i = 0; i < 5; i++) {
        done(queues.join(other, "user-" + i));
        clock.advance(Duration.ofSeconds(1));
        long entered = i + 1L;
        await().until(() -> done(queues.find(other)).orElseThrow().figures().entered() == entered);
        assertThat(health.isPaused(other)).isFalse();
        assertThat(health.isPaused(QUEUE)).isTrue();
        assertThat(health.isReady()).isTrue();
      }
      assertThat(log.list)
          .singleElement()
          .satisfies(
              event ->
                  assertThat(event.getFormattedMessage()).contains("interrupted in TIMEDEAL/1"));

      queues.heal();

      awaitEntered(1);
      await().until(() -> !health.isPaused(QUEUE));
      assertThat(log.list).hasSize(2);
      assertThat(log.list.getLast().getFormattedMessage()).contains("admission goes on");
    } finally {
      logger.detachAppender(log);
    }
  }

  @Test
  void oneQueueFails_isTriedMoreAndMoreSeldom() {
    start(FAST);
    queues.failIn(QUEUE);
    open(Map.of());
    join(1);
    queues.awaitFailures(2);
    int ticks = queues.ticks();

    queues.awaitLooks(20);

    // Found to be due in each of twenty looks, five milliseconds apart.
    assertThat(queues.ticks() - ticks).isLessThan(10);
  }

  @Test
  void twoSchedulers_admitEverybodyOnceAtOneRate() {
    start(FAST);
    start(FAST);
    open(Map.of("entryBatchSize", 40L, "entryIntervalSeconds", 3_600L));
    join(100);

    awaitEntered(40);
    queues.awaitLooks(10);

    assertThat(figures().entered()).isEqualTo(40);
    assertThat(figures().waiting()).isEqualTo(60);
    clock.advance(Duration.ofHours(1));
    awaitEntered(80);
    staysAt(80);
  }

  @Test
  void twoSchedulers_oneIsGone_theOtherFindsWhatIsDueByItself() {
    start(FAST);
    Scheduler gone = start(FAST);
    open(Map.of("maxCapacity", 1L, "passTtlSeconds", 10L));
    join(3);
    awaitEntered(1);
    gone.close();
    queues.keepRoomToYourself();

    clock.advance(Duration.ofSeconds(10));

    awaitEntered(2);
  }

  @Test
  void closed_doesNothingMore() {
    Scheduler scheduler = start(FAST);
    open(Map.of());
    queues.awaitLooks(3);
    scheduler.close();
    await()
        .pollDelay(Duration.ofMillis(50))
        .until(
            () -> {
              int looks = queues.looks();
              Thread.sleep(50);
              return queues.looks() == looks;
            });
    join("late");
    assertThat(figures().waiting()).isEqualTo(1);
  }

  // --- words for all of this

  private Scheduler start(Duration poll) {
    var scheduler = new Scheduler(queues, new Metrics(), health, poll);
    started.add(scheduler);
    scheduler.start();
    return scheduler;
  }

  private void open(Map<String, Object> settings) {
    queues.edit(QUEUE, Edit.activate(settings)).toCompletableFuture().join();
  }

  private List<EntryKey> join(int count) {
    List<EntryKey> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      entries.add(join("user-" + i));
    }
    return entries;
  }

  private EntryKey join(String user) {
    Joined joined = done(queues.join(QUEUE, user));
    assertThat(joined).isInstanceOf(Joined.Waiting.class);
    return ((Joined.Waiting) joined).place().entry().key();
  }

  private void complete(EntryKey entry) {
    done(queues.complete(entry, CompletedBy.VISITOR));
  }

  private Figures figures() {
    return done(queues.find(QUEUE)).orElseThrow().figures();
  }

  private void awaitEntered(long count) {
    await()
        .pollInterval(Duration.ofMillis(2))
        .untilAsserted(() -> assertThat(figures().entered()).isEqualTo(count));
  }

  /** Not a question of time: the beat has looked several times and let nobody in. */
  private void staysAt(long entered) {
    queues.awaitLooks(5);
    assertThat(figures().entered()).isEqualTo(entered);
  }

  private static <T> T done(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
