package io.naru.e2e.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.microsoft.playwright.Page;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Asks axe what keeps people from using a page: contrast, names, roles, landmarks, order. */
final class Axe {

  private static final String SCRIPT = script();

  /** Without preloading, which would fetch style sheets again, and that is not allowed here. */
  private static final String RUN =
      """
      async () => {
        const { violations } = await axe.run(document, { preload: false });
        return violations.flatMap(violation => violation.nodes.map(node =>
          `${violation.id}: ${violation.help}: ${node.html} (${node.failureSummary})`));
      }
      """;

  private Axe() {}

  /** One line per violation and element. */
  @SuppressWarnings("unchecked") // the script returns strings
  static List<String> violations(Page page) {
    page.evaluate(SCRIPT);
    return (List<String>) page.evaluate(RUN);
  }

  private static String script() {
    try (var script = Axe.class.getResourceAsStream("/axe.min.js")) {
      if (script == null) {
        throw new IllegalStateException("no axe.min.js on the class path");
      }
      return new String(script.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
