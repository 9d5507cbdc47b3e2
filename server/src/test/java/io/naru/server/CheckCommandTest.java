package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code naru check} against a server that runs. */
@Tag("process")
class CheckCommandTest {

  @TempDir private static Path folder;
  private static Path key;

  private record Run(int exit, String out) {}

  @BeforeAll
  static void writeKey() throws IOException {
    key = Files.createTempFile(folder, "key", "");
    Files.writeString(key, TestServer.KEY);
  }

  private static Run check(int port, String... args) {
    var out = new StringWriter();
    int exit =
        new CommandLine(new CheckCommand())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(out))
            .execute(
                Stream.concat(
                        Stream.of(args),
                        Stream.of(
                            "--url", "http://127.0.0.1:" + port, "--admin-key-file", "" + key))
                    .toArray(String[]::new));
    return new Run(exit, out.toString());
  }

  @Test
  void check_saysWhatDiffered_andRepairsIt(@TempDir Path data) throws Exception {
    var ledger = TestServer.onSqlite(data).ledger();
    try (var redis = RedisServer.start(RedisBinary.embedded());
        var server = TestServer.start(TestServer.config(data, redis.uri(), ledger));
        RedisConnection line = redis.connect()) {
      String settings = "\"maxCapacity\":1,\"entryIntervalSeconds\":3600";
      server.activate("SALE/1", settings).is(201);
      server.activate("SALE/2", settings).is(201);
      for (String user : new String[] {"ann", "ben", "cho", "dan"}) {
        server.enter("SALE/1", user).is(201);
      }

      Run well = check(server.port());
      assertThat(well.out)
          .contains("SALE/1 compared 4 entries: all as in the ledger")
          .contains("SALE/2 compared 0 entries: all as in the ledger");
      assertThat(well.exit).isZero();

      line.call("ZINCRBY", "queue:{SALE:1}:waiting", "1000000", "dan");
      Run found = check(server.port(), "SALE/1");
      assertThat(found.out).startsWith("SALE/1 compared 4 entries: 1 not as in the ledger");
      assertThat(found.exit).isEqualTo(1);
      await().until(() -> check(server.port(), "SALE/1").exit == 0);

      assertThat(check(server.port(), "SALE/none").out).contains("there is no such queue");
      assertThat(check(server.port(), "SALE").out).contains("TYPE/id: is not a queue: SALE");
      assertThat(check(server.port(), "SALE/1?x=1").exit).isEqualTo(2);
    }
  }

  @Test
  void check_withoutALedger_saysSo(@TempDir Path data) {
    try (var server = TestServer.onMemory(data)) {
      server.activate("SALE/1", "").is(201);

      Run refused = check(server.port(), "SALE/1");

      assertThat(refused.exit).isEqualTo(2);
      assertThat(refused.out).contains("has no ledger");
    }
  }
}
