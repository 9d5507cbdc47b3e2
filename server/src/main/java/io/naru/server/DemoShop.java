package io.naru.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The concert shop of the examples, as a process of its own that ends with this one. */
final class DemoShop implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");

  /**
   * The shell becomes the shop. What it leaves behind waits at our end of its standard input, and
   * ends the shop when we are gone, also if nobody let us say goodbye.
   */
  private static final String TETHER =
      """
      exec 3<&0
      { cat; kill -9 $$; } <&3 >/dev/null 2>&1 &
      exec "$@" </dev/null 3<&-
      """;

  private final Process process;
  private final Path log;

  private DemoShop(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Starts it; that takes a while, so other things can be done meanwhile.
   *
   * @param folder for what it keeps
   * @param naru where its gate asks
   * @param port 0 for any free one
   */
  static DemoShop start(Path jar, Path folder, String naru, String queue, int port)
      throws IOException {
    Path log = folder.resolve("shop.log");
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", TETHER, "shop"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // A shop for one visitor, beside a Naru on the same machine: it should be there soon.
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-jar", jar.toAbsolutePath().toString()));
    command.addAll(List.of("--server.port=" + port, "--naru.gate.url=" + naru));
    command.add("--naru.gate.queue=" + queue);
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return new DemoShop(process, log);
  }

  /** Where it is, once it takes visitors. */
  String awaitAddress(CtrlC ctrlC) throws IOException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() - end < 0) {
      Matcher port = PORT.matcher(Files.readString(log));
      if (port.find()) {
        return "http://127.0.0.1:" + port.group(1);
      }
      if (!process.isAlive() || ctrlC.isTimeToStop(Duration.ofMillis(100))) {
        break;
      }
    }
    throw new StartFailure(
        "the shop did not start:\n" + Files.readString(log), new IOException("no address"));
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
