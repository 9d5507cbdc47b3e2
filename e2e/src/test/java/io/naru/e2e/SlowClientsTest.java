package io.naru.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.HttpConnection;
import io.naru.testkit.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** F14: clients that hold connections and do not use them cost honest visitors nothing. */
class SlowClientsTest {

  private static final int HONEST = 50;
  private static final int NEVER_READING = 500;
  private static final int HALF_OPEN = 2_000;

  /** What is touched from the start cannot grow later: growth is then all outside the heap. */
  private static final List<String> SMALL_HEAP =
      List.of("-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch");

  private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(3);

  /** Every three seconds, and as much again for a machine that has other things to do. */
  private static final Duration LONGEST_GAP = Duration.ofSeconds(6);

  /**
   * Ten seconds for a request's head or body, and some for a machine that has other things to do.
   */
  private static final Duration CLOSED_WITHIN = Duration.ofSeconds(20);

  private static final long FLAT_KILOBYTES = 32 * 1_024;

  @Test
  @EnabledOnOs(OS.LINUX) // whose /proc says how much memory a process has
  void f14_neverReadingAndHalfOpenClients_honestViewersUnaffected_memoryFlat(@TempDir Path data)
      throws IOException {
    var args = Site.options("--data", data.toString());
    List<HonestViewer> honest = new ArrayList<>();
    try (var server = ServerProcess.start(Site.JAR, SMALL_HEAP, args);
        var site = new Site(server);
        var hostile = new HostileClients(server.port())) {
      // The line moves every second, so that there is something to show.
      site.activate("\"maxCapacity\":1000,\"entryBatchSize\":2,\"entryIntervalSeconds\":1");
      enterAll(site, "ahead", 2 * HONEST);
      for (String token : enterAll(site, "honest", HONEST)) {
        honest.add(new HonestViewer(server.port(), subscribe(token)));
      }
      await().until(() -> honest.stream().allMatch(viewer -> viewer.events() > 0));

      for (String token : enterAll(site, "hostile", NEVER_READING / 2)) {
        hostile.neverRead(subscribe(token));
        hostile.neverReadSocket(subscribe(token));
      }
      openHalf(hostile);
      long whenAllAreThere = residentKilobytes(server);

      await()
          .atMost(CLOSED_WITHIN)
          .pollInterval(Duration.ofSeconds(1))
          .until(
              () -> {
                hostile.drip();
                assertAnswered(server.port());
                assertThat(honest).allMatch(viewer -> !viewer.isOver(), "still watches");
                return hostile.stillHalfOpen() == 0;
              });

      for (HonestViewer viewer : honest) {
        assertThat(viewer.longestGap()).isLessThan(LONGEST_GAP);
      }
      assertThat(residentKilobytes(server) - whenAllAreThere)
          .as("growth in kB since %d kB", whenAllAreThere)
          .isLessThan(FLAT_KILOBYTES);
      assertThat(server.log()).doesNotContain("OutOfMemory");
    } finally {
      for (HonestViewer viewer : honest) {
        viewer.close();
      }
    }
  }

  private static List<String> enterAll(Site site, String name, int people) throws IOException {
    List<String> tokens = new ArrayList<>();
    for (int i = 0; i < people; i++) {
      tokens.add(site.enter(name + i).field("entryToken"));
    }
    return tokens;
  }

  private static String subscribe(String token) {
    return Site.PATH + "/subscribe/" + token;
  }

  /** Some say nothing, some stop within the head, some go on forever, byte by byte. */
  private static void openHalf(HostileClients hostile) throws IOException {
    String request = "POST " + Site.PATH + "/enter HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    String head = request + "X-Slow: ";
    String body = request + "User-Id: slow\r\nContent-Length: 1000\r\n\r\n";
    for (int i = 0; i < HALF_OPEN; i++) {
      switch (i % 4) {
        case 0 -> hostile.halfOpen("");
        case 1 -> hostile.halfOpen(head);
        case 2 -> hostile.dripping(head);
        default -> hostile.dripping(body);
      }
    }
  }

  /** Somebody who comes now: a connection kept from before would be closed for its silence. */
  private static void assertAnswered(int port) throws IOException {
    String user = "User-Id: late" + System.nanoTime();
    try (var visitor = new HttpConnection(port, ANSWERED_WITHIN)) {
      assertThat(visitor.send("POST", Site.PATH + "/enter", "", user).status()).isEqualTo(201);
      assertThat(visitor.send("GET", Site.PATH + "/status", "", user).status()).isEqualTo(200);
    }
  }

  private static long residentKilobytes(ServerProcess server) throws IOException {
    try (var lines = Files.lines(Path.of("/proc", "" + server.pid(), "status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElseThrow();
    }
  }
}
