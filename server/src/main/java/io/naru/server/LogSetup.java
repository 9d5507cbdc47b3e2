package io.naru.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How the server logs, unless {@code -Dlogback.configurationFile} says otherwise. In Java, because
 * reading a configuration file takes a quarter of the time that the server needs to start.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {

  private static final String CONSOLE = "STDERR";

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    if (System.getProperty("logback.configurationFile") != null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    var console = new ConsoleAppender<ILoggingEvent>();
    console.setContext(context);
    console.setName(CONSOLE);
    console.setTarget("System.err");
    console.setEncoder(lines(LogFormat.TEXT, context));
    console.start();
    var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.INFO);
    root.addAppender(console);
    context.getLogger("io.lettuce").setLevel(Level.ERROR);
    context.getLogger("io.netty").setLevel(Level.WARN);
    context.getLogger("com.zaxxer.hikari").setLevel(Level.ERROR);
    context.getLogger("org.flywaydb").setLevel(Level.WARN);
    // What it has to say of a broker that is away, it says again and again; we say it once.
    context.getLogger("org.apache.kafka").setLevel(Level.OFF);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  private static LogLines lines(LogFormat format, Context context) {
    var lines = new LogLines(format);
    lines.setContext(context);
    lines.start();
    return lines;
  }

  /** From now on only what somebody should look into. */
  static void warningsOnly() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
    }
  }

  /** From now on; a configuration of the operator's own stays as it is. */
  static void use(LogFormat format) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context
        && context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(CONSOLE)
            instanceof ConsoleAppender<ILoggingEvent> console) {
      console.setEncoder(lines(format, context));
    }
  }
}
