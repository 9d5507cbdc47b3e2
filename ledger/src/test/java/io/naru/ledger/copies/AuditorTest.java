package io.naru.ledger.copies;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Change;
import io.naru.line.Checked;
import io.naru.line.CopyState;
import io.naru.line.Fact;
import io.naru.line.Held;
import io.naru.line.Part;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Entry.Status;
import io.naru.support.Seeded;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What somebody wrote into a copy, and lines that only move. */
class AuditorTest {

  private static final int SIZE = 10;
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();

  private final ModelLedger ledger = new ModelLedger(false);
  private final MemoryCopy copy = new MemoryCopy();
  private long nanos;
  private final Keeper keeper = new Keeper(copy, ledger, Runnable::run, () -> nanos, 1_000);
  private final Auditor auditor = new Auditor(keeper, copy, ledger, this::pass, SIZE);

  private long pass() {
    nanos += 50_000_000;
    return nanos;
  }

  /** 95 wait, 5 are inside. */
  @BeforeEach
  void fill() {
    committed(ledger.fill(100));
    committed(ledger.admit(5));
  }

  private void committed(Change change) {
    var _ = keeper.committed(ModelLedger.OF, change);
  }

  private Checked check() throws Exception {
    return auditor.check(ModelLedger.OF, "", Duration.ofSeconds(10)).orElseThrow();
  }

  /** Writes into the copy what no change has brought. */
  private void tamper(int waiting, int inside, Fact... facts) {
    long change = ledger.change();
    CopyState state =
        copy.apply(
                ModelLedger.OF, new Change(change, change, List.of(facts), waiting, inside, null))
            .toCompletableFuture()
            .join();
    assertThat(state).as("nothing that the copy notices").isEqualTo(new CopyState.At(change));
  }

  private Fact held(boolean isInside, int number) {
    Held held =
        copy.held(ModelLedger.OF, new Part(isInside, Part.BEGINNING, Part.END), 1_000)
            .toCompletableFuture()
            .join()
            .orElseThrow();
    return held.facts().get(number);
  }

  private void assertFoundAndRepaired(int differences) throws Exception {
    Checked found = check();
    assertThat(found.differences()).isEqualTo(differences);
    assertThat(found.repaired()).isEqualTo(differences);
    assertThat(auditor.differences()).isEqualTo(differences);
    assertThat(auditor.repairs()).isEqualTo(differences);
    assertThat(check()).isEqualTo(new Checked(100, 0, 0, ledger.change(), ""));
  }

  @Test
  void nothingWrong_saysHowMuchWasCompared() throws Exception {
    assertThat(check()).isEqualTo(new Checked(100, 0, 0, 2, ""));
    assertThat(auditor.entries()).isEqualTo(100);
    assertThat(auditor.differences()).isZero();
  }

  @Test
  void scoreChanged_isFoundAndRepaired() throws Exception {
    Fact one = held(false, 50);
    long between = held(false, 80).score();
    tamper(95, 5, out(one), Fact.waiting(one.user(), one.joined(), between + 1_000_000_000L));

    assertFoundAndRepaired(1);
  }

  @Test
  void memberSwapped_isFoundAndRepaired() throws Exception {
    Fact one = held(false, 7);
    tamper(95, 5, out(one), Fact.waiting("nobody", one.joined(), one.score()));

    assertFoundAndRepaired(2);
  }

  @Test
  void missingWithTheCountPatched_isFoundAndRepaired() throws Exception {
    tamper(94, 5, out(held(false, 94)));

    assertFoundAndRepaired(1);
  }

  @Test
  void turnMadeLonger_isFoundAndRepaired() throws Exception {
    Fact in = held(true, 2);
    tamper(
        95, 5, new Fact(in.user(), in.joined(), 0, Status.ENTERED, in.entered(), in.until() + 1));

    assertFoundAndRepaired(1);
  }

  @Test
  void twoChangedPlaces_isFoundAndRepaired() throws Exception {
    Fact one = held(false, 3);
    Fact other = held(false, 4);
    tamper(
        95,
        5,
        out(one),
        out(other),
        Fact.waiting(one.user(), one.joined(), other.score()),
        Fact.waiting(other.user(), other.joined(), one.score()));

    assertFoundAndRepaired(2);
  }

  private static Fact out(Fact fact) {
    return new Fact(fact.user(), fact.joined(), fact.score(), Status.LEFT, 0, 0);
  }

  @Test
  void lineThatMovesWhileItIsRead_raisesNoFalseAlarm() {
    Seeded.histories(
        20,
        random -> {
          var test = new AuditorTest();
          test.fill();
          test.move(random);
        });
  }

  private void move(Random random) {
    // The copy is told at once, later, or only by the next heartbeat.
    ledger.whileReading =
        () -> {
          for (int i = random.nextInt(5); i > 0; i--) {
            Change change = ledger.commit(random);
            if (random.nextInt(10) > 0) {
              committed(change);
            }
          }
        };
    for (int i = 0; i < 20; i++) {
      try {
        auditor.check(ModelLedger.OF, "", Duration.ofSeconds(10));
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    assertThat(ledger.change()).isGreaterThan(200);
    assertThat(auditor.differences()).isZero();
  }

  /** The part up to the tenth who waits holds 70 in a copy that was not told of the 60. */
  @Test
  void copyBehindWithMoreThanIsRead_raisesNoFalseAlarm() throws Exception {
    var _ = ledger.admit(60);

    assertThat(check().differences()).isZero();
  }

  @Test
  void tamperedWhileTheLineMoves_isFound() throws Exception {
    var random = new Random(7);
    Fact one = held(false, 60);
    tamper(95, 5, out(one), Fact.waiting("nobody", one.joined(), one.score()));
    ledger.whileReading = () -> committed(ledger.commit(random));

    Checked found = check();

    assertThat(found.differences()).isEqualTo(2);
    assertThat(found.repaired()).isEqualTo(2);
  }

  @Test
  void check_withoutTime_saysWhereToGoOn() throws Exception {
    Checked first = auditor.check(ModelLedger.OF, "", Duration.ZERO).orElseThrow();
    assertThat(first.entries()).isEqualTo(SIZE);
    assertThat(first.next()).matches(Checked.NEXT_ALLOWED);

    long compared = first.entries();
    for (Checked next = first; !next.next().isEmpty(); compared += next.entries()) {
      next = auditor.check(ModelLedger.OF, next.next(), Duration.ZERO).orElseThrow();
    }
    assertThat(compared).isEqualTo(100);
  }

  @Test
  void beat_isBounded_andGoesOnUntilAllIsCompared() throws Exception {
    committed(ledger.fill(400));
    Auditor.Busy busy = () -> List.of(ModelLedger.OF);
    auditor.beat(busy);
    assertThat(auditor.entries()).as("not right after the start").isZero();

    nanos += MINUTE;
    auditor.beat(busy);
    assertThat(auditor.entries()).isEqualTo(20 * SIZE);
    auditor.beat(busy);
    assertThat(auditor.entries()).isEqualTo(40 * SIZE);
    auditor.beat(busy);
    auditor.beat(busy);
    assertThat(auditor.entries()).as("all, once").isEqualTo(500);

    nanos += MINUTE;
    auditor.beat(busy);
    assertThat(auditor.entries()).as("the next round").isEqualTo(500 + 20 * SIZE);
  }

  @Test
  void beat_findsAndRepairs() throws Exception {
    Fact one = held(false, 7);
    tamper(95, 5, out(one), Fact.waiting("nobody", one.joined(), one.score()));

    nanos += MINUTE;
    auditor.beat(() -> List.of(ModelLedger.OF));

    assertThat(auditor.differences()).isEqualTo(2);
    assertThat(auditor.repairs()).isEqualTo(2);
    assertThat(keeper.troubles()).isEmpty();
  }

  @Test
  void ledgerThatLostCommits_itsLineIsNotTouched() throws Exception {
    committed(ledger.fill(3));
    ledger.lose(1);
    keeper.compareWithCopy(ModelLedger.OF, ledger.change());
    keeper.proven(ModelLedger.OF);

    assertThat(auditor.check(ModelLedger.OF, "", Duration.ofSeconds(1))).isEmpty();

    assertThat(keeper.frozen()).isEqualTo(1);
    assertThat(copy.state(ModelLedger.OF).toCompletableFuture().join())
        .isEqualTo(new CopyState.At(ledger.change() + 1));
  }
}
