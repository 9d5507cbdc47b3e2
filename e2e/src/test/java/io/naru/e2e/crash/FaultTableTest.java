package io.naru.e2e.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The manual says which test shows what a fault does; and each fault has one of its name. */
class FaultTableTest {

  private static final Path ROOT = Path.of("..");
  private static final int FAULTS = 21;

  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| (F\\d+) \\|[^|]*\\|([^|]*)\\|[^|]*\\|$");

  /** A class, or the beginning of the name of one of its methods. */
  private static final Pattern TEST = Pattern.compile("`(\\w+)(?:\\.(\\w+))?`");

  /** By the name of the class. */
  private static Map<String, String> tests() throws IOException {
    Map<String, String> tests = new HashMap<>();
    try (var modules = Files.newDirectoryStream(ROOT, Files::isDirectory)) {
      for (Path module : modules) {
        Path sources = module.resolve("src/test/java");
        if (Files.isDirectory(sources)) {
          try (var files = Files.walk(sources)) {
            files
                .filter(file -> file.toString().endsWith(".java"))
                .forEach(file -> tests.merge(nameOf(file), text(file), String::concat));
          }
        }
      }
    }
    return tests;
  }

  private static String nameOf(Path file) {
    return file.getFileName().toString().replace(".java", "");
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean has(String source, String method) {
    return Pattern.compile("void " + method + "(_\\w+)?\\(").matcher(source).find();
  }

  @Test
  void eachFault_isInTheTable_andHasATestOfItsName() throws IOException {
    Map<String, String> tests = tests();
    List<String> rows =
        ROW.matcher(Files.readString(ROOT.resolve("docs/reliability.md")))
            .results()
            .map(row -> checked(row.group(1), row.group(2), tests))
            .toList();

    assertThat(rows).isEqualTo(IntStream.rangeClosed(1, FAULTS).mapToObj(n -> "F" + n).toList());
  }

  private static String checked(String fault, String named, Map<String, String> tests) {
    String name = fault.toLowerCase(Locale.ROOT);
    boolean isShown = false;
    for (Matcher test = TEST.matcher(named); test.find(); ) {
      assertThat(tests.keySet()).as("tests of %s", fault).contains(test.group(1));
      String source = tests.getOrDefault(test.group(1), "");
      String method = test.group(2);
      if (method != null) {
        assertThat(has(source, method)).as("%s %s", fault, test.group()).isTrue();
        isShown |= method.equals(name);
      }
    }
    assertThat(isShown).as("a test of the name %s", name).isTrue();
    return fault;
  }
}
