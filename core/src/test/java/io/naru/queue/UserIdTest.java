package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserIdTest {

  @ParameterizedTest
  @ValueSource(strings = {"a", "u:9", "!", "~", "user@shop.example", "{x}", "\"'\\", "-1"})
  void isValid_plainText_isTaken(String user) {
    assertThat(UserId.isValid(user)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "a b",
        " a",
        "a ",
        "a\t",
        "a\n",
        "a\r\nX: y",
        "\u0000",
        "a\u0000b",
        "a\u007f",
        "\u001b[2J",
        "é",
        "나루",
        "a\u00a0b",
        "a\u200b",
        "\ud83d\ude00",
        "\ud800"
      })
  void isValid_anythingElse_isRefused(String user) {
    assertThat(UserId.isValid(user)).isFalse();
  }

  @Test
  void isValid_length_isAtMost128() {
    assertThat(UserId.isValid("a".repeat(UserId.MAX_LENGTH))).isTrue();
    assertThat(UserId.isValid("a".repeat(UserId.MAX_LENGTH + 1))).isFalse();
    assertThat(UserId.MAX_LENGTH).isEqualTo(128);
  }

  @Test
  void isValid_everyCharacter_isPrintableAsciiOnly() {
    for (int c = 0; c <= Character.MAX_VALUE; c++) {
      assertThat(UserId.isValid("a" + (char) c)).isEqualTo(c > 0x20 && c < 0x7f);
    }
  }
}
