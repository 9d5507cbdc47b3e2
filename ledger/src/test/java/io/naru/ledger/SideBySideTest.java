package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.batch.BatchObserver;
import io.naru.history.Period;
import io.naru.line.Line;
import io.naru.memory.MemoryCopy;
import io.naru.memory.MemoryQueues;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Claim;
import io.naru.queue.Edit;
import io.naru.queue.EndReason;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Sightings;
import io.naru.queue.Signal;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stock;
import io.naru.support.Seeded;
import io.naru.support.SettableClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same is asked of tables and of maps at the same moments, and the same is answered: behind the
 * decision there are no rules.
 */
class SideBySideTest {

  private static final QueueId QUEUE = new QueueId("TEST", "1");
  private static final int USERS = 12;
  private static final int STEPS = 250;

  @TempDir Path data;
  private int histories;

  @Test
  void randomHistory_onTablesAndInMaps_isTheSame() {
    Seeded.histories(3, this::live);
  }

  /** In it a step finds nobody who may go in, and moved the turns of the lanes all the same. */
  @Test
  void historyInWhichAllOfALaneOwe_onTablesAndInMaps_isTheSame() {
    live(new Random(25586062673751L));
  }

  private void live(Random random) {
    var clock = SettableClock.atOpening();
    histories++;
    String url = "jdbc:sqlite:" + data.resolve("ledger" + histories + ".db");
    var config = new Ledger.Config(url, null, null, false);
    try (Ledger ledger = Ledger.open(config, Dialect.of(url, clock))) {
      ledger.start(new MemoryCopy(), BatchObserver.NONE);
      var maps = new MemoryQueues(clock);
      new History(random, clock, ledger.queues(), ledger.line(), maps, maps).live();
      assertThat(numbers(ledger.history())).isEqualTo(numbers(maps));
    }
  }

  /** What has been, in numbers. */
  private static List<Object> numbers(io.naru.history.History history) {
    Period all = (createdAt, now) -> new Period.Range(createdAt, now + 1);
    var sum = History.now(history.statistics(QUEUE, all)).orElseThrow();
    assertThat(sum.waited().count()).isPositive();
    return List.of(
        sum.counts(),
        sum.noShows(),
        sum.abandonment(),
        sum.waited().average(),
        sum.waited().percentile(90),
        sum.inside().average(),
        sum.inside().max(),
        History.now(history.timeline(QUEUE, all)));
  }

  /** What two kinds of queue are asked; both answers are compared at every step. */
  private static final class History {
    private final QueueId queue = QUEUE;
    private final Random random;
    private final SettableClock clock;
    private final Queues tables;
    private final Line tablesLine;
    private final Queues maps;
    private final Line mapsLine;
    private final List<Place> places = new ArrayList<>();
    private long stocks;
    private final List<String> made = new ArrayList<>();

    History(
        Random random,
        SettableClock clock,
        Queues tables,
        Line tablesLine,
        Queues maps,
        Line mapsLine) {
      this.random = random;
      this.clock = clock;
      this.tables = tables;
      this.tablesLine = tablesLine;
      this.maps = maps;
      this.mapsLine = mapsLine;
    }

    void live() {
      edit(Edit.activate(settings()));
      for (int step = 0; step < STEPS; step++) {
        clock.advance(Duration.ofMillis(random.nextInt(4_000)));
        act(step);
        assertThat(now(tables.find(queue))).as("step %d", step).isEqualTo(now(maps.find(queue)));
        String user = user();
        assertThat(now(tablesLine.locate(queue, user)))
            .as("%s after step %d", user, step)
            .isEqualTo(now(mapsLine.locate(queue, user)));
      }
      assertThat(now(maps.find(queue)).orElseThrow().figures().entered()).isPositive();
    }

    private void act(int step) {
      switch (places.isEmpty() ? 0 : random.nextInt(25)) {
        case 0, 1, 2, 3 -> join(user());
        case 4 -> {
          EntryKey key = key();
          same(step, tables.leave(key), maps.leave(key));
        }
        case 5, 6 -> {
          EntryKey key = key();
          same(
              step,
              tables.complete(key, CompletedBy.VISITOR),
              maps.complete(key, CompletedBy.VISITOR));
        }
        case 7 -> {
          EntryKey key = key();
          String session = "session" + random.nextInt(3);
          same(step, tables.redeem(key, session), maps.redeem(key, session));
        }
        case 8 -> {
          var byHand = new Admission.ByHand(1 + random.nextInt(3), Actor.SYSTEM);
          same(step, tables.admit(queue, byHand), maps.admit(queue, byHand));
        }
        case 10 -> {
          String user = user();
          EndReason reason = random.nextBoolean() ? EndReason.REMOVED : EndReason.REVOKED;
          same(
              step,
              tables.remove(queue, user, reason, Actor.SYSTEM),
              maps.remove(queue, user, reason, Actor.SYSTEM));
        }
        case 11 -> {
          String user = user();
          same(
              step,
              tables.erase(queue, user, "erased-" + step, Actor.SYSTEM),
              maps.erase(queue, user, "erased-" + step, Actor.SYSTEM));
        }
        case 14, 15 -> {
          EntryKey key = key();
          same(step, tables.owed(key), maps.owed(key));
          same(step, tables.prove(key), maps.prove(key));
        }
        case 9 -> edit(random.nextInt(3) == 0 ? someAct() : Edit.activate(settings()));
        case 12 -> edit(Edit.activate(lanes()));
        case 13 -> {
          String user = user();
          String lane = "lane" + random.nextInt(4);
          same(
              step,
              tables.move(queue, user, lane, Actor.SYSTEM),
              maps.move(queue, user, lane, Actor.SYSTEM));
          Set<String> codes = Set.of("code" + step, "again" + step);
          same(
              step,
              tables.makeCodes(queue, lane, codes, Actor.SYSTEM),
              maps.makeCodes(queue, lane, codes, Actor.SYSTEM));
          made.addAll(codes);
        }
        case 16 -> {
          EntryKey key = key();
          boolean givesUp = random.nextBoolean();
          same(
              step,
              tables.giveBack(key, givesUp, CompletedBy.VISITOR),
              maps.giveBack(key, givesUp, CompletedBy.VISITOR));
        }
        case 17 -> {
          EntryKey key = key();
          String user = user();
          same(step, tables.handOff(key, user), maps.handOff(key, user));
        }
        case 18, 19 -> {
          Sightings sightings = sightings();
          same(step, tables.see(queue, sightings), maps.see(queue, sightings));
        }
        case 20 -> {
          var stock = new Stock(++stocks, List.of(new Stock.Pool("seats", random.nextInt(30), 1)));
          same(step, tables.push(queue, stock), maps.push(queue, stock));
        }
        case 21 -> {
          var signal = new Signal("shop", 100, random.nextInt(4), random.nextInt(900), 0);
          same(step, tables.signal(queue, signal), maps.signal(queue, signal));
        }
        default ->
            same(
                step,
                tables.admit(queue, new Admission.Paced()),
                maps.admit(queue, new Admission.Paced()));
      }
    }

    private void join(String user) {
      var from = new Claim.From(false, random.nextBoolean(), random.nextInt(4) == 0);
      var claim = new Claim("lane" + random.nextInt(4), code(), from);
      Joined joined = now(tables.join(queue, user, claim));
      assertThat(joined).isEqualTo(now(maps.join(queue, user, claim)));
      if (joined instanceof Joined.Waiting(var place)) {
        places.add(place);
      }
    }

    /** Mostly none; of the others some were used before, and some are of a lane that is gone. */
    private String code() {
      return made.isEmpty() || random.nextInt(3) > 0 ? "" : made.get(random.nextInt(made.size()));
    }

    private void edit(Edit edit) {
      assertThat(now(tables.edit(queue, edit))).isEqualTo(now(maps.edit(queue, edit)));
    }

    private Edit someAct() {
      Edit.Act[] acts = Edit.Act.values();
      return Edit.of(acts[random.nextInt(acts.length)], "reason" + random.nextInt(2));
    }

    private Map<String, Object> settings() {
      Map<String, Object> settings = new HashMap<>();
      settings.put("maxCapacity", 1 + random.nextInt(5));
      settings.put("entryBatchSize", 1 + random.nextInt(4));
      settings.put("passTtlSeconds", 10 + random.nextInt(60));
      settings.put("onExpiry", random.nextBoolean() ? "REQUEUE" : "END");
      settings.put("once", random.nextInt(4) == 0);
      boolean hasDoors = random.nextBoolean();
      settings.put("maxReturns", random.nextInt(3));
      settings.put("retrySeconds", random.nextInt(2) * 10);
      settings.put("absenceGraceSeconds", random.nextInt(2) * 20);
      settings.put("stock", random.nextInt(3) == 0 ? Map.of() : null);
      settings.put("adaptive", random.nextInt(3) == 0 ? Map.of() : null);
      settings.put("doors", hasDoors ? Map.of("proofSeconds", 20, "slowSeconds", 10) : null);
      return settings;
    }

    private Map<String, Object> lanes() {
      List<Object> lanes = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        lanes.add(Map.of("name", "lane" + i, "share", 1 + random.nextInt(9)));
      }
      return Map.of("lanes", lanes, "laneOrder", random.nextInt(4) == 0 ? "STRICT" : "SHARES");
    }

    private Sightings sightings() {
      List<Sightings.Sight> people = new ArrayList<>();
      for (int i = random.nextInt(6); i > 0; i--) {
        Place seen = places.get(random.nextInt(places.size()));
        people.add(new Sightings.Sight(seen.entry().key().joined(), seen.score()));
      }
      Sightings.Goes[] all = Sightings.Goes.values();
      return new Sightings("server" + random.nextInt(2), people, all[random.nextInt(all.length)]);
    }

    private String user() {
      return "user" + random.nextInt(USERS);
    }

    private EntryKey key() {
      return places.get(random.nextInt(places.size())).entry().key();
    }

    private static void same(int step, CompletionStage<?> one, CompletionStage<?> other) {
      assertThat((Object) now(one)).as("step %d", step).isEqualTo(now(other));
    }

    private static <T> T now(CompletionStage<T> stage) {
      return stage.toCompletableFuture().join();
    }
  }
}
