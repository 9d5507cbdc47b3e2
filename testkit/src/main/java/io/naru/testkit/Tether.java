package io.naru.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

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

  private Tether() {}

  static ProcessBuilder command(List<String> command) {
    if (Boolean.getBoolean("naru.test.quick")) {
      throw new IllegalStateException(
          "a quick run starts no processes: tag this test with @Tag(\"process\")");
    }
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
