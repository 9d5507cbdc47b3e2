package io.naru.e2e.crash;

import io.naru.testkit.HttpConnection;
import io.naru.testkit.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** One of the servers, which keeps its name and its port when it is killed and started again. */
final class Node implements AutoCloseable {

  private final String name;
  private final List<String> options;
  private final Stage.Launcher launcher;
  private final int port;
  private volatile ServerProcess process;

  Node(String name, List<String> options, Stage.Launcher launcher) {
    this.name = name;
    this.options = options;
    this.launcher = launcher;
    this.process = launcher.launch(options);
    this.port = process.port();
  }

  String name() {
    return name;
  }

  int port() {
    return port;
  }

  /** Which process it is now. */
  long pid() {
    return process.pid();
  }

  ServerProcess process() {
    return process;
  }

  /** What it says is wrong now, to whoever looks after it. */
  String health() {
    try (var management = new HttpConnection(process.managementPort())) {
      return management.send("GET", "/health", "").body();
    } catch (IOException e) {
      throw new UncheckedIOException("server " + name + " does not say how it is", e);
    }
  }

  /** Starts it again on its port; it must have ended. */
  void restart() {
    List<String> samePort = new ArrayList<>(options);
    samePort.addAll(List.of("--port", "" + port));
    process = launcher.launch(samePort);
  }

  @Override
  public void close() {
    process.close();
  }
}
