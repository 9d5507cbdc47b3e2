package io.naru.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.decision.Answer;
import io.naru.decision.EntryState;
import io.naru.decision.JoinOutcome;
import io.naru.decision.Outcome;
import io.naru.decision.QueueState;
import io.naru.decision.Request;
import io.naru.line.Score;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Claim;
import io.naru.queue.DrawView;
import io.naru.queue.Drawing;
import io.naru.queue.Edit;
import io.naru.queue.EndReason;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Json;
import io.naru.queue.LobbyEntry;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Seal;
import io.naru.queue.Sightings;
import io.naru.queue.Signal;
import io.naru.queue.State;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stock;
import io.naru.rate.RateText;
import io.naru.support.Seeded;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Requests and outcomes are plain values: whoever has the requests of a queue and their moments has
 * its states, on any server.
 */
class ReplayTest {

  private static final QueueId QUEUE = new QueueId("TEST", "1");

  private static final int USERS = 30;

  /** What was decided together, and when. */
  private record Step(List<Request<?>> requests, long now) {}

  /** Those that make or end a queue, and those of a draw, which is replayed by itself. */
  private static final Set<Class<?>> OTHERS =
      Set.of(
          Request.Restore.class,
          Request.Delete.class,
          Request.Seal.class,
          Request.Coin.class,
          Request.Settle.class);

  @Test
  void decide_recordedRequests_comeToTheSameStatesAgain() {
    Set<State.Word> seen = EnumSet.noneOf(State.Word.class);
    Set<Class<?>> kinds = new HashSet<>(OTHERS);
    Seeded.histories(5, random -> seen.addAll(replay(random, kinds)));
    // A single history may have ended before it was ever paused.
    assertThat(seen).contains(State.Word.values());
    assertThat(kinds).as("what can be asked").isEqualTo(records(Request.class));
  }

  /** All kinds of a sealed type. */
  private static Set<Class<?>> records(Class<?> type) {
    if (type.isRecord()) {
      return Set.of(type);
    }
    Set<Class<?>> all = new HashSet<>();
    for (Class<?> one : type.getPermittedSubclasses()) {
      all.addAll(records(one));
    }
    return all;
  }

  /** Chance comes with the request that begins it, so it is the same wherever it decides. */
  @Test
  void decide_whereChanceHasAPart_comesToTheSameStatesAgain() {
    Set<Drawing.Phase> seen = EnumSet.noneOf(Drawing.Phase.class);
    Seeded.histories(10, random -> seen.addAll(replayDraw(random)));
    assertThat(seen).contains(Drawing.Phase.values());
  }

  /** Whether anybody reads is an input as the time is: here, somebody does. */
  private static MemoryFeed readers() {
    var feed = new MemoryFeed(() -> 0);
    feed.listen("test");
    return feed;
  }

  private static Set<Drawing.Phase> replayDraw(Random random) {
    var first = new MemoryBook(QUEUE, new MemoryTrail(InstantSource.system()), readers(), 1);
    var second = new MemoryBook(QUEUE, new MemoryTrail(InstantSource.system()), readers(), 1);
    Set<Drawing.Phase> phases = EnumSet.noneOf(Drawing.Phase.class);
    long now = 86_400 * Micros.PER_SECOND;
    int users = 0;
    List<Long> order = new ArrayList<>();
    var settings = new HashMap<String, Object>();
    settings.put("entryBatchSize", 2);
    settings.put(random.nextBoolean() ? "jitterMillis" : "fairWindowMillis", 200);
    settings.put(
        "lanes", List.of(Map.of("name", "vip", "share", 1), Map.of("name", "rest", "share", 2)));
    List<Request<?>> requests = new ArrayList<>();
    requests.add(new Request.Alter(QUEUE, Edit.activate(settings)));
    for (int i = 0; i < 120; i++) {
      if (i == 3) {
        settings.put("lobbyOpensAt", Micros.toInstant(now).toString());
        settings.put("opensAt", Micros.toInstant(now + 2 * Micros.PER_SECOND).toString());
        requests.add(new Request.Alter(QUEUE, Edit.activate(settings)));
      }
      for (int n = random.nextInt(4); i > 3 && n > 0; n--) {
        requests.add(
            new Request.Join(
                QUEUE, "user" + users++, new Claim(random.nextBoolean() ? "vip" : "", "")));
      }
      requests.add(new Request.Admit(QUEUE, new Admission.Paced()));
      long at = now;
      first.draw(at).ifPresent(draw -> requests.addAll(bringOn(draw, first, order, random, at)));
      Outcome once = first.decide(requests, now);
      Outcome again = second.decide(requests, now);
      assertThat(again.change()).as("step %d", i).isEqualTo(once.change());
      assertThat(again.told()).as("step %d", i).isEqualTo(once.told());
      assertThat(again.answers()).as("step %d", i).isEqualTo(once.answers());
      assertThat(state(again)).as("step %d", i).isEqualTo(state(once));
      phases.add(once.queue().asQueue(now).drawing().phase());
      requests.clear();
      now += random.nextInt(20) == 0 ? -50_000 : random.nextLong(300_000);
    }
    return phases;
  }

  private static List<Request<?>> bringOn(
      DrawView draw, MemoryBook book, List<Long> order, Random random, long now) {
    return switch (draw.drawing().phase()) {
      case CLOSED -> {
        order.clear();
        List<Long> counts = new ArrayList<>();
        for (int lane = 0; lane < draw.lanes().size(); lane++) {
          List<LobbyEntry> some = book.lobby(lane, 0, 1_000, now);
          counts.add((long) some.size());
          some.forEach(entry -> order.add(entry.joined()));
        }
        Collections.shuffle(order, random);
        yield List.of(
            new Request.Seal(QUEUE, new Seal(draw.commitment(), "list", "0".repeat(64), counts)));
      }
      case DRAWN -> {
        long from = draw.drawing().settled();
        List<Long> some = order.stream().skip(from).limit(3).toList();
        yield List.of(new Request.Settle(QUEUE, draw.commitment(), from, some));
      }
      case NONE, LOBBY, DONE -> List.of();
    };
  }

  /** The states that its queue was in. */
  private static Set<State.Word> replay(Random random, Set<Class<?>> kinds) {
    var first = new MemoryBook(QUEUE, new MemoryTrail(InstantSource.system()), readers(), 1);
    var second = new MemoryBook(QUEUE, new MemoryTrail(InstantSource.system()), readers(), 1);
    var history = new History(random);
    var marks = new Marks();
    for (int i = 0; i < 300; i++) {
      Step step = history.next();
      step.requests.forEach(request -> kinds.add(request.getClass()));
      Outcome once = first.decide(step.requests, step.now);
      Outcome again = second.decide(step.requests, step.now);

      assertThat(again.change()).as("step %d", i).isEqualTo(once.change());
      assertThat(again.told()).as("step %d", i).isEqualTo(once.told());
      assertThat(again.answers()).as("step %d", i).isEqualTo(once.answers());
      assertThat(state(again)).as("step %d", i).isEqualTo(state(once));
      for (int user = 0; user < USERS; user++) {
        assertThat(second.locate("user" + user, step.now))
            .isEqualTo(first.locate("user" + user, step.now));
      }
      marks.follow(once);
      marks.check(first, once.queue(), "step " + i);
      history.seen(once);
    }
    assertThat(first.overview(history.now).figures().entered()).isPositive();
    return history.states;
  }

  /** What any store keeps of those who were passed over and who owe something. */
  private static final class Marks {
    private final Map<Long, EntryState> passed = new HashMap<>();
    private final Map<Long, EntryState> owing = new HashMap<>();

    void follow(Outcome outcome) {
      Outcome.Noted noted = outcome.noted();
      if (noted == null) {
        return;
      }
      if (noted.isOver()) {
        passed.clear();
        owing.clear();
      }
      noted.passed().forEach(e -> keep(e, e.isWaiting() && e.isPassed, passed));
      noted.owing().forEach(e -> keep(e, e.isWaiting() && e.owes(), owing));
    }

    private static void keep(EntryState entry, boolean isKept, Map<Long, EntryState> in) {
      if (isKept) {
        in.put(entry.joined, entry);
      } else {
        in.remove(entry.joined);
      }
    }

    /** The queue counts them, and knows before which score they stand. */
    void check(MemoryBook book, QueueState queue, String step) {
      long held = passed.values().stream().filter(e -> e.absentSince == EntryState.OWING).count();
      Map<Integer, List<Long>> bands = new HashMap<>();
      if (queue.presence != null) {
        Map<String, Object> all = Json.readObject(queue.presence.text());
        assertThat(((Number) all.getOrDefault("held", 0)).longValue()).as(step).isEqualTo(held);
        ((Map<?, ?>) requireNonNull(all.get("passed")))
            .forEach((band, numbers) -> bands.put(Integer.parseInt((String) band), longs(numbers)));
      }
      assertThat(queue.figures(0).proofs().owing()).as(step).isEqualTo(owing.size());
      Map<Integer, List<Long>> counted = new HashMap<>();
      for (EntryState entry : passed.values()) {
        int band = Score.lane(entry.score);
        List<Long> known = bands.getOrDefault(band, List.of(0L, 0L, 0L));
        assertThat(entry.score).as(step).isLessThan(known.getFirst());
        List<Long> counts = counted.computeIfAbsent(band, _ -> new ArrayList<>(List.of(0L, 0L)));
        int which = entry.absentSince == 0 ? 1 : 0;
        counts.set(which, counts.get(which) + 1);
      }
      bands.forEach(
          (band, known) ->
              assertThat(known.subList(1, 3))
                  .as("%s, passed over and back", step)
                  .isEqualTo(counted.getOrDefault(band, List.of(0L, 0L))));
      Stream.concat(passed.values().stream(), owing.values().stream())
          .forEach(
              entry ->
                  assertThat(book.entry(entry.joined, 0))
                      .as("%s, %s", step, entry.user)
                      .hasValueSatisfying(p -> assertThat(p.entry().isWaiting()).isTrue()));
    }

    private static List<Long> longs(Object numbers) {
      return ((List<?>) numbers).stream().map(number -> ((Number) number).longValue()).toList();
    }
  }

  private static List<Object> state(Outcome outcome) {
    QueueState queue = outcome.queue();
    return List.of(
        queue.asQueue(0),
        queue.figures(0),
        queue.allowance,
        queue.lastJoined,
        queue.frontScore,
        queue.lastEnteredAt,
        queue.bands.text(),
        RateText.write(queue.rate),
        queue.stock == null ? "" : queue.stock.text(),
        queue.presence == null ? "" : queue.presence.text(),
        queue.draw == null ? "" : queue.draw.text(),
        queue.openness);
  }

  /** Anything that may be asked, in any mixture, on a clock that also goes back. */
  private static final class History {
    private final Random random;
    private final List<Place> places = new ArrayList<>();
    private long stocks;
    private long now = 86_400 * Micros.PER_SECOND;
    private final Set<State.Word> states = EnumSet.noneOf(State.Word.class);
    private boolean isOpen;
    private boolean hasEntered;

    History(Random random) {
      this.random = random;
    }

    Step next() {
      now += random.nextInt(20) == 0 ? -random.nextLong(1L << 30) : random.nextLong(1L << 24);
      List<Request<?>> requests = new ArrayList<>();
      if (!isOpen) {
        requests.add(new Request.Alter(QUEUE, Edit.activate(settings())));
        isOpen = true;
      }
      for (int i = random.nextInt(6); i >= 0; i--) {
        requests.add(request());
      }
      return new Step(requests, now);
    }

    private Map<String, Object> settings() {
      Map<String, Object> settings = new HashMap<>();
      settings.put("maxCapacity", 1 + random.nextInt(9));
      settings.put("entryBatchSize", 1 + random.nextInt(5));
      settings.put("passTtlSeconds", 10 + random.nextInt(60));
      settings.put("onExpiry", random.nextBoolean() ? "REQUEUE" : "END");
      settings.put("once", random.nextInt(4) == 0);
      settings.put("newPlacesPerMinute", random.nextInt(4) == 0 ? 3 : 0);
      settings.put("maxReturns", random.nextInt(3));
      settings.put("retrySeconds", random.nextInt(2) * 10);
      settings.put("absenceGraceSeconds", random.nextInt(2) * 40);
      settings.put("stock", random.nextInt(3) == 0 ? Map.of() : null);
      settings.put("opensAt", mayClose() ? in(random.nextInt(40) - 20) : null);
      settings.put("closesAt", mayClose() ? in(20 + random.nextInt(40)) : null);
      settings.put("adaptive", random.nextInt(3) == 0 ? Map.of() : null);
      settings.put("doors", random.nextInt(3) == 0 ? Map.of("proofSeconds", 20) : null);
      settings.put(
          "lanes",
          random.nextBoolean()
              ? List.of(Map.of("name", "vip", "share", 2), Map.of("name", "all", "share", 1))
              : null);
      return settings;
    }

    /** On this clock it may be for good, and then nothing much would happen. */
    private boolean mayClose() {
      return hasEntered && random.nextInt(4) == 0;
    }

    private String in(int seconds) {
      return Micros.toInstant(now + seconds * Micros.PER_SECOND).toString();
    }

    private Request<?> request() {
      int kind = places.isEmpty() ? 0 : random.nextInt(27);
      return switch (kind) {
        case 0, 1, 2, 3, 4, 5 -> new Request.Join(QUEUE, user(), claim());
        case 6 -> new Request.Leave(key());
        case 7, 8 -> new Request.Complete(key(), CompletedBy.VISITOR);
        case 9 -> new Request.Redeem(key(), "session" + random.nextInt(3));
        case 10 ->
            new Request.Admit(QUEUE, new Admission.ByHand(1 + random.nextInt(3), Actor.SYSTEM));
        case 11, 12 -> new Request.Alter(QUEUE, edit());
        case 13 -> new Request.Return(key(), random.nextBoolean(), CompletedBy.VISITOR);
        case 14 -> new Request.HandOff(key(), user());
        case 15 -> new Request.Prove(key());
        case 16 -> new Request.Remove(QUEUE, user(), EndReason.REMOVED, Actor.SYSTEM);
        case 17 -> new Request.Move(QUEUE, user(), lane(), Actor.SYSTEM);
        case 18 -> new Request.MakeCodes(QUEUE, lane(), Set.of(code()), Actor.SYSTEM);
        case 19 -> new Request.Erase(QUEUE, user(), "erased" + now, Actor.SYSTEM);
        case 20, 21 -> new Request.See(QUEUE, sightings());
        case 22 ->
            new Request.Tell(
                QUEUE,
                new Signal(
                    "shop" + random.nextInt(2), 100, random.nextInt(4), random.nextInt(900), 0));
        case 23 ->
            new Request.Push(
                QUEUE,
                new Stock(
                    ++stocks,
                    List.of(new Stock.Pool("seats", random.nextInt(50), random.nextInt(3)))));
        default -> new Request.Admit(QUEUE, new Admission.Paced());
      };
    }

    private Claim claim() {
      var from = new Claim.From(false, random.nextBoolean(), random.nextInt(4) == 0);
      return new Claim(
          random.nextInt(3) == 0 ? lane() : "", random.nextInt(4) == 0 ? code() : "", from);
    }

    private String lane() {
      return random.nextBoolean() ? "vip" : "all";
    }

    private String code() {
      return "code" + random.nextInt(20);
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

    private Edit edit() {
      Edit.Act[] acts = Edit.Act.values();
      Edit.Act act = acts[random.nextInt(acts.length)];
      // More often than not the queue is open afterwards, or nothing else would happen.
      return random.nextInt(3) == 0
          ? Edit.of(act, act == Edit.Act.PAUSE ? "reason" + random.nextInt(3) : "")
          : Edit.activate(settings());
    }

    private EntryKey key() {
      return places.get(random.nextInt(places.size())).entry().key();
    }

    void seen(Outcome outcome) {
      states.add(outcome.queue().state.word());
      hasEntered |= outcome.queue().entered > 0;
      for (Answer<?> answer : outcome.answers()) {
        if (answer.value() instanceof JoinOutcome.Final(Joined.Waiting(var place))) {
          places.add(place);
        }
      }
    }
  }
}
