package io.naru.redis.plain;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.naru.queue.EntryKey;
import io.naru.queue.QueueId;
import io.naru.redis.Keys;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The names that operators see, and that decide where a queue lives in a cluster. */
class KeysTest extends RedisScenario {

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

  @Test
  void of_queue_areTheDocumentedNames() {
    assertThat(Keys.of(new QueueId("CONCERT", "2026-seoul")))
        .containsExactly(
            "queue:{CONCERT:2026-seoul}:settings",
            "queue:{CONCERT:2026-seoul}:state",
            "queue:{CONCERT:2026-seoul}:waiting",
            "queue:{CONCERT:2026-seoul}:entered",
            "queue:{CONCERT:2026-seoul}:entries",
            "queue:{CONCERT:2026-seoul}:finished",
            "queue:{CONCERT:2026-seoul}:moves",
            "queue:{CONCERT:2026-seoul}:over",
            "queue:{CONCERT:2026-seoul}:joined");
  }

  @Test
  void of_anyQueue_shareOneSlotThatIsItsNames() {
    List<QueueId> queues =
        List.of(
            new QueueId("A", "1"),
            new QueueId("CONCERT_2026", "a.b-c_D"),
            new QueueId("T".repeat(32), "x".repeat(64)));
    for (QueueId id : queues) {
      assertThat(Arrays.stream(Keys.of(id)).mapToInt(KeysTest::slot))
          .hasSize(9)
          .containsOnly(crc16(Keys.name(id)) % 16_384);
    }
  }

  @Test
  void of_manyQueues_spreadOverTheSlots() {
    var slots =
        IntStream.range(0, 1_000)
            .map(i -> slot(Keys.of(new QueueId("SALE", "" + i))[0]))
            .distinct();

    assertThat(slots).hasSizeGreaterThan(900);
  }

  private static int slot(String key) {
    int slot = SlotHash.getSlot(key);
    int open = key.indexOf('{');
    assertThat(slot).isEqualTo(crc16(key.substring(open + 1, key.indexOf('}', open))) % 16_384);
    return slot;
  }

  /** CRC16/XMODEM, as the cluster specification has it. */
  private static int crc16(String text) {
    int crc = 0;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      crc ^= (b & 0xff) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ 0x1021;
      }
      crc &= 0xffff;
    }
    return crc;
  }

  @Test
  void everyKey_afterAWholeHistory_isNamedAndReadable() {
    activateCalm(10, 2);
    List<EntryKey> all = joinMany("user", 5);
    admitPaced();
    complete(all.get(0));
    fixture.redis.shared("cookie", "candidate");

    assertThat(await(redis().keys("*")))
        .containsExactlyInAnyOrder(
            "naru:queues",
            "naru:secret:cookie",
            key("settings"),
            key("state"),
            key("waiting"),
            key("entered"),
            key("entries"),
            key("finished"),
            key("moves"),
            key("over"));
    assertThat(await(redis().smembers("naru:queues"))).containsExactly(Keys.name(queue));
    assertThat(await(redis().zrange(key("waiting"), 0, -1)))
        .containsExactlyElementsOf(all.subList(2, 5).stream().map(EntryKey::user).toList());
    assertThat(await(redis().zscore(key("waiting"), all.get(3).user())))
        .isEqualTo((double) all.get(3).joined());
    assertThat(await(redis().zrange(key("entered"), 0, -1))).containsExactly(all.get(1).user());
    assertThat(await(redis().hget(key("settings"), "maxCapacity"))).isEqualTo("10");
    assertThat(await(redis().hget(key("state"), "change")))
        .isEqualTo(Long.toString(figures().change()));
    assertThat(await(redis().hget(key("entries"), all.get(1).user())))
        .startsWith("ENTERED " + all.get(1).joined() + " ");
    assertThat(await(redis().hget(key("entries"), all.get(0).user()))).startsWith("COMPLETED ");
    assertThat(await(redis().lrange(key("over"), 0, -1)))
        .singleElement()
        .asString()
        .startsWith(figures().change() + " " + all.get(0).joined() + " ")
        .endsWith(" " + all.get(0).user());
  }
}
