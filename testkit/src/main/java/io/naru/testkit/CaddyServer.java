package io.naru.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The Caddy of this machine, with a configuration of ours. */
public final class CaddyServer {

  /** Where one can be had; said wherever one is missed. */
  public static final String HOW = "no Caddy on this machine: install caddy, or set NARU_CADDY";

  private CaddyServer() {}

  /** The program, as the environment names it or on the PATH. */
  public static Optional<Path> find(Map<String, String> environment) {
    return Program.find(environment, "NARU_CADDY", "caddy");
  }

  /**
   * @param configuration of the site {@code :80}, for which a free port of this machine is taken
   */
  public static ProxyProcess start(Path program, String configuration) {
    int port = Tether.freePort();
    try {
      var dir = Files.createTempDirectory("naru-caddy-");
      var site = configuration.replace("\n:80 {", "\nhttp://:" + port + " {");
      var conf =
          Files.writeString(
              dir.resolve("Caddyfile"),
              "{\n\tadmin off\n\tauto_https off\n\tdefault_bind 127.0.0.1\n}\n" + site);
      return ProxyProcess.start(
          dir,
          port,
          List.of(program.toString(), "run", "--adapter", "caddyfile", "--config", conf.toString()),
          Map.of("XDG_DATA_HOME", dir.toString(), "XDG_CONFIG_HOME", dir.toString()));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + program, e);
    }
  }
}
