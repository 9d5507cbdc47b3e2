package io.naru.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;

/**
 * {@code naru demo} as a process of its own, whose addresses are read from what it prints. It ends
 * with this JVM, however that ends.
 */
public final class DemoProcess implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Pattern SHOP = Pattern.compile("the shop +(http://\\S+)");
  private static final Pattern CONSOLE = Pattern.compile("the console +(http://\\S+)");
  private static final Pattern NARU = Pattern.compile("Naru itself is at (http://\\S+)");

  private final Process process;
  private final Queue<String> lines = new ConcurrentLinkedQueue<>();

  private DemoProcess(Process process) {
    this.process = process;
    Thread.ofVirtual().name("demo-log-" + process.pid()).start(this::read);
  }

  /** Starts it and returns once it has printed where to look. */
  public static DemoProcess start(Path jar, Path shop, List<String> args) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseCompactObjectHeaders");
    command.addAll(StartCache.options(jar));
    command.addAll(List.of("-jar", jar.toString(), "demo", "--shop-jar", shop.toString()));
    command.addAll(args);
    DemoProcess demo;
    try {
      demo = new DemoProcess(Tether.command(command).start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + command, e);
    }
    try {
      demo.find(NARU);
      return demo;
    } catch (RuntimeException e) {
      demo.close();
      throw e;
    }
  }

  private void read() {
    try (var in = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (var line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      // It has ended.
      return;
    }
  }

  private String find(Pattern what) {
    Poll.until(
        PATIENCE,
        () -> "the demo does not say where it is:\n" + log(),
        () -> {
          if (!process.isAlive()) {
            throw new IllegalStateException("the demo has ended:\n" + log());
          }
          return what.matcher(log()).find();
        });
    var found = what.matcher(log());
    return found.find() ? found.group(1) : "";
  }

  public String shop() {
    return find(SHOP);
  }

  public String console() {
    return find(CONSOLE);
  }

  public String naru() {
    return find(NARU);
  }

  /** What it has printed. */
  public String log() {
    return String.join("\n", lines);
  }

  /**
   * Ends it as Ctrl-C does, and waits until all of it is gone. With TERM, which a JVM takes for the
   * same: INT is ignored by whatever a shell has put into the background, tests among them.
   */
  @Override
  public void close() {
    if (process.isAlive()) {
      // Not destroy(), which would cut the tether and kill it.
      Signal.send("TERM", process);
    }
    Signal.awaitEnd(process);
  }
}
