package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What {@code naru page} refuses; what it writes is opened by a browser in {@code e2e}. */
class PageCommandTest {

  @TempDir private Path folder;

  private record Run(int exit, String out) {}

  private Run page(String... args) {
    var out = new StringWriter();
    int exit =
        new CommandLine(new PageCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(out))
            .execute(args);
    return new Run(exit, out.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "TIMEDEAL, http://127.0.0.1:1, TYPE/id",
    "TIMEDEAL/1/2, http://127.0.0.1:1, TYPE/id",
    "'T/1\"', http://127.0.0.1:1, TYPE/id",
    "TIMEDEAL/1, ftp://127.0.0.1, --url",
    "TIMEDEAL/1, http://a/b, --url"
  })
  void page_badInput_isRefusedByName(String queue, String url, String field) {
    Run run = page(queue, "--url", url, "--out", folder.toString());

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.out).contains(field + ": is no");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void page_nobodyThere_saysSoAndWritesNothing() {
    Run run = page("TIMEDEAL/1", "--url", "http://127.0.0.1:1", "--out", folder.toString());

    assertThat(run.exit).isEqualTo(2);
    assertThat(run.out).contains("--url: http://127.0.0.1:1 cannot be read");
    assertThat(folder).isEmptyDirectory();
  }
}
