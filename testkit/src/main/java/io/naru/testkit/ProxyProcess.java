package io.naru.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A proxy of this machine on a free loopback port, with nothing outside a folder of its own. It
 * ends with this JVM, however that ends.
 */
public final class ProxyProcess implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Path dir;
  private final int port;
  private final Process process;

  private ProxyProcess(Path dir, int port, Process process) {
    this.dir = dir;
    this.port = port;
    this.process = process;
  }

  /**
   * Starts it and returns once it listens.
   *
   * @param dir its folder, which goes with it
   * @param port where it is told to listen
   */
  static ProxyProcess start(
      Path dir, int port, List<String> command, Map<String, String> environment) {
    var log = ProcessBuilder.Redirect.appendTo(dir.resolve("log").toFile());
    var builder = Tether.command(command).redirectOutput(log);
    builder.environment().putAll(environment);
    try {
      var proxy = new ProxyProcess(dir, port, builder.start());
      try {
        proxy.awaitListening();
      } catch (RuntimeException e) {
        proxy.close();
        throw e;
      }
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command, e);
    }
  }

  private void awaitListening() {
    Poll.until(
        PATIENCE,
        () -> "the proxy does not listen on port " + port + ":\n" + log(),
        () -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("the proxy has ended:\n" + log());
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
