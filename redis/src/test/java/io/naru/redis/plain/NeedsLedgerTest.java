package io.naru.redis.plain;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.batch.BatchObserver;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.Queue;
import io.naru.queue.QueueId;
import io.naru.queue.Words;
import io.naru.redis.Redis;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What Redis alone cannot keep to is refused by its name, and nothing is written. */
class NeedsLedgerTest {

  private static final QueueId QUEUE = new QueueId("TIMEDEAL", "1");

  private static final String LATER = "2099-01-01T00:00:00Z";

  private static RedisServer store;
  private static Redis redis;
  private static RedisQueues queues;

  @BeforeAll
  static void start() {
    store = RedisServer.start(RedisBinary.embedded());
    redis = Redis.connect(store.uri());
    queues = new RedisQueues(redis, BatchObserver.NONE);
  }

  @AfterAll
  static void stop() {
    redis.close();
    store.close();
  }

  @Test
  void edit_settingThatNeedsALedger_isRefusedByItsName() {
    var refused = new Edited.NeedsLedger("notBefore");
    assertThat(await(queues.edit(QUEUE, Edit.activate(Map.of("notBefore", LATER)))))
        .isEqualTo(refused);
    assertThat(await(queues.find(QUEUE))).isEmpty();

    assertThat(await(queues.edit(QUEUE, Edit.activate(Map.of("title", "a")))))
        .isInstanceOf(Edited.Created.class);

    var put = Edit.put(Map.of("notBefore", LATER, "title", "b"), OptionalLong.empty());
    assertThat(await(queues.edit(QUEUE, put))).isEqualTo(refused);
    Queue kept = await(queues.find(QUEUE)).orElseThrow().queue();
    assertThat(kept.version()).isEqualTo(1);
    assertThat(kept.settings().look().title()).isEqualTo(Words.of("a"));
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
