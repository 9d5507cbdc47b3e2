package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.naru.ledger.Ledger;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What is wrong with one queue is no trouble of the others. */
abstract class OneQueueInTroubleContract {

  private static final String ILL = "TROUBLE/ill";
  private static final String WELL = "TROUBLE/well";

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private Ledger.Config ledger;
  private TestServer server;
  private Client management;

  /** An empty one. */
  abstract Ledger.Config database();

  /** What makes every change of the ill queue's row fail. */
  abstract List<String> poison();

  abstract String antidote();

  @BeforeEach
  void start(@TempDir Path data) {
    ledger = database();
    server = TestServer.start(TestServer.config(data, null, ledger));
    management = new Client(server.managementPort());
    for (String queue : new String[] {ILL, WELL}) {
      server.activate(queue, "\"maxCapacity\":1,\"entryIntervalSeconds\":1").is(201);
      server.enter(queue, "ann").is(201);
      await().until(() -> server.status(queue, "ann").text("status").equals("ENTERED"));
      server.enter(queue, "ben").is(201);
    }
    log.start();
    logger().addAppender(log);
  }

  @AfterEach
  void stop() {
    logger().detachAppender(log);
    management.close();
    server.close();
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger("io.naru");
  }

  @Test
  void frozen_isSaidOfThatQueueOnly() throws Exception {
    sql("UPDATE waiting_queues SET change_no = change_no - 1 WHERE event_id = 'ill'");
    server.enter(ILL, "cho").isProblem(503, "unavailable");
    await().until(() -> isPaused(ILL));

    for (int i = 0; i < 20; i++) {
      assertThat(isPaused(ILL)).as("poll %d of the frozen one", i).isTrue();
      assertThat(isPaused(WELL)).as("poll %d of the other", i).isFalse();
      // Each takes a place and gives it back: transactions in between the polls.
      server.enter(WELL, "user" + i).is(201);
      server.leave(WELL, "user" + i).is(200);
    }
    assertThat(management.get("/health").text("degraded")).contains("TROUBLE/ill");
    assertThat(log.list.toString()).doesNotContain("goes on");
    assertThat(log.list).as("%s", log.list).hasSizeLessThan(5);
  }

  @Test
  void poisoned_transactionsOfOthersGoOn() throws Exception {
    for (String statement : poison()) {
      sql(statement);
    }
    List<Callable<Answer>> calls = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      String user = "user" + i;
      calls.add(() -> server.enter(ILL, user));
      calls.add(() -> server.enter(WELL, user));
    }

    List<Answer> answers = new ArrayList<>();
    try (var visitors = Executors.newFixedThreadPool(16)) {
      for (Future<Answer> answer : visitors.invokeAll(calls)) {
        answers.add(answer.get());
      }
    }

    for (int i = 0; i < answers.size(); i += 2) {
      answers.get(i).isProblem(503, "unavailable");
      answers.get(i + 1).is(201);
    }
    assertThat(isPaused(WELL)).isFalse();
    assertThat(log.list).as("%s", log.list).hasSizeLessThan(6);

    sql(antidote());

    await().until(() -> server.enter(ILL, "late").status() == 201);
    await().until(() -> !isPaused(ILL));
  }

  private boolean isPaused(String queue) {
    return Boolean.TRUE.equals(server.status(queue, "ben").is(200).field("paused"));
  }

  private void sql(String statement) throws SQLException {
    try (var connection =
            DriverManager.getConnection(ledger.url(), ledger.user(), ledger.password());
        var run = connection.createStatement()) {
      run.execute(statement);
    }
  }
}
