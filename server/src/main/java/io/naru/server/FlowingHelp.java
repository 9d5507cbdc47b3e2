package io.naru.server;

import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Descriptions as one text each, wrapped where the page ends: a new line in the source is none
 * there.
 */
final class FlowingHelp extends Help {

  FlowingHelp(CommandSpec spec, ColorScheme colors) {
    super(spec, colors);
  }

  /** Has a list of commands show the first sentence of each, and the whole of it. */
  static void summarize(CommandLine command) {
    UsageMessageSpec usage = command.getCommandSpec().usageMessage();
    if (usage.header().length == 0) { // that of picocli's own help is in its header
      usage.description(flow(usage.description()).split("(?<=[.]) ", 2));
    }
    command.getSubcommands().values().forEach(FlowingHelp::summarize);
  }

  private static String flow(String[] lines) {
    return String.join(" ", lines);
  }

  @Override
  public IOptionRenderer createDefaultOptionRenderer() {
    IOptionRenderer renderer = super.createDefaultOptionRenderer();
    return (option, label, colors) ->
        renderer.render(isOneText(option) ? option : flowing(option), label, colors);
  }

  @Override
  public IParameterRenderer createDefaultParameterRenderer() {
    IParameterRenderer renderer = super.createDefaultParameterRenderer();
    return (parameter, label, colors) ->
        renderer.render(isOneText(parameter) ? parameter : flowing(parameter), label, colors);
  }

  /** A copy knows no command, from which those that every command has take their names. */
  private static boolean isOneText(ArgSpec argument) {
    return argument.description().length < 2;
  }

  private static OptionSpec flowing(OptionSpec option) {
    return OptionSpec.builder(option).description(flow(option.description())).build();
  }

  private static PositionalParamSpec flowing(PositionalParamSpec parameter) {
    return PositionalParamSpec.builder(parameter)
        .description(flow(parameter.description()))
        .build();
  }
}
