package io.naru.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Path dir;
  private final int port;
  private final Process process;

  private NginxServer(Path dir, int port, Process process) {
    this.dir = dir;
    this.port = port;
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
      var log = ProcessBuilder.Redirect.appendTo(dir.resolve("log").toFile());
      var server = new NginxServer(dir, port, Tether.command(command).redirectOutput(log).start());
      try {
        server.awaitListening();
      } catch (RuntimeException e) {
        server.close();
        throw e;
      }
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + program, e);
    }
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

  private void awaitListening() {
    Poll.until(
        PATIENCE,
        () -> "nginx does not listen on port " + port + ":\n" + log(),
        () -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("nginx has ended:\n" + log());
          }
          try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
          } catch (IOException e) {
            return false;
          }
        });
  }

  public int port() {
    return port;
  }

  /** Where it runs: relative paths of its configuration are there. */
  public Path folder() {
    return dir;
  }

  public String log() {
    return Folder.log(dir);
  }

  @Override
  public void close() {
    Signal.awaitEnd(process.destroyForcibly());
    Folder.delete(dir);
  }
}
