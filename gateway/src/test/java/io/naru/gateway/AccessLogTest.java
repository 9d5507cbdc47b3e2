package io.naru.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.gateway.AccessLog.Line;
import io.naru.support.Seeded;
import io.naru.testkit.StrictJson;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is written of a request, held against what Jackson reads. */
class AccessLogTest {

  private static final int MAX_TEXT = 1_024;
  private static final String[] TEXTS = {
    "",
    "-",
    "\"",
    "\\",
    "\\u0022",
    "\n",
    "\r\n{}",
    "\0",
    "\u007f",
    "\u0085",
    "\u2028",
    "\ud83c\udf9f",
    "\ud83c",
    "\udf9f",
    "é",
    "대기",
    "\uffff",
    "</script>",
    "%0a",
    "Mozilla/5.0 (X11; Linux x86_64)"
  };

  @Test
  void json_anyRequest_isOneLineThatSaysWhatWasAsked() {
    Seeded.histories(
        5_000,
        random -> {
          Line line = line(random);
          String json = line.json();

          assertThat(json).matches("[\\x20-\\x7e]*\n");
          assertThat(said(StrictJson.object(json))).isEqualTo(said(line));
        });
  }

  @Test
  void json_secrets_areNotWritten() {
    var line =
        new Line(
            0,
            "::1",
            "GET",
            "shop",
            "/queue/SALE/1/subscribe/secret/eyJhbGciOi",
            200,
            Meters.By.NARU,
            null,
            1,
            1,
            -1,
            "x eyJhbGciOi",
            false);

    assertThat(StrictJson.object(line.json()))
        .containsEntry("path", "/queue/SALE/1/subscribe/-/-")
        .containsEntry("agent", "-");
  }

  private static Line line(Random random) {
    Meters.By[] by = Meters.By.values();
    return new Line(
        random.nextLong(1L << 45),
        text(random),
        text(random),
        text(random),
        "/" + text(random),
        (int) number(random),
        by[random.nextInt(by.length)],
        random.nextBoolean() ? null : text(random),
        number(random),
        number(random),
        number(random),
        text(random),
        random.nextBoolean());
  }

  private static Map<String, @Nullable Object> said(Line line) {
    Map<String, @Nullable Object> said = new LinkedHashMap<>();
    said.put("time", Instant.ofEpochMilli(line.atMillis()).toString());
    said.put("from", cut(line.from()));
    said.put("method", cut(line.method()));
    said.put("host", cut(line.host()));
    said.put("path", cut(line.path()));
    said.put("status", line.status());
    said.put("by", line.by().label());
    if (line.queue() != null) {
      said.put("queue", cut(line.queue()));
    }
    said.put("bytes", line.bytes());
    said.put("millis", line.nanos() / 1_000_000);
    if (line.siteNanos() >= 0) {
      said.put("siteMillis", line.siteNanos() / 1_000_000);
    }
    said.put("agent", cut(line.agent()));
    if (line.isCut()) {
      said.put("cut", true);
    }
    return said(said);
  }

  /** Numbers as they are written, whatever holds them. */
  private static Map<String, @Nullable Object> said(Map<String, @Nullable Object> fields) {
    Map<String, @Nullable Object> said = new LinkedHashMap<>(fields);
    said.replaceAll((_, value) -> value instanceof Number number ? number.longValue() : value);
    return said;
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(text.length(), MAX_TEXT));
  }

  /** Whatever anybody may send, or a name may hold; now and then more than is written. */
  private static String text(Random random) {
    var text = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      text.append(
          random.nextBoolean()
              ? TEXTS[random.nextInt(TEXTS.length)]
              : "" + (char) random.nextInt(1 << random.nextInt(17)));
    }
    return random.nextInt(20) == 0 ? text.toString().repeat(400) : text.toString();
  }

  private static long number(Random random) {
    return switch (random.nextInt(10)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE;
      case 2 -> -1;
      case 3 -> 0;
      default -> random.nextLong() >> random.nextInt(64);
    };
  }
}
