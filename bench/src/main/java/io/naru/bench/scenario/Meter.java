package io.naru.bench.scenario;

import io.naru.bench.servers.Naru;
import io.naru.bench.servers.Vitals;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/** Measures what servers take from the machine, and ask of Redis, from now on. */
final class Meter {

  private final List<Vitals> processes;
  private final LongSupplier commands;
  private final long start = System.nanoTime();
  private final Duration cpuBefore;
  private final long commandsBefore;

  private Meter(List<Vitals> processes, LongSupplier commands) {
    this.processes = processes;
    this.commands = commands;
    this.cpuBefore = cpu();
    this.commandsBefore = commands.getAsLong();
  }

  /** What was taken in a while, per second of it. */
  record Span(double corePercent, double redisCommands) {}

  /** Servers that share their Redis, if they have one. */
  static Meter of(List<Naru> servers) {
    var one = servers.getFirst();
    return new Meter(
        servers.stream().map(Naru::vitals).toList(), one.hasRedis() ? one::redisCommands : () -> 0);
  }

  static Meter of(Vitals process) {
    return new Meter(List.of(process), () -> 0);
  }

  Span stop() {
    var seconds = (System.nanoTime() - start) / 1e9;
    return new Span(
        cpu().minus(cpuBefore).toNanos() / 1e7 / seconds,
        (commands.getAsLong() - commandsBefore) / seconds);
  }

  private Duration cpu() {
    return processes.stream().map(Vitals::cpu).reduce(Duration.ZERO, Duration::plus);
  }
}
