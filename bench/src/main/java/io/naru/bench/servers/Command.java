package io.naru.bench.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A command of ours that ends by itself, such as {@code naru verify}, in a JVM of its own. */
public record Command(Setup setup) {

  /** How long it takes, from the start of the JVM to its end; it must find nothing wrong. */
  public Duration run(String... args) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.add("--enable-native-access=ALL-UNNAMED");
    words.addAll(setup.jvmArgs());
    words.addAll(List.of("-jar", setup.jar().toString()));
    words.addAll(List.of(args));
    try {
      long start = System.nanoTime();
      var process = new ProcessBuilder(words).redirectErrorStream(true).start();
      var said = new String(process.getInputStream().readAllBytes(), UTF_8);
      int code = process.waitFor();
      var took = Duration.ofNanos(System.nanoTime() - start);
      if (code != 0) {
        throw new IllegalStateException("%s ends with %d: %s".formatted(args[0], code, said));
      }
      return took;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + words, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
