package io.naru.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Fact;
import io.naru.support.Seeded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class MemoryLineTest {

  private final MemoryLine line = new MemoryLine();

  private static Fact fact(String user, long score) {
    return Fact.waiting(user, 7, score);
  }

  @Test
  void join_sameUserTwice_keepsFirstScore() {
    assertThat(line.join(fact("ann", 5))).isTrue();
    assertThat(line.join(fact("ann", 9))).isFalse();

    assertThat(line.find("ann")).isEqualTo(fact("ann", 5));
    assertThat(line.size()).isEqualTo(1);
  }

  @Test
  void join_scoreInTheMiddle_standsThere() {
    line.join(fact("ann", 10));
    line.join(fact("bob", 30));
    line.join(fact("cid", 20));
    line.join(fact("dan", -5));

    assertThat(line.ahead("dan")).isZero();
    assertThat(line.ahead("cid")).isEqualTo(2);
    assertThat(line.first(9))
        .containsExactly(fact("dan", -5), fact("ann", 10), fact("cid", 20), fact("bob", 30));
  }

  @Test
  void emptyLine_anyQuestion_isAnswered() {
    assertThat(line.size()).isZero();
    assertThat(line.first(1)).isEmpty();
    assertThat(line.ahead("ann")).isEqualTo(-1);
    assertThat(line.find("ann")).isNull();
    assertThat(line.leave("ann")).isFalse();
    assertThat(line.first(5)).isEmpty();
  }

  @Test
  void first_noneOrFewer_isNobody() {
    line.join(fact("ann", 1));

    assertThat(line.first(0)).isEmpty();
    assertThat(line.first(-1)).isEmpty();
    assertThat(line.size()).isEqualTo(1);
  }

  @Test
  void leave_thenJoin_standsAtTheNewScore() {
    line.join(fact("ann", 1));
    line.join(fact("bob", 2));
    line.leave("ann");
    line.join(fact("ann", 3));

    assertThat(line.ahead("ann")).isEqualTo(1);
    assertThat(line.first(1)).containsExactly(fact("bob", 2));
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
      assertThat(line.join(fact(user, score))).isEqualTo(!scores.containsKey(user));
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
      List<Fact> expected = new ArrayList<>();
      for (int i = 0; i < count && !model.isEmpty(); i++) {
        var first = model.pollFirstEntry();
        scores.remove(first.getValue());
        expected.add(fact(first.getValue(), first.getKey()));
      }
      assertThat(line.first(count)).isEqualTo(expected);
      expected.forEach(taken -> assertThat(line.leave(taken.user())).isTrue());
    }

    private void assertSomebody() {
      String user = "u" + random.nextInt(2_000);
      Long score = scores.get(user);
      assertThat(line.ahead(user)).isEqualTo(score == null ? -1 : model.headMap(score).size());
      assertThat(line.find(user)).isEqualTo(score == null ? null : fact(user, score));
      assertThat(line.before(last / 2)).isEqualTo(model.headMap(last / 2).size());
      assertThat(line.size()).isEqualTo(model.size());
      var first = model.firstEntry();
      assertThat(line.first(1))
          .isEqualTo(first == null ? List.of() : List.of(fact(first.getValue(), first.getKey())));
    }

    private void assertEverybody() {
      int ahead = 0;
      for (String user : model.values()) {
        assertThat(line.ahead(user)).isEqualTo(ahead++);
      }
      List<Fact> all = new ArrayList<>();
      model.forEach((score, user) -> all.add(fact(user, score)));
      assertThat(line.first(model.size() + 1)).isEqualTo(all);
    }
  }

  @Test
  void aMillion_joinedInOrder_areRankedRight() {
    int people = 1_000_000;
    for (int i = 0; i < people; i++) {
      line.join(fact("u" + i, i * 3L));
    }

    assertThat(line.size()).isEqualTo(people);
    var random = new Random(3);
    for (int i = 0; i < 10_000; i++) {
      int somebody = random.nextInt(people);
      assertThat(line.ahead("u" + somebody)).isEqualTo(somebody);
    }
    assertThat(line.first(1_000)).hasSize(1_000).startsWith(fact("u0", 0));
    for (int i = 0; i < 1_000; i++) {
      line.leave("u" + i);
    }
    for (int i = 1_000; i < people; i += 2) {
      line.leave("u" + i);
    }
    assertThat(line.size()).isEqualTo((people - 1_000) / 2);
    for (int i = 0; i < 10_000; i++) {
      int place = random.nextInt(line.size());
      assertThat(line.ahead("u" + (1_001 + 2 * place))).isEqualTo(place);
    }
    assertThat(line.first(1)).containsExactly(fact("u1001", 3_003));
  }
}
