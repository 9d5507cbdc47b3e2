package io.naru.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BenchTest {

  private final ByteArrayOutputStream complaints = new ByteArrayOutputStream();
  private final PrintStream original = System.err;

  @BeforeEach
  void catchComplaints() {
    System.setErr(new PrintStream(complaints, true, UTF_8));
  }

  @AfterEach
  void restore() {
    System.setErr(original);
  }

  @Test
  void run_noServerBuilt_saysWhatBuildsIt() {
    assertThat(Bench.run("--server-jar", "no/such.jar")).isEqualTo(2);
    assertThat(complaints.toString(UTF_8)).contains("no/such.jar", "./naru bench");
  }

  @Test
  void run_unknownScenario_namesTheKnownOnes() {
    assertThat(Bench.run("--only", "throughput,nonsense")).isEqualTo(2);
    assertThat(complaints.toString(UTF_8)).contains("nonsense", "long-lines").hasLineCount(1);
  }

  @Test
  void run_absurdNumber_namesTheOption() {
    assertThat(Bench.run("--connections", "0", "--server-jar", "pom.xml")).isEqualTo(2);
    assertThat(complaints.toString(UTF_8)).contains("--connections must be 1..10000");
  }
}
