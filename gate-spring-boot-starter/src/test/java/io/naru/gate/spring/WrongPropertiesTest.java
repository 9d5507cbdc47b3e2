package io.naru.gate.spring;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Wrong settings stop the application and say what to do; attack 15 is among them. */
@ExtendWith(OutputCaptureExtension.class)
class WrongPropertiesTest {

  private static final String[] GOOD = {
    "naru.gate.url=http://127.0.0.1:1", "naru.gate.queue=TIMEDEAL/123"
  };

  private final ApplicationContextRunner application =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(NaruGateAutoConfiguration.class));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "queue        | timedeal             | TYPE/id",
        "queue        | ''                   | TIMEDEAL/123",
        "url          | ''                   | https://naru.example",
        "url          | ftp://naru.example   | http or https",
        "url          | naru.example         | http or https",
        "public-url   | javascript:alert(1)  | http or https",
        "public-url   | //evil.example       | http or https",
        "protect      | ''                   | /reservations/**",
        "protect      | reservations         | /reservations/**",
        "protect      | /reservations/{id}   | /reservations/**",
        "audience     | ''                   | audience",
        "clock-skew   | -1s                  | 0s..300s",
        "clock-skew   | 301s                 | 0s..300s",
        "poll-every   | -3s                  | 100ms..60s",
        "poll-every   | 99ms                 | 100ms..60s",
        "poll-every   | 61s                  | 100ms..60s",
        "max-knowledge-age | 4s              | 5s..86400s",
        "source       | a/b                  | 1..64 letters"
      })
  void wrongValue_isNamedWithWhatIsAllowed(String name, String value, String allowed) {
    String property = "naru.gate." + name;
    application
        .withPropertyValues(GOOD)
        .withPropertyValues(property + "=" + value)
        .run(
            context -> {
              FailureAnalysis analysis = analyze(context.getStartupFailure());
              assertThat(analysis.getDescription())
                  .contains("Property: " + property + "\n", "Value: \"" + value + "\"\n")
                  .containsPattern("Allowed: .*" + Pattern.quote(allowed));
              assertThat(analysis.getAction()).contains("Set " + property + " to ", allowed);
            });
  }

  static Stream<String> badQueues() {
    return Stream.of(
        "a:b",
        "A/a:b",
        "A/{x}",
        "{A}/x",
        "*",
        "A/*",
        "../",
        "A/../B/1",
        "A/%00",
        "A/b/c",
        "a/1",
        "A/" + "x".repeat(300),
        "A/b?x",
        "A/b\nc",
        "A/<img>");
  }

  @ParameterizedTest
  @MethodSource("badQueues")
  void queueThatIsNoName_isRefused(String queue) {
    application
        .withPropertyValues(GOOD)
        .withPropertyValues("naru.gate.queue=" + queue)
        .run(
            context ->
                assertThat(analyze(context.getStartupFailure()).getDescription())
                    .contains("Property: naru.gate.queue\n", "TYPE/id"));
  }

  @Test
  void missing_isNamed() {
    application
        .withPropertyValues(GOOD[0])
        .run(
            context ->
                assertThat(analyze(context.getStartupFailure()).getDescription())
                    .contains("Property: naru.gate.queue\n", "Value: (not set)"));
    application
        .withPropertyValues(GOOD[1])
        .run(
            context ->
                assertThat(analyze(context.getStartupFailure()).getDescription())
                    .contains("Property: naru.gate.url\n", "Value: (not set)"));
  }

  @Test
  void secretsInAnAddress_areNotRepeated() {
    application
        .withPropertyValues(GOOD)
        .withPropertyValues("naru.gate.url=https://me:se/cret@naru.example?key=hidden")
        .run(
            context ->
                assertThat(analyze(context.getStartupFailure()).getDescription())
                    .contains("naru.example")
                    .doesNotContain("cret", "hidden"));
  }

  /** A misspelt bind-to-session would otherwise leave copies of passes good. */
  @Test
  void misspeltName_isRefused() {
    application
        .withPropertyValues(GOOD)
        .withPropertyValues("naru.gate.bind-to-sesion=true")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining("naru.gate.bind-to-sesion"));
  }

  @Test
  void valueOfAnotherType_isNamedBySpringBoot() {
    application
        .withPropertyValues(GOOD)
        .withPropertyValues("naru.gate.poll-every=often")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("naru.gate.poll-every")
                    .hasStackTraceContaining("often"));
  }

  @Test
  void application_printsWhatToDo(CapturedOutput output) {
    try {
      new SpringApplicationBuilder(Shop.Application.class)
          .properties("server.port=0", "naru.gate.url=http://127.0.0.1:1")
          .run("--naru.gate.queue=timedeal")
          .close();
    } catch (RuntimeException e) {
      assertThat(output)
          .contains("APPLICATION FAILED TO START")
          .contains("Property: naru.gate.queue", "Value: \"timedeal\"", "Action:")
          .doesNotContain("\tat io.naru");
      return;
    }
    throw new AssertionError("the application started");
  }

  private static FailureAnalysis analyze(@Nullable Throwable failure) {
    FailureAnalysis analysis =
        new NaruGateFailureAnalyzer().analyze(requireNonNull(failure, "the application started"));
    return requireNonNull(analysis, failure::toString);
  }
}
