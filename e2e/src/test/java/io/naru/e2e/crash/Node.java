package io.naru.e2e.crash;

import io.naru.testkit.ServerProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** One of the servers, which keeps its name and its port when it is killed and started again. */
final class Node implements AutoCloseable {

  private final String name;
  private final Function<List<String>, ServerProcess> launcher;
  private final int port;
  private volatile ServerProcess process;

  /**
   * @param launcher starts a server with these options
   */
  Node(String name, Function<List<String>, ServerProcess> launcher) {
    this.name = name;
    this.launcher = launcher;
    this.process = launcher.apply(List.of());
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

  /** Starts it again on its port; it must have ended. */
  void restart() {
    process = launcher.apply(new ArrayList<>(List.of("--port", "" + port)));
  }

  @Override
  public void close() {
    process.close();
  }
}
