package io.naru.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The HAProxy of this machine, with a configuration of ours. */
public final class HaproxyServer {

  /** Where one can be had; said wherever one is missed. */
  public static final String HOW =
      "no HAProxy on this machine: install haproxy, or set NARU_HAPROXY";

  private HaproxyServer() {}

  /** The program, as the environment names it or on the PATH. */
  public static Optional<Path> find(Map<String, String> environment) {
    return Program.find(environment, "NARU_HAPROXY", "haproxy");
  }

  /**
   * @param configuration that binds {@code :80}, for which a free port of this machine is taken
   */
  public static ProxyProcess start(Path program, String configuration) {
    int port = Tether.freePort();
    try {
      var dir = Files.createTempDirectory("naru-haproxy-");
      var conf =
          Files.writeString(
              dir.resolve("haproxy.cfg"),
              configuration.replace("bind :80", "bind 127.0.0.1:" + port));
      return ProxyProcess.start(
          dir, port, List.of(program.toString(), "-db", "-f", conf.toString()), Map.of());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + program, e);
    }
  }
}
