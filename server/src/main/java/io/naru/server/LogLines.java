package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.pattern.TargetLengthBasedClassNameAbbreviator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.encoder.EncoderBase;
import io.naru.server.http.RequestIds;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes log lines, each by itself: whatever is in a message, be it line breaks, what terminals act
 * on or what turns text around, nobody who is logged writes a line of their own. In text a stack
 * trace follows on lines that are indented; in JSON everything is one line.
 *
 * <p>By hand, as an encoder with a JSON library behind it takes longer to load than to write.
 */
final class LogLines extends EncoderBase<ILoggingEvent> {

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final HexFormat HEX = HexFormat.of();
  private static final int LOGGER_LENGTH = 20;

  private final TargetLengthBasedClassNameAbbreviator abbreviator =
      new TargetLengthBasedClassNameAbbreviator(LOGGER_LENGTH);

  private final LogFormat format;

  LogLines(LogFormat format) {
    this.format = format;
  }

  @Override
  public byte @Nullable [] headerBytes() {
    return null;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    var line = new StringBuilder(200);
    switch (format) {
      case TEXT -> text(event, line);
      case JSON -> json(event, line);
    }
    return line.append('\n').toString().getBytes(UTF_8);
  }

  @Override
  public byte @Nullable [] footerBytes() {
    return null;
  }

  private void text(ILoggingEvent event, StringBuilder line) {
    line.append(time(event)).append(' ');
    String level = event.getLevel().toString();
    line.append(level).append(" ".repeat(Math.max(1, 6 - level.length())));
    clean(abbreviator.abbreviate(event.getLoggerName()), line);
    String id = requestId(event);
    if (id != null) {
      clean(id, line.append(" [")).append(']');
    }
    clean(event.getFormattedMessage(), line.append(' '));
    if (event.getThrowableProxy() != null) {
      trace(event.getThrowableProxy(), "\n\t", line);
    }
  }

  private static void json(ILoggingEvent event, StringBuilder line) {
    line.append("{\"time\":\"").append(time(event)).append('"');
    member("level", event.getLevel().toString(), line);
    member("logger", event.getLoggerName(), line);
    String id = requestId(event);
    if (id != null) {
      member(RequestIds.KEY, id, line);
    }
    member("message", event.getFormattedMessage(), line);
    if (event.getThrowableProxy() != null) {
      var trace = new StringBuilder(1_000);
      trace(event.getThrowableProxy(), "\n", trace);
      member("exception", trace.substring(1), line);
    }
    line.append('}');
  }

  private static String time(ILoggingEvent event) {
    return TIME.format(Instant.ofEpochMilli(event.getTimeStamp()));
  }

  private static @Nullable String requestId(ILoggingEvent event) {
    return event.getMDCPropertyMap().get(RequestIds.KEY);
  }

  private static void trace(IThrowableProxy thrown, String newLine, StringBuilder to) {
    clean(thrown.getClassName(), to.append(newLine));
    if (thrown.getMessage() != null) {
      clean(thrown.getMessage(), to.append(": "));
    }
    StackTraceElementProxy[] frames = thrown.getStackTraceElementProxyArray();
    int own = frames.length - thrown.getCommonFrames();
    for (int i = 0; i < own; i++) {
      clean(frames[i].getSTEAsString(), to.append(newLine).append('\t'));
    }
    for (IThrowableProxy suppressed : thrown.getSuppressed()) {
      trace(suppressed, newLine + "\tsuppressed: ", to);
    }
    // One that is its own cause has none here: logback has seen to that.
    if (thrown.getCause() != null) {
      trace(thrown.getCause(), newLine + "caused by: ", to);
    }
  }

  /** Whatever is not text to look at becomes a blank, several in a row a single one. */
  private static StringBuilder clean(@Nullable String text, StringBuilder to) {
    boolean isBlank = false;
    for (int i = 0; text != null && i < text.length(); i++) {
      char c = text.charAt(i);
      if (!isHarmful(c)) {
        to.append(c);
      } else if (!isBlank) {
        to.append(' ');
      }
      isBlank = isHarmful(c);
    }
    return to;
  }

  /** Control characters, line ends of all kinds, and what turns the direction of text around. */
  private static boolean isHarmful(char c) {
    if (c < 0x7f) {
      return c < ' ';
    }
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }

  private static void member(String name, @Nullable String value, StringBuilder to) {
    to.append(",\"").append(name).append("\":\"");
    for (int i = 0; value != null && i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        to.append('\\').append(c);
      } else if (isHarmful(c)) {
        to.append("\\u").append(HEX.toHexDigits(c));
      } else {
        to.append(c);
      }
    }
    to.append('"');
  }
}
