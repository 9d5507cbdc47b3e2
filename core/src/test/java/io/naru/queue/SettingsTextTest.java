package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.naru.support.Seeded;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Settings as the one text that ledgers and copies keep. */
class SettingsTextTest {

  @Test
  void text_ofAnySettings_isReadAsTheSame() {
    Seeded.histories(
        500,
        random -> {
          Settings settings = Settings.DEFAULT.with(some(random));

          assertThat(Settings.ofText(settings.text())).isEqualTo(settings);
        });
  }

  private static Map<String, Object> some(Random random) {
    Map<String, Object> changes = new HashMap<>();
    changes.put("maxCapacity", 1 + random.nextInt(10_000_000));
    changes.put("passTtlSeconds", 10 + random.nextInt(1_000));
    changes.put("once", random.nextBoolean());
    changes.put("onExpiry", random.nextBoolean() ? "END" : "REQUEUE");
    changes.put("title", text(random));
    changes.put("message", text(random));
    changes.put("targetUrl", "https://shop.example/" + random.nextInt() + "?a=\u00e9&b=%22");
    changes.keySet().removeIf(_ -> random.nextInt(3) == 0);
    return changes;
  }

  private static String text(Random random) {
    var text = new StringBuilder();
    for (int i = random.nextInt(20); i > 0; i--) {
      int c = random.nextInt(0x20000);
      text.appendCodePoint(Character.isISOControl(c) || (c >= 0xd800 && c < 0xe000) ? '"' : c);
    }
    return text.toString();
  }

  @Test
  void ofText_whatIsMissing_hasItsDefault() {
    assertThat(Settings.ofText("{}")).isEqualTo(Settings.DEFAULT);
    assertThat(Settings.ofText("{\"maxCapacity\":7}"))
        .isEqualTo(Settings.DEFAULT.with(Map.of("maxCapacity", 7)));
  }

  @Test
  void ofText_whatALaterVersionSet_isKeptThroughEditsAndShownToNobody() {
    String later = "\"tides\":[{\"name\":\"ebb\",\"share\":70.50}],\"moon\":null";

    Settings read = Settings.ofText("{\"maxCapacity\":7," + later + "}");
    Settings edited = read.with(Map.of("title", "Sale"));

    assertThat(read.pace().maxCapacity()).isEqualTo(7);
    assertThat(edited.asMap()).doesNotContainKeys("tides", "moon");
    assertThat(edited.text()).contains("\"maxCapacity\":7", "\"title\":\"Sale\"", later);
    assertThat(Settings.ofText(edited.text())).isEqualTo(edited);
    assertThatExceptionOfType(InvalidValue.class).isThrownBy(() -> read.with(Map.of("tides", 1)));
  }

  @Test
  void ofText_sameTextAgain_isReadOnce() {
    String text = Settings.DEFAULT.with(Map.of("title", "read once")).text();

    assertThat(Settings.ofText(new String(text))).isSameAs(Settings.ofText(text));
  }

  @Test
  void ofText_whatIsNotAllowed_isRefused() {
    assertThatExceptionOfType(InvalidValue.class)
        .isThrownBy(() -> Settings.ofText("{\"maxCapacity\":0}"))
        .satisfies(e -> assertThat(e.field()).isEqualTo("maxCapacity"));
    assertThatIllegalArgumentException().isThrownBy(() -> Settings.ofText("maxCapacity=1"));
  }
}
