package io.naru.bench.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** What a process takes from the machine, as the operating system counts it. */
public record Vitals(long pid) {

  private static final String RESIDENT = "VmRSS:";

  /** Processor time since its start, of all its threads, in user mode and in the kernel. */
  public Duration cpu() {
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().totalCpuDuration())
        .orElseThrow(() -> new IllegalStateException("no processor time of process " + pid));
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

  /** Has a JVM collect its garbage, so that what remains is in use. */
  public void collect() {
    var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    try {
      var process =
          new ProcessBuilder(jcmd, "" + pid, "GC.run")
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectErrorStream(true)
              .start();
      if (process.waitFor() != 0) {
        throw new IllegalStateException("process " + pid + " does not collect its garbage");
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + jcmd, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
