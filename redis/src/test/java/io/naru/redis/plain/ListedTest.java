package io.naru.redis.plain;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.batch.BatchObserver;
import io.naru.queue.Actor;
import io.naru.queue.Edit;
import io.naru.queue.QueueId;
import io.naru.redis.Script;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A queue that exists is in the list: those in any other would never be admitted. */
class ListedTest extends RedisScenario {

  private static RedisServer store;
  private static RedisFixture fixture;
  private static RedisFixture other;

  @BeforeAll
  static void start() {
    store = RedisServer.start(RedisBinary.embedded());
    fixture = RedisFixture.asInProduction(store.uri());
    other = RedisFixture.asInProduction(store.uri());
  }

  @AfterAll
  static void stop() {
    other.close();
    fixture.close();
    store.close();
  }

  @Override
  RedisFixture fixture() {
    return fixture;
  }

  /** Hunts for a name that a delete takes out of the list after the queue has been made anew. */
  @Test
  void edit_whileAnotherServerDeletes_existsAndIsListedOrNeither() {
    for (int round = 0; round < 200; round++) {
      QueueId fresh = new QueueId("RACE", "q" + round);
      Edit activate = Edit.activate(Map.of());
      await(fixture.queues.edit(fresh, activate));

      List<CompletionStage<?>> both =
          List.of(fixture.queues.delete(fresh, Actor.SYSTEM), other.queues.edit(fresh, activate));
      both.forEach(call -> await(call));

      if (await(fixture.queues.find(fresh)).isPresent()) {
        assertThat(await(fixture.queues.names())).as("round %d", round).contains(fresh);
      }
      await(fixture.queues.delete(fresh, Actor.SYSTEM));
      assertThat(await(fixture.queues.names())).doesNotContain(fresh);
    }
  }

  /** The same race, decided: another server is quick enough between the two steps of a delete. */
  @Test
  void delete_queueMadeAnewBeforeItsNameIsGone_staysListed() {
    activateCalm(10, 10);
    Scripts all = Scripts.standard();
    String madeAnew = "redis.call('HSET', SETTINGS, 'version', 1, 'active', 1) return { found }";
    String text = all.delete().text().replace("return { found }", madeAnew);
    Script overtaken = new Script("delete", text, "unknown");
    var queues =
        new RedisQueues(
            fixture.redis,
            BatchObserver.NONE,
            new Scripts(
                all.join(),
                all.locate(),
                all.earlier(),
                all.since(),
                all.leave(),
                all.complete(),
                all.redeem(),
                all.admit(),
                all.edit(),
                all.find(),
                overtaken,
                all.over()));

    await(queues.delete(queue, Actor.SYSTEM));

    assertThat(await(queues().find(queue))).isPresent();
    assertThat(await(queues().names())).containsExactly(queue);
    await(queues().delete(queue, Actor.SYSTEM));
  }

  @Test
  void edit_bringsALostNameBack() {
    activateCalm(10, 10);
    await(redis().del("naru:queues"));

    edit(Edit.activate(Map.of("title", "Sale")));

    assertThat(await(queues().names())).containsExactly(queue);
    await(queues().delete(queue, Actor.SYSTEM));
  }
}
