package io.naru.bench.report;

import java.io.PrintStream;
import java.time.Duration;

/** Tells a waiting person what happens, beside the output that may be kept. */
public final class Progress {

  private final PrintStream out;
  private final long start = System.nanoTime();

  public Progress(PrintStream out) {
    this.out = out;
  }

  /** Since the beginning. */
  public Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  public void say(String message) {
    out.println("[%4d s] %s".formatted(elapsed().toSeconds(), message));
  }
}
