package io.naru.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.memory.MemoryLine.Waiting;
import io.naru.support.Seeded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MemoryLineTest {

  private final MemoryLine line = new MemoryLine();

  @Test
  void join_sameUserTwice_keepsFirstScore() {
    assertThat(line.join("ann", 5)).isTrue();
    assertThat(line.join("ann", 9)).isFalse();

    assertThat(line.scoreOf("ann")).hasValue(5);
    assertThat(line.size()).isEqualTo(1);
  }

  @Test
  void join_scoreInTheMiddle_standsThere() {
    line.join("ann", 10);
    line.join("bob", 30);
    line.join("cid", 20);
    line.join("dan", -5);

    assertThat(line.ahead("dan")).isZero();
    assertThat(line.ahead("cid")).isEqualTo(2);
    assertThat(line.take(9))
        .containsExactly(
            new Waiting("dan", -5),
            new Waiting("ann", 10),
            new Waiting("cid", 20),
            new Waiting("bob", 30));
  }

  @Test
  void emptyLine_anyQuestion_isAnswered() {
    assertThat(line.size()).isZero();
    assertThat(line.first()).isNull();
    assertThat(line.ahead("ann")).isEqualTo(-1);
    assertThat(line.scoreOf("ann")).isEmpty();
    assertThat(line.leave("ann")).isFalse();
    assertThat(line.take(5)).isEmpty();
  }

  @Test
  void take_noneOrFewer_takesNobody() {
    line.join("ann", 1);

    assertThat(line.take(0)).isEmpty();
    assertThat(line.take(-1)).isEmpty();
    assertThat(line.size()).isEqualTo(1);
  }

  @Test
  void leave_thenJoin_standsAtTheNewScore() {
    line.join("ann", 1);
    line.join("bob", 2);
    line.leave("ann");
    line.join("ann", 3);

    assertThat(line.ahead("ann")).isEqualTo(1);
    assertThat(line.first()).isEqualTo(new Waiting("bob", 2));
  }

  @Test
  void randomHistory_anyOperation_isWhatATreeMapSays() {
    Seeded.histories(20, random -> new History(random).run(3_000));
  }

  private static final class History {

    private final Random random;
    private final MemoryLine line = new MemoryLine();
    private final TreeMap<Long, String> model = new TreeMap<>();
    private final Map<String, Long> scores = new HashMap<>();
    // Growing, steady or shrinking: the shapes of the tree differ.
    private final int joinPercent;
    private long last;

    History(Random random) {
      this.random = random;
      this.joinPercent = 30 + random.nextInt(50);
    }

    void run(int steps) {
      for (int step = 0; step < steps; step++) {
        if (random.nextInt(100) < joinPercent) {
          join();
        } else if (random.nextInt(8) > 0) {
          leave();
        } else {
          take();
        }
        assertSomebody();
      }
      assertEverybody();
    }

    private void join() {
      String user = "u" + random.nextInt(2_000);
      boolean atTheEnd = random.nextInt(4) > 0 || model.isEmpty();
      long score = atTheEnd ? last + 1 + random.nextInt(1_000_000) : random.nextLong(-last, last);
      if (model.containsKey(score)) {
        return;
      }
      last = Math.max(last, score);
      assertThat(line.join(user, score)).isEqualTo(!scores.containsKey(user));
      if (scores.putIfAbsent(user, score) == null) {
        model.put(score, user);
      }
    }

    private void leave() {
      String user = "u" + random.nextInt(2_000);
      Long score = scores.remove(user);
      assertThat(line.leave(user)).isEqualTo(score != null);
      if (score != null) {
        model.remove(score);
      }
    }

    private void take() {
      int count = random.nextInt(20);
      List<Waiting> expected = new ArrayList<>();
      for (int i = 0; i < count && !model.isEmpty(); i++) {
        var first = model.pollFirstEntry();
        scores.remove(first.getValue());
        expected.add(new Waiting(first.getValue(), first.getKey()));
      }
      assertThat(line.take(count)).isEqualTo(expected);
    }

    private void assertSomebody() {
      String user = "u" + random.nextInt(2_000);
      Long score = scores.get(user);
      assertThat(line.ahead(user)).isEqualTo(score == null ? -1 : model.headMap(score).size());
      assertThat(line.scoreOf(user))
          .isEqualTo(score == null ? OptionalLong.empty() : OptionalLong.of(score));
      assertThat(line.size()).isEqualTo(model.size());
      var first = model.firstEntry();
      assertThat(line.first())
          .isEqualTo(first == null ? null : new Waiting(first.getValue(), first.getKey()));
    }

    private void assertEverybody() {
      int ahead = 0;
      for (String user : model.values()) {
        assertThat(line.ahead(user)).isEqualTo(ahead++);
      }
      List<Waiting> all = new ArrayList<>();
      model.forEach((score, user) -> all.add(new Waiting(user, score)));
      assertThat(line.take(model.size() + 1)).isEqualTo(all);
      assertThat(line.size()).isZero();
    }
  }

  @Test
  void aMillion_joinedInOrder_areRankedRight() {
    int people = 1_000_000;
    for (int i = 0; i < people; i++) {
      line.join("u" + i, i * 3L);
    }

    assertThat(line.size()).isEqualTo(people);
    var random = new Random(3);
    for (int i = 0; i < 10_000; i++) {
      int somebody = random.nextInt(people);
      assertThat(line.ahead("u" + somebody)).isEqualTo(somebody);
    }
    assertThat(line.take(1_000)).hasSize(1_000).startsWith(new Waiting("u0", 0));
    for (int i = 1_000; i < people; i += 2) {
      line.leave("u" + i);
    }
    assertThat(line.size()).isEqualTo((people - 1_000) / 2);
    for (int i = 0; i < 10_000; i++) {
      int place = random.nextInt(line.size());
      assertThat(line.ahead("u" + (1_001 + 2 * place))).isEqualTo(place);
    }
    assertThat(line.first()).isEqualTo(new Waiting("u1001", 3_003));
  }
}
