package io.naru.server;

import static org.awaitility.Awaitility.await;

import io.naru.ledger.Ledger;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two servers that start at once on a PostgreSQL that decides and a Redis that copies. */
@Tag("process")
class PassOnPostgresAndRedisTest extends PassContract {

  @TempDir private static Path dataOne;
  @TempDir private static Path dataTwo;
  private static RedisServer redis;
  private static Ledger.Config ledger;
  private static TestServer one;
  private static TestServer two;

  @BeforeAll
  static void start() {
    redis = RedisServer.start(RedisBinary.embedded());
    PostgresServer postgres = PostgresServer.shared();
    ledger = new Ledger.Config(postgres.fresh(), postgres.user(), postgres.password(), false);
    var starting = CompletableFuture.supplyAsync(() -> server(dataOne));
    two = server(dataTwo);
    one = starting.join();
  }

  private static TestServer server(Path data) {
    return TestServer.start(TestServer.named(TestServer.config(data, redis.uri(), ledger), ISSUER));
  }

  @AfterAll
  static void stop() {
    one.close();
    two.close();
    redis.close();
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
  void accessKey_madeAndRevokedOnOneServer_isSoOnTheOther() {
    Answer made =
        one.admin("POST", "/admin/access-keys", "{\"name\":\"desk\",\"role\":\"viewer\"}").is(201);
    String key = made.text("key");
    String json = "{\"key\":\"" + key + "\"}";
    String[] type = {"Content-Type", "application/json"};
    String cookie =
        one.client()
            .send("POST", "/console/session", BodyPublishers.ofString(json), type)
            .is(200)
            .header("set-cookie");
    String session = String.valueOf(cookie).split(";", 2)[0];

    // Seldom enough not to look like somebody who guesses.
    var seldom = await().pollInterval(Duration.ofMillis(500));
    seldom.until(() -> two.with(key, "GET", "/admin/queues", "").status() == 200);
    two.client().get("/console/session", "Cookie", session).is(200);
    one.admin("DELETE", "/admin/access-keys/" + made.text("id"), "");

    seldom.until(() -> two.client().get("/console/session", "Cookie", session).status() == 401);
    two.with(key, "GET", "/admin/queues", "").isProblem(401, "unauthorized");
  }
}
