package io.naru.redis.copy;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.batch.BatchObserver;
import io.naru.line.LineCopy;
import io.naru.line.LineCopyContract;
import io.naru.redis.Redis;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The copy as the user whose rights are delivered, who may do this and nothing else. */
class RestrictedCopyTest extends LineCopyContract {

  private static RedisServer store;
  private static Redis redis;
  private static RedisCopy copy;

  @BeforeAll
  static void start() throws IOException {
    // Told to one that runs: whoever starts it asks without a password whether it is up.
    store = RedisServer.start(RedisBinary.embedded());
    try (var admin = store.connect()) {
      String rights = Files.readString(Path.of("..", "examples", "rights", "redis.acl"));
      String user =
          rights.lines().filter(it -> it.startsWith("user naru ")).findFirst().orElseThrow();
      assertThat(admin.call(("ACL SETUSER" + user.substring("user".length())).split(" ", -1)))
          .isEqualTo("OK");
    }
    redis = Redis.connect("redis://naru:change-me@127.0.0.1:" + store.port());
    copy = new RedisCopy(redis, BatchObserver.NONE);
  }

  @AfterAll
  static void stop() {
    redis.close();
    store.close();
  }

  @Override
  protected LineCopy copy() {
    return copy;
  }

  @Test
  void security22_whatAStartNeeds_isAllowed() {
    assertThat(redis.claimFor("a-ledger")).isNull();
    redis.offerTo("a-ledger");
    assertThat(redis.ledger()).isEqualTo("a-ledger");
    assertThat(redis.shared("secret", "candidate")).isEqualTo("candidate");
    assertThat(redis.facts().description()).startsWith("Redis ");
    assertThat(get(redis.commands().role()).getFirst()).isEqualTo("master");
  }

  @Test
  void security22_keysOfOthers_areForbidden() {
    assertForbidden(redis.commands().set("of-others", "x"));
    assertForbidden(redis.commands().get("of-others"));
    assertForbidden(redis.commands().unlink("queue:of-others"));
  }

  @Test
  void security22_whatRunsTheServer_isForbidden() {
    assertForbidden(redis.commands().flushall());
    assertForbidden(redis.commands().flushdb());
    assertForbidden(redis.commands().keys("*"));
    assertForbidden(redis.commands().configGet("*"));
    assertForbidden(redis.commands().slowlogGet());
    assertForbidden(redis.commands().scriptFlush());
    assertForbidden(redis.commands().save());
    assertForbidden(redis.commands().clientKill("127.0.0.1:1"));
  }

  private static void assertForbidden(CompletionStage<?> answer) {
    assertThatThrownBy(() -> answer.toCompletableFuture().get(5, SECONDS))
        .hasMessageContaining("NOPERM");
  }

  private static <T> T get(CompletionStage<T> answer) {
    return answer.toCompletableFuture().join();
  }
}
