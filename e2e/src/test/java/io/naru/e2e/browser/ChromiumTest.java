package io.naru.e2e.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which browser is taken. */
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

  private Path program(String name) throws IOException {
    return Files.createFile(
        folder.resolve(name),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
  }
}
