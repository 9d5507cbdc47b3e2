package io.naru.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What the jar answers to commands that start nothing. */
class MainTest {

  private record Run(int exit, String out, String err) {}

  private static Run naru(String... args) {
    var out = new StringWriter();
    var err = new StringWriter();
    int exit =
        Main.commandLine(args[0])
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(args);
    return new Run(exit, out.toString(), err.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "up --prot 1, '--prot', naru up --help",
    "up --port 70000, '--port: must be 0..65535, is 70000', naru up --help",
    "up --port, '--port', naru up --help",
    "keys, 'list, rotate, revoke', naru keys --help",
    "keys list --nothing, '--nothing', naru keys list --help",
    "upp, 'upp', naru --help",
    "--prot, '--prot', naru --help",
  })
  void wrong_isNamedAndOneHintGiven(String args, String named, String hint) {
    Run run = naru(args.split(" "));

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.out).isEmpty();
    assertThat(run.err.lines().toList()).hasSizeBetween(2, 3);
    assertThat(run.err.lines().findFirst().orElseThrow()).contains(named);
    assertThat(run.err.strip()).endsWith("`" + hint + "` shows what there is");
  }

  @Test
  void version_isOneLine() {
    assertThat(naru("--version").out).isEqualTo("naru dev\n");
  }

  @Test
  void help_listsWhatPeopleNeed() {
    assertThat(naru("help").out).contains("up", "keys").doesNotContain("train");
  }

  /** Not the first line of it that happens to be in the source. */
  @Test
  void help_saysAWholeSentenceOfEveryCommand() {
    String help = naru("help").out.replaceAll("\\s+", " ");

    Main.commandLine().getSubcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .filter(command -> !command.usageMessage().hidden() && !command.name().equals("help"))
        .forEach(
            command -> {
              String summary = command.usageMessage().description()[0];
              assertThat(summary).endsWith(".");
              assertThat(help).contains(" " + command.name() + " " + summary);
            });
  }

  @Test
  void helpOfACommand_isWrappedOnce() {
    assertThat(naru("verify", "--help").out)
        .contains("every admission\nagainst the rules in force at that moment.\nNeeds no key");
    assertThat(naru("up", "--help").out.replaceAll(" +", " "))
        .contains("Relays of drand from which the public coins of\n draws are fetched, as https:");
  }

  @Test
  void helpOfEveryCommand_namesItsOwnOptions() {
    for (String command : Main.commandLine().getSubcommands().keySet()) {
      assertThat(naru(command, "--help").out).contains("-h, --help ").doesNotContain("${");
    }
  }

  @Test
  void everyCommand_namedFirst_isTheSameAsAmongAll() {
    Main.commandLine()
        .getSubcommands()
        .forEach(
            (name, among) -> {
              CommandLine alone =
                  requireNonNull(Main.commandLine(name).getSubcommands().get(name), name);
              assertThat(alone.getUsageMessage()).isEqualTo(among.getUsageMessage());
            });
  }

  /** Each has dozens of options, and a server starts without them. */
  @Test
  void up_comesWithoutTheOthers() {
    assertThat(Main.commandLine("up").getSubcommands()).containsOnlyKeys("up");
  }

  /** From the source tree people type {@code ./naru}, a script with a list of its own. */
  @Test
  void everyCommand_isKnownToTheLauncher() throws IOException {
    String launcher = Files.readString(Path.of("..", "naru"));

    Main.commandLine().getSubcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .filter(command -> !command.usageMessage().hidden())
        .forEach(
            command ->
                assertThat(launcher)
                    .containsPattern("(?m)^  \\./naru " + command.name() + "\\b")
                    .containsPattern("(?m)^  ([a-z]+ \\| )*" + command.name() + "( \\| .*)?\\)$"));
  }
}
