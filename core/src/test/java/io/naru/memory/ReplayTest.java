package io.naru.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.decision.Answer;
import io.naru.decision.JoinOutcome;
import io.naru.decision.Outcome;
import io.naru.decision.QueueState;
import io.naru.decision.Request;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Claim;
import io.naru.queue.DrawView;
import io.naru.queue.Drawing;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.LobbyEntry;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.Seal;
import io.naru.queue.State;
import io.naru.queue.Stay.CompletedBy;
import io.naru.support.Seeded;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
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

  @Test
  void decide_recordedRequests_comeToTheSameStatesAgain() {
    Set<State.Word> seen = EnumSet.noneOf(State.Word.class);
    Seeded.histories(5, random -> seen.addAll(replay(random)));
    // A single history may have ended before it was ever paused.
    assertThat(seen).contains(State.Word.values());
  }

  /** Chance comes with the request that begins it, so it is the same wherever it decides. */
  @Test
  void decide_whereChanceHasAPart_comesToTheSameStatesAgain() {
    Set<Drawing.Phase> seen = EnumSet.noneOf(Drawing.Phase.class);
    Seeded.histories(10, random -> seen.addAll(replayDraw(random)));
    assertThat(seen).contains(Drawing.Phase.values());
  }

  private static Set<Drawing.Phase> replayDraw(Random random) {
    var first = new MemoryBook(QUEUE, new MemoryTrail(InstantSource.system()), 1);
    var second = new MemoryBook(QUEUE, new MemoryTrail(InstantSource.system()), 1);
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
  private static Set<State.Word> replay(Random random) {
    var first = new MemoryBook(QUEUE, new MemoryTrail(InstantSource.system()), 1);
    var second = new MemoryBook(QUEUE, new MemoryTrail(InstantSource.system()), 1);
    var history = new History(random);
    for (int i = 0; i < 300; i++) {
      Step step = history.next();
      Outcome once = first.decide(step.requests, step.now);
      Outcome again = second.decide(step.requests, step.now);

      assertThat(again.change()).as("step %d", i).isEqualTo(once.change());
      assertThat(again.answers()).as("step %d", i).isEqualTo(once.answers());
      assertThat(state(again)).as("step %d", i).isEqualTo(state(once));
      for (int user = 0; user < USERS; user++) {
        assertThat(second.locate("user" + user, step.now))
            .isEqualTo(first.locate("user" + user, step.now));
      }
      history.seen(once);
    }
    assertThat(first.overview(history.now).figures().entered()).isPositive();
    return history.states;
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
        queue.draw == null ? "" : queue.draw.text());
  }

  /** Anything that may be asked, in any mixture, on a clock that also goes back. */
  private static final class History {
    private final Random random;
    private final List<EntryKey> keys = new ArrayList<>();
    private long now = 86_400 * Micros.PER_SECOND;
    private final Set<State.Word> states = EnumSet.noneOf(State.Word.class);
    private boolean isOpen;

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
      return Map.of(
          "maxCapacity",
          1 + random.nextInt(9),
          "entryBatchSize",
          1 + random.nextInt(5),
          "passTtlSeconds",
          10 + random.nextInt(60),
          "onExpiry",
          random.nextBoolean() ? "REQUEUE" : "END",
          "once",
          random.nextInt(4) == 0);
    }

    private Request<?> request() {
      int kind = keys.isEmpty() ? 0 : random.nextInt(12);
      return switch (kind) {
        case 0, 1, 2, 3 -> new Request.Join(QUEUE, "user" + random.nextInt(USERS));
        case 4 -> new Request.Leave(key());
        case 5, 6 -> new Request.Complete(key(), CompletedBy.VISITOR);
        case 7 -> new Request.Redeem(key(), "session" + random.nextInt(3));
        case 8 ->
            new Request.Admit(QUEUE, new Admission.ByHand(1 + random.nextInt(3), Actor.SYSTEM));
        case 9 -> new Request.Alter(QUEUE, edit());
        default -> new Request.Admit(QUEUE, new Admission.Paced());
      };
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
      return keys.get(random.nextInt(keys.size()));
    }

    void seen(Outcome outcome) {
      states.add(outcome.queue().state.word());
      for (Answer<?> answer : outcome.answers()) {
        if (answer.value() instanceof JoinOutcome.Final(Joined.Waiting(var place))) {
          keys.add(place.entry().key());
        }
      }
    }
  }
}
