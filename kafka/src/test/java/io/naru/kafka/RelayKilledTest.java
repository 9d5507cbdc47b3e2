package io.naru.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Json;
import io.naru.testkit.KafkaServer;
import io.naru.testkit.KafkaTopic;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Relay and broker are killed with SIGKILL at points that nobody chose, while people join: the
 * topic holds each event of the ledger once, in order. {@code -Drelay.kills=100 -Drelay.seed=7} for
 * more of them.
 */
@Tag("process")
class RelayKilledTest {

  private static final int KILLS = Integer.getInteger("relay.kills", 5);
  private static final long SEED = Long.getLong("relay.seed", 18);

  @TempDir private Path folder;
  private @Nullable Process process;
  private int lives;

  @Test
  void killedAtRandomPoints_theTopicHoldsEachEventOnceAndInOrder() throws Exception {
    var random = new Random(SEED);
    String url = "jdbc:sqlite:" + folder.resolve("ledger.db");
    String topic = "events";
    try (KafkaServer kafka = KafkaServer.start()) {
      start(url, kafka.brokers(), topic);
      for (int i = 0; i < KILLS; i++) {
        Thread.sleep(random.nextInt(1_200));
        if (i % 5 == 2) {
          kafka.kill();
          Thread.sleep(random.nextInt(300));
          kafka.restart();
        } else {
          kill();
          start(url, kafka.brokers(), topic);
        }
      }
      Thread.sleep(300);
      end();
      check(url, KafkaTopic.read(kafka.brokers(), topic));
    } catch (AssertionError | RuntimeException | IOException e) {
      throw new AssertionError("with -Drelay.seed=" + SEED + " -Drelay.kills=" + KILLS, e);
    } finally {
      kill();
    }
  }

  private void start(String url, String brokers, String topic) throws IOException {
    var builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            RelayMain.class.getName(),
            url,
            brokers,
            topic,
            "life" + lives++);
    process = builder.redirectErrorStream(true).start();
    assertThat(said("up")).isTrue();
  }

  /** Waits for a line; whether it came. */
  private boolean said(String word) throws IOException {
    var reader =
        new BufferedReader(new InputStreamReader(requireNonNull(process).getInputStream(), UTF_8));
    var all = new StringBuilder();
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      all.append(line).append('\n');
      if (line.equals(word)) {
        return true;
      }
    }
    throw new AssertionError("it ended before it said " + word + ":\n" + all);
  }

  private void end() throws IOException {
    Process running = requireNonNull(process);
    running.getOutputStream().write('\n');
    running.getOutputStream().flush();
    assertThat(said("done")).isTrue();
  }

  private void kill() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }

  private static void check(String url, List<ConsumerRecord<String, byte[]>> records)
      throws SQLException {
    Set<String> ids = new HashSet<>();
    Map<String, List<String>> joined = new HashMap<>();
    Map<String, Long> last = new HashMap<>();
    int entered = 0;
    for (ConsumerRecord<String, byte[]> record : records) {
      assertThat(ids.add(KafkaTopic.header(record, "ce_id"))).isTrue();
      Map<String, ?> data = Json.readObject(new String(record.value(), UTF_8));
      long at = number(data.get("change")) * 100_000 + number(data.get("n"));
      Long before = last.put(record.key(), at);
      assertThat(before == null || before < at).as("%s is behind %s", at, before).isTrue();
      if ("joined".equals(data.get("kind"))) {
        joined.computeIfAbsent(record.key(), _ -> new ArrayList<>()).add("" + data.get("user"));
      } else {
        entered++;
      }
    }
    assertThat(entered).isEqualTo(count(url));
    for (var queue : RelayMain.QUEUES) {
      assertThat(joined.get(queue.toString())).isNotEmpty().isEqualTo(entries(url, queue.id()));
    }
  }

  private static long number(@Nullable Object value) {
    return Long.parseLong(String.valueOf(value));
  }

  private static int count(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement select =
            connection.prepareStatement("SELECT count(*) FROM queue_entries WHERE entered_at > 0");
        ResultSet result = select.executeQuery()) {
      result.next();
      return result.getInt(1);
    }
  }

  private static List<String> entries(String url, String id) throws SQLException {
    List<String> users = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement select =
            connection.prepareStatement(
                """
                SELECT e.user_id FROM queue_entries e JOIN waiting_queues q ON q.id = e.queue_id
                WHERE q.event_id = ? ORDER BY e.joined_at""")) {
      select.setString(1, id);
      try (ResultSet result = select.executeQuery()) {
        while (result.next()) {
          users.add(result.getString(1));
        }
      }
    }
    return users;
  }
}
