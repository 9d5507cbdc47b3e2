package io.naru.fair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.naru.fair.LogRecord.Back;
import io.naru.fair.LogRecord.ByHand;
import io.naru.fair.LogRecord.Close;
import io.naru.fair.LogRecord.Coin;
import io.naru.fair.LogRecord.Cut;
import io.naru.fair.LogRecord.Delete;
import io.naru.fair.LogRecord.Done;
import io.naru.fair.LogRecord.Drawn;
import io.naru.fair.LogRecord.End;
import io.naru.fair.LogRecord.Enter;
import io.naru.fair.LogRecord.Handoff;
import io.naru.fair.LogRecord.Join;
import io.naru.fair.LogRecord.Move;
import io.naru.fair.LogRecord.Pass;
import io.naru.fair.LogRecord.Present;
import io.naru.fair.LogRecord.Rate;
import io.naru.fair.LogRecord.Return;
import io.naru.fair.LogRecord.Rules;
import io.naru.fair.LogRecord.Seal;
import io.naru.fair.LogRecord.Seeds;
import io.naru.fair.LogRecord.Settle;
import io.naru.fair.LogRecord.Settled;
import io.naru.fair.LogRecord.Stock;
import io.naru.queue.Fairness.Draw;
import io.naru.queue.Settings;
import io.naru.support.Seeded;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RecordsTest {

  private static final JsonMapper JACKSON = JsonMapper.builder().build();

  private static String hash(Random random) {
    return Hashes.hex(Hashes.sha256(Bytes.ofLong(random.nextLong())));
  }

  private static long number(Random random) {
    return random.nextLong(1L << 53) >> random.nextInt(53);
  }

  private static long score(Random random) {
    return random.nextBoolean() ? number(random) : -number(random);
  }

  private static String lane(Random random) {
    return List.of("", "vip", "normal", "fallback", "a-1").get(random.nextInt(5));
  }

  /** Any record at all. */
  static LogRecord random(Random random) {
    long c = number(random);
    long at = number(random);
    long n = number(random);
    long m = number(random);
    Long score = random.nextInt(3) == 0 ? null : (Long) score(random);
    return switch (random.nextInt(24)) {
      case 0 ->
          new Rules(
              c,
              at,
              n,
              Settings.DEFAULT.with(Map.of("maxCapacity", 1 + random.nextInt(100))).asMap(),
              "OPEN",
              random.nextBoolean(),
              random.nextBoolean(),
              m);
      case 1 ->
          new LogRecord.Lobby(
              c,
              at,
              n,
              random.nextBoolean() ? Draw.SEED : Draw.COIN,
              hash(random),
              hash(random),
              random.nextBoolean() ? "" : hash(random));
      case 2 -> new Join(c, at, n, hash(random), lane(random), score, m);
      case 3 -> new Settle(c, at, n, lane(random), score(random), m);
      case 4 -> {
        Map<String, Settled.First> firsts = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          firsts.put(lane(random), new Settled.First(score(random), number(random)));
        }
        yield new Settled(
            c, at, 1, n, n + 5, firsts, random.longs(random.nextInt(4), 0, m + 1).boxed().toList());
      }
      case 5 -> new Enter(c, at, n, m);
      case 6 ->
          new End(
              c,
              at,
              n,
              List.of("LEFT", "EXPIRED", "COMPLETED").get(random.nextInt(3)),
              List.of("", "removed", "absent").get(random.nextInt(3)));
      case 7 -> new Return(c, at, n, m);
      case 8 -> new Move(c, at, n, lane(random), score, m);
      case 9 -> new Handoff(c, at, n, m, hash(random));
      case 10 -> new Pass(c, at, n);
      case 11 -> new Back(c, at, n);
      case 12 -> new Cut(c, at, n, m);
      case 13 -> new ByHand(c, at, n);
      case 14 -> new Stock(c, at, n, m);
      case 15 -> new Rate(c, at, BigDecimal.valueOf(random.nextInt(100_000), random.nextInt(4)));
      case 16 -> new Close(c, at, 1, n, m);
      case 17 ->
          new Seal(
              c,
              at,
              1,
              hash(random),
              n,
              List.of(new Seal.InLane(lane(random), m), new Seal.InLane("x", 3)),
              number(random));
      case 18 -> new Coin(c, at, 1, n, hash(random) + hash(random).substring(32));
      case 19 -> new Drawn(c, at, 1, Draw.COIN, hash(random));
      case 20 -> new Seeds(c, at, hash(random));
      case 21 -> new Done(c, at, n);
      case 22 -> new Present(c, at);
      default -> new Delete(c, at);
    };
  }

  @Test
  void write_isReadAgain_andJacksonReadsTheSame() {
    Seeded.histories(
        3_000,
        random -> {
          LogRecord event = random(random);
          String text = Records.write(event);
          assertThat(Records.read(text)).isEqualTo(event);
          JsonNode tree = JACKSON.readTree(text);
          assertThat(tree.isArray()).isTrue();
          assertThat(tree.get(1).asLong()).isEqualTo(event.change());
          assertThat(tree.get(2).asLong()).isEqualTo(event.at());
          // No blanks, and everything in its order; but 1.50 is 1.5 there.
          if (!(event instanceof Rate)) {
            assertThat(JACKSON.writeValueAsString(tree)).isEqualTo(text);
          }
        });
  }

  @Test
  void write_isAsTheManualSays() {
    String leaf = "ab".repeat(32);
    assertThat(Records.write(new Join(3, 20, 20, leaf, "vip", -5L, 1)))
        .isEqualTo("[\"join\",3,20,20,\"" + leaf + "\",\"vip\",-5,1]");
    assertThat(Records.write(new Join(3, 20, 20, leaf, "", null, 0)))
        .isEqualTo("[\"join\",3,20,20,\"" + leaf + "\",\"\",null,0]");
    assertThat(
            Records.write(
                new Settled(9, 50, 1, 0, 3, Map.of("", new Settled.First(50, 1)), List.of(20L))))
        .isEqualTo("[\"settled\",9,50,1,0,3,{\"\":[50,1]},[20]]");
    assertThat(Records.write(new Seal(9, 50, 1, leaf, 3, List.of(new Seal.InLane("vip", 3)), 7)))
        .isEqualTo("[\"seal\",9,50,1,\"" + leaf + "\",3,[[\"vip\",3]],7]");
    assertThat(Records.write(new End(4, 30, 20, "LEFT", "removed")))
        .isEqualTo("[\"end\",4,30,20,\"LEFT\",\"removed\"]");
    assertThat(Records.write(new Delete(4, 30))).isEqualTo("[\"delete\",4,30]");
  }

  @Test
  void read_whatIsNotWrittenSo_isRefused() {
    for (String wrong :
        List.of(
            "",
            "[]",
            "{}",
            "null",
            "[\"enter\",1,2,3]",
            "[\"enter\",1,2,3,4,5]",
            "[\"enter\", 1,2,3,4]",
            "[\"enter\",1,2,3,4] ",
            "[\"enter\",1,2,3,4]}",
            "[\"enter\",1,2,3,4],\"x\":[1]",
            "[\"enter\",1,2,3,4.0]",
            "[\"enter\",1,2,3,\"4\"]",
            "[\"enter\",1,2,3,null]",
            "[\"enter\",1,2,3,99999999999999999999]",
            "[\"\\u0065nter\",1,2,3,4]",
            "[\"leave\",1,2,3,4]",
            "[1,2,3]",
            "[\"end\",1,2,3,\"GONE\",\"\"]",
            "[\"seeds\",1,2,\"ABCDEF\"]",
            "[\"seeds\",1,2,\"" + "AB".repeat(32) + "\"]",
            "[\"draw\",1,2,1,\"COINS\",\"" + "ab".repeat(32) + "\"]")) {
      assertThatIllegalArgumentException().as(wrong).isThrownBy(() -> Records.read(wrong));
    }
  }

  @Test
  void write_moreThanCanBePublished_isRefused() {
    Map<String, Object> settings = Map.of("name", "x".repeat(70_000));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Records.write(new Rules(1, 2, 1, settings, "OPEN", true, false, 0)));
  }
}
