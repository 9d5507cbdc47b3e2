package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.naru.support.Seeded;
import io.naru.testkit.StrictJson;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The JSON that stores keep, held against Jackson's. */
class JsonTest {

  private static final String REFUSED = "refused";

  @Test
  void write_anything_isReadAsTheSameByUsAndByJackson() {
    Seeded.histories(
        2_000,
        random -> {
          Map<String, @Nullable Object> object = object(random, 0);
          String text = Json.write(object);

          assertThat(Json.readObject(text)).isEqualTo(object);
          assertThat(Json.write(Json.readObject(text))).isEqualTo(text);
          assertThat(said(StrictJson.object(text))).isEqualTo(said(object));
        });
  }

  /**
   * What is no JSON to Jackson is none to us; what is, may be none to us, as an exponent of
   * millions.
   */
  @Test
  void readObject_damagedText_isTakenOnlyIfJacksonReadsTheSame() {
    Seeded.histories(
        20_000,
        random -> {
          // Without pairs: of half of one, Jackson makes an error.
          String text = damaged(Json.write(object(random, 2)).replaceAll("\\\\ud.{3}", ""), random);
          String ours = read(() -> Json.readObject(text));

          if (!ours.equals(REFUSED)) {
            assertThat(ours).as(text).isEqualTo(read(() -> StrictJson.object(text)));
          }
        });
  }

  private interface Reading {
    Map<String, @Nullable Object> read();
  }

  private static String read(Reading reading) {
    try {
      return said(reading.read());
    } catch (IllegalArgumentException | IllegalStateException e) {
      return REFUSED;
    }
  }

  /** Jackson reads what is not whole as a double. */
  private static String said(@Nullable Object value) {
    return switch (value) {
      case Map<?, ?> object ->
          object.entrySet().stream()
              .map(entry -> entry.getKey() + "=" + said(entry.getValue()))
              .toList()
              .toString();
      case List<?> list -> list.stream().map(JsonTest::said).toList().toString();
      case BigDecimal number -> Double.toString(number.doubleValue());
      case null, default -> String.valueOf(value);
    };
  }

  private static String damaged(String text, Random random) {
    var damaged = new StringBuilder(text);
    String some = "{}[]\",:\\/ \t\n\u0001019-+.eEtrufalsn\u00e9";
    for (int i = random.nextInt(4); i > 0; i--) {
      int at = random.nextInt(damaged.length());
      char c = some.charAt(random.nextInt(some.length()));
      switch (random.nextInt(3)) {
        case 0 -> damaged.setCharAt(at, c);
        case 1 -> damaged.insert(at, c);
        default -> damaged.deleteCharAt(at);
      }
      if (damaged.isEmpty()) {
        damaged.append(c);
      }
    }
    return damaged.toString();
  }

  private static Map<String, @Nullable Object> object(Random random, int depth) {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      object.put(text(random), value(random, depth + 1));
    }
    return object;
  }

  private static @Nullable Object value(Random random, int depth) {
    return switch (random.nextInt(depth > 3 ? 7 : 9)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 -> random.nextInt() >> random.nextInt(32);
      // Only those that are no int.
      case 3 -> random.nextLong() | 1L << 40 | Long.MIN_VALUE;
      case 4 -> new BigInteger(200, random).add(BigInteger.TWO.pow(64));
      case 5 -> new BigDecimal(new BigInteger(70, random), 1 + random.nextInt(60));
      case 6 -> text(random);
      case 7 -> object(random, depth);
      default -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
          list.add(value(random, depth + 1));
        }
        yield list;
      }
    };
  }

  private static String text(Random random) {
    var text = new StringBuilder();
    for (int i = random.nextInt(8); i > 0; i--) {
      text.appendCodePoint(
          switch (random.nextInt(4)) {
            case 0 -> random.nextInt(0x20);
            case 1 -> "\"\\/{}[]:,u".codePointAt(random.nextInt(10));
            case 2 -> 0x1F3AB;
            default -> random.nextInt(Character.MIN_SURROGATE);
          });
    }
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "}",
        "[]",
        "null",
        "7",
        "\"a\"",
        "{}{}",
        "{} x",
        "{a:1}",
        "{'a':1}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1,\"a\":2}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":.5}",
        "{\"a\":1.}",
        "{\"a\":1e}",
        "{\"a\":NaN}",
        "{\"a\":True}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"",
        "{\"a\":[1,]}",
        "{\"a\":[1 2]}",
        "{\"a\":tru"
      })
  void readObject_whatIsNoObject_isRefused(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> Json.readObject(text));
  }

  @Test
  void readObject_deep_isRefusedInsteadOfTheStackExhausted() {
    String text = "{\"a\":" + "[".repeat(100_000);

    assertThatIllegalArgumentException().isThrownBy(() -> Json.readObject(text));
  }

  @Test
  void write_halfAPair_isWrittenInAscii() {
    String half = "\ud83c";

    assertThat(Json.write(Map.of("a", half))).isEqualTo("{\"a\":\"\\ud83c\"}");
    assertThat(Json.readObject("{\"a\":\"\\ud83c\"}")).isEqualTo(Map.of("a", half));
  }
}
