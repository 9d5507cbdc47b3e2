package io.naru.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.Logger;

/**
 * How the server logs, unless {@code -Dlogback.configurationFile} says otherwise. In Java, because
 * reading a configuration file takes a quarter of the time that the server needs to start.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {

  /** Line breaks inside a message would let its author write log lines. */
  private static final String PATTERN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX, UTC} %-5level %logger{20}"
          + " %replace(%msg){'[\\r\\n]+', ' '}%n";

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    if (System.getProperty("logback.configurationFile") != null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    var encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.start();
    var console = new ConsoleAppender<ILoggingEvent>();
    console.setContext(context);
    console.setName("STDERR");
    console.setTarget("System.err");
    console.setEncoder(encoder);
    console.start();
    var root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.INFO);
    root.addAppender(console);
    context.getLogger("io.lettuce").setLevel(Level.ERROR);
    context.getLogger("io.netty").setLevel(Level.WARN);
    context.getLogger("com.zaxxer.hikari").setLevel(Level.ERROR);
    context.getLogger("org.flywaydb").setLevel(Level.WARN);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }
}
