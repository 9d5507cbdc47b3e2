package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.naru.ledger.Ledger;
import io.naru.testkit.FaultProxy;
import io.naru.testkit.FaultProxy.Way;
import io.naru.testkit.PostgresServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Strangers look at what everybody may look at, as often as they can, while people wait. */
@Tag("process")
class LooksOfStrangersTest {

  private static final String QUEUE = "SALE/1";
  private static final int STRANGERS = 500;
  private static final int POLLS = 30;

  /** As the manual says. */
  private static final int CONNECTIONS = 7;

  private final AtomicLong looks = new AtomicLong();
  private final Set<Integer> answers = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.start();
    logger().addAppender(log);
  }

  @AfterEach
  void stopListening() {
    logger().detachAppender(log);
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger("io.naru.server");
  }

  @Test
  void drawAndLog_manyLooksAtOnce_peopleEnterAndSeeTheirPlace_andNobodyIsPaused(@TempDir Path data)
      throws Exception {
    PostgresServer database = PostgresServer.shared();
    String direct = database.fresh();
    try (var proxy = FaultProxy.to(database.port());
        var server =
            TestServer.start(
                TestServer.config(
                    data,
                    null,
                    new Ledger.Config(
                        direct.replace(":" + database.port(), ":" + proxy.port()),
                        database.user(),
                        database.password(),
                        false)));
        ExecutorService strangers = Executors.newVirtualThreadPerTaskExecutor();
        var http = HttpClient.newHttpClient()) {
      server.activate(QUEUE, "\"maxCapacity\":1,\"newPlacesPerMinute\":0").is(201);
      server.enter(QUEUE, "ann").is(201);
      await().until(() -> server.status(QUEUE, "ann").text("status").equals("ENTERED"));
      server.enter(QUEUE, "ben").is(201);
      proxy.delay(Way.TO_CLIENT, Duration.ofMillis(5));

      try {
        for (int i = 0; i < STRANGERS; i++) {
          // Most of them at what this queue does not have, some at queues that never were.
          String queue = i % 10 == 0 ? "MADEUP/" + i : QUEUE;
          String path = "/queue/" + queue + (i % 2 == 0 ? "/draw" : "/log/checkpoint");
          strangers.execute(() -> look(http, server.port(), path));
        }
        await().until(() -> looks.get() > STRANGERS);
        for (int i = 0; i < POLLS; i++) {
          server.enter(QUEUE, "user" + i).is(201);
          Answer status = server.status(QUEUE, "ben").is(200);
          assertThat(status.field("paused")).as("poll %d", i).isNotEqualTo(true);
          server.leave(QUEUE, "user" + i).is(200);
        }
        assertThat(log.list)
            .extracting(ILoggingEvent::getFormattedMessage)
            .as("nothing had to wait for the database")
            .noneMatch(line -> line.contains("no connection to the ledger"));
        assertThat(connections(direct, database)).isLessThanOrEqualTo(CONNECTIONS);
      } finally {
        isOver.set(true);
      }
    }
    assertThat(answers).contains(404).isSubsetOf(404, 503);
  }

  private void look(HttpClient http, int port, String path) {
    var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
    while (!isOver.get()) {
      try {
        answers.add(http.send(request, BodyHandlers.discarding()).statusCode());
        looks.incrementAndGet();
      } catch (IOException e) {
        // The server was stopped under it.
        return;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private static int connections(String url, PostgresServer database) throws SQLException {
    try (var connection = DriverManager.getConnection(url, database.user(), database.password());
        var select = connection.createStatement();
        var result =
            select.executeQuery(
                """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()""")) {
      result.next();
      return result.getInt(1);
    }
  }
}
