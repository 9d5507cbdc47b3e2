package io.naru.bench.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;

/** What a process takes from the machine, as the operating system counts it. */
public record Vitals(long pid) {

  private static final String RESIDENT = "VmRSS:";
  private static final Pattern HEAP_USED = Pattern.compile("used (\\d+)K");

  /** Processor time since its start, of all its threads, in user mode and in the kernel. */
  public Duration cpu() {
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().totalCpuDuration())
        .orElseThrow(() -> new IllegalStateException("no processor time of process " + pid));
  }

  /** The same with all processes that it started and that are still there. */
  public Duration cpuOfAll() {
    return ProcessHandle.of(pid).stream()
        .flatMap(ProcessHandle::descendants)
        .flatMap(process -> process.info().totalCpuDuration().stream())
        .reduce(cpu(), Duration::plus);
  }

  /** Memory it has touched and not given back. */
  public long residentBytes() {
    try (var lines = Files.lines(Path.of("/proc", "" + pid, "status"))) {
      return lines
          .filter(line -> line.startsWith(RESIDENT))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1_024)
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("process " + pid + " has no memory"));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look at process " + pid, e);
    }
  }

  /** Has a JVM collect its garbage, and returns how much of its heap is in use then. */
  public long collect() {
    var _ = jcmd("GC.run");
    var used = HEAP_USED.matcher(jcmd("GC.heap_info"));
    if (!used.find()) {
      throw new IllegalStateException("process " + pid + " does not tell of its heap");
    }
    return Long.parseLong(used.group(1)) * 1_024;
  }

  private String jcmd(String command) {
    var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    try {
      var process = new ProcessBuilder(jcmd, "" + pid, command).redirectErrorStream(true).start();
      var answer = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException(
            "process %d refuses %s: %s".formatted(pid, command, answer));
      }
      return answer;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + jcmd, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
