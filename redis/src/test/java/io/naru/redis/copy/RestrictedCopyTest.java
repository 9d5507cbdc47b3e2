package io.naru.redis.copy;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
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
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The copy as the user whose rights are delivered, who may do this and nothing else. */
class RestrictedCopyTest extends LineCopyContract {

  private static final String EVERYBODY = "user default on nopass ~* &* +@all\n";

  private static RedisServer store;
  private static Redis redis;
  private static RedisCopy copy;

  @BeforeAll
  static void start(@TempDir Path directory) throws IOException {
    // Loaded by one that runs: whoever starts it asks without a password whether it is up.
    Path users = Files.writeString(directory.resolve("users.acl"), EVERYBODY);
    store = RedisServer.start(RedisBinary.embedded(), "--aclfile", users.toString());
    try (var admin = store.connect()) {
      Files.copy(Path.of("..", "examples", "rights", "redis.acl"), users, REPLACE_EXISTING);
      assertThat(admin.call("ACL", "LOAD")).isEqualTo("OK");
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
  void security22_nobodyWithoutAPassword_mayDoAnything() {
    try (var anybody = store.connect()) {
      assertThatThrownBy(() -> anybody.call("PING")).hasMessageContaining("NOAUTH");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
