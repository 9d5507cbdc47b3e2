package io.naru.e2e.crash;

import static io.naru.e2e.crash.Faults.refusedSince;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.e2e.crash.Evidence.Line;
import io.naru.testkit.DatabaseServer;
import io.naru.testkit.PostgresPair;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A standby for which nobody waits takes over, and lacks what people were told. */
@Timeout(value = 3, unit = MINUTES)
class LostCommitsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** In which nothing happens while commits are lost. */
  private static final QueueName OTHER = new QueueName("CRASH", "F16-other", false, false);

  private RedisServer redis;
  private PostgresPair pair;
  private Stage stage;
  private Run run;

  @BeforeEach
  void start(@TempDir Path data) {
    redis = RedisServer.start(RedisBinary.embedded());
    pair = PostgresPair.startAsynchronous();
    stage = new Stage(data, redis, pair);
    new Operator(stage.nodes(), OTHER).activate(1, 1, 3_600);
    run = new Run(stage, "F16", 16, Run.QUIET);
  }

  @AfterEach
  void end() {
    run.close();
    stage.close();
    pair.close();
    redis.close();
  }

  @Test
  void f16_failOverLostCommits_queueIsFrozenUntilSomebodyHasLooked() throws Exception {
    run.awaitPlaces(60);
    pair.swallowReplication();
    run.awaitPlaces(30);
    pair.first().kill();
    String kept = ledger(pair.second());
    long from = run.history().now();
    pair.failOver();

    awaitFrozen();
    Line line = line();
    assertPlacesAreThoseOf(line);
    InvalidRun.unless(peopleOnlyIn(line) > 0, "no commit was lost");
    await("an enter in the other queue").atMost(PATIENCE).until(() -> enters(OTHER));
    run.stop();
    InvalidRun.unless(refusedSince(run, from, 503) > 0, "nobody was refused");
    assertThat(run.history().count(call -> call.code() == 500)).isZero();

    restart(() -> {});
    awaitFrozen();
    assertThat(enters(run.queue())).as("an enter after a restart").isFalse();
    assertThat(line()).as("the line").isEqualTo(line);
    assertPlacesAreThoseOf(line);
    assertThat(ledger(pair.second())).as("the ledger").isEqualTo(kept);

    // As the manual says, for an operator who takes the ledger as it is.
    restart(this::removeCopy);
    await("an enter").atMost(PATIENCE).until(() -> enters(run.queue()));
  }

  /** Happens while no server runs. */
  private interface Meanwhile {
    void happens() throws IOException;
  }

  private void restart(Meanwhile meanwhile) throws IOException {
    stage.nodes().forEach(node -> node.process().kill());
    meanwhile.happens();
    stage.nodes().parallelStream().forEach(Node::restart);
  }

  private void awaitFrozen() {
    await("all servers say so")
        .atMost(PATIENCE)
        .until(() -> stage.nodes().stream().allMatch(it -> it.health().contains("lost commits")));
  }

  private boolean enters(QueueName queue) {
    try (var door = new Door(stage.nodes(), 0, queue, new History())) {
      return door.enter("late").isOk();
    }
  }

  /** What people were told is in the line, so every server asks that, and not the ledger. */
  private void assertPlacesAreThoseOf(Line line) {
    List<String> users =
        line.waiting().entrySet().stream()
            .sorted(Map.Entry.comparingByValue())
            .map(Map.Entry::getKey)
            .toList();
    for (int node = 0; node < stage.nodes().size(); node++) {
      try (var door = new Door(stage.nodes(), node, run.queue(), new History())) {
        for (int ahead = 0; ahead < users.size(); ahead++) {
          assertPlace(ahead + 1, door.status(users.get(ahead)));
          assertPlace(ahead + 1, door.status(users.get(ahead), latest()));
        }
      }
    }
  }

  private static void assertPlace(long position, Call asked) {
    assertThat(asked.seen()).as("%s", asked).isNotNull();
    assertThat(requireNonNull(asked.seen()).position()).as("%s", asked).isEqualTo(position);
  }

  /** Of the highest change that anybody saw, which the line may not have got. */
  private Seen latest() {
    return run.history().calls().stream()
        .map(Call::seen)
        .filter(Objects::nonNull)
        .max(Comparator.comparingLong(Seen::change))
        .orElseThrow();
  }

  /** All that it has of the queue. */
  private String ledger(DatabaseServer server) throws SQLException {
    try (var connection = server.connect()) {
      return LedgerReader.change(connection, run.queue())
          + ": "
          + LedgerReader.read(connection, run.queue());
    }
  }

  private Line line() throws IOException {
    try (var connection = redis.connect()) {
      return LineReader.read(connection, run.queue());
    }
  }

  private long peopleOnlyIn(Line line) throws SQLException {
    try (var connection = pair.second().connect()) {
      List<String> known =
          LedgerReader.read(connection, run.queue()).stream().map(Row::user).toList();
      return line.waiting().keySet().stream().filter(user -> !known.contains(user)).count();
    }
  }

  private void removeCopy() throws IOException {
    try (var connection = redis.connect()) {
      for (String key : connection.call("KEYS", run.queue().key("*")).split("\n", -1)) {
        connection.call("UNLINK", key);
      }
    }
  }
}
