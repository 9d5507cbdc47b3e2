package io.naru.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;

/**
 * A library that others have written for Node, and that {@code ./naru test} has npm put into {@code
 * docs}: tests hold what we make against it.
 */
public final class NodeLibrary {

  private static final String VARIABLE = "NARU_EXAMPLES";

  private NodeLibrary() {}

  /**
   * Its folder. Without it, or without Node, a test is left out; where it is required, it fails.
   *
   * @param name as npm knows it
   */
  public static Path need(String name) {
    Map<String, String> environment = System.getenv();
    Path folder = Path.of("..", "docs", "node_modules", name).toAbsolutePath().normalize();
    var found = Program.find(environment, "", "node").map(_ -> folder).filter(Files::isDirectory);
    String how = "no Node with " + name + " in docs: ./naru test installs it";
    ConditionEvaluationResult condition = new Program(VARIABLE, found, how).condition(environment);
    assumeTrue(!condition.isDisabled(), () -> condition.getReason().orElse(how));
    return folder;
  }
}
