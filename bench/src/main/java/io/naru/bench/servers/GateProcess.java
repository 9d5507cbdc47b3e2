package io.naru.bench.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.gate.Gate;
import io.naru.gate.GateBuilder;
import io.naru.pass.Reason;
import io.naru.pass.Verification;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A gate as an application has it, in a process of its own. It says when it is ready, is told of
 * passes over its standard input, and says of each of them when it is refused. It ends with its
 * input.
 */
public final class GateProcess implements AutoCloseable {

  private static final String READY = "ready ";
  private static final String OVER = "over ";
  private static final Duration LOOK = Duration.ofMillis(5);

  private final Process process;
  private final PrintStream to;
  private final CompletableFuture<Duration> ready = new CompletableFuture<>();
  private final Map<String, CompletableFuture<Long>> refused = new ConcurrentHashMap<>();

  private GateProcess(Process process) {
    this.process = process;
    this.to = new PrintStream(process.getOutputStream(), /* autoFlush= */ true, UTF_8);
    Thread.ofVirtual().start(this::hear);
  }

  /** Starts one that begins to ask at once, as often as gates do. */
  public static GateProcess start(Naru naru, Queue queue) {
    return start(naru, queue, 1, GateBuilder.DEFAULT_POLL_EVERY);
  }

  /** Starts several of the same queue in one process; it is ready when all are. */
  public static GateProcess start(Naru naru, Queue queue, int gates, Duration pollEvery) {
    var command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-XX:+UseG1GC",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            GateProcess.class.getName(),
            naru.uri().toString(),
            queue.name(),
            "" + gates,
            "" + pollEvery.toMillis());
    try {
      return new GateProcess(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start a gate", e);
    }
  }

  private void hear() {
    try (var lines = process.inputReader(UTF_8)) {
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(READY)) {
          ready.complete(Duration.ofNanos(Long.parseLong(line.substring(READY.length()))));
        } else if (line.startsWith(OVER)) {
          refused(line.substring(OVER.length())).complete(System.nanoTime());
        } else {
          throw new IllegalStateException("the gate says: " + line);
        }
      }
      throw new IllegalStateException("the gate has ended");
    } catch (IOException | IllegalStateException e) {
      ready.completeExceptionally(e);
      refused.values().forEach(each -> each.completeExceptionally(e));
    }
  }

  /** How long it took, from its first question, until it knew all that it must know. */
  public Duration readyAfter() {
    return ready.join();
  }

  /** Watches a pass that is good; the moment at which it is refused because its turn is over. */
  public CompletableFuture<Long> refusedAt(String pass) {
    to.println(pass);
    return refused(pass);
  }

  private CompletableFuture<Long> refused(String pass) {
    return refused.computeIfAbsent(pass, _ -> new CompletableFuture<>());
  }

  public Vitals vitals() {
    return new Vitals(process.pid());
  }

  @Override
  public void close() {
    process.destroy();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** The process itself. */
  public static void main(String[] args) throws IOException, InterruptedException {
    long start = System.nanoTime();
    var every = Duration.ofMillis(Long.parseLong(args[3]));
    var gates = new ArrayList<Gate>();
    while (gates.size() < Integer.parseInt(args[2])) {
      var gate = Gate.builder(args[0], args[1]).protect("/**").pollEvery(every).open();
      gates.add(gate);
      while (!gate.status().ready()) {
        Thread.sleep(LOOK);
      }
    }
    System.out.println(READY + (System.nanoTime() - start));
    obey(gates.getFirst());
    gates.forEach(Gate::close);
  }

  private static void obey(Gate gate) throws IOException {
    var watched = ConcurrentHashMap.<String>newKeySet();
    var in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (var pass = in.readLine(); pass != null; pass = in.readLine()) {
      if (gate.check(pass) instanceof Verification.Refused(var reason, var _)) {
        throw new IllegalStateException("this pass is no good: " + reason.text());
      }
      if (watched.add(pass) && watched.size() == 1) {
        Thread.ofPlatform().daemon().start(() -> watch(gate, watched));
      }
    }
  }

  private static void watch(Gate gate, Set<String> watched) {
    try {
      while (!watched.isEmpty()) {
        watched.removeIf(pass -> isRefused(gate, pass));
        Thread.sleep(LOOK);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isRefused(Gate gate, String pass) {
    if (gate.check(pass) instanceof Verification.Refused(var reason, var _)) {
      System.out.println(reason == Reason.TURN_OVER ? OVER + pass : reason.text());
      return true;
    }
    return false;
  }
}
