package io.naru.e2e.browser;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The Chromium of this machine. The launcher looks at the same places, so that it can get one or
 * say what will be left out; {@code ./mvnw verify} has only this.
 */
public final class Chromium {

  /** What it is called on a PATH, the best first. */
  public static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  private static final List<Path> MACOS =
      List.of(
          Path.of("/Applications/Chromium.app/Contents/MacOS/Chromium"),
          Path.of("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"));

  /** Where one can be had; said wherever one is missed. */
  static final String HOW =
      "no Chromium on this machine: install chromium or Chrome, or set NARU_CHROMIUM";

  private Chromium() {}

  static Optional<Path> find(Map<String, String> environment) {
    String named = environment.getOrDefault("NARU_CHROMIUM", "");
    if (!named.isEmpty()) {
      if (!Files.isExecutable(Path.of(named))) {
        throw new IllegalStateException("NARU_CHROMIUM: " + named + " is not a program");
      }
      return Optional.of(Path.of(named));
    }
    List<String> folders =
        List.of(environment.getOrDefault("PATH", "").split(File.pathSeparator, -1));
    return Stream.concat(
            NAMES.stream().flatMap(name -> folders.stream().map(folder -> Path.of(folder, name))),
            MACOS.stream())
        .filter(Files::isExecutable)
        .findFirst();
  }
}
