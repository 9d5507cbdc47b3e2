package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.naru.server.http.RequestIds;
import io.naru.support.Seeded;
import io.naru.testkit.StrictJson;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands in the log, whoever wrote the message. */
class LogLinesTest {

  /** Everything that some reader takes for the end of a line, or a terminal acts on. */
  private static final String EVIL =
      "a\nb\r\nc\rd\u0085e\u2028f\u2029g\u000bh\u000ci\u001b[2Jj\u0000k\u007fl\u202em\u200bn\t\"o\\";

  private static String line(LogFormat format, String message, @Nullable Throwable thrown) {
    return line(format, message, thrown, Map.of());
  }

  private static String line(
      LogFormat format, String message, @Nullable Throwable thrown, Map<String, String> mdc) {
    var logger = new LoggerContext().getLogger("io.naru.server.http.HttpDoor");
    var event = new LoggingEvent("", logger, Level.WARN, "{}", thrown, new Object[] {message});
    event.setInstant(Instant.parse("2026-05-06T07:08:09.010Z"));
    event.setMDCPropertyMap(mdc);
    return new String(new LogLines(format).encode(event), UTF_8);
  }

  @Test
  void text_isOneLine() {
    assertThat(line(LogFormat.TEXT, "all is well", null))
        .isEqualTo("2026-05-06T07:08:09.010Z WARN  i.n.s.http.HttpDoor all is well\n");
    assertThat(line(LogFormat.TEXT, "told", null, Map.of(RequestIds.KEY, "4f1c")))
        .isEqualTo("2026-05-06T07:08:09.010Z WARN  i.n.s.http.HttpDoor [4f1c] told\n");
  }

  @Test
  void json_isOneObjectInOneLine() {
    String line = line(LogFormat.JSON, "told", null, Map.of(RequestIds.KEY, "4f1c"));

    assertThat(line).endsWith("}\n");
    assertThat(StrictJson.object(line))
        .containsExactly(
            Map.entry("time", "2026-05-06T07:08:09.010Z"),
            Map.entry("level", "WARN"),
            Map.entry("logger", "io.naru.server.http.HttpDoor"),
            Map.entry("requestId", "4f1c"),
            Map.entry("message", "told"));
  }

  @Test
  void json_saysWhatWasSaid() {
    assertThat(StrictJson.object(line(LogFormat.JSON, EVIL, null))).containsEntry("message", EVIL);
    assertThat(StrictJson.object(line(LogFormat.JSON, "대기 🎫", null)))
        .containsEntry("message", "대기 🎫");
  }

  /** Half a pair becomes a question mark, as it does wherever text becomes bytes. */
  @Test
  void json_anyMessage_isWhatJacksonReads() {
    Seeded.histories(
        5_000,
        random -> {
          var message = new StringBuilder();
          for (int i = random.nextInt(20); i > 0; i--) {
            message.append((char) random.nextInt(1 << random.nextInt(17)));
          }
          String said = new String(message.toString().getBytes(UTF_8), UTF_8);

          assertThat(StrictJson.object(line(LogFormat.JSON, message.toString(), null)))
              .containsEntry("message", said);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"TEXT", "JSON"})
  void nobodyWritesASecondLine(LogFormat format) {
    String line =
        line(
            format, EVIL, null, Map.of(RequestIds.KEY, "x\n2026-01-01T00:00:00.000Z ERROR forged"));

    assertThat(line).endsWith("\n");
    assertThat(line.substring(0, line.length() - 1))
        .doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"TEXT", "JSON"})
  void norDoesWhatWasThrown(LogFormat format) {
    var thrown = new IllegalStateException("one" + EVIL, new RuntimeException("two" + EVIL));
    thrown.addSuppressed(new RuntimeException("three" + EVIL));

    String line = line(format, "failed", thrown);

    assertThat(line).contains("IllegalStateException: one", "two", "three", "LogLinesTest");
    String[] lines = line.substring(0, line.length() - 1).split("\n", -1);
    for (int i = 1; i < lines.length; i++) {
      assertThat(lines[i]).startsWith("\t");
    }
    if (format == LogFormat.JSON) {
      assertThat(lines).hasSize(1);
      assertThat(StrictJson.object(line).get("exception")).asString().contains("\n\tat io.naru");
    }
    for (String each : lines) {
      assertThat(each.replace("\t", "")).doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");
    }
  }

  @Test
  void ownCause_isNotFollowedForEver() {
    var one = new IllegalStateException("one");
    one.initCause(new IllegalStateException("two", one));

    assertThat(line(LogFormat.TEXT, "failed", one)).contains("one", "two").hasSizeLessThan(50_000);
  }
}
