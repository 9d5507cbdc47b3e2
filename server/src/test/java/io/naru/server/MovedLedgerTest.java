package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.ledger.Ledger;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.Program;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A ledger is dumped and restored into another cluster, with the commands of docs/operations.md as
 * they stand there, and what is said there about servers and Redis holds.
 */
@Tag("process")
class MovedLedgerTest {

  @RegisterExtension static final Program POSTGRES = PostgresServer.program();

  private static final String QUEUE = "MOVED/1";
  private static final int PEOPLE = 30;
  private static final Pattern BLOCK =
      Pattern.compile("(?s)```sh\n(pg_dump [^`]*?\n)(createdb --host=other [^`]*?\n)```");

  @TempDir private Path folder;
  private int servers;

  /** What somebody was told. */
  private record Told(String token, long position) {}

  @Test
  void dumpedWhileTheLineStands_thenMoved() throws Exception {
    try (var one = PostgresServer.startInstalled();
        var other = PostgresServer.startInstalled();
        var redis = RedisServer.start(RedisBinary.embedded())) {
      run(one, "createdb naru");
      Map<String, Told> early;
      Map<String, Told> all;
      try (TestServer server = server(one, redis)) {
        server.activate(QUEUE, "\"maxCapacity\":1,\"entryIntervalSeconds\":60").is(201);
        server.enter(QUEUE, "first").is(201);
        await().until(() -> server.status(QUEUE, "first").text("status").equals("ENTERED"));
        for (int i = 0; i < PEOPLE; i++) {
          server.enter(QUEUE, "early-" + i).is(201);
        }
        early = told(server, "early-", PEOPLE);
        int late = dumpWhileOthersJoin(server, one);
        all = told(server, "late-", late);
        all.putAll(early);
      }

      restore(other);
      assertFrozen(other, redis);
      assertRestored(other, early);

      // Nobody joins any more: everybody is in this one.
      run(one, manual(1));
      run(other, "dropdb naru");
      restore(other);
      try (TestServer server = server(other, redis)) {
        assertTold(server, all);
        assertThat(server.enter(QUEUE, "next").is(201).number("position"))
            .isEqualTo(all.size() + 1);
      }
    }
  }

  /** At least one of them before it begins; how many. */
  private int dumpWhileOthersJoin(TestServer server, PostgresServer one) throws Exception {
    var isOver = new AtomicBoolean();
    var late = new AtomicInteger();
    CompletableFuture<Void> others =
        CompletableFuture.runAsync(
            () -> {
              while (!isOver.get()) {
                // One that is not answered in time is asked for again.
                int status = server.enter(QUEUE, "late-" + late.get()).status();
                assertThat(status).isIn(201, 409, 503);
                late.addAndGet(status == 503 ? 0 : 1);
                LockSupport.parkNanos(5_000_000);
              }
            },
            Thread::startVirtualThread);
    await().until(() -> late.get() > 0 || others.isDone());
    run(one, manual(1));
    // Some more, who cannot be in it.
    int known = late.get();
    await().until(() -> late.get() > known + 1 || others.isDone());
    isOver.set(true);
    others.join();
    return late.get();
  }

  /** With an empty Redis: everybody whom the dump can have, and nobody is in their way. */
  private void assertRestored(PostgresServer other, Map<String, Told> early) {
    try (var empty = RedisServer.start(RedisBinary.embedded());
        TestServer server = server(other, empty)) {
      assertTold(server, early);
      assertThat(server.enter(QUEUE, "next").is(201).number("position")).isGreaterThan(PEOPLE);
      server.leave(QUEUE, "next").is(200);
    }
  }

  /** The Redis that knows more: nobody gets a place that somebody else was told. */
  private void assertFrozen(PostgresServer other, RedisServer redis) {
    try (TestServer server = server(other, redis)) {
      await().until(() -> server.enter(QUEUE, "wrong").status() == 503);
      await()
          .until(
              () -> Boolean.TRUE.equals(server.status(QUEUE, "early-0").is(200).field("paused")));
    }
  }

  private TestServer server(PostgresServer postgres, RedisServer redis) {
    var ledger =
        new Ledger.Config(postgres.urlOf("naru"), postgres.user(), postgres.password(), false);
    // Another machine: it knows what the ledger knows.
    Path data = folder.resolve("data-" + servers++);
    return TestServer.start(TestServer.config(data, redis.uri(), ledger));
  }

  private static Map<String, Told> told(TestServer server, String prefix, int people) {
    Map<String, Told> told = new LinkedHashMap<>();
    for (int i = 0; i < people; i++) {
      told.put(prefix + i, told(server.status(QUEUE, prefix + i)));
    }
    return told;
  }

  private static Told told(Answer answer) {
    assertThat(answer.is(200).text("status")).isEqualTo("WAITING");
    return new Told(answer.text("entryToken"), answer.number("position"));
  }

  private static void assertTold(TestServer server, Map<String, Told> all) {
    all.forEach(
        (user, before) -> {
          assertThat(told(server.status(QUEUE, user))).as(user).isEqualTo(before);
          assertThat(told(server.statusByToken(before.token))).as(user).isEqualTo(before);
        });
  }

  /** A line of the manual. */
  private static String manual(int line) throws Exception {
    var block = BLOCK.matcher(Files.readString(Path.of("../docs/operations.md")));
    assertThat(block.find()).as("commands in the manual").isTrue();
    return block.group(line).replaceAll(" *#.*", "");
  }

  private void restore(PostgresServer other) throws Exception {
    run(other, manual(2).replace(" --host=other", ""));
  }

  private void run(PostgresServer postgres, String command) throws Exception {
    var shell = new ProcessBuilder("sh", "-e", "-c", command).directory(folder.toFile());
    shell.environment().putAll(postgres.environment());
    Process process = shell.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as("%s says %s", command, said).isZero();
  }
}
