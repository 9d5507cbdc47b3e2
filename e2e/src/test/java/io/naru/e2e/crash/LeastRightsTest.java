package io.naru.e2e.crash;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import io.naru.testkit.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with no more rights in its stores than those that are delivered. */
@Timeout(value = 2, unit = MINUTES)
class LeastRightsTest {

  private static final Path RIGHTS = Path.of("..", "examples", "rights");

  @Test
  void security22_serverWithLeastRights_hasALobbyADrawALineAndALog(@TempDir Path data)
      throws Exception {
    Path users =
        Files.writeString(data.resolve("users.acl"), "user default on nopass ~* &* +@all\n");
    try (var database = PostgresServer.start();
        var redis = RedisServer.start(RedisBinary.embedded(), "--aclfile", users.toString())) {
      makeUsers(database);
      makeUser(redis, users);
      var owner = Stage.delivered(options(database, redis, "owner", data.resolve("owner")));
      assertThat(owner.terminate()).as("the owner of the tables").isZero();

      List<String> options = options(database, redis, "server", data.resolve("server"));
      try (var node = new Node("alone", options, Stage::delivered);
          var opening =
              new Opening(List.of(node), database::connect, "rights", OpeningFaults.FEW, true)
                  .watch()) {
        opening.open(Duration.ZERO);
        assertThat(opening.breaches()).isEmpty();
        assertThat(node.process().log()).doesNotContain("permission denied", "NOPERM");
      }
    }
  }

  private static void makeUsers(PostgresServer database) throws IOException, SQLException {
    try (var connection = database.connect();
        var statement = connection.createStatement()) {
      statement.execute(Files.readString(RIGHTS.resolve("postgresql.sql")));
    }
  }

  /** Loaded by one that runs: whoever starts it asks without a password whether it is up. */
  private static void makeUser(RedisServer redis, Path users) throws IOException {
    try (var admin = redis.connect()) {
      Files.copy(RIGHTS.resolve("redis.acl"), users, REPLACE_EXISTING);
      assertThat(admin.call("ACL", "LOAD")).isEqualTo("OK");
    }
  }

  private static List<String> options(
      PostgresServer database, RedisServer redis, String who, Path data) {
    List<String> options = new ArrayList<>(ServerProcess.NAMED_VISITORS);
    options.addAll(List.of("--redis", "redis://naru:change-me@127.0.0.1:" + redis.port()));
    options.addAll(List.of("--ledger", database.url(), "--ledger-user", "naru_" + who));
    options.addAll(List.of("--ledger-password", "change-me-" + who, "--data", data.toString()));
    options.addAll(List.of("--admin-key", Stage.ADMIN.substring(Stage.ADMIN.lastIndexOf(' ') + 1)));
    return options;
  }
}
