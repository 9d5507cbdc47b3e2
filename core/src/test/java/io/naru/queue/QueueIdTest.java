package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueueIdTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "a",
        "sale",
        "Sale",
        "1SALE",
        "_SALE",
        "SALE-1",
        "SALE 1",
        " SALE",
        "SALE ",
        "SALE:1",
        "SALE{1}",
        "{SALE}",
        "SALE*",
        "SALE?",
        "SALE[1]",
        "SALE/1",
        "../SALE",
        "SALE.1",
        "SALE\n",
        "\nSALE",
        "SALE\r\nX",
        "SALE\t",
        "SALE\u0000",
        "\u0000",
        "SALE\u007f",
        "SALÉ",
        "ＳＡＬＥ",
        "나루",
        "SALE\u200b",
        "SALE\u202e",
        "SALE%00",
        "SALE'",
        "SALE\"",
        "SALE;",
        "SALE\\",
        "S\ud83d\ude00",
        "S\ud800",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      })
  void new_hostileType_isRefused(String type) {
    assertThatExceptionOfType(InvalidValue.class)
        .isThrownBy(() -> new QueueId(type, "1"))
        .satisfies(e -> assertThat(e.field()).isEqualTo("eventType"))
        .satisfies(e -> assertThat(e.allowed()).isEqualTo("[A-Z][A-Z0-9_]{0,31}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        ".",
        "..",
        "-",
        "_",
        ".a",
        "-a",
        "_a",
        "../a",
        "a/b",
        "a\\b",
        "a:b",
        "a{b}",
        "{a}",
        "a*",
        "a?",
        "[a]",
        "a b",
        " a",
        "a ",
        "a\n",
        "\na",
        "a\r\nb",
        "a\t",
        "a\u0000",
        "a\u007f",
        "é",
        "１２",
        "나루",
        "a\u200b",
        "a\u202eb",
        "a%2f",
        "a'",
        "a\"",
        "a;b",
        "a,b",
        "a@b",
        "a#b",
        "a\ud83d\ude00",
        "a\ud800",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      })
  void new_hostileId_isRefused(String id) {
    assertThatExceptionOfType(InvalidValue.class)
        .isThrownBy(() -> new QueueId("SALE", id))
        .satisfies(e -> assertThat(e.field()).isEqualTo("eventId"))
        .satisfies(e -> assertThat(e.allowed()).isEqualTo("[A-Za-z0-9][A-Za-z0-9._-]{0,63}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"A/1", "TIMEDEAL/123", "A_1/a.b-c_d", "Z9/0"})
  void parse_name_isTheInverseOfToString(String name) {
    assertThat(QueueId.parse(name)).hasToString(name);
  }

  @Test
  void new_longestNames_areTaken() {
    var longest = new QueueId("T".repeat(32), "i".repeat(64));

    assertThat(QueueId.parse(longest.toString())).isEqualTo(longest);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "SALE", "/", "SALE/", "/1", "SALE/1/2", "sale/1", "SALE:1"})
  void parse_noName_isRefused(String name) {
    assertThatExceptionOfType(InvalidValue.class).isThrownBy(() -> QueueId.parse(name));
  }

  /** The checks are written by hand; the published patterns are what they must mean. */
  @Test
  void new_everyCharacter_isTakenAsThePatternSays() {
    Pattern type = Pattern.compile(QueueId.TYPE_ALLOWED);
    Pattern id = Pattern.compile(QueueId.ID_ALLOWED);
    for (char c = 0; c < 0x3000; c++) {
      assertThat(isTaken("" + c, "1")).isEqualTo(type.matcher("" + c).matches());
      assertThat(isTaken("A" + c, "1")).isEqualTo(type.matcher("A" + c).matches());
      assertThat(isTaken("A", "" + c)).isEqualTo(id.matcher("" + c).matches());
      assertThat(isTaken("A", "a" + c)).isEqualTo(id.matcher("a" + c).matches());
    }
  }

  private static boolean isTaken(String type, String id) {
    try {
      return new QueueId(type, id).type().equals(type);
    } catch (InvalidValue e) {
      return false;
    }
  }
}
