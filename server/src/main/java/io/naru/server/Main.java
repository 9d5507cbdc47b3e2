package io.naru.server;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** {@code naru}: the commands of the jar. */
@Command(
    name = "naru",
    description = "A self-hosted virtual waiting room.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {UpCommand.class, KeysCommand.class, HelpCommand.class})
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    var commandLine = new CommandLine(new Main());
    if (args.length == 0) {
      commandLine.usage(System.out);
      System.exit(0);
    }
    System.exit(commandLine.execute(args));
  }
}
