package io.naru.fair;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.admission.Pacing;
import io.naru.fair.LogRecord.Close;
import io.naru.fair.LogRecord.Coin;
import io.naru.fair.LogRecord.Drawn;
import io.naru.fair.LogRecord.Enter;
import io.naru.fair.LogRecord.Join;
import io.naru.fair.LogRecord.Rules;
import io.naru.fair.LogRecord.Seal;
import io.naru.fair.LogRecord.Seeds;
import io.naru.fair.LogRecord.Settle;
import io.naru.fair.LogRecord.Settled;
import io.naru.fair.Truth.Person;
import io.naru.line.Score;
import io.naru.queue.Fairness.Draw;
import io.naru.queue.Micros;
import io.naru.support.Seeded;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is true is clean; what was done to it is found, by its name. */
class VerifierTest {

  private static final long OPENING = Truth.START + 60 * Truth.SECOND;

  /** An opening as it should be: a lobby with two lanes, the draw, people who go in and out. */
  private static final class Opening {
    final Told told = new Told();
    final Truth truth;
    final List<Person> lobby = new ArrayList<>();
    final List<Person> late = new ArrayList<>();
    int sizeAtSeal;
    long sealedAt;
    long round;

    Opening(Draw draw, Map<String, ? extends @Nullable Object> more, int people) {
      Map<String, @Nullable Object> settings = new LinkedHashMap<>();
      settings.put("lobbyOpensAt", Micros.toInstant(Truth.START - 1).toString());
      settings.put("opensAt", Micros.toInstant(OPENING).toString());
      settings.put("draw", draw.name());
      settings.put("maxCapacity", 8);
      settings.put("entryBatchSize", 3);
      settings.put("entryIntervalSeconds", 1);
      settings.put(
          "lanes",
          List.of(Map.of("name", "vip", "share", 70), Map.of("name", "normal", "share", 30)));
      settings.putAll(more);
      truth = new Truth(settings, told::add, told.lists::add);
      truth.openLobby();
      for (int i = 0; i < people; i++) {
        truth.tick(1_000);
        lobby.add(truth.join("u:" + i, i % 3 == 0 ? "vip" : "normal"));
      }
      truth.end(lobby.get(1), "LEFT", "");
      truth.move(lobby.get(4), "vip");
      truth.now = OPENING + 20_000;
      truth.close();
      late.add(truth.join("u:late", "normal"));
      truth.end(lobby.get(2), "LEFT", "");
      truth.tick(500_000);
      round = truth.seal();
      sealedAt = truth.now;
      sizeAtSeal = told.records.size();
      truth.tick(100_000);
      truth.end(lobby.get(5), "LEFT", "");
    }

    Opening draw() {
      return draw(round);
    }

    Opening draw(long by) {
      truth.settleAll(truth.draw(by), 4);
      return this;
    }

    Opening goOn() {
      var inside = new ArrayList<Person>();
      for (int i = 0; i < 12; i++) {
        truth.tick(Truth.SECOND);
        inside.addAll(truth.admit());
        if (i % 2 == 0 && !inside.isEmpty()) {
          truth.end(inside.removeFirst(), "COMPLETED", "");
        }
        truth.join("u:then" + i, "normal");
      }
      return this;
    }

    Told told() {
      return told.sign();
    }
  }

  private static Told opening() {
    return new Opening(Draw.COIN, Map.of(), 15).draw().goOn().told();
  }

  private static void assertFound(Report report, String name) {
    assertThat(report.counts()).as("%s", report.findings()).containsKey(name);
  }

  // --- what is true

  /** Benchmarks measure by one of these how long it takes. */
  @Test
  void verify_anExportOfALargeOpening_isClean(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("opening.export");
    long records = LargeOpening.write(file, 2_500);

    Report report = new Verifier().verify(Export.open(file));

    assertThat(report.findings()).isEmpty();
    assertThat(report.records()).isEqualTo(records);
    assertThat(report.people()).isEqualTo(2_500);
    assertThat(report.admitted()).isEqualTo(2_500);
  }

  @Test
  void untouched_opening_isClean() {
    for (Draw draw : Draw.values()) {
      Report report = new Opening(draw, Map.of(), 15).draw().goOn().told().verify();

      assertThat(report.findings()).isEmpty();
      assertThat(report.people()).isEqualTo(28);
      assertThat(report.admitted()).isGreaterThan(10);
      assertThat(report.remarks())
          .anyMatch(remark -> remark.contains("by the operator's clock alone"))
          .contains("1 were moved to another lane");
    }
  }

  @Test
  void untouched_receipts_agree() {
    var opening = new Opening(Draw.COIN, Map.of(), 15);
    opening.draw().goOn();
    Told told = opening.told();
    Receipt before = told.receipt(opening.lobby.get(3), 8, Truth.START + 10);
    Receipt inTime =
        told.receipt(opening.lobby.get(7), opening.sizeAtSeal, opening.sealedAt + 1_000_000);
    Receipt after = told.receipt(opening.late.getFirst(), told.records.size(), opening.truth.now);

    Report report = told.verify(before, inTime, after);

    assertThat(report.findings()).isEmpty();
    assertThat(report.remarks())
        .anyMatch(remark -> remark.contains("as a receipt shows that was given out before"));
  }

  @Test
  void untouched_windowsAndJitter_areClean() {
    for (String name : List.of("fairWindowMillis", "jitterMillis")) {
      Told told = windowed(name);

      assertThat(told.verify().findings()).as(name).isEmpty();
      assertThat(told.records).anyMatch(text -> text.startsWith("[\"settle\""));
    }
  }

  private static Told windowed(String name) {
    var told = new Told();
    var truth =
        new Truth(
            Map.of(name, 200, "entryBatchSize", 50, "maxCapacity", 1_000, "log", true), told::add);
    var random = new Random(5);
    for (int i = 0; i < 120; i++) {
      truth.tick(random.nextInt(30_000));
      truth.settleDue();
      truth.join("u:" + i);
      if (i % 10 == 0) {
        truth.admit();
      }
    }
    truth.tick(Truth.SECOND);
    truth.settleDue();
    truth.admit();
    truth.finish();
    return told.sign();
  }

  @Test
  void untouched_randomDays_areClean() {
    Seeded.histories(
        25,
        random -> {
          Told told = day(random);
          Report report = told.verify();
          assertThat(report.findings()).isEmpty();
        });
  }

  /** Whatever may happen in a queue without a lobby. */
  private static Told day(Random random) {
    var told = new Told();
    Pacing.Kind[] kinds = Pacing.Kind.values();
    var truth =
        new Truth(
            Map.of(
                "log",
                true,
                "maxCapacity",
                1 + random.nextInt(30),
                "entryBatchSize",
                1 + random.nextInt(10),
                "pacing",
                kinds[random.nextInt(kinds.length)].name(),
                "lanes",
                List.of(Map.of("name", "a", "share", 1), Map.of("name", "b", "share", 2))),
            told::add);
    List<Person> people = new ArrayList<>();
    List<Person> inside = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      truth.tick(random.nextInt(400_000));
      Person any = people.isEmpty() ? null : people.get(random.nextInt(people.size()));
      boolean waits = any != null && any.isWaiting;
      switch (random.nextInt(11)) {
        case 0, 1, 2 -> {
          people.add(truth.join("u:" + i, random.nextBoolean() ? "a" : "b"));
          people.add(truth.joinToo("v:" + i, random.nextBoolean() ? "a" : "b"));
        }
        case 3, 4 -> inside.addAll(truth.admit());
        case 5 -> {
          if (!inside.isEmpty()) {
            truth.end(inside.removeFirst(), "COMPLETED", "");
          }
        }
        case 6 -> {
          if (any != null && waits && !any.isPassed) {
            truth.pass(any);
          }
        }
        case 7 -> {
          if (any != null && waits && any.isPassed) {
            truth.back(any);
          }
        }
        case 8 -> {
          if (any != null && waits && !any.isPassed && !any.lane.equals("fallback")) {
            truth.move(any, any.lane.equals("a") ? "b" : "a");
          }
        }
        case 9 -> {
          if (any != null && waits && !any.isPassed) {
            people.add(truth.handOff(any, "w:" + i));
          } else if (!inside.isEmpty()) {
            people.add(truth.fallBack(inside.removeFirst()));
          }
        }
        default -> {
          if (random.nextBoolean()) {
            truth.edit(Map.of("entryBatchSize", 1 + random.nextInt(10)));
          } else if (random.nextBoolean()) {
            truth.pause(random.nextBoolean());
          } else if (any != null && waits) {
            truth.end(any, "LEFT", random.nextBoolean() ? "" : "removed");
          } else {
            truth.pause(false);
            truth.process(random.nextInt(3));
          }
        }
      }
    }
    truth.finish();
    return told.sign();
  }

  // --- the log as a whole

  @Test
  void recordInserted_withoutTheKey_isFound() {
    Told told = opening().copy();
    int enter = told.find("enter");
    told.records.add(enter, told.records.get(enter));

    assertFound(told.verify(), "inserted");
  }

  @Test
  void recordRemoved_withoutTheKey_isFound() {
    Told told = opening().copy();
    told.records.remove(told.records.size() - 2);

    assertFound(told.verify(), "removed");
  }

  @Test
  void anyRecordRemoved_orSwapped_orTwice_isFound() {
    Told truth = opening();
    for (int i = 0; i < truth.records.size(); i++) {
      Told removed = truth.copy();
      removed.records.remove(i);
      assertThat(removed.verify().isClean()).as("without %d", i).isFalse();
      Told twice = truth.copy();
      twice.records.add(i, twice.records.get(i));
      assertThat(twice.verify().isClean()).as("twice %d", i).isFalse();
      if (i > 0) {
        Told swapped = truth.copy();
        Collections.swap(swapped.records, i - 1, i);
        assertThat(swapped.verify().isClean()).as("swapped %d", i).isFalse();
      }
    }
  }

  @Test
  void oneRecordChanged_withoutTheKey_isFound() {
    Told told = opening().copy();
    told.change(
        told.find("end"),
        event ->
            event instanceof LogRecord.End e
                ? new LogRecord.End(e.change(), e.at(), e.joined(), e.status(), "removed")
                : event);

    assertFound(told.verify(), "changed");
  }

  @Test
  void checkpoint_forgedOrMissing_isFound() {
    Told told = opening().copy();
    String note = told.checkpoints.getFirst();
    told.checkpoints.set(0, note.replaceFirst("\nat [0-9]+\n", "\nat 5\n"));
    assertFound(told.verify(), "checkpoint-forged");
    told.checkpoints.clear();
    assertFound(told.verify(), "checkpoint-missing");
  }

  @Test
  void logSignedAnew_isFoundByAReceipt() {
    var opening = new Opening(Draw.COIN, Map.of(), 15);
    Told shown = opening.told;
    Receipt receipt = shown.receipt(opening.lobby.get(3), shown.records.size(), opening.sealedAt);
    opening.draw().goOn();
    Told told = opening.told();
    // Somebody was never there: true to itself, and signed.
    int join = told.find("join", told.find("join") + 1);
    Told other = told.copy();
    other.change(
        join,
        event ->
            event instanceof Join j
                ? new Join(
                    j.change(),
                    j.at(),
                    j.joined(),
                    "00".repeat(32),
                    j.lane(),
                    j.score(),
                    j.ticket())
                : event);
    other.sign();

    assertThat(told.verify(receipt).findings()).isEmpty();
    assertFound(other.verify(receipt), "forked-checkpoint");
  }

  @Test
  void receipt_thatIsFalse_isFound() {
    var opening = new Opening(Draw.COIN, Map.of(), 15);
    Told told = opening.draw().goOn().told();
    Receipt good = told.receipt(opening.lobby.get(3), 10, opening.sealedAt);
    var other =
        new Receipt(
            good.origin(),
            good.queue(),
            good.joined(),
            "u:somebody else",
            good.salt(),
            good.index(),
            good.record(),
            good.proof(),
            good.checkpoint(),
            good.key());

    assertFound(told.verify(other), "receipt-false");
  }

  @Test
  void receipt_ofALongerLog_showsThatRecordsWereRemoved() {
    var opening = new Opening(Draw.COIN, Map.of(), 15);
    Told told = opening.draw().goOn().told();
    Receipt last = told.receipt(opening.lobby.get(3), told.records.size(), opening.truth.now);
    Told shorter = told.copy();
    shorter.records.removeLast();
    shorter.records.removeLast();
    shorter.sign();

    assertThat(shorter.verify().findings()).isEmpty();
    assertFound(shorter.verify(last), "removed");
  }

  // --- people

  @Test
  void personInserted_bySomebodyWithTheKey_isFound() {
    // Into the line, before others.
    Told told = opening().copy();
    int at = told.records.size() - 1;
    Join last = (Join) told.at(at);
    told.records.set(
        at,
        Records.write(
            new Join(
                last.change(), last.at(), last.joined(), last.leaf(), "vip", Long.valueOf(-5), 1)));
    assertFound(told.sign().verify(), "inserted");
    // Into the lobby, after it was counted.
    Told lobby = opening().copy();
    int close = lobby.find("close");
    lobby.change(
        close,
        event ->
            event instanceof Close c
                ? new Close(c.change(), c.at(), c.number(), c.lastJoined(), c.count() - 1)
                : event);
    assertFound(lobby.sign().verify(), "inserted");
  }

  @Test
  void personSlippedIntoTheList_isFound() {
    Told told = opening().copy();
    Lobby list = told.lists.getFirst();
    var other = new Lobby();
    for (int i = 0; i < list.count(); i++) {
      other.add(list.joined(i), list.lane(i), list.leaf(i));
    }
    other.add(list.joined(list.count() - 1) + 1, 1, Truth.leaf(1, "u:insider"));
    told.lists.set(0, other);
    reseal(told, other);

    assertFound(told.sign().verify(), "inserted");
  }

  private static void reseal(Told told, Lobby list) {
    told.change(
        told.find("seal"),
        event ->
            event instanceof Seal s
                ? new Seal(
                    s.change(),
                    s.at(),
                    s.number(),
                    Hashes.hex(list.root()),
                    list.count(),
                    List.of(
                        new Seal.InLane("vip", list.count(0)),
                        new Seal.InLane("normal", list.count(1))),
                    s.round())
                : event);
  }

  @Test
  void personLeftOutOfTheList_isFound() {
    Told told = opening().copy();
    Lobby list = told.lists.getFirst();
    var other = new Lobby();
    for (int i = 0; i < list.count() - 1; i++) {
      other.add(list.joined(i), list.lane(i), list.leaf(i));
    }
    told.lists.set(0, other);
    reseal(told, other);

    assertFound(told.sign().verify(), "removed");
  }

  @Test
  void listOfOtherLeaves_isFound() {
    Told told = opening().copy();
    Lobby list = told.lists.getFirst();
    var other = new Lobby();
    for (int i = 0; i < list.count(); i++) {
      other.add(list.joined(i), list.lane(i), i == 3 ? new byte[32] : list.leaf(i));
    }
    told.lists.set(0, other);

    assertFound(told.verify(), "sealed-otherwise");
    told.lists.clear();
    assertFound(told.verify(), "leaves-missing");
  }

  @Test
  void personRemoved_bySomebodyWithTheKey_isFound() {
    Told told = opening().copy();
    told.records.remove(told.find("join", told.find("join") + 3));

    assertFound(told.sign().verify(), "removed");
  }

  @Test
  void peopleSwapped_bySomebodyWithTheKey_isFound() {
    Told told = opening().copy();
    int first = told.find("join");
    Collections.swap(told.records, first, first + 2);

    assertFound(told.sign().verify(), "swapped");
  }

  // --- the draw

  @Test
  void coin_forged_isFound() {
    Told told = opening().copy();
    told.change(
        told.find("coin"),
        event ->
            event instanceof Coin c
                ? new Coin(
                    c.change(),
                    c.at(),
                    c.number(),
                    c.round(),
                    Hashes.hex(new TestChain("forger").sign(c.round())))
                : event);

    assertFound(told.sign().verify(), "coin-forged");
  }

  @Test
  void coin_ofAnotherRound_isFound() {
    // A true signature: but of a round that was known already.
    Told told = opening().copy();
    told.change(
        told.find("coin"),
        event ->
            event instanceof Coin c
                ? new Coin(
                    c.change(),
                    c.at(),
                    c.number(),
                    c.round() - 10,
                    Hashes.hex(Truth.CHAIN.sign(c.round() - 10)))
                : event);
    Report report = told.sign().verify();

    assertFound(report, "coin-changed");
    assertThat(report.counts()).doesNotContainKey("coin-forged");
  }

  @Test
  void coin_roundThatWasKnownWhenTheListWasClosed_isFound() {
    Told told = opening().copy();
    told.change(
        told.find("seal"),
        event ->
            event instanceof Seal s
                ? new Seal(
                    s.change(), s.at(), s.number(), s.root(), s.count(), s.lanes(), s.round() - 4)
                : event);

    assertFound(told.sign().verify(), "coin-changed");
  }

  @Test
  void drawn_bySeedInsteadOfCoin_isFound() {
    var opening = new Opening(Draw.COIN, Map.of(), 15);
    opening.draw(0);

    assertFound(opening.told().verify(), "drawn-by-seed-instead-of-coin");
  }

  @Test
  void seed_thatWasNotCommittedTo_isFound() {
    Told told = opening().copy();
    told.change(
        told.find("draw"),
        event ->
            event instanceof Drawn d
                ? new Drawn(d.change(), d.at(), d.number(), d.draw(), "ab".repeat(32))
                : event);

    assertFound(told.sign().verify(), "seed-changed");
  }

  @Test
  void drawn_otherwise_isFound() {
    Told told = opening().copy();
    told.change(
        told.find("settled"),
        event -> {
          Settled s = (Settled) event;
          Map<String, Settled.First> other = new LinkedHashMap<>();
          s.firsts()
              .forEach(
                  (lane, f) ->
                      other.put(lane, new Settled.First(f.score() + other.size(), f.ticket())));
          return new Settled(
              s.change(), s.at(), s.number(), s.from() + 1, s.upTo(), other, s.gone());
        });

    assertFound(told.sign().verify(), "drawn-otherwise");
  }

  @Test
  void drawnPeople_admittedInAnotherOrder_isFound() {
    Told told = opening().copy();
    swapEntrances(told);

    assertFound(told.sign().verify(), "admitted-out-of-order");
  }

  /** Two people of the same lane go in at each other's turn. */
  private static void swapEntrances(Told told) {
    List<Integer> enters = new ArrayList<>();
    Map<Long, String> lanes = new LinkedHashMap<>();
    for (int i = 0; i < told.records.size(); i++) {
      LogRecord event = told.at(i);
      if (event instanceof Join j) {
        lanes.put(j.joined(), j.lane());
      } else if (event instanceof LogRecord.Move m) {
        lanes.put(m.joined(), m.lane());
      } else if (event instanceof Enter e && "normal".equals(lanes.get(e.joined()))) {
        enters.add(i);
      }
    }
    Enter first = (Enter) told.at(enters.get(0));
    Enter second = (Enter) told.at(enters.get(1));
    told.change(
        enters.get(0), _ -> new Enter(first.change(), first.at(), second.joined(), first.until()));
    told.change(
        enters.get(1),
        _ -> new Enter(second.change(), second.at(), first.joined(), second.until()));
  }

  @Test
  void closedLate_isFoundWhereAReceiptShowsIt() {
    var opening = new Opening(Draw.COIN, Map.of(), 15);
    Told told = opening.draw().goOn().told();
    long made = Truth.CHAIN.drand().startOf(opening.round);
    // Given out when the coin was known, and there was no list yet.
    Receipt receipt = told.receipt(opening.lobby.get(3), opening.sizeAtSeal - 1, made + 1_000);

    assertThat(told.verify(receipt).findings())
        .singleElement()
        .satisfies(found -> assertThat(found.name()).isEqualTo("closed-late"))
        .satisfies(found -> assertThat(found.record()).isEqualTo(opening.sizeAtSeal - 1))
        .satisfies(found -> assertThat(found.words()).endsWith("when the coin was known"));
    // And one from before the coin, but long after the list is said to be of.
    Receipt earlier =
        told.receipt(opening.lobby.get(3), opening.sizeAtSeal - 1, opening.sealedAt + 6_000_000);
    assertThat(told.verify(earlier).findings())
        .singleElement()
        .satisfies(found -> assertThat(found.words()).contains("which is said to be of"));
    assertThat(told.verify().findings()).isEmpty();
  }

  @Test
  void closedLate_isFoundWhereTheClockIsBehindTheCoin() {
    Told told = opening().copy();
    for (String kind : List.of("coin", "draw")) {
      told.change(
          told.find(kind),
          event ->
              switch (event) {
                case Coin c ->
                    new Coin(c.change(), c.at() - 9_000_000, c.number(), c.round(), c.signature());
                case Drawn d ->
                    new Drawn(d.change(), d.at() - 9_000_000, d.number(), d.draw(), d.seed());
                default -> event;
              });
    }

    assertFound(told.sign().verify(), "closed-late");
  }

  @Test
  void windows_settledOtherwise_isFound() {
    for (String name : List.of("fairWindowMillis", "jitterMillis")) {
      Told told = windowed(name);
      int found = -1;
      for (int i = 1; found < 0; i++) {
        if (told.at(i) instanceof Settle a
            && told.at(i - 1) instanceof Settle b
            && a.change() == b.change()) {
          found = i;
        }
      }
      Settle a = (Settle) told.at(found - 1);
      Settle b = (Settle) told.at(found);
      told.change(
          found - 1,
          _ -> new Settle(a.change(), a.at(), b.joined(), a.lane(), a.score(), a.ticket()));
      told.change(
          found, _ -> new Settle(b.change(), b.at(), a.joined(), b.lane(), b.score(), b.ticket()));

      assertFound(told.sign().verify(), "settled-out-of-order");
    }
  }

  @Test
  void windows_withAnotherSeed_isFound() {
    Told told = windowed("fairWindowMillis");
    told.change(
        told.find("seeds"),
        event -> new Seeds(event.change(), event.at(), Hashes.hex(Hashes.sha256(new byte[3]))));
    Report report = told.sign().verify();

    assertFound(report, "seed-changed");
    assertFound(report, "settled-out-of-order");
  }

  // --- admissions

  private static Told line(Map<String, ? extends @Nullable Object> settings, int people) {
    var told = new Told();
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("log", true);
    all.putAll(settings);
    var truth = new Truth(all, told::add);
    for (int i = 0; i < people; i++) {
      truth.tick(1_000);
      truth.join("u:" + i);
    }
    truth.tick(Truth.SECOND);
    truth.admit();
    return told.sign();
  }

  private static void enter(Told told, long joined, long at) {
    long change = told.at(told.records.size() - 1).change() + 1;
    told.add(new Enter(change, at, joined, at + 300 * Truth.SECOND));
  }

  private static long joined(Told told, int number) {
    int at = -1;
    for (int i = 0; i <= number; i++) {
      at = told.find("join", at + 1);
    }
    return ((Join) told.at(at)).joined();
  }

  @Test
  void admitted_outOfOrder_isFound() {
    Told told = line(Map.of("entryBatchSize", 2), 10);
    enter(told, joined(told, 5), Truth.START + 5 * Truth.SECOND);

    assertFound(told.sign().verify(), "admitted-out-of-order");
  }

  @Test
  void admitted_aboveCapacity_isFound() {
    Told told = line(Map.of("maxCapacity", 2), 10);
    enter(told, joined(told, 2), Truth.START + 5 * Truth.SECOND);
    Report report = told.sign().verify();

    assertFound(report, "admitted-above-capacity");
    assertThat(report.counts()).hasSize(1);
  }

  @Test
  void admitted_tooFast_isFound() {
    for (Pacing.Kind kind : Pacing.Kind.values()) {
      Told told = line(Map.of("entryBatchSize", 10, "pacing", kind.name()), 40);
      long at = Truth.START + 2 * Truth.SECOND;
      int in = (int) told.records.stream().filter(r -> r.startsWith("[\"enter\"")).count();
      for (int i = in; i < 40; i++) {
        enter(told, joined(told, i), at);
      }

      assertFound(told.sign().verify(), "admitted-too-fast");
    }
  }

  @Test
  void admitted_whilePaused_orAfterTheEnd_isFound() {
    Told told = line(Map.of("entryBatchSize", 1), 5);
    long change = told.at(told.records.size() - 1).change() + 1;
    Rules rules = (Rules) told.at(0);
    long at = Truth.START + 10 * Truth.SECOND;
    told.add(new Rules(change, at, 2, rules.settings(), "PAUSED", true, true, 0));
    enter(told, joined(told, 1), at + 1);
    told.add(new Rules(change + 2, at + 2, 3, rules.settings(), "ENDED", false, true, at + 2));
    enter(told, joined(told, 2), at + 9 * Truth.SECOND);
    Report report = told.sign().verify();

    assertFound(report, "admitted-while-paused");
    assertFound(report, "admitted-after-end");
  }

  @Test
  void admitted_beforeTheOpening_isFound() {
    String opening = Micros.toInstant(Truth.START + 3_600 * Truth.SECOND).toString();
    Told told = line(Map.of("notBefore", opening), 3);

    assertFound(told.verify(), "admitted-before-opening");
  }

  @Test
  void admitted_twice_isFound() {
    Told told = line(Map.of("entryBatchSize", 1), 5);
    enter(told, joined(told, 0), Truth.START + 5 * Truth.SECOND);

    assertFound(told.sign().verify(), "admitted-twice");
  }

  @Test
  void joined_whileClosed_isFound() {
    Told told = line(Map.of(), 3);
    long change = told.at(told.records.size() - 1).change() + 1;
    Rules rules = (Rules) told.at(0);
    long at = Truth.START + 10 * Truth.SECOND;
    told.add(new Rules(change, at, 2, rules.settings(), "CLOSED", false, false, 0));
    told.add(
        new Join(change + 1, at + 1, at + 1, Leaves.text(Truth.leaf(at + 1, "x")), "", at + 1, 9));

    assertFound(told.sign().verify(), "joined-while-closed");
  }

  @Test
  void passedOver_mayBePassed_andGoInWhenBack() {
    var told = new Told();
    var truth = new Truth(Map.of("log", true, "entryBatchSize", 1), told::add);
    Person first = truth.join("u:1");
    Person second = truth.join("u:2");
    truth.join("u:3");
    truth.tick(Truth.SECOND);
    truth.pass(first);
    assertThat(truth.admit()).containsExactly(second);
    truth.back(first);
    truth.tick(Truth.SECOND);
    assertThat(truth.admit()).containsExactly(first);
    assertThat(told.sign().verify().findings()).isEmpty();

    // Without the record that says so, it is out of order.
    told.records.remove(told.find("pass"));
    assertFound(told.sign().verify(), "admitted-out-of-order");
  }

  @Test
  void fallback_withoutAReturn_isFound() {
    Told told = line(Map.of(), 3);
    long change = told.at(told.records.size() - 1).change() + 1;
    long at = Truth.START + 10 * Truth.SECOND;
    told.add(
        new Join(
            change,
            at,
            at,
            Leaves.text(Truth.leaf(at, "x")),
            "fallback",
            Score.inBand(Score.FALLBACK, at),
            1));

    assertFound(told.sign().verify(), "inserted");
  }

  @Test
  void unreadable_isFound() {
    Told told = line(Map.of(), 3);
    told.records.add(2, "[\"teleport\",99,99]");

    assertFound(told.sign().verify(), "unreadable");
  }
}
