package io.naru.server;

import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code naru}: the commands of the jar. */
@Command(
    name = "naru",
    description = "A self-hosted virtual waiting room.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      UpCommand.class,
      GatewayCommand.class,
      KeysCommand.class,
      AccessCommand.class,
      WebhooksCommand.class,
      CheckCommand.class,
      PageCommand.class,
      VerifyCommand.class,
      ExportCommand.class,
      ImportCommand.class,
      AlertsCommand.class,
      DashboardCommand.class,
      DemoCommand.class,
      LoadCommand.class,
      PlanCommand.class,
      TrainCommand.class,
      HelpCommand.class
    })
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    // What this process writes is read by programs, in whatever country the machine stands.
    Locale.setDefault(Locale.ROOT);
    CommandLine commandLine = commandLine();
    if (args.length == 0) {
      commandLine.usage(System.out);
      System.exit(0);
    }
    System.exit(commandLine.execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main()).setParameterExceptionHandler(Main::complain);
  }

  /** What is wrong in a line, and where to read more: pages of options would hide it. */
  private static int complain(ParameterException problem, String[] args) {
    CommandLine command = problem.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(problem.getMessage());
    UnmatchedArgumentException.printSuggestions(problem, err);
    err.println("`" + command.getCommandSpec().qualifiedName() + " --help` shows what there is");
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }
}
