package io.naru.redis.plain;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.EntryKey;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisSentinel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sentinel promotes the replica; the queues find it by themselves. */
class FailoverTest extends RedisScenario {

  private RedisSentinel stores;
  private RedisFixture fixture;

  @BeforeEach
  void start() {
    stores = RedisSentinel.start(RedisBinary.embedded());
    fixture = RedisFixture.asInProduction(stores.uri());
  }

  @AfterEach
  void stop() {
    fixture.close();
    stores.close();
  }

  @Override
  RedisFixture fixture() {
    return fixture;
  }

  @Test
  void kill_theMaster_callsGoOnAtTheReplica() {
    EntryKey ann = annWaits();

    stores.master().kill();

    assertGoesOnAtTheReplica(ann);
  }

  @Test
  void freeze_theMaster_callsGoOnAtTheReplica() {
    EntryKey ann = annWaits();

    stores.master().freeze();

    assertGoesOnAtTheReplica(ann);
  }

  private EntryKey annWaits() {
    activateCalm(10, 1);
    EntryKey ann = keyOf("ann");
    // In short waits: a command that takes a second has timed out.
    eventually(() -> await(redis().waitForReplication(1, 100)) >= 1);
    return ann;
  }

  private void assertGoesOnAtTheReplica(EntryKey ann) {
    failure(queues().find(queue));
    eventually(() -> await(queues().find(queue)).isPresent());
    assertThat(stores.masterPort()).isEqualTo(stores.replica().port());
    assertThat(placeOf("ann").entry().key()).isEqualTo(ann);
    assertThat(joinNew("bob").position()).isEqualTo(2);
  }
}
