package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.ledger.Ledger;
import io.naru.queue.Actor;
import io.naru.queue.Secret;
import io.naru.server.keys.SigningKeys;
import io.naru.server.keys.SigningKeys.Policy;
import io.naru.testkit.FaultProxy;
import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Two servers that start at once on a MariaDB, each with the line in its own memory. */
@Tag("process")
class PassOnMariaDbTest extends PassContract {

  @RegisterExtension static final Program MARIADB = MariaDbServer.program();

  private static final Secret SECRET =
      new Secret("0123456789abcdef0123456789abcdef".getBytes(UTF_8));

  @TempDir private static Path dataOne;
  @TempDir private static Path dataTwo;
  private static Ledger.Config ledger;
  private static TestServer one;
  private static TestServer two;

  @BeforeAll
  static void start() {
    MariaDbServer server = MariaDbServer.shared();
    ledger = new Ledger.Config(server.fresh(), server.user(), server.password(), false);
    var starting = CompletableFuture.supplyAsync(() -> server(dataOne));
    two = server(dataTwo);
    one = starting.join();
  }

  private static TestServer server(Path data) {
    return TestServer.start(TestServer.named(TestServer.config(data, null, ledger), ISSUER));
  }

  @AfterAll
  static void stop() {
    one.close();
    two.close();
  }

  @Override
  TestServer one() {
    return one;
  }

  @Override
  TestServer two() {
    return two;
  }

  @Test
  void rotate_answerToTheCommitLost_isDoneOnce() {
    MariaDbServer server = MariaDbServer.shared();
    try (var proxy = FaultProxy.to(server.port())) {
      String url = server.fresh().replace(":" + server.port(), ":" + proxy.port());
      var lost = new Ledger.Config(url, server.user(), server.password(), false);
      try (Ledger store = Ledger.open(lost, InstantSource.system());
          var keys =
              new SigningKeys(store.keys(), SECRET, Policy.DEFAULT, InstantSource.system())) {
        String before = keys.ring().inUse().id();

        proxy.cutAfter("COMMIT");
        keys.rotate(Actor.SYSTEM);

        assertThat(proxy.cuts()).isOne();
        assertThat(keys.ring().inUse().id()).isNotEqualTo(before);
        assertThat(keys.ring().keys()).as("in use, the next, and the one before").hasSize(3);
      }
    }
  }
}
