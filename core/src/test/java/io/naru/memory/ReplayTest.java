package io.naru.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.decision.Answer;
import io.naru.decision.JoinOutcome;
import io.naru.decision.Outcome;
import io.naru.decision.QueueState;
import io.naru.decision.Request;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.State;
import io.naru.queue.Stay.CompletedBy;
import io.naru.support.Seeded;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
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
        queue.lastEnteredAt);
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
