package io.naru.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The nginx of this machine as a proxy on a free loopback port, with a configuration of our own and
 * nothing outside a folder of its own. It ends with this JVM, however that ends.
 */
public final class NginxServer implements AutoCloseable {

  /** Where one can be had; said wherever one is missed. */
  public static final String HOW = "no nginx on this machine: install nginx, or set NARU_NGINX";

  private final ProxyProcess process;

  private NginxServer(ProxyProcess process) {
    this.process = process;
  }

  /** The program, as the environment names it or on the PATH. */
  public static Optional<Path> find(Map<String, String> environment) {
    return Program.find(environment, "NARU_NGINX", "nginx");
  }

  /**
   * Starts nginx and returns once it listens.
   *
   * @param locations what stands in the {@code server} of its configuration
   */
  public static NginxServer start(Path program, String locations) {
    return start(program, "", locations);
  }

  /**
   * @param http what stands in front of that {@code server}
   */
  public static NginxServer start(Path program, String http, String locations) {
    var port = Tether.freePort();
    try {
      var dir = Files.createTempDirectory("naru-nginx-");
      var conf = Files.writeString(dir.resolve("nginx.conf"), configuration(port, http, locations));
      var command =
          List.of(program.toString(), "-p", dir.toString(), "-c", conf.toString(), "-e", "stderr");
      return new NginxServer(ProxyProcess.start(dir, port, command, Map.of()));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + program, e);
    }
  }

  /**
   * Starts nginx with a file that is meant for its {@code http} block: its one {@code server} on a
   * free port of this machine in place of 80, its caches in the folder of the process.
   */
  public static NginxServer site(Path program, String file) {
    String[] parts =
        file.replace("/var/cache/nginx/", "").replace("listen 80;", "").split("\nserver \\{", 2);
    return start(program, parts[0], parts[1].strip().replaceAll("}$", ""));
  }

  private static String configuration(int port, String http, String locations) {
    // One process, so that killing it is enough; as root it also stays what it is.
    return """
    daemon off;
    master_process off;
    pid nginx.pid;
    error_log stderr notice;
    events {}
    http {
      access_log off;
      client_body_temp_path body;
      proxy_temp_path proxy;
      fastcgi_temp_path fastcgi;
      uwsgi_temp_path uwsgi;
      scgi_temp_path scgi;
      %s
      server {
        listen 127.0.0.1:%d;
        %s
      }
    }
    """
        .formatted(http, port, locations);
  }

  public int port() {
    return process.port();
  }

  /** Where it runs: relative paths of its configuration are there. */
  public Path folder() {
    return process.folder();
  }

  public String log() {
    return process.log();
  }

  @Override
  public void close() {
    process.close();
  }
}
