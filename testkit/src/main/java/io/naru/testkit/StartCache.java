package io.naru.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What lets servers of a source tree start in half the time: the cache that {@code ./naru up}
 * starts them with, made by the same script. A server from elsewhere starts without.
 */
final class StartCache {

  private static final Map<Path, List<String>> KNOWN = new ConcurrentHashMap<>();

  private StartCache() {}

  /** The JVM options that use it, empty if there is none. */
  static List<String> options(Path jar) {
    return launcher(jar).map(it -> KNOWN.computeIfAbsent(it, StartCache::ask)).orElse(List.of());
  }

  /** The script of the tree that the jar was built in. */
  private static Optional<Path> launcher(Path jar) {
    var path = jar.toAbsolutePath().normalize();
    if (!path.endsWith(Path.of("server", "target", "naru.jar"))) {
      return Optional.empty();
    }
    return Optional.of(path.resolve("../../../naru").normalize()).filter(Files::isExecutable);
  }

  private static List<String> ask(Path launcher) {
    var lock = launcher.resolveSibling("server/target/aot.lock");
    // Two JVMs that test side by side would make it twice.
    try (var file = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var _ = file.lock()) {
      var builder = new ProcessBuilder(launcher.toString(), "aot-cache");
      builder.environment().put("NARU_JAVA_HOME", System.getProperty("java.home"));
      builder.environment().remove("NARU_JAVA_OPTS");
      var process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
      var cache = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
      Signal.awaitEnd(process);
      return cache.isEmpty()
          ? List.of()
          // The first as well: a JVM refuses what was made with other modules' rights.
          : List.of(
              "--enable-native-access=ALL-UNNAMED", "-XX:AOTCache=" + cache, "-Xlog:aot*=off");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot ask " + launcher, e);
    }
  }
}
