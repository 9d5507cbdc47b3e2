package io.naru.redis.plain;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Settings;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Queues that an earlier version keeps in Redis: every setting had a field of its own. */
class VersionBeforeTest extends RedisScenario {

  private static final Map<String, Object> SOME =
      Map.of(
          "maxCapacity",
          10,
          "entryBatchSize",
          7,
          "entryIntervalSeconds",
          60,
          "once",
          true,
          "title",
          "1984",
          "targetUrl",
          "https://shop.example/sale?a=%22",
          "message",
          "\"잠시만요\" \\ 🎟");

  private static RedisServer store;
  private static RedisFixture fixture;

  @BeforeAll
  static void start() {
    store = RedisServer.start(RedisBinary.embedded());
    fixture = RedisFixture.asInProduction(store.uri());
  }

  @AfterAll
  static void stop() {
    fixture.close();
    store.close();
  }

  @Override
  RedisFixture fixture() {
    return fixture;
  }

  /** What it writes with an edit, whatever is there. */
  private Settings writtenBefore(Map<String, Object> some) {
    Settings settings = Settings.DEFAULT.with(some);
    Map<String, String> fields = new HashMap<>();
    settings
        .asMap()
        .forEach(
            (name, value) -> {
              if (value != null) {
                fields.put(name, value.toString());
              }
            });
    await(redis().hset(key("settings"), fields));
    return settings;
  }

  private void assertShown(Settings settings) {
    assertThat(placeOf("ann").line().settings()).isEqualTo(settings);
    assertThat(overview().queue().settings()).isEqualTo(settings);
  }

  @Test
  void queueOfTheVersionBefore_isReadAsItWas_andEditedOn() {
    activate(Map.of());
    keyOf("ann");
    await(redis().hdel(key("settings"), "text"));
    Settings before = writtenBefore(SOME);
    assertShown(before);

    activate(Map.of("title", "Sale"));

    assertShown(before.with(Map.of("title", "Sale")));
    assertThat(await(redis().hget(key("settings"), "targetUrl"))).isNull();
  }

  @Test
  void queueOfThisVersion_editedByTheVersionBefore_isAsThatWroteIt() {
    activate(SOME);
    keyOf("ann");
    assertShown(Settings.DEFAULT.with(SOME));

    assertShown(writtenBefore(Map.of("title", "other", "entryBatchSize", 9)));
  }
}
