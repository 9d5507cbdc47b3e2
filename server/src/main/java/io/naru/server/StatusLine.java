package io.naru.server;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Optional;

/** How something goes: one line that changes in a terminal, and a line now and then elsewhere. */
final class StatusLine {

  private static final int SECONDS = 5;

  private final PrintWriter out;
  private final boolean isTerminal =
      Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);

  StatusLine(PrintWriter out) {
    this.out = out;
  }

  /**
   * @param second since the start
   * @param isLast whether it stays
   */
  void show(String text, int second, boolean isLast) {
    if (isTerminal) {
      out.print("\r\033[K" + text + (isLast ? "\n" : ""));
    } else if (isLast || second % SECONDS == 0) {
      out.println(text);
    }
    out.flush();
  }
}
