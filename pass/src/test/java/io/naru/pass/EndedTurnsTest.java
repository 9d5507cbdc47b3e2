package io.naru.pass;

import static io.naru.pass.Forge.HERE;
import static io.naru.pass.Forge.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.pass.EndedTurns.Checked;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class EndedTurnsTest {

  private static final String QUEUE = "TIMEDEAL/123";

  private final PassKey key = PassKey.generate(Algorithm.ES256);
  private final Forge.Keys keys = new Forge.Keys(key);

  private static EndedTurns part(SortedMap<Long, long[]> passes) {
    return new EndedTurns(HERE.issuer(), QUEUE, NOW, 17, 3, 9, true, passes);
  }

  private Checked verify(String token) {
    return EndedTurns.verify(token, keys, HERE.issuer(), QUEUE, NOW);
  }

  @Test
  void verify_signedPart_givesIt() {
    var passes = new TreeMap<Long, long[]>();
    passes.put(1_000L, new long[] {1, -1, Long.MIN_VALUE, Long.MAX_VALUE});
    passes.put(1_010L, new long[] {42});

    assertThat(verify(part(passes).sign(key)))
        .isInstanceOfSatisfying(
            Checked.Valid.class,
            valid -> {
              EndedTurns turns = valid.turns();
              assertThat(turns).usingRecursiveComparison().isEqualTo(part(passes));
            });
  }

  @Test
  void verify_oldFutureForeignOrForged_isRefused() {
    String token = part(new TreeMap<>()).sign(key);

    assertThat(EndedTurns.verify(token, keys, HERE.issuer(), QUEUE, NOW.plusSeconds(65)))
        .isEqualTo(new Checked.Refused(Reason.EXPIRED));
    assertThat(EndedTurns.verify(token, keys, HERE.issuer(), QUEUE, NOW.minusSeconds(6)))
        .isEqualTo(new Checked.Refused(Reason.NOT_YET_VALID));
    assertThat(EndedTurns.verify(token, keys, "https://other", QUEUE, NOW))
        .isEqualTo(new Checked.Refused(Reason.ISSUER));
    assertThat(EndedTurns.verify(token, keys, HERE.issuer(), "TIMEDEAL/124", NOW))
        .isEqualTo(new Checked.Refused(Reason.QUEUE));
    assertThat(verify(part(new TreeMap<>()).sign(PassKey.generate(Algorithm.ES256))))
        .isEqualTo(new Checked.Refused(Reason.UNKNOWN_KEY));
    assertThat(verify(new Forge(key).signed())).isEqualTo(new Checked.Refused(Reason.TYPE));
    assertThat(verify("junk")).isEqualTo(new Checked.Refused(Reason.MALFORMED));
    keys.revokedKeys.add(key.id());
    assertThat(verify(token)).isEqualTo(new Checked.Refused(Reason.REVOKED_KEY));
  }

  @Test
  void verify_anythingButNumbersAndTexts_isRefused() {
    for (Map.Entry<String, Object> wrong :
        List.<Map.Entry<String, Object>>of(
            Map.entry("born", -1L),
            Map.entry("born", "1"),
            Map.entry("from", 1.5),
            Map.entry("to", List.of()),
            Map.entry("over", List.of()),
            Map.entry("over", Map.of("1000", 1)),
            Map.entry("over", Map.of("soon", "")),
            Map.entry("over", Map.of("1000", "!")))) {
      String token =
          new Forge(key)
              .header("typ", EndedTurns.TYPE)
              .claim("queue", QUEUE)
              .claim("born", 1L)
              .claim("from", 0L)
              .claim("to", 0L)
              .claim("more", false)
              .claim("over", Map.of())
              .claim(wrong.getKey(), wrong.getValue())
              .signed();
      assertThat(verify(token)).as("%s", wrong).isInstanceOf(Checked.Refused.class);
    }
  }

  @Test
  void fullPart_fits_evenIfEveryPassEndsAtAnotherTime() {
    var passes = new TreeMap<Long, long[]>();
    var random = new Random(7);
    for (long i = 0; i < EndedTurns.MAX_PASSES; i++) {
      passes.put(1_789_000_000L + 10 * i, new long[] {random.nextLong()});
    }
    assertThat(part(passes).sign(key)).hasSizeLessThan(EndedTurns.MAX_LENGTH);

    passes.put(1L, new long[] {1});
    assertThatThrownBy(() -> part(passes)).hasMessageContaining("8192");
    var one = new TreeMap<Long, long[]>();
    one.put(1_789_000_000L, LongStream.range(0, EndedTurns.MAX_PASSES).toArray());
    assertThat(part(one).sign(key).length() / EndedTurns.MAX_PASSES)
        .as("bytes for each")
        .isLessThan(15);
  }

  @Test
  void endOf_passesOfTheSameTenSeconds_standTogether_andNoneIsForgottenTooEarly() {
    for (long second = 1_000; second < 1_030; second++) {
      long end = EndedTurns.endOf(Instant.ofEpochSecond(second));
      assertThat(end).isBetween(second, second + 9);
      assertThat(end % 10).isZero();
    }
  }

  @Test
  void joined_isWhatAnIdBeginsWith() {
    assertThat(EndedTurns.joined("AAAAAAAAAAcAAAAAAAAAAAAAAAAAAAAA")).isEqualTo(7);
    assertThat(EndedTurns.joined("p1")).isEqualTo(Long.MAX_VALUE);
    assertThat(EndedTurns.joined("!")).isEqualTo(Long.MAX_VALUE);
  }
}
