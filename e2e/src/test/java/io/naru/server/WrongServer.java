package io.naru.server;

import java.time.InstantSource;
import java.util.Arrays;
import picocli.CommandLine;

/**
 * {@code naru up}, but wrong. The name of a queue says in which way, so that one server can show
 * them all: {@link WrongQueues}, {@link WrongLine}, {@link WrongCopy}.
 */
public final class WrongServer {

  private WrongServer() {}

  public static void main(String[] args) {
    var wrapping = new Wrapping(WrongQueues::new, WrongLine::new, WrongCopy::new);
    var up = new UpCommand(config -> Naru.start(config, InstantSource.system(), wrapping));
    System.exit(new CommandLine(up).execute(Arrays.copyOfRange(args, 1, args.length)));
  }
}
