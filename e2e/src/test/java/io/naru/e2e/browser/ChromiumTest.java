package io.naru.e2e.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.e2e.browser.Chromium.Wish;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.io.TempDir;

/** Which browser is taken, and that its tests are never left out without a word. */
class ChromiumTest {

  @TempDir private Path folder;

  @Test
  void find_severalOnThePath_takesTheBest() throws IOException {
    program("google-chrome");
    Path chromium = program("chromium");

    assertThat(Chromium.find(Map.of("PATH", "/nowhere:" + folder))).contains(chromium);
  }

  @Test
  void find_named_takesThatOne() throws IOException {
    program("chromium");
    Path named = program("my-browser");

    assertThat(Chromium.find(Map.of("PATH", folder.toString(), "NARU_CHROMIUM", named.toString())))
        .contains(named);
  }

  @Test
  void find_namedIsNotThere_isAnErrorInsteadOfAnother() throws IOException {
    program("chromium");

    assertThatThrownBy(
            () -> Chromium.find(Map.of("PATH", folder.toString(), "NARU_CHROMIUM", "/nowhere/c")))
        .hasMessageContaining("/nowhere/c");
  }

  @Test
  void condition_noChromium_skipsWithTheReasonOrFails() {
    ConditionEvaluationResult leftOut = RealBrowser.condition(Wish.IF_THERE, Optional.empty());
    assertThat(leftOut.isDisabled()).isTrue();
    assertThat(leftOut.getReason()).contains(Chromium.HOW);

    assertThatThrownBy(() -> RealBrowser.condition(Wish.REQUIRED, Optional.empty()))
        .hasMessageContaining("NARU_BROWSER=required")
        .hasMessageContaining(Chromium.HOW);
  }

  @Test
  void condition_chromiumThere_runsUnlessNotWanted() {
    Optional<Path> chromium = Optional.of(Path.of("/usr/bin/chromium"));

    assertThat(RealBrowser.condition(Wish.IF_THERE, chromium).isDisabled()).isFalse();
    assertThat(RealBrowser.condition(Wish.REQUIRED, chromium).isDisabled()).isFalse();
    assertThat(RealBrowser.condition(Wish.NONE, chromium).isDisabled()).isTrue();
  }

  @Test
  void wish_misspelt_isAnErrorAndNotAWish() {
    assertThat(Wish.of(Map.of())).isEqualTo(Wish.IF_THERE);
    assertThat(Wish.of(Map.of("NARU_BROWSER", "required"))).isEqualTo(Wish.REQUIRED);
    assertThatThrownBy(() -> Wish.of(Map.of("NARU_BROWSER", "requierd")))
        .hasMessageContaining("requierd");
  }

  private Path program(String name) throws IOException {
    return Files.createFile(
        folder.resolve(name),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
  }
}
