package io.naru.fair;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.journal.Behind;
import io.naru.journal.Journaled;
import io.naru.line.Line;
import io.naru.line.Standing;
import io.naru.memory.MemoryQueues;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.DrawView;
import io.naru.queue.Drawing.Phase;
import io.naru.queue.Edit;
import io.naru.queue.EndReason;
import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.Fairness.Draw;
import io.naru.queue.Joined;
import io.naru.queue.Json;
import io.naru.queue.LobbyEntry;
import io.naru.queue.QueueId;
import io.naru.queue.QueueScenario;
import io.naru.queue.Queues;
import io.naru.queue.Seal;
import io.naru.queue.Sightings;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stock;
import io.naru.support.Seeded;
import io.naru.support.SettableClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the decision itself writes down is true, whatever happens. */
class DecisionLogTest {

  private static final TestChain COINS = new TestChain("decision");

  /** The chain that draws name, with coins that can be had at once. */
  private static final Drand CHAIN =
      new Drand(Drand.QUICKNET.chain(), COINS.publicKey(), 1_692_803_367, 3);

  /** A queue in memory, through which a day goes. */
  private static final class Day extends QueueScenario {
    final SettableClock clock = SettableClock.atOpening();
    final MemoryQueues memory = new MemoryQueues(clock);
    final Random random;
    final List<EntryKey> people = new ArrayList<>();
    final List<EntryKey> inside = new ArrayList<>();
    final Map<Integer, Lobby> lists = new HashMap<>();
    private long stock;
    private boolean looks;

    Day(Random random) {
      this.random = random;
    }

    @Override
    protected Queues queues() {
      return memory;
    }

    @Override
    protected Line line() {
      return memory;
    }

    @Override
    protected void advance(QueueId queue, Duration by) {
      clock.advance(by);
    }

    private void tick(int maxMillis) {
      clock.advance(Duration.ofNanos(1_000L * random.nextInt(1_000 * maxMillis)));
    }

    void open(Map<String, ? extends @Nullable Object> settings) {
      Map<String, @Nullable Object> all = new LinkedHashMap<>();
      all.put("log", true);
      all.putAll(settings);
      looks = all.containsKey("absenceGraceSeconds");
      byte[] entropy = new byte[32];
      random.nextBytes(entropy);
      assertThat(edit(Edit.activate(all).entropy(Hashes.hex(entropy)))).isNotNull();
    }

    void live(int steps, List<String> lanes) {
      for (int i = 0; i < steps; i++) {
        tick(random.nextInt(4) == 0 ? 900 : 60);
        act(i, lanes.get(random.nextInt(lanes.size())));
        bringOn();
        if (looks) {
          see(i);
        }
      }
    }

    private void act(int i, String lane) {
      EntryKey any = people.isEmpty() ? null : people.get(random.nextInt(people.size()));
      EntryKey in = inside.isEmpty() ? null : inside.get(random.nextInt(inside.size()));
      switch (random.nextInt(13)) {
        case 0, 1, 2, 3 -> {
          for (int j = random.nextInt(4); j >= 0; j--) {
            join("u:" + i + "." + j, lane);
          }
        }
        case 4, 5, 6 -> admitted(admit(new Admission.Paced()));
        case 7 -> {
          if (in != null) {
            complete(in);
          }
        }
        case 8 -> {
          if (any != null) {
            leave(any);
          }
        }
        case 9 -> {
          if (any != null && !lane.isEmpty()) {
            await(memory.move(queue, any.user(), lane, Actor.SYSTEM));
          }
        }
        case 10 -> {
          if (any != null) {
            await(memory.handOff(any, "h:" + i));
          }
        }
        case 11 -> {
          if (in != null) {
            await(memory.giveBack(in, random.nextBoolean(), CompletedBy.VISITOR));
          }
        }
        default -> rare(any);
      }
    }

    private void rare(@Nullable EntryKey any) {
      switch (random.nextInt(7)) {
        case 0 -> edit(Edit.of(Edit.Act.PAUSE, ""));
        case 1, 2 -> edit(Edit.of(Edit.Act.RESUME, ""));
        case 3 ->
            edit(Edit.put(Map.of("entryBatchSize", 1 + random.nextInt(9)), OptionalLong.empty()));
        case 4 -> admitted(admit(new Admission.ByHand(1 + random.nextInt(3), Actor.SYSTEM)));
        case 5 -> {
          if (any != null) {
            await(memory.remove(queue, any.user(), EndReason.REMOVED, Actor.SYSTEM));
          }
        }
        default -> {
          var pool = new Stock.Pool("all", random.nextInt(60), random.nextInt(5));
          await(memory.push(queue, new Stock(++stock, List.of(pool))));
        }
      }
    }

    /** A server looks at every step; some are away for a while, and come back. */
    private void see(int step) {
      List<Sightings.Sight> seen = new ArrayList<>();
      for (EntryKey each : people) {
        boolean isAway = (each.joined() / 1_000 + step / 60) % 3 == 0;
        if (!isAway
            && seen.size() < 200
            && await(memory.locate(queue, each.user())) instanceof Standing.Found(var place)
            && place.entry().isWaiting()) {
          seen.add(new Sightings.Sight(each.joined(), place.score()));
        }
      }
      await(memory.see(queue, new Sightings("s1", seen, Sightings.Goes.ON)));
    }

    private void join(String user, String lane) {
      if (await(memory.join(queue, user, new Claim(lane, "")))
          instanceof Joined.Waiting(var place)) {
        people.add(place.entry().key());
      }
    }

    private void admitted(Admitted admitted) {
      if (admitted instanceof Admitted.Done done) {
        done.entries().stream().map(Entry::key).forEach(inside::add);
      }
    }

    /** What servers do for a draw. */
    private void bringOn() {
      DrawView draw = draw();
      if (draw.drawing().phase() == Phase.CLOSED && !draw.isSealed() && random.nextInt(3) == 0) {
        seal(draw);
      } else if (draw.isWaitingForCoin() && random.nextInt(3) == 0) {
        advance(Duration.ofSeconds(14));
        await(
            memory.coin(
                queue, draw.commitment(), draw.round(), Hashes.hex(COINS.sign(draw.round()))));
      } else if (draw.drawing().phase() == Phase.DRAWN) {
        settle(draw);
      }
    }

    private void seal(DrawView draw) {
      var list = new Lobby();
      List<Long> counts = new ArrayList<>();
      for (int lane = 0; lane < draw.lanes().size(); lane++) {
        List<LobbyEntry> some = await(memory.lobby(queue, lane, 0, 1_000));
        for (LobbyEntry entry : some) {
          list.add(entry.joined(), lane, leaf(entry.joined(), entry.user()));
        }
        counts.add((long) some.size());
      }
      if (random.nextBoolean() && !people.isEmpty()) {
        // Between reading and sealing anything may happen.
        leave(people.get(random.nextInt(people.size())));
      }
      await(
          memory.seal(
              queue,
              new Seal(draw.commitment(), "s" + draw.number(), Hashes.hex(list.root()), counts)));
      lists.put(draw.number(), list);
    }

    private void settle(DrawView draw) {
      Lobby list = Objects.requireNonNull(lists.get(draw.number()));
      byte[] seed = Hashes.ofHex("seed", draw.seed(), 32);
      byte[] coin =
          draw.signature().isEmpty()
              ? new byte[0]
              : Drand.randomness(Hashes.ofHex("coin", draw.signature(), 48));
      Order order = Order.of(list, Order.key(seed, list.root(), coin));
      int from = (int) draw.drawing().settled();
      List<Long> next = new ArrayList<>();
      for (int rank = from; rank < order.count() && next.size() < 5; rank++) {
        next.add(order.joinedAt(rank));
      }
      await(memory.settle(queue, draw.commitment(), from, next));
    }

    /** What an operator may do who does not want to wait for a coin. */
    void sealAndDrawBySeed() {
      advance(Duration.ofSeconds(7));
      join("u:late", "");
      seal(draw());
      edit(Edit.put(Map.of("draw", "SEED"), OptionalLong.empty()));
      while (draw().drawing().phase() == Phase.DRAWN) {
        settle(draw());
        admit(new Admission.Paced());
      }
    }

    private DrawView draw() {
      return await(memory.draw(queue)).orElseThrow();
    }

    byte[] leaf(long joined, String user) {
      return Leaves.leaf(queue, joined, user, Truth.salt(user));
    }

    void end() {
      tick(500);
      edit(Edit.of(Edit.Act.END, ""));
      admit(new Admission.Paced());
    }

    /** The journal as the public sees it. */
    Told told() {
      var told = new Told();
      List<Behind> behind = memory.behind(10);
      for (Journaled change : memory.journal(behind.getFirst().log(), 0, 1_000_000)) {
        change.lines().forEach(line -> told.records.add(published(change, line)));
      }
      lists.entrySet().stream()
          .sorted(Map.Entry.comparingByKey())
          .forEach(each -> told.lists.add(each.getValue()));
      return told.sign();
    }

    private String published(Journaled change, String line) {
      Object read = Json.readObject("{\"\":" + line + "}").get("");
      List<@Nullable Object> fields = new ArrayList<>((List<?>) Objects.requireNonNull(read));
      Object kind = fields.getFirst();
      fields.addAll(1, Arrays.asList(change.change(), change.at()));
      if ("join".equals(kind)) {
        fields.set(4, leafOf(fields, 3, 4));
      } else if ("handoff".equals(kind)) {
        fields.set(5, leafOf(fields, 4, 5));
      }
      String object = Json.write(Map.of("", fields));
      return object.substring("{\"\":".length(), object.length() - 1);
    }

    private String leafOf(List<@Nullable Object> fields, int joined, int user) {
      long when = Long.parseLong(Objects.toString(fields.get(joined)));
      return Hashes.hex(leaf(when, Objects.toString(fields.get(user))));
    }
  }

  private static void verify(Told told) {
    try {
      Report report = new Verifier(CHAIN).verify(told.source());
      assertThat(report.findings()).isEmpty();
      assertThat(report.people()).isPositive();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Map<String, @Nullable Object> settings(Random random, boolean hasLanes) {
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    settings.put("maxCapacity", 2 + random.nextInt(20));
    settings.put("entryBatchSize", 1 + random.nextInt(8));
    settings.put("pacing", List.of("STEPS", "TOKEN_BUCKET", "LEAKY_BUCKET").get(random.nextInt(3)));
    settings.put("passTtlSeconds", 10 + random.nextInt(20));
    settings.put("onExpiry", random.nextBoolean() ? "END" : "REQUEUE");
    settings.put("retrySeconds", random.nextInt(2) * 5);
    if (hasLanes) {
      settings.put(
          "lanes", List.of(Map.of("name", "a", "share", 2), Map.of("name", "b", "share", 1)));
      settings.put("laneOrder", random.nextBoolean() ? "SHARES" : "STRICT");
    }
    if (random.nextInt(3) == 0) {
      settings.put("absenceGraceSeconds", 10);
    }
    if (random.nextInt(4) == 0) {
      settings.put("stock", Map.of("lowAt", 10));
    }
    if (random.nextInt(4) == 0) {
      settings.put(
          "adaptive",
          Map.of("mode", "AIMD", "floorPerSecond", 1, "startPerSecond", 5, "ceilingPerSecond", 20));
    }
    return settings;
  }

  private static List<String> lanes(boolean hasLanes) {
    return hasLanes ? List.of("a", "b") : List.of("");
  }

  @Test
  void aDay_withoutChance_isClean() {
    Seeded.histories(
        25,
        random -> {
          boolean hasLanes = random.nextBoolean();
          var day = new Day(random);
          day.open(settings(random, hasLanes));
          day.live(250, lanes(hasLanes));
          day.end();
          verify(day.told());
        });
  }

  @Test
  void aDay_withJitterOrWindows_isClean() {
    Seeded.histories(
        25,
        random -> {
          boolean hasLanes = random.nextBoolean();
          Map<String, @Nullable Object> settings = settings(random, hasLanes);
          settings.put(
              random.nextBoolean() ? "jitterMillis" : "fairWindowMillis", 50 + random.nextInt(500));
          var day = new Day(random);
          day.open(settings);
          day.live(250, lanes(hasLanes));
          day.end();
          verify(day.told());
        });
  }

  @Test
  void aDay_withALobby_isClean() {
    Seeded.histories(
        25,
        random -> {
          boolean hasLanes = random.nextBoolean();
          Map<String, @Nullable Object> settings = settings(random, hasLanes);
          var day = new Day(random);
          settings.put("lobbyOpensAt", day.clock.instant().toString());
          settings.put("opensAt", day.clock.instant().plusSeconds(6).toString());
          settings.put("draw", random.nextBoolean() ? Draw.SEED.name() : Draw.COIN.name());
          day.open(settings);
          day.live(300, lanes(hasLanes));
          day.end();
          verify(day.told());
        });
  }

  @Test
  void aDay_inWhichTheDrawIsMadeBySeedAfterAll_isFound() throws Exception {
    var day = new Day(new Random(3));
    day.open(
        Map.of(
            "lobbyOpensAt",
            day.clock.instant().toString(),
            "opensAt",
            day.clock.instant().plusSeconds(6).toString(),
            "draw",
            "COIN"));
    for (int i = 0; i < 9; i++) {
      day.join("u:" + i, "");
    }
    day.sealAndDrawBySeed();

    Report report = new Verifier(CHAIN).verify(day.told().source());

    assertThat(report.counts()).containsOnlyKeys("drawn-by-seed-instead-of-coin");
  }
}
