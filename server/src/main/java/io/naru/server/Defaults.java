package io.naru.server;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.representer.Representer;
import org.yaml.snakeyaml.resolver.Resolver;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Where an option comes from that is not on the command line: the environment ({@code NARU_PORT}
 * for {@code --port}), then {@code naru.yaml} in the working directory ({@code port: 8080}).
 */
final class Defaults implements IDefaultValueProvider {

  private static final Path FILE = Path.of("naru.yaml");

  private final Map<String, String> environment;
  private final Path file;
  private @Nullable Map<String, String> fromFile;

  Defaults() {
    this(System.getenv(), FILE);
  }

  Defaults(Map<String, String> environment, Path file) {
    this.environment = environment;
    this.file = file;
  }

  @Override
  public @Nullable String defaultValue(ArgSpec arg) {
    if (!(arg instanceof OptionSpec option) || !isSetting(option)) {
      return null;
    }
    String key = key(option);
    String variable = "NARU_" + key.toUpperCase(Locale.ROOT).replace('-', '_');
    String value = environment.get(variable);
    return value != null ? value : fromFile(option.command()).get(key);
  }

  private static boolean isSetting(@Nullable OptionSpec option) {
    return option != null && !option.usageHelp() && !option.versionHelp();
  }

  private static String key(OptionSpec option) {
    return option.longestName().substring(2);
  }

  private Map<String, String> fromFile(CommandSpec command) {
    if (fromFile == null) {
      fromFile = Files.exists(file) ? read(command) : Map.of();
    }
    return fromFile;
  }

  private Map<String, String> read(CommandSpec command) {
    Map<String, String> values = new HashMap<>();
    try (Reader in = Files.newBufferedReader(file)) {
      Object root = yaml().load(in);
      if (root == null) {
        return values;
      }
      if (!(root instanceof Map<?, ?> map)) {
        throw bad(command, "must be a list of 'option: value' lines");
      }
      map.forEach(
          (key, value) -> {
            if (!isSetting(command.findOption("--" + key))) {
              throw bad(command, "has an unknown key: " + key);
            }
            if (!(value instanceof String text)) {
              throw bad(command, "must have one value for " + key);
            }
            values.put(String.valueOf(key), text);
          });
      return values;
    } catch (IOException | YAMLException e) {
      throw bad(command, "cannot be read: " + e.getMessage());
    }
  }

  /** Everything is text, as on the command line: a key 0123 is not the number 83. */
  private static Yaml yaml() {
    var options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    var dumping = new DumperOptions();
    var asWritten =
        new Resolver() {
          @Override
          protected void addImplicitResolvers() {}
        };
    return new Yaml(
        new SafeConstructor(options), new Representer(dumping), dumping, options, asWritten);
  }

  private ParameterException bad(CommandSpec command, String problem) {
    return new ParameterException(command.commandLine(), file + " " + problem);
  }
}
