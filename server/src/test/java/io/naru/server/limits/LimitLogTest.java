package io.naru.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class LimitLogTest {

  private final Logger logger = (Logger) LoggerFactory.getLogger(LimitLog.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final LimitLog log = new LimitLog("wrong admin key");

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void leave() {
    logger.detachAppender(lines);
  }

  private List<String> said() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void note_manyInAMinute_areTwoLines() {
    for (int i = 0; i < 300; i++) {
      log.note("203.0.113.9");
    }
    assertThat(said()).containsExactly("wrong admin key from 203.0.113.9");

    log.minute();
    assertThat(said()).endsWith("wrong admin key: 299 more within a minute, from 203.0.113.9");
    log.minute();
    assertThat(said()).as("nothing more happened").hasSize(2);

    log.note("203.0.113.9");
    assertThat(said()).as("the next minute").hasSize(3);
  }

  @Test
  void note_fromManyAddresses_areStillTwoLines() {
    for (int i = 0; i < 5_000; i++) {
      log.note("address " + i);
    }
    log.minute();

    assertThat(said()).hasSize(2);
    assertThat(said().getLast()).endsWith("4999 more within a minute, from 1000 addresses or more");
  }
}
