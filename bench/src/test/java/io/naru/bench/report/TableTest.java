package io.naru.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import io.naru.testkit.StrictJson;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TableTest {

  private static final Row ENTER =
      Row.of("enter", 46_012.4, Unit.PER_SECOND)
          .latency(2.345, 7)
          .against(Against.BARE, 0.6573)
          .owes("at least 50 % of bare", true);
  private static final Row MEMORY =
      Row.of("memory", 119, Unit.BYTES).note("1,000,000 \"waiting\"").owes("at most 100", false);

  @Test
  void toString_someColumnsUnused_alignsTheOthers() {
    assertThat(new Table(List.of(ENTER, MEMORY)).toString())
        .isEqualTo(
            """
                       figure  p50 ms  p99 ms  of bare  notes
            enter   46,012 /s    2.35    7.00     66 %  at least 50 % of bare: reached
            memory  119 bytes                           1,000,000 "waiting"; at most 100: MISSED
            """);
  }

  @Test
  void json_sameRows_areNumbers() {
    assertThat(Json.of(Map.of("Redis", "7\n"), List.of(ENTER, MEMORY)))
        .isEqualTo(
            """
            {
              "conditions": {"Redis": "7\\u000a"},
              "rows": [
                {"what": "enter", "value": 46012.4000, "unit": "/s", "p50Millis": 2.3450, \
            "p99Millis": 7.0000, "of bare": 0.6573, "notes": ["at least 50 % of bare: reached"]},
                {"what": "memory", "value": 119.0000, "unit": "bytes", \
            "notes": ["1,000,000 \\"waiting\\"", "at most 100: MISSED"]}
              ]
            }
            """);
  }

  @Test
  void owes_figureInDoubt_hasNoVerdict() {
    var row = Row.of("enter", 1, Unit.PER_SECOND).doubt("1 of 3 rounds").owes("at least 2", true);
    assertThat(row.notes()).containsExactly("1 of 3 rounds", "at least 2: undecided");
  }

  @Test
  void json_strangeTextsAndNumbers_isJson() {
    var random = new Random(20_261_117);
    for (int i = 0; i < 1_000; i++) {
      String text = strange(random);
      double value =
          switch (i % 8) {
            case 0 -> Double.NaN;
            case 1 -> Double.NEGATIVE_INFINITY;
            case 2 -> -Double.MAX_VALUE;
            case 3 -> Double.MIN_VALUE;
            default -> Double.longBitsToDouble(random.nextLong());
          };
      Row row = Row.of(text, value, Unit.BYTES).note(text);

      Map<String, @Nullable Object> json =
          StrictJson.object(Json.of(Map.of(text, text), List.of(row)));

      assertThat(json).containsEntry("conditions", Map.of(text, text));
      assertThat(json.get("rows"))
          .asInstanceOf(LIST)
          .singleElement(MAP)
          .containsEntry("what", text)
          .containsEntry("notes", List.of(text));
    }
  }

  private static String strange(Random random) {
    return random
        .ints(random.nextInt(20), 0, 0x2000)
        .map(c -> random.nextInt(3) == 0 ? "\"\\\n\t\u0000/{}[],:\u2028".charAt(c % 13) : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
