package io.naru.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.Pushed;
import io.naru.queue.QueueId;
import io.naru.queue.Stock;
import io.naru.queue.Stock.Pool;
import io.naru.queue.Units;
import io.naru.support.Seeded;
import io.naru.support.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Nobody is admitted beyond what there is. */
class StockTest extends MemoryScenario {

  private void activateWith(Map<String, Object> stock) {
    activate(Map.of("stock", stock, "entryBatchSize", 100, "passTtlSeconds", 86_400));
  }

  private Pushed push(long version, int remaining, int held) {
    return await(
        queues().push(queue, new Stock(version, List.of(new Pool("all", remaining, held)))));
  }

  private int goIn() {
    advance(Duration.ofSeconds(1));
    return admitPaced().entries().size();
  }

  @Test
  void admit_beforeAnythingWasSaid_letsNobodyIn() {
    activateWith(Map.of());
    joinMany("user", 3);

    assertThat(goIn()).isZero();
    assertThat(admitByHand(3).entries()).isEmpty();
    assertThat(await(queues().due())).isEmpty();
    List<QueueId> told = new ArrayList<>();
    queues().onRoom(told::add);

    assertThat(push(0, 2, 0)).isInstanceOf(Pushed.Taken.class);

    assertThat(told).containsExactly(queue);
    assertThat(await(queues().due())).containsExactly(queue);
    assertThat(goIn()).isEqualTo(2);
    assertThat(goIn()).isZero();
    assertThat(admitByHand(1).entries()).as("by hand").isEmpty();
  }

  @Test
  void admit_byPools_countsWhatIsLeftAndHeldPerVisitor() {
    activateWith(Map.of("perVisitor", 2));
    joinMany("user", 20);
    await(queues().push(queue, new Stock(1, List.of(new Pool("A", 4, 1), new Pool("B", 3, 3)))));

    assertThat(goIn()).as("(7 + 4) / 2").isEqualTo(5);
    assertThat(goIn()).isZero();
    push(2, 8, 4);
    assertThat(goIn()).isEqualTo(1);
  }

  @Test
  void admit_nothingLeftButHeld_waitsForWhoeverDoesNotPay() {
    activateWith(Map.of());
    var keys = joinMany("user", 10);
    push(1, 3, 0);
    assertThat(goIn()).isEqualTo(3);
    push(2, 0, 3);
    assertThat(goIn()).isZero();
    leave(keys.getFirst());
    assertThat(goIn()).as("there is room by the sum, and nothing left").isZero();
    assertThat(await(queues().due())).isEmpty();

    push(3, 1, 2);

    assertThat(goIn()).isEqualTo(1);
  }

  /** What nobody can have is not there: else people wait in vain and are told how long. */
  @Test
  void push_lessThanAVisitorTakes_isOutUntilThereIsMore() {
    activateWith(Map.of("perVisitor", 4));
    joinMany("user", 10);
    push(1, 3, 0);
    assertThat(goIn()).isZero();
    assertThat(isOut()).isTrue();
    push(2, 1, 2);
    assertThat(isOut()).as("not with what others hold either").isTrue();

    push(3, 1, 3);

    assertThat(isOut()).isFalse();
    assertThat(goIn()).isEqualTo(1);
    assertThat(isOut()).as("they hold it").isFalse();
    push(4, 8, 4);
    assertThat(goIn()).isEqualTo(2);
  }

  private boolean isOut() {
    LineState line = overview().line();
    return line.settings().supply().isOut(line.units(), Micros.now(clock));
  }

  @Test
  void push_olderOrAgain_changesNothing() {
    activateWith(Map.of());
    joinMany("user", 10);
    push(7, 2, 0);
    Overview before = overview();

    assertThat(push(7, 9, 9)).isInstanceOf(Pushed.Older.class);
    assertThat(push(6, 9, 9)).isInstanceOf(Pushed.Older.class);

    assertThat(overview()).isEqualTo(before);
    assertThat(goIn()).isEqualTo(2);
  }

  @Test
  void push_whereThatDoesNotMatter_isRefusedAndForgotten() {
    assertThat(push(1, 1, 1)).isEqualTo(new Pushed.NoQueue());
    activate(Map.of());
    assertThat(push(1, 1, 1)).isEqualTo(new Pushed.Off());
    activateWith(Map.of());
    push(9, 5, 0);

    edit(Edit.put(Collections.singletonMap("stock", null), OptionalLong.empty()));
    assertThat(overview().queue().stock()).isNull();
    activateWith(Map.of());

    assertThat(push(1, 2, 0)).as("numbered anew").isInstanceOf(Pushed.Taken.class);
  }

  @Test
  void admit_withOldFigures_holdsOrPausesAtTheVeryMicrosecond() {
    activateWith(Map.of("staleSeconds", 5, "whenStale", "PAUSE"));
    joinMany("user", 10);
    push(1, 100, 0);
    advance(Duration.ofSeconds(5).minusNanos(1_000));
    assertThat(admitByHand(1).entries()).hasSize(1);
    advance(Duration.ofNanos(1_000));

    assertThat(admitByHand(1).entries()).isEmpty();
    assertThat(await(queues().due())).doesNotContain(queue);

    activateWith(Map.of("staleSeconds", 5, "whenStale", "HOLD"));
    assertThat(admitByHand(1).entries()).hasSize(1);
    advance(Duration.ofDays(1));
    assertThat(admitByHand(1).entries()).hasSize(1);
    activateWith(Map.of("staleSeconds", 5, "whenStale", "PAUSE"));
    push(2, 100, 0);
    assertThat(admitByHand(1).entries()).hasSize(1);
  }

  @Test
  void admit_withLittleLeft_slowsDownInProportion() {
    activateWith(Map.of("lowAt", 1_000));
    joinMany("user", 300);
    push(1, 1_000, 0);
    assertThat(goIn()).isEqualTo(100);
    push(2, 500, 100);
    assertThat(goIn()).isEqualTo(50);
    push(3, 15, 5_000);
    assertThat(goIn() + goIn() + goIn() + goIn()).as("at 1.5 a second").isEqualTo(6);
    push(4, 1_000, 1_000);
    assertThat(goIn()).isEqualTo(100);
  }

  @Test
  void push_againAndAgain_isNoWayToAFreshBatch() {
    activateWith(Map.of("lowAt", 1_000));
    joinMany("user", 500);
    int admitted = 0;
    for (int i = 0; i < 50; i++) {
      push(i, i % 2 == 0 ? 1_000_000 : 1, 1_000_000);
      admitted += admitPaced().entries().size();
      advance(Duration.ofMillis(20));
    }
    assertThat(admitted).as("in one second").isLessThanOrEqualTo(200);
  }

  /** The last units come and go more often than the slowed rate is worth one of them. */
  @Test
  void push_littleLeftAgainAndAgain_letsPeopleInAsTheRatesSay() {
    activate(Map.of("stock", Map.of("lowAt", 2), "entryBatchSize", 1, "passTtlSeconds", 86_400));
    joinMany("user", 200);
    push(0, 2, 1_000);
    int admitted = admitPaced().entries().size();
    for (int i = 1; i <= 400; i++) {
      push(i, i % 2 == 0 ? 2 : 1, 1_000);
      advance(Duration.ofMillis(300));
      admitted += admitPaced().entries().size();
    }
    assertThat(admitted).as("in two minutes at 0.75 a second").isBetween(60, 92);
  }

  @Test
  void push_nothingForAMomentAgainAndAgain_letsPeopleIn() {
    activate(Map.of("stock", Map.of("lowAt", 2), "entryBatchSize", 1, "passTtlSeconds", 86_400));
    joinMany("user", 200);
    push(0, 2, 1_000);
    int admitted = 0;
    for (int i = 0; i < 100; i++) {
      push(2 * i + 1, 0, 1_000);
      push(2 * i + 2, 2, 1_000);
      advance(Duration.ofMillis(800));
      admitted += admitPaced().entries().size();
    }
    assertThat(admitted).as("in 80 s at one a second").isBetween(40, 82);
  }

  @Test
  void push_isSeenWithEveryPlace() {
    activateWith(Map.of());
    keyOf("ann");
    long version = overview().queue().version();
    push(1, 0, 8);

    Units units = placeOf("ann").line().units();
    assertThat(units.remaining()).isZero();
    assertThat(units.held()).isEqualTo(8);
    assertThat(overview().line().units()).isEqualTo(units);
    assertThat(overview().queue().version()).as("no edit of an operator's").isEqualTo(version);
  }

  @Test
  void randomHistory_neverAdmitsBeyondWhatIsAllowedAtThatMoment() {
    Seeded.histories(60, random -> new History(random).run());
  }

  /** What was said last, and what goes by it; beside the queue. */
  private static final class History {
    private final Random random;
    private final SettableClock clock = SettableClock.atOpening();
    private final MemoryQueues queues = new MemoryQueues(clock);
    private final QueueId queue = newQueueId();
    private final List<Stock> said = new ArrayList<>();
    private final List<EntryKey> inside = new ArrayList<>();
    private int people;
    private @Nullable Stock known;
    private Instant knownAt = Instant.MIN;
    private int perVisitor = 1;
    private boolean pauses;
    private int staleSeconds = 10;

    History(Random random) {
      this.random = random;
    }

    void run() {
      set();
      for (int i = 0; i < 300; i++) {
        step();
      }
    }

    private void step() {
      switch (random.nextInt(8)) {
        case 0 -> set();
        case 1, 2 -> push();
        case 3 -> join(1 + random.nextInt(5));
        case 4 -> admit(new Admission.ByHand(1 + random.nextInt(9), Actor.SYSTEM));
        case 5 -> admit(new Admission.Paced());
        case 6 -> end();
        default -> clock.advance(Duration.ofMillis(random.nextInt(3_000)));
      }
    }

    private void set() {
      perVisitor = 1 + random.nextInt(3);
      pauses = random.nextBoolean();
      staleSeconds = 1 + random.nextInt(5);
      Map<String, Object> stock =
          Map.of(
              "perVisitor",
              perVisitor,
              "lowAt",
              random.nextInt(20),
              "staleSeconds",
              staleSeconds,
              "whenStale",
              pauses ? "PAUSE" : "HOLD");
      await(
          queues.edit(
              queue,
              Edit.activate(
                  Map.of("stock", stock, "entryBatchSize", 5, "passTtlSeconds", 86_400))));
    }

    /** The next one, one of before again, or one that overtook it. */
    private void push() {
      if (said.isEmpty() || random.nextInt(3) > 0) {
        int version = said.size() + random.nextInt(3);
        said.add(
            new Stock(
                version,
                List.of(
                    new Pool("a", random.nextInt(8), random.nextInt(8)),
                    new Pool("b", random.nextInt(4), random.nextInt(4)))));
      }
      Stock pushed = said.get(random.nextInt(said.size()));
      Pushed answer = await(queues.push(queue, pushed));
      boolean isLater = known == null || pushed.version() > known.version();
      assertThat(answer).isInstanceOf(isLater ? Pushed.Taken.class : Pushed.Older.class);
      if (isLater) {
        known = pushed;
        knownAt = clock.instant();
      }
    }

    private void join(int count) {
      for (int i = 0; i < count; i++) {
        await(queues.join(queue, "user" + people++));
      }
    }

    private void admit(Admission admission) {
      Admitted.Done step = done(await(queues.admit(queue, admission)));
      step.entries().forEach(entry -> inside.add(entry.key()));
      if (!step.entries().isEmpty()) {
        Units units = requireNonNull(known, "nothing was said").units(1);
        assertThat(units.remaining()).isPositive();
        assertThat((long) inside.size() * perVisitor)
            .isLessThanOrEqualTo(units.remaining() + units.held());
        if (pauses) {
          assertThat(Duration.between(knownAt, clock.instant()))
              .isLessThan(Duration.ofSeconds(staleSeconds));
        }
      }
      assertThat(step.figures().inside()).isEqualTo(inside.size());
    }

    private void end() {
      if (!inside.isEmpty()) {
        await(queues.leave(inside.remove(random.nextInt(inside.size()))));
      }
    }
  }
}
