package io.naru.bench.report;

import java.io.PrintStream;

/** Tells a waiting person what happens, beside the output that may be kept. */
public final class Progress {

  private final PrintStream out;
  private final long start = System.nanoTime();

  public Progress(PrintStream out) {
    this.out = out;
  }

  public void say(String message) {
    var seconds = (System.nanoTime() - start) / 1_000_000_000;
    out.println("[%4d s] %s".formatted(seconds, message));
  }
}
