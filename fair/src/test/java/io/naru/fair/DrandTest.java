package io.naru.fair;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Micros;
import java.time.Instant;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Rounds of the real chain, as its relays serve them. */
class DrandTest {

  static final String ROUND_1000 =
      "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39";

  private static final String ROUND_657413 =
      "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b";

  private static byte[] hex(String text) {
    return HexFormat.of().parseHex(text);
  }

  @Test
  void verifies_roundsOfTheRealChain() {
    assertThat(Drand.QUICKNET.verifies(1_000, hex(ROUND_1000))).isTrue();
    assertThat(Drand.randomness(hex(ROUND_1000)))
        .isEqualTo(hex("fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd"));
    assertThat(Drand.QUICKNET.verifies(657_413, hex(ROUND_657413))).isTrue();
    assertThat(Drand.randomness(hex(ROUND_657413)))
        .isEqualTo(hex("fc1873a13f3545aeade8401532ef5519920652eee6b0d2b19ca12643b87b3587"));
  }

  @Test
  void verifies_anotherRound_no() {
    assertThat(Drand.QUICKNET.verifies(999, hex(ROUND_1000))).isFalse();
    assertThat(Drand.QUICKNET.verifies(1_001, hex(ROUND_1000))).isFalse();
    assertThat(Drand.QUICKNET.verifies(0, hex(ROUND_1000))).isFalse();
    assertThat(Drand.QUICKNET.verifies(-1_000, hex(ROUND_1000))).isFalse();
  }

  @Test
  void verifies_anyBitChanged_no() {
    byte[] signature = hex(ROUND_1000);
    for (int bit = 0; bit < signature.length * 8; bit++) {
      signature[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(Drand.QUICKNET.verifies(1_000, signature)).as("bit %d", bit).isFalse();
      signature[bit / 8] ^= (byte) (1 << bit % 8);
    }
  }

  @Test
  void verifies_whatIsNoSignature_no() {
    byte[] infinity = new byte[48];
    infinity[0] = (byte) 0xc0;
    assertThat(Drand.QUICKNET.verifies(1_000, infinity)).isFalse();
    assertThat(Drand.QUICKNET.verifies(1_000, new byte[48])).isFalse();
    assertThat(Drand.QUICKNET.verifies(1_000, new byte[0])).isFalse();
    assertThat(Drand.QUICKNET.verifies(1_000, new byte[47])).isFalse();
    assertThat(Drand.QUICKNET.verifies(1_000, new byte[96])).isFalse();
  }

  @Test
  void verifies_aRoundOfAnotherChain_no() {
    var other = new TestChain("another");
    byte[] signature = other.sign(1_000);

    assertThat(other.drand().verifies(1_000, signature)).isTrue();
    assertThat(Drand.QUICKNET.verifies(1_000, signature)).isFalse();
    assertThat(other.drand().verifies(1_000, hex(ROUND_1000))).isFalse();
  }

  @Test
  void rounds_areThreeSecondsApart_fromGenesisOn() {
    long genesis = Micros.of(Instant.ofEpochSecond(1_692_803_367));

    assertThat(Drand.QUICKNET.startOf(1)).isEqualTo(genesis);
    assertThat(Drand.QUICKNET.startOf(1_000)).isEqualTo(genesis + 999 * 3_000_000L);
    assertThat(Drand.QUICKNET.roundAt(genesis - 1)).isZero();
    assertThat(Drand.QUICKNET.roundAt(genesis)).isEqualTo(1);
    assertThat(Drand.QUICKNET.roundAt(genesis + 2_999_999)).isEqualTo(1);
    assertThat(Drand.QUICKNET.roundAt(genesis + 3_000_000)).isEqualTo(2);
    assertThat(Drand.QUICKNET.firstFrom(genesis)).isEqualTo(1);
    assertThat(Drand.QUICKNET.firstFrom(genesis + 1)).isEqualTo(2);
    assertThat(Drand.QUICKNET.firstFrom(genesis + 3_000_000)).isEqualTo(2);
  }

  @Test
  void roundFor_aList_isNotMadeForTenSeconds() {
    for (long sealed = 0; sealed < 10_000_000; sealed += 333_333) {
      long round = Drand.QUICKNET.roundFor(sealed);
      assertThat(Drand.QUICKNET.startOf(round)).isBetween(sealed + 10_000_000, sealed + 12_999_999);
    }
  }
}
