package io.naru.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine;

/**
 * {@code naru up} with a clock that can be set while it runs: {@code -Dnaru.test.clock=FILE} says
 * by how many seconds it is off. It says when it has seen that.
 */
public final class ClockedServer {

  private ClockedServer() {}

  public static void main(String[] args) {
    var clock = new SetClock(Path.of(System.getProperty("naru.test.clock")));
    var up = new UpCommand(config -> Naru.start(config, clock, Wrapping.NONE));
    System.exit(new CommandLine(up).execute(Arrays.copyOfRange(args, 1, args.length)));
  }

  private record SetClock(Path file, AtomicReference<String> known) implements InstantSource {

    SetClock(Path file) {
      this(file, new AtomicReference<>(""));
    }

    @Override
    public Instant instant() {
      try {
        String off = Files.readString(file);
        if (!off.equals(known.getAndSet(off))) {
          System.out.println("the clock is off by " + off + " s");
        }
        return InstantSource.system().instant().plus(Duration.ofSeconds(Long.parseLong(off)));
      } catch (IOException e) {
        throw new UncheckedIOException("no clock", e);
      }
    }
  }
}
