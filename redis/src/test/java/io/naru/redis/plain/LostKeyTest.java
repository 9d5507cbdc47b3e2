package io.naru.redis.plain;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One key of a queue is gone, evicted or deleted by hand: what it held is lost, the rest goes on.
 */
class LostKeyTest extends RedisScenario {

  private static RedisServer store;
  private static RedisFixture fixture;

  @BeforeAll
  static void start() {
    store = RedisServer.start(RedisBinary.embedded());
    fixture = new RedisFixture(store.uri());
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

  private List<EntryKey> someWaitAndSomeAreInside() {
    activate(
        Map.of(
            "maxCapacity", 5,
            "entryBatchSize", 5,
            "entryIntervalSeconds", 60,
            "passTtlSeconds", 60));
    List<EntryKey> all = joinMany("user", 12);
    admitPaced();
    complete(all.get(0));
    leave(all.get(11));
    return all;
  }

  @ParameterizedTest
  @ValueSource(strings = {"state", "waiting", "entered", "entries", "finished", "moves"})
  void everyCall_oneKeyLost_goesOn(String part) {
    List<EntryKey> all = someWaitAndSomeAreInside();
    assertThat(await(redis().del(key(part)))).isEqualTo(1);

    everyCall(all.get(1)).stream()
        .filter(call -> !call.name().equals("delete"))
        .forEach(call -> assertThat(await(call.ask().get())).as(call.name()).isNotNull());
    join("late");
    for (int i = 0; i < 5; i++) {
      advance(Duration.ofMinutes(1));
      assertThat(admitPaced().figures().inside()).isLessThanOrEqualTo(5);
      if (statusOf("late") == Status.ENTERED) {
        return;
      }
    }
    assertThat(statusOf("late")).isEqualTo(Status.ENTERED);
  }

  @Test
  void everyCall_settingsLost_thereIsNoQueue() {
    someWaitAndSomeAreInside();

    await(redis().del(key("settings")));

    assertThat(admit(new Admission.Paced())).isEqualTo(new Admitted.NoQueue());
    assertThat(await(queues().find(queue))).isEmpty();
  }
}
