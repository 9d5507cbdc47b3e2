package io.naru.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Starts child processes that end with this JVM, even when it is killed with SIGKILL. */
final class Tether {

  // The shell becomes the command itself, so pid, signals and exit code are the command's own. What
  // stays behind holds our end of standard input: it ends when this JVM does, in whatever way.
  private static final String SCRIPT =
      """
      exec 3<&0
      { cat; kill -9 $$; } <&3 >/dev/null 2>&1 &
      exec "$@" </dev/null 3<&-
      """;

  /** The test class that runs now, if it does not say that it starts processes. */
  static volatile @Nullable String untagged;

  private Tether() {}

  /**
   * A class that needs a process says so, also where another one has started it already: a quick
   * run leaves those out, and would fail at the others. Modules of which a quick run leaves out all
   * need not.
   */
  static void allow() {
    String test = untagged;
    if (Boolean.getBoolean("naru.test.quick")
        || (test != null && Boolean.getBoolean("naru.test.tagged"))) {
      throw new IllegalStateException(
          "a quick run starts no processes: tag %s with @Tag(\"process\")"
              .formatted(test == null ? "this test" : test));
    }
  }

  static ProcessBuilder command(List<String> command) {
    allow();
    var words = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "tether"));
    words.addAll(command);
    return new ProcessBuilder(words).redirectErrorStream(true);
  }

  static int freePort() {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException("no free loopback port", e);
    }
  }
}
