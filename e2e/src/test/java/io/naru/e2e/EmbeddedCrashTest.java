package io.naru.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.HttpConnection;
import io.naru.testkit.HttpConnection.Reply;
import io.naru.testkit.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server without any option promises, when it is killed and when its disk is full. */
class EmbeddedCrashTest {

  private static final int CLIENTS = 16;
  private static final int BEFORE_THE_END = 2_000;

  /** 4 MB: room for SQLite's own library, which is unpacked first, and for some thousand joins. */
  private static final int SMALL_DISK = 8_192;

  private static final List<String> JVM = List.of("-Xmx512m");

  private record Acknowledged(String user, String joinedAt) {}

  @Test
  void kill9UnderLoad_everybodyAcknowledgedIsThere_inTheSameOrder(@TempDir Path data)
      throws Exception {
    List<Acknowledged> told = Collections.synchronizedList(new ArrayList<>());
    try (ServerProcess server = up(data)) {
      activate(server);
      enterUntilKilled(server, told);
    }
    assertThat(told).hasSizeGreaterThanOrEqualTo(BEFORE_THE_END);

    try (ServerProcess again = up(data)) {
      assertEverybodyIsThere(again, told);
    }
  }

  @Test
  void diskFull_nobodyIsToldOfAPlaceThatIsNotStored(@TempDir Path data) throws Exception {
    List<Acknowledged> told = new ArrayList<>();
    try (ServerProcess server =
            ServerProcess.startOnSmallDisk(SMALL_DISK, Site.JAR, JVM, args(data));
        var connection = new HttpConnection(server.port())) {
      activate(server);
      Reply refused = enterUntilRefused(connection, told);

      assertThat(refused.status()).as(refused.body()).isEqualTo(503);
      assertThat(refused.body()).contains("\"unavailable\"").contains("you are not in line yet");
      for (Acknowledged one : List.of(told.getFirst(), told.getLast())) {
        assertThat(status(connection, one.user).status()).as("places are shown").isEqualTo(200);
      }
      assertThat(status(connection, "not-in-line").status()).isEqualTo(404);
    }

    try (ServerProcess again = up(data);
        var connection = new HttpConnection(again.port())) {
      assertEverybodyIsThere(again, told);
      assertThat(enter(connection, "after-all").status()).isEqualTo(201);
    }
  }

  private static Reply enterUntilRefused(HttpConnection connection, List<Acknowledged> told)
      throws IOException {
    for (int i = 0; ; i++) {
      Reply reply = enter(connection, "visitor" + i);
      if (reply.status() != 201) {
        return reply;
      }
      told.add(new Acknowledged("visitor" + i, reply.field("joinedAt")));
      assertThat(told).as("the disk is small").hasSizeLessThan(20_000);
    }
  }

  private static Reply enter(HttpConnection connection, String user) throws IOException {
    return connection.send("POST", Site.PATH + "/enter", "", "User-Id: " + user);
  }

  private static Reply status(HttpConnection connection, String user) throws IOException {
    return connection.send("GET", Site.PATH + "/status", "", "User-Id: " + user);
  }

  private static void assertEverybodyIsThere(ServerProcess server, List<Acknowledged> told)
      throws IOException {
    List<Acknowledged> inOrder = new ArrayList<>(told);
    inOrder.sort((a, b) -> a.joinedAt.compareTo(b.joinedAt));
    long before = 0;
    try (var connection = new HttpConnection(server.port())) {
      for (Acknowledged acknowledged : inOrder) {
        Reply reply = status(connection, acknowledged.user);
        assertThat(reply.status()).as("%s: %s", acknowledged.user, reply.body()).isEqualTo(200);
        assertThat(reply.field("joinedAt")).isEqualTo(acknowledged.joinedAt);
        long position = reply.number("position");
        assertThat(position).as("place of %s", acknowledged.user).isGreaterThan(before);
        before = position;
      }
    }
  }

  private static ServerProcess up(Path data) {
    return ServerProcess.start(Site.JAR, JVM, args(data));
  }

  private static List<String> args(Path data) {
    return Site.options("--data", data.toString());
  }

  private static void activate(ServerProcess server) throws IOException {
    try (var connection = new HttpConnection(server.port())) {
      String settings =
          "{\"eventType\":\"TIMEDEAL\",\"eventId\":\"1\",\"maxCapacity\":1,\"entryBatchSize\":1,"
              + "\"entryIntervalSeconds\":3600}";
      Reply reply =
          connection.send(
              "POST",
              "/admin/queue/activate",
              settings,
              "Authorization: Bearer " + Site.KEY,
              "Content-Type: application/json");
      assertThat(reply.status()).as(reply.body()).isEqualTo(201);
      // The one place inside is taken, so that everybody else stays in line.
      enter(connection, "first");
      await()
          .atMost(10, TimeUnit.SECONDS)
          .until(() -> status(connection, "first").body().contains("ENTERED"));
    }
  }

  private static void enterUntilKilled(ServerProcess server, List<Acknowledged> told)
      throws InterruptedException {
    var enough = new CountDownLatch(BEFORE_THE_END);
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      String name = "client" + i + "-";
      clients.add(Thread.ofVirtual().start(() -> enterAll(server.port(), name, told, enough)));
    }
    assertThat(enough.await(60, TimeUnit.SECONDS)).as("enough have entered").isTrue();
    server.kill();
    for (Thread client : clients) {
      client.join();
    }
  }

  private static void enterAll(
      int port, String name, List<Acknowledged> told, CountDownLatch enough) {
    try (var connection = new HttpConnection(port)) {
      for (int i = 0; ; i++) {
        String user = name + i;
        Reply reply = enter(connection, user);
        if (reply.status() == 201) {
          told.add(new Acknowledged(user, reply.field("joinedAt")));
          enough.countDown();
        }
      }
    } catch (IOException e) {
      // The server is gone, as it should be by then.
    }
  }
}
