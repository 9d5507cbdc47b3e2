package io.naru.gateway;

import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The log of what knows no logging but the JDK's, as the gate does for the sake of its users: the
 * same lines as all others.
 */
public final class PlatformLogs extends System.LoggerFinder {

  @Override
  public System.Logger getLogger(String name, Module module) {
    return new Forwarding(LoggerFactory.getLogger(name));
  }

  private record Forwarding(org.slf4j.Logger log) implements System.Logger {

    @Override
    public String getName() {
      return log.getName();
    }

    @Override
    public boolean isLoggable(Level level) {
      return level != Level.OFF && log.isEnabledForLevel(ours(level));
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String message,
        @Nullable Throwable thrown) {
      if (isLoggable(level)) {
        log.atLevel(ours(level)).setCause(thrown).log(message);
      }
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String format,
        @Nullable Object @Nullable ... values) {
      if (isLoggable(level)) {
        boolean isPlain = format == null || values == null || values.length == 0;
        log.atLevel(ours(level)).log(isPlain ? format : MessageFormat.format(format, values));
      }
    }

    private static org.slf4j.event.Level ours(Level level) {
      return switch (level) {
        case ALL, TRACE -> org.slf4j.event.Level.TRACE;
        case DEBUG -> org.slf4j.event.Level.DEBUG;
        case INFO -> org.slf4j.event.Level.INFO;
        case WARNING -> org.slf4j.event.Level.WARN;
        case ERROR, OFF -> org.slf4j.event.Level.ERROR;
      };
    }
  }
}
