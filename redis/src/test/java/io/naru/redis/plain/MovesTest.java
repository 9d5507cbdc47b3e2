package io.naru.redis.plain;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.Range;
import io.lettuce.core.StreamMessage;
import io.naru.line.Standing;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Place;
import io.naru.redis.Keys;
import io.naru.redis.Script;
import io.naru.support.Seeded;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the moves stream tells a viewer: every change once, and enough to follow the whole line. */
class MovesTest extends RedisScenario {

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

  private record Move(long from, long to, int front, List<Long> out, long waiting) {

    static Move of(Map<String, String> fields) {
      assertThat(fields).containsOnlyKeys("from", "to", "front", "out", "waiting");
      return new Move(
          Long.parseLong(fields.get("from")),
          Long.parseLong(fields.get("to")),
          Integer.parseInt(fields.get("front")),
          Stream.of(fields.getOrDefault("out", "").split(" ", -1))
              .filter(score -> !score.isEmpty())
              .map(Long::valueOf)
              .toList(),
          Long.parseLong(fields.get("waiting")));
    }
  }

  private List<Move> moves() {
    return await(redis().xrange(key("moves"), Range.unbounded())).stream()
        .map(StreamMessage::getBody)
        .map(Move::of)
        .toList();
  }

  /** The one move that this adds to the stream. */
  private Move moveOf(Runnable step) {
    long change = figures().change();
    List<Move> before = moves();
    step.run();
    List<Move> after = moves();
    assertThat(after).hasSize(before.size() + 1);
    assertThat(after.subList(0, before.size())).isEqualTo(before);
    Move move = after.getLast();
    assertThat(move.from).isEqualTo(change);
    assertThat(move.to).isEqualTo(change + 1);
    assertThat(figures().change()).isEqualTo(change + 1);
    assertThat(move.waiting).isEqualTo(figures().waiting());
    return move;
  }

  private void noMoveOf(Runnable step) {
    long change = figures().change();
    List<Move> before = moves();
    step.run();
    assertThat(moves()).isEqualTo(before);
    assertThat(figures().change()).isEqualTo(change);
  }

  private static void assertTakesNobody(Move move) {
    assertThat(move.front).isZero();
    assertThat(move.out).isEmpty();
  }

  // One change, one move.

  @Test
  void join_oneOrMany_isOneMoveThatTakesNobody() {
    activateCalm(10, 2);

    assertTakesNobody(moveOf(() -> keyOf("ann")));
    String[] users = {"bob", "cid", "ann", "dan", "bob"};
    Script join = Scripts.standard().join();
    Move batch = moveOf(() -> await(fixture.redis.run(join, Keys.of(queue), users)));

    assertTakesNobody(batch);
    assertThat(batch.waiting).isEqualTo(4);
  }

  @Test
  void leave_fromFrontMiddleEndOrInside_tellsWhoIsTaken() {
    activateCalm(10, 1);
    List<EntryKey> all = joinMany("user", 5);
    admitPaced();

    assertTakesNobody(moveOf(() -> leave(all.get(0))));
    Move middle = moveOf(() -> leave(all.get(2)));
    assertThat(middle.front).isZero();
    assertThat(middle.out).containsExactly(all.get(2).joined());
    Move front = moveOf(() -> leave(all.get(1)));
    assertThat(front.front).isEqualTo(1);
    assertThat(front.out).isEmpty();
    Move end = moveOf(() -> leave(all.get(4)));
    assertThat(end.front).isZero();
    assertThat(end.out).containsExactly(all.get(4).joined());
    assertThat(moveOf(() -> leave(all.get(3))).front).isEqualTo(1);
  }

  @Test
  void admit_some_tellsHowManyWentFromTheFront() {
    activateCalm(10, 3);
    joinMany("user", 10);

    Move paced = moveOf(() -> admitPaced());
    Move byHand = moveOf(() -> admitByHand(4));

    assertThat(paced.front).isEqualTo(3);
    assertThat(byHand.front).isEqualTo(4);
    assertThat(byHand.out).isEmpty();
    assertThat(byHand.waiting).isEqualTo(3);
  }

  @Test
  void complete_orExpire_isAMoveThatTakesNobody() {
    activate(Map.of("maxCapacity", 10, "passTtlSeconds", 60, "entryIntervalSeconds", 3_600));
    List<EntryKey> all = joinMany("user", 3);
    admitPaced();

    assertTakesNobody(moveOf(() -> complete(all.get(0))));
    advance(Duration.ofSeconds(60));
    assertTakesNobody(moveOf(() -> joinNew(all.get(1).user())));
    edit(Edit.deactivate());
    assertTakesNobody(moveOf(() -> admit(new Admission.Paced())));
  }

  @Test
  void expire_foundByAJoinThatIsRefused_isAMove() {
    activate(Map.of("passTtlSeconds", 10, "newPlacesPerMinute", 1));
    keyOf("ann");
    admitPaced();
    advance(Duration.ofSeconds(10));

    assertTakesNobody(moveOf(() -> refused("ann")));
    noMoveOf(() -> refused("ann"));
  }

  @Test
  void expireAndAdmit_inOneStep_isOneMove() {
    activate(Map.of("maxCapacity", 2, "passTtlSeconds", 60, "entryIntervalSeconds", 30));
    joinMany("user", 5);
    admitPaced();
    advance(Duration.ofSeconds(60));

    Move move = moveOf(() -> assertThat(admitPaced().expired()).isEqualTo(2));

    assertThat(move.front).isEqualTo(2);
  }

  @Test
  void expireRequeueAndAdmit_inOneStep_isOneMove() {
    activate(
        Map.of(
            "maxCapacity", 2,
            "passTtlSeconds", 60,
            "entryIntervalSeconds", 30,
            "onExpiry", "REQUEUE"));
    joinMany("user", 5);
    admitPaced();
    advance(Duration.ofSeconds(60));

    Move move = moveOf(() -> assertThat(admitPaced().expired()).isEqualTo(2));

    assertThat(move.front).isEqualTo(2);
    assertThat(move.out).isEmpty();
    assertThat(move.waiting).isEqualTo(3);
  }

  @Test
  void requeue_foundByAJoin_isOneMoveThatTakesNobody() {
    activate(Map.of("passTtlSeconds", 10, "onExpiry", "REQUEUE"));
    keyOf("ann");
    admitPaced();
    advance(Duration.ofSeconds(10));

    assertTakesNobody(moveOf(() -> join("ann")));
    noMoveOf(() -> join("ann"));
  }

  @Test
  void whatChangesNothing_isNoMove() {
    activateCalm(1, 10);
    EntryKey ann = keyOf("ann");
    EntryKey bob = keyOf("bob");
    admitPaced();

    noMoveOf(() -> join("ann"));
    noMoveOf(() -> join("bob"));
    noMoveOf(() -> locate("bob"));
    noMoveOf(() -> complete(bob));
    noMoveOf(() -> admitPaced());
    noMoveOf(() -> admitByHand(5));
    noMoveOf(() -> edit(Edit.activate(Map.of("title", "Sale"))));
    noMoveOf(() -> leave(new EntryKey(queue, "bob", bob.joined() + 1)));
    complete(ann);
    noMoveOf(() -> complete(ann));
    noMoveOf(() -> leave(ann));
  }

  // The whole line from its moves.

  /** A viewer who knows the scores of those who joined, and of what left only the moves. */
  @Test
  void replay_randomHistory_givesTheLineAndEveryRank() {
    Seeded.histories(1, random -> new History(random).run());
  }

  private final class History {

    private final Random random;
    private final List<EntryKey> waiting = new ArrayList<>();
    private final List<EntryKey> inside = new ArrayList<>();
    private final List<String> out = new ArrayList<>();
    private final List<Place> joined = new ArrayList<>();
    private final Map<String, Integer> did = new HashMap<>();
    private final boolean isRequeueing;
    private int named;

    /** What the moves say: the scores of those who wait, in order. */
    private final List<Long> line = new ArrayList<>();

    private long position;

    History(Random random) {
      this.random = random;
      isRequeueing = random.nextBoolean();
    }

    void run() {
      activate(
          Map.of(
              "onExpiry", isRequeueing ? "REQUEUE" : "END",
              "maxCapacity", 150,
              "entryBatchSize", 20,
              "entryIntervalSeconds", 30,
              "passTtlSeconds", 120,
              "newPlacesPerMinute", 1));
      joinMany(300);
      for (int step = 1; step <= 600; step++) {
        act();
        if (step % 30 == 0) {
          replay();
          checkRanks();
        }
      }
      assertThat(did.keySet())
          .as("what happened in this history")
          .contains("join", "return", "refused", "front", "middle", "inside", "admit", "complete")
          .contains("expire");
    }

    private void act() {
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> joinMany(1 + random.nextInt(12));
        case 3 -> joinAgain();
        case 4 -> leaveLine(0);
        case 5, 6, 7 -> leaveLine(waiting.isEmpty() ? 0 : random.nextInt(waiting.size()));
        case 8 -> leaveInside();
        case 9 -> completeSome();
        case 10 -> admitSome(admitByHand(1 + random.nextInt(15)));
        default -> {
          advance(Duration.ofSeconds(random.nextInt(45)));
          admitSome(admitPaced());
        }
      }
    }

    private void count(String what) {
      did.merge(what, 1, Integer::sum);
    }

    private void joinMany(int count) {
      List<CompletionStage<Joined>> joins = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        joins.add(queues().join(queue, "user" + named++));
      }
      joins.forEach(join -> took(await(join), "join"));
    }

    private void joinAgain() {
      if (random.nextBoolean()) {
        leaveLine(waiting.size() - 1);
      }
      if (!out.isEmpty()) {
        String user = random.nextBoolean() ? out.getLast() : out.get(random.nextInt(out.size()));
        Joined answer = join(user);
        if (answer instanceof Joined.Waiting) {
          out.remove(user);
        }
        took(answer, "return");
      }
    }

    private void took(Joined answer, String what) {
      switch (answer) {
        case Joined.Waiting(Place place) -> {
          waiting.add(place.entry().key());
          joined.add(place);
          count(what);
        }
        case Joined.Refused _ -> count("refused");
        case Joined.AlreadyIn in -> throw new AssertionError("is out, but " + in);
        case Joined.NotYet notYet -> throw new AssertionError("is open, but " + notYet);
        case Joined.Over over -> throw new AssertionError("may come back, but " + over);
      }
    }

    private void leaveLine(int at) {
      if (!waiting.isEmpty()) {
        EntryKey gone = waiting.remove(at);
        assertThat(leave(gone)).isEqualTo(Ended.DONE);
        out.add(gone.user());
        count(at == 0 ? "front" : "middle");
      }
    }

    private void leaveInside() {
      if (!inside.isEmpty()) {
        EntryKey gone = inside.remove(random.nextInt(inside.size()));
        went(gone, leave(gone), "inside");
      }
    }

    private void completeSome() {
      if (!inside.isEmpty()) {
        EntryKey done = inside.remove(random.nextInt(inside.size()));
        went(done, complete(done), "complete");
      }
    }

    private void went(EntryKey key, Ended ended, String what) {
      count(ended == Ended.DONE ? what : "expire");
      if (ended != Ended.DONE && isRequeueing) {
        inside.add(key);
      } else {
        out.add(key.user());
      }
    }

    private void admitSome(Admitted.Done step) {
      List<EntryKey> admitted = keys(step);
      assertThat(admitted).isEqualTo(waiting.subList(0, admitted.size()));
      waiting.subList(0, admitted.size()).clear();
      if (step.expired() > 0) {
        count("expire");
      }
      if (step.expired() > 0 && isRequeueing) {
        requeued(step.expired());
      }
      inside.addAll(admitted);
      count("admit");
    }

    /** Finds those of whom the step said only how many they are. */
    private void requeued(int count) {
      List<Place> again =
          inside.stream()
              .map(key -> placeOf(key.user()))
              .filter(place -> place.entry().isWaiting())
              .sorted(Comparator.comparingLong(place -> place.entry().key().joined()))
              .toList();
      assertThat(again).hasSize(count);
      for (Place place : again) {
        inside.removeIf(key -> key.user().equals(place.entry().key().user()));
        waiting.add(place.entry().key());
        joined.add(place);
      }
    }

    /** Reads on from where the last replay stopped. */
    private void replay() {
      Map<Long, List<Long>> joinedBy =
          joined.stream()
              .collect(
                  groupingBy(
                      place -> place.line().change(),
                      mapping(place -> place.entry().key().joined(), toList())));
      joined.clear();
      for (Move move : moves()) {
        if (move.to > position) {
          assertThat(move.from).isEqualTo(position);
          assertThat(move.to).isEqualTo(position + 1);
          position = move.to;
          List<Long> came = joinedBy.getOrDefault(move.to, List.of());
          came.stream().sorted().forEach(line::add);
          line.subList(0, move.front).clear();
          move.out.forEach(score -> assertThat(line.remove(score)).isTrue());
          assertThat(line).hasSize((int) move.waiting);
        }
      }
      assertThat(position).isEqualTo(figures().change());
      List<Long> scores =
          await(redis().zrangeWithScores(key("waiting"), 0, -1)).stream()
              .map(member -> (long) member.getScore())
              .toList();
      assertThat(line).isEqualTo(scores);
      assertThat(line).isEqualTo(waiting.stream().map(EntryKey::joined).toList());
    }

    private void checkRanks() {
      List<CompletionStage<Standing>> asked =
          waiting.stream().map(key -> line().locate(queue, key.user())).toList();
      for (int i = 0; i < asked.size(); i++) {
        Place place = ((Standing.Found) await(asked.get(i))).place();
        assertThat(place.ahead()).isEqualTo(line.indexOf(place.entry().key().joined()));
        assertThat(place.line().change()).isEqualTo(position);
      }
    }
  }

  // No more than is needed.

  @Test
  void moves_afterManyChanges_areTheLastFewThousand() {
    activateCalm(10, 10);
    int changes = 20_000;
    List<EntryKey> all = joinMany("user", changes);
    for (int start = 0; start < changes; start += 200) {
      List<CompletionStage<Ended>> leaves =
          all.subList(start, start + 200).stream().map(key -> queues().leave(key)).toList();
      leaves.forEach(leave -> assertThat(await(leave)).isEqualTo(Ended.DONE));
    }

    List<Move> kept = moves();

    assertThat(kept).hasSizeBetween(4_096, 5_000);
    assertThat(kept.getLast().to).isEqualTo(figures().change()).isGreaterThan(changes);
    for (int i = 1; i < kept.size(); i++) {
      assertThat(kept.get(i).from).isEqualTo(kept.get(i - 1).to);
    }
  }
}
