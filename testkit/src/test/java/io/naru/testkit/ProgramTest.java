package io.naru.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** That tests which need a program are never left out without a word. */
class ProgramTest {

  private static final String HOW = "no such program: install one";
  private static final Program MISSING = new Program("NARU_WISH", Optional.empty(), HOW);
  private static final Program THERE =
      new Program("NARU_WISH", Optional.of(Path.of("/usr/bin/it")), HOW);

  private static Map<String, String> wish(String wish) {
    return Map.of("NARU_WISH", wish);
  }

  @Test
  void condition_missing_skipsWithTheReasonOrFails() {
    assertThat(MISSING.condition(Map.of()).isDisabled()).isTrue();
    assertThat(MISSING.condition(Map.of()).getReason()).contains(HOW);
    assertThatThrownBy(() -> MISSING.condition(wish("required")))
        .hasMessageContaining("NARU_WISH=required")
        .hasMessageContaining(HOW);
  }

  @Test
  void condition_there_runsUnlessNotWanted() {
    assertThat(THERE.condition(Map.of()).isDisabled()).isFalse();
    assertThat(THERE.condition(wish("required")).isDisabled()).isFalse();
    assertThat(THERE.condition(wish("none")).isDisabled()).isTrue();
  }

  @Test
  void wish_misspelt_fails() {
    assertThatThrownBy(() -> THERE.condition(wish("requierd")))
        .hasMessage("NARU_WISH is required or none, is requierd");
  }
}
