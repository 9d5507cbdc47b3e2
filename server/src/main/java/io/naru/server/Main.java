package io.naru.server;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
    synopsisSubcommandLabel = "COMMAND")
public final class Main {

  /** By name, in the order of the help. */
  private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put("up", UpCommand.class);
    COMMANDS.put("gateway", GatewayCommand.class);
    COMMANDS.put("keys", KeysCommand.class);
    COMMANDS.put("access", AccessCommand.class);
    COMMANDS.put("webhooks", WebhooksCommand.class);
    COMMANDS.put("check", CheckCommand.class);
    COMMANDS.put("page", PageCommand.class);
    COMMANDS.put("verify", VerifyCommand.class);
    COMMANDS.put("export", ExportCommand.class);
    COMMANDS.put("import", ImportCommand.class);
    COMMANDS.put("alerts", AlertsCommand.class);
    COMMANDS.put("dashboard", DashboardCommand.class);
    COMMANDS.put("demo", DemoCommand.class);
    COMMANDS.put("load", LoadCommand.class);
    COMMANDS.put("plan", PlanCommand.class);
    COMMANDS.put("train", TrainCommand.class);
    COMMANDS.put("help", HelpCommand.class);
  }

  private Main() {}

  public static void main(String[] args) {
    // What this process writes is read by programs, in whatever country the machine stands.
    Locale.setDefault(Locale.ROOT);
    spareFlightRecorder();
    if (args.length == 0) {
      commandLine().usage(System.out);
      System.exit(0);
    }
    System.exit(commandLine(args[0]).execute(args));
  }

  /** Netty would load all of the recorder at every start, to offer it events about buffers. */
  private static void spareFlightRecorder() {
    String wish = "io.netty.jfr.enabled";
    if (System.getProperty(wish) == null) {
      System.setProperty(wish, "false");
    }
  }

  /** With all commands, for whoever does not know which one. */
  static CommandLine commandLine() {
    return withCommands(COMMANDS.values());
  }

  /**
   * With the one command that is named, if that is one: looking through the options of all others
   * would take a good part of a start.
   */
  static CommandLine commandLine(String first) {
    Class<?> named = first.equals("help") ? null : COMMANDS.get(first);
    return named == null ? commandLine() : withCommands(List.of(named));
  }

  private static CommandLine withCommands(Collection<Class<?>> commands) {
    var commandLine = new CommandLine(new Main());
    commands.forEach(commandLine::addSubcommand);
    commandLine.getSubcommands().values().forEach(FlowingHelp::summarize);
    return commandLine
        .setHelpFactory(FlowingHelp::new)
        .setParameterExceptionHandler(Main::complain);
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
