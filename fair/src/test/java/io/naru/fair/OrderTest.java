package io.naru.fair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.naru.queue.QueueId;
import io.naru.support.Seeded;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OrderTest {

  private static final QueueId QUEUE = QueueId.parse("SALE/1");

  private static byte[] bytes(Random random, int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  private static Lobby lobby(Random random, int people, int lanes) {
    var lobby = new Lobby();
    long joined = 0;
    for (int lane = 0; lane < lanes; lane++) {
      joined = lane;
      for (int i = random.nextInt(people + 1); i > 0; i--) {
        joined += (long) lanes * (1 + random.nextInt(3));
        lobby.add(joined, lane, bytes(random, 32));
      }
    }
    return lobby;
  }

  @Test
  void order_isByTheNumberOfEveryLeaf() {
    Seeded.histories(
        50,
        random -> {
          Lobby lobby = lobby(random, 100, 1 + random.nextInt(3));
          byte[] key = bytes(random, 32);
          Order order = Order.of(lobby, key);
          List<Integer> expected = new ArrayList<>();
          for (int i = 0; i < lobby.count(); i++) {
            expected.add(i);
          }
          expected.sort(
              Comparator.comparing(
                  i -> Hashes.hmac(key).doFinal(lobby.leaf(i)), Arrays::compareUnsigned));
          assertThat(order.count()).isEqualTo(lobby.count());
          int[] inLane = new int[3];
          for (int rank = 0; rank < order.count(); rank++) {
            int index = expected.get(rank);
            long joined = lobby.joined(index);
            assertThat(order.joinedAt(rank)).isEqualTo(joined);
            assertThat(order.laneAt(rank)).isEqualTo(lobby.lane(index));
            assertThat(order.rankOf(joined)).isEqualTo(rank);
            assertThat(order.rankInLane(joined)).isEqualTo(inLane[lobby.lane(index)]++);
          }
          assertThat(order.rankOf(-1)).isEqualTo(-1);
          assertThat(order.rankInLane(Long.MAX_VALUE)).isEqualTo(-1);
        });
  }

  @Test
  void order_sameLeafTwice_standsByTheList() {
    var lobby = new Lobby();
    byte[] leaf = new byte[32];
    lobby.add(1, 0, leaf);
    lobby.add(2, 0, leaf);
    lobby.add(3, 0, leaf);

    Order order = Order.of(lobby, new byte[32]);

    assertThat(order.rankOf(1)).isZero();
    assertThat(order.rankOf(3)).isEqualTo(2);
  }

  @Test
  void lobby_inParts_isTheSame() {
    Seeded.histories(
        5,
        random -> {
          Lobby lobby = lobby(random, 9_000, 2);
          var again = new Lobby();
          for (int part = 0; part < lobby.parts(); part++) {
            again.add(lobby.part(part));
          }
          assertThat(again.count()).isEqualTo(lobby.count());
          assertThat(again.root()).isEqualTo(lobby.root());
          assertThat(again.count(0) + again.count(1)).isEqualTo(lobby.count());
        });
  }

  @Test
  void lobby_outOfItsOrder_isRefused() {
    var lobby = new Lobby();
    lobby.add(5, 1, new byte[32]);

    assertThatIllegalArgumentException().isThrownBy(() -> lobby.add(5, 1, new byte[32]));
    assertThatIllegalArgumentException().isThrownBy(() -> lobby.add(6, 0, new byte[32]));
    assertThatIllegalArgumentException().isThrownBy(() -> lobby.add(6, -1, new byte[32]));
    assertThatIllegalArgumentException().isThrownBy(() -> lobby.add(new byte[40]));
    assertThatIllegalArgumentException().isThrownBy(() -> lobby.add(new byte[0]));
  }

  // --- all orders are equally likely

  private static final int DRAWS = 100_000;

  /** With chance as it is, a sum above this comes once in a million times. */
  private static double bound(int freedom) {
    // Wilson and Hilferty's approximation of the quantile.
    double z = 4.7534;
    double t = 2.0 / (9 * freedom);
    return freedom * Math.pow(1 - t + z * Math.sqrt(t), 3);
  }

  /** Draws again and again with another coin, and says how unequal the orders are. */
  private static double chiSquared(int people, Lobby lobby, Random coins) {
    byte[] seed = bytes(coins, 32);
    byte[] root = lobby.root();
    Map<String, Integer> counts = new HashMap<>();
    for (int i = 0; i < DRAWS; i++) {
      byte[] coin = Drand.randomness(bytes(coins, Drand.SIGNATURE_BYTES));
      Order order = Order.of(lobby, Order.key(seed, root, coin));
      var drawn = new StringBuilder();
      for (int rank = 0; rank < people; rank++) {
        drawn.append(order.joinedAt(rank)).append(' ');
      }
      counts.merge(drawn.toString(), 1, Integer::sum);
    }
    int orders = people == 4 ? 24 : 120;
    assertThat(counts).hasSize(orders);
    double expected = (double) DRAWS / orders;
    return counts.values().stream().mapToDouble(n -> (n - expected) * (n - expected)).sum()
        / expected;
  }

  private static Lobby people(int people, Random names) {
    var lobby = new Lobby();
    for (int i = 1; i <= people; i++) {
      lobby.add(i, 0, Leaves.leaf(QUEUE, i, "u:" + names.nextLong(), "00".repeat(16)));
    }
    return lobby;
  }

  @Test
  void draw_ofFourAndOfFive_allOrdersEquallyOften() {
    var random = new Random(20_261_117);

    assertThat(chiSquared(4, people(4, random), random)).isLessThan(bound(23));
    assertThat(chiSquared(5, people(5, random), random)).isLessThan(bound(119));
  }

  @Test
  void draw_insiderWhoKnowsTheSeedChoseNames_allOrdersEquallyOften() {
    // Whoever knows the seed, but not the coin, tries names until their leaf would win without one.
    for (int people : new int[] {4, 5}) {
      var random = new Random(4_711 + people);
      byte[] seed = bytes(random, 32);
      Lobby best = people(people, random);
      for (int attempt = 0; attempt < 2_000; attempt++) {
        Lobby tried = people(people, random);
        if (score(tried, seed) < score(best, seed)) {
          best = tried;
        }
      }
      assertThat(Order.of(best, Order.key(seed, best.root(), new byte[0])).rankOf(people))
          .as("without a coin the insider would be first")
          .isZero();
      var again = new Random(4_711 + people);
      assertThat(chiSquared(people, best, again)).isLessThan(bound(people == 4 ? 23 : 119));
    }
  }

  /** How far in front the last one would be without a coin: the smaller, the better. */
  private static long score(Lobby lobby, byte[] seed) {
    byte[] key = Order.key(seed, lobby.root(), new byte[0]);
    long number = Bytes.getLong(Hashes.hmac(key).doFinal(lobby.leaf(lobby.count() - 1)), 0) >>> 1;
    int rank = Order.of(lobby, key).rankOf(lobby.count());
    return (number >>> 3) + ((long) rank << 60);
  }

  @Test
  void chiSquared_ofAnUnevenDraw_isSeen() {
    // The check itself can fail: the coin only turns the circle here.
    var random = new Random(1);
    Map<Integer, Integer> counts = new HashMap<>();
    for (int i = 0; i < DRAWS; i++) {
      counts.merge(random.nextInt(20) == 0 ? 0 : random.nextInt(24), 1, Integer::sum);
    }
    double expected = DRAWS / 24.0;
    double sum =
        counts.values().stream().mapToDouble(n -> (n - expected) * (n - expected)).sum() / expected;
    assertThat(sum).isGreaterThan(bound(23));
  }
}
