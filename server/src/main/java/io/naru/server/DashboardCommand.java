package io.naru.server;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code naru dashboard}: what to import into Grafana. */
@Command(
    name = "dashboard",
    description = "Prints a dashboard for Grafana.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class DashboardCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(Monitoring.text(Monitoring.DASHBOARD));
    spec.commandLine().getOut().flush();
    return CommandLine.ExitCode.OK;
  }
}
