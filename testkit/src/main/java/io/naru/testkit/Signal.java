package io.naru.testkit;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** The signals that {@link Process} does not know, and the end of a process. */
final class Signal {

  private Signal() {}

  static void send(String name, Process process) {
    send(name, List.of(process.toHandle()));
  }

  static void send(String name, List<ProcessHandle> processes) {
    var command = new ArrayList<>(List.of("kill", "-" + name));
    processes.forEach(process -> command.add("" + process.pid()));
    try {
      var kill = new ProcessBuilder(command).redirectErrorStream(true).start();
      awaitEnd(kill);
      // One that has ended meanwhile needs no signal, and the others have got theirs.
      if (kill.exitValue() != 0 && processes.stream().allMatch(ProcessHandle::isAlive)) {
        throw new IllegalStateException(command + " answers " + kill.exitValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run " + command, e);
    }
    if (name.equals("STOP")) {
      processes.forEach(Signal::awaitStopped);
    }
  }

  /** A signal is on its way for a moment, in which a question is still answered. */
  private static void awaitStopped(ProcessHandle process) {
    long end = System.nanoTime() + SECONDS.toNanos(10);
    while (isRunning(process) && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(MILLISECONDS.toNanos(1));
    }
  }

  /** Where there is no {@code /proc}, nobody knows. */
  private static boolean isRunning(ProcessHandle process) {
    try {
      String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
      // The name before it may have anything in it.
      return "RSD".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  static void awaitEnd(Process process) {
    try {
      if (!process.waitFor(60, SECONDS)) {
        throw new IllegalStateException("process " + process.pid() + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while process " + process.pid() + " ends", e);
    }
  }
}
