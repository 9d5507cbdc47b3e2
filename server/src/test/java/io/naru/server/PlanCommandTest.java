package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code naru plan}. */
class PlanCommandTest {

  private static final String MISSION_C =
      "plan --people 10000 --arrive 2 --within 30 --stay 10 --requests 5";

  private static String plan(int exit, String line) {
    var out = new StringWriter();
    assertThat(
            Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(out, true))
                .execute(line.split(" ", -1)))
        .as("%s", out)
        .isEqualTo(exit);
    return out.toString();
  }

  @Test
  void plan_saysWhatToSet_andWhatItTakes() {
    assertThat(plan(0, MISSION_C))
        .contains("351 a second", "up to 3,861", "after 29.5 s", "1,755 requests a second")
        .contains("docs/performance.md", "2 of 4 cores")
        .contains(
            "\"eventType\":\"SALE\",\"eventId\":\"1\",\"maxCapacity\":3861,"
                + "\"entryBatchSize\":351,\"entryIntervalSeconds\":1")
        .doesNotContain("NOT IN TIME");
  }

  @Test
  void plan_thatCannotBeKept_saysWhatItWouldTake() {
    assertThat(plan(0, MISSION_C + " --capacity 3330"))
        .contains("NOT IN TIME", "within 30 s would take 3,861 inside at once");
  }

  @Test
  void plan_reckonsWithWhatABenchmarkMeasured(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("figures.json");
    Files.writeString(
        file,
        """
        {"conditions": {"Machine": "2 cores, Linux, Java 25"}, "rows": [
        {"what": "enter, PostgreSQL", "value": 200.0, "unit": "/s"}]}""");

    assertThat(plan(0, MISSION_C + " --bench " + file)).contains("the figures of " + file);
    // A hundred people a second and core is little.
    assertThat(plan(0, MISSION_C + " --bench " + file)).contains("29 of 4 cores");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "plan|Missing required options: '--people",
        "plan --people 10 --stay 1|say what is known",
        "plan --people 0 --stay 1 --rate 1|--people: must be 1..10000000, is 0",
        "plan --people 10 --stay NaN --rate 1|--stay: must be 0.1..86400",
        "plan --people 10 --stay 1 --rate 1 --cores 0|--cores: must be 1..256, is 0",
        "plan --people 10 --stay 1 --rate 1 --queue sale|--queue: is not a queue: sale",
        "plan --people 10 --stay 1 --rate 1 --bench /no/file|--bench: cannot read /no/file",
      })
  void absurd_isRefusedWithTheRange(String line, String message) {
    assertThat(plan(2, line)).contains(message);
  }
}
