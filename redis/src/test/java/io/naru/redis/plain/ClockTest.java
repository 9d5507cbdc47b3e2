package io.naru.redis.plain;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.Figures;
import io.naru.queue.Joined;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clock of Redis is set, back or ahead, while people wait and are inside. */
class ClockTest extends RedisScenario {

  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration PASS_LIFE = Duration.ofMinutes(10);
  private static final Admission TICK = new Admission.Paced();

  private static RedisServer store;
  private static RedisFixture fixture;

  @BeforeAll
  static void start() {
    store = RedisServer.start(RedisBinary.embedded());
    fixture = new RedisFixture(store.uri());
  }

  @AfterAll
  static void stop() {
    fixture.close();
    store.close();
  }

  @Override
  RedisFixture fixture() {
    return fixture;
  }

  private void goBack(Duration by) {
    advance(by.negated());
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  // Back.

  @Test
  void join_clockWentBack_standsBehindAllTheSame() {
    activateCalm(100, 100);
    List<EntryKey> before = joinMany("before", 20);
    goBack(HOUR);

    List<EntryKey> after = new ArrayList<>(joinMany("after", 20));
    goBack(HOUR);
    after.add(keyOf("last"));

    List<EntryKey> all = new ArrayList<>(before);
    all.addAll(after);
    assertThat(all.stream().map(EntryKey::joined).toList()).isSorted().doesNotHaveDuplicates();
    assertThat(placeOf("last").position()).isEqualTo(41);
    assertThat(figures().longestWaitMicros()).isZero();
    assertThat(keys(admitByHand(100))).isEqualTo(all);
  }

  @Test
  void join_tooOftenBeforeTheClockWentBack_isNotHeldUpUntilItHasCaughtUp() {
    activate(Map.of("newPlacesPerMinute", 2));
    leave(keyOf("ann"));
    leave(keyOf("ann"));
    assertThat(refused("ann").reason()).isEqualTo(Joined.Reason.TOO_OFTEN);

    goBack(HOUR);

    keyOf("ann");
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 60, 3_600, 31_536_000})
  void admit_clockWentBack_goesOnWithinOneInterval(int seconds) {
    Duration interval = Duration.ofSeconds(60);
    activate(Map.of("entryBatchSize", 2, "entryIntervalSeconds", 60, "maxCapacity", 100));
    joinMany("user", 9);
    assertThat(admitPaced().entries()).hasSize(2);
    advance(Duration.ofSeconds(20));
    assertThat(admitPaced().entries()).isEmpty();
    goBack(Duration.ofSeconds(seconds));

    Admitted.Done step = admitPaced();

    assertThat(step.entries()).as("the step back makes no allowance").isEmpty();
    assertThat(step.nextRefillMicros()).isPositive().isLessThanOrEqualTo(micros(interval));
    advance(Duration.ofNanos(step.nextRefillMicros() * 1_000));
    assertThat(admitPaced().entries()).hasSize(2);
    assertThat(admitPaced().entries()).isEmpty();
  }

  @Test
  void admit_clockWentBack_leftoverIsStillGood() {
    activateCalm(100, 5);
    joinMany("user", 3);
    admitPaced();
    goBack(HOUR);
    joinMany("late", 9);

    assertThat(admitPaced().entries()).hasSize(2);
    assertThat(admitPaced().entries()).isEmpty();
  }

  /** So many are inside, with ten minutes each. */
  private void letIn(int count, int intervalSeconds) {
    activate(
        Map.of(
            "maxCapacity", count,
            "entryBatchSize", count,
            "entryIntervalSeconds", intervalSeconds,
            "passTtlSeconds", 600));
    joinMany("user", count);
    int entered = 0;
    while (entered < count) {
      entered += admitPaced().entries().size();
    }
  }

  private Figures tick(int times) {
    for (int i = 0; i < times; i++) {
      admit(TICK);
    }
    return figures();
  }

  @Test
  void inside_clockWentBack_nobodyStaysLongerThanOnePassLife() {
    letIn(2_500, 60);
    goBack(HOUR);
    assertThat(tick(4).inside()).isEqualTo(2_500);
    long latest = placeOf("user7").entry().until();

    advance(PASS_LIFE);

    assertThat(statusOf("user7")).isEqualTo(Status.EXPIRED);
    Figures after = tick(4);
    assertThat(after.inside()).isZero();
    assertThat(after.expired()).isEqualTo(2_500);
    assertThat(placeOf("user7").entry().until()).isEqualTo(latest);
  }

  @Test
  void inside_clockWentBackALittle_nobodyStaysLongerThanOnePassLife() {
    letIn(1, CALM_SECONDS);
    advance(Duration.ofMinutes(30));
    tick(1);
    joinNew("ann");
    assertThat(admitByHand(1).entries()).hasSize(1);
    goBack(Duration.ofMinutes(10));
    tick(1);

    advance(PASS_LIFE);

    assertThat(tick(1).inside()).isZero();
    assertThat(statusOf("ann")).isEqualTo(Status.EXPIRED);
  }

  @Test
  void inside_clockWentBackWhileClosed_nobodyStaysLongerThanOnePassLife() {
    letIn(1_200, 60);
    edit(Edit.deactivate());
    goBack(HOUR);
    activate(Map.of());
    edit(Edit.deactivate());
    tick(2);

    advance(PASS_LIFE);

    assertThat(tick(2).inside()).isZero();
  }

  @Test
  void inside_clockWentBackAndOthersGoIn_nobodyStaysLongerThanOnePassLife() {
    letIn(2_000, 60);
    activate(Map.of("maxCapacity", 2_100));
    joinMany("late", 50);
    goBack(HOUR);
    assertThat(admitByHand(25).entries()).hasSize(25);
    assertThat(admitByHand(25).entries()).hasSize(25);
    tick(2);

    advance(PASS_LIFE);

    assertThat(tick(4).inside()).isZero();
  }

  @Test
  void complete_clockWentBack_isDone() {
    activateCalm(10, 1);
    EntryKey ann = keyOf("ann");
    admitPaced();
    goBack(HOUR);

    complete(ann);

    assertThat(statusOf("ann")).isEqualTo(Status.COMPLETED);
    assertThat(figures().inside()).isZero();
  }

  // Ahead.

  @Test
  void admit_clockJumpedAhead_letsInOneBatchAndEndsOldStays() {
    activate(
        Map.of(
            "maxCapacity", 10,
            "entryBatchSize", 3,
            "entryIntervalSeconds", 10,
            "passTtlSeconds", 600));
    List<EntryKey> all = joinMany("user", 40);
    admitPaced();
    EntryKey inside = all.get(0);
    admitPaced();

    advance(HOUR);

    assertThat(statusOf(inside.user())).isEqualTo(Status.EXPIRED);
    Admitted.Done step = admitPaced();
    assertThat(step.expired()).isEqualTo(3);
    assertThat(keys(step)).isEqualTo(all.subList(3, 6));
    assertThat(step.nextRefillMicros()).isLessThanOrEqualTo(10_000_000);
    assertThat(admitPaced().entries()).isEmpty();
    assertThat(figures().inside()).isEqualTo(3);
    assertThat(figures().waiting()).isEqualTo(34);
  }

  @Test
  void join_clockJumpedAheadAndCameBack_keepsTheOrder() {
    activateCalm(100, 100);
    List<EntryKey> all = new ArrayList<>(joinMany("before", 5));
    advance(HOUR);
    all.addAll(joinMany("meanwhile", 5));
    goBack(HOUR);
    all.addAll(joinMany("after", 5));
    goBack(HOUR.negated());
    all.addAll(joinMany("later", 5));

    assertThat(keys(admitByHand(100))).isEqualTo(all);
    assertThat(all.stream().map(EntryKey::joined).toList()).isSorted().doesNotHaveDuplicates();
  }
}
