package io.naru.testkit;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A program of this machine that a test class needs, registered in a static field. Without it the
 * tests are left out, which the launcher says; where it is required, they fail.
 *
 * @param variable of the environment, that says whether these tests are wanted
 * @param how it can be had
 */
public record Program(String variable, Optional<Path> found, String how)
    implements ExecutionCondition {

  /** What the environment wants of a program's tests. */
  enum Wish {
    IF_THERE,
    REQUIRED,
    NONE;

    static Wish of(Map<String, String> environment, String variable) {
      String wish = environment.getOrDefault(variable, "");
      return switch (wish) {
        case "" -> IF_THERE;
        case "required" -> REQUIRED;
        case "none" -> NONE;
        default -> throw new IllegalStateException(variable + " is required or none, is " + wish);
      };
    }
  }

  /**
   * A program, as the environment names it or on the PATH.
   *
   * @param variable that names it
   */
  public static Optional<Path> find(Map<String, String> environment, String variable, String name) {
    var named = environment.getOrDefault(variable, "");
    if (!named.isEmpty()) {
      if (!Files.isExecutable(Path.of(named))) {
        throw new IllegalStateException(variable + ": " + named + " is not a program");
      }
      return Optional.of(Path.of(named));
    }
    var path = environment.getOrDefault("PATH", "").split(File.pathSeparator, -1);
    return Stream.of(path)
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  public Path path() {
    return found.orElseThrow();
  }

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return condition(System.getenv());
  }

  /** Whether tests run; where the program is required, its absence is a failure and no reason. */
  public ConditionEvaluationResult condition(Map<String, String> environment) {
    Wish wish = Wish.of(environment, variable);
    if (wish == Wish.NONE) {
      return ConditionEvaluationResult.disabled(variable + "=none");
    }
    if (found.isPresent()) {
      return ConditionEvaluationResult.enabled("with " + found.get());
    }
    if (wish == Wish.REQUIRED) {
      throw new IllegalStateException(variable + "=required, but " + how);
    }
    return ConditionEvaluationResult.disabled(how);
  }
}
