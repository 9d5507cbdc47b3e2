package io.naru.redis.plain;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Standing;
import io.naru.queue.Actor;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.queue.Stay.CompletedBy;
import io.naru.redis.Keys;
import io.naru.redis.Script;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisConnection;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What grows, grows with those who wait, and by little; everything else has a bound. */
class BoundsTest extends RedisScenario {

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

  /** Asks for each of so many, a few at a time: a busy machine must not make one of them late. */
  private static <T> List<T> inChunks(int count, Function<Integer, CompletionStage<T>> ask) {
    List<T> answers = new ArrayList<>(count);
    int chunk = 250;
    for (int start = 0; start < count; start += chunk) {
      List<CompletionStage<T>> asked =
          IntStream.range(start, Math.min(start + chunk, count)).mapToObj(ask::apply).toList();
      asked.forEach(answer -> answers.add(await(answer)));
    }
    return answers;
  }

  private static String call(String... words) {
    try (RedisConnection redis = store.connect()) {
      return redis.call(words);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long info(String field) {
    return call("INFO")
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .mapToLong(line -> Long.parseLong(line.substring(field.length() + 1)))
        .sum();
  }

  /**
   * Every server comes by once a second and at every refill; only the first has something to do.
   */
  @Test
  void admit_nothingToDo_writesNothing() {
    activate(
        Map.of("maxCapacity", 10, "entryBatchSize", 1, "entryIntervalSeconds", 60, "once", true));
    joinMany("user", 3);
    complete(keys(admitPaced()).getFirst());
    admitPaced();
    long before = info("rdb_changes_since_last_save");

    for (int i = 0; i < 10; i++) {
      assertThat(admitPaced().entries()).isEmpty();
    }

    assertThat(info("rdb_changes_since_last_save")).isEqualTo(before);
  }

  @Test
  void join_manyWait_takesNoOtherKeys() {
    int people = 20_000;
    activateCalm(10, 10);
    await(queues().join(queue, "user-0000000-xyz"));
    List<String> keys = await(redis().keys("*"));
    long stateFields = await(redis().hlen(key("state")));
    long settingsFields = await(redis().hlen(key("settings")));

    inChunks(people - 1, i -> queues().join(queue, "user-%07d-xyz".formatted(i + 1)));

    assertThat(await(redis().zcard(key("waiting")))).isEqualTo(people);
    assertThat(await(redis().keys("*"))).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(await(redis().hlen(key("state")))).isEqualTo(stateFields);
    assertThat(await(redis().hlen(key("settings")))).isEqualTo(settingsFields);
    assertThat(await(redis().exists(key("entries"), key("finished"), key("entered")))).isZero();
    await(queues().delete(queue, Actor.SYSTEM));
  }

  // What is kept of those who are done.

  /** So many have completed. */
  private void completeMany(int count) {
    activateCalm(count, count);
    joinMany("user", count);
    List<EntryKey> admitted = new ArrayList<>();
    while (admitted.size() < count) {
      admitted.addAll(keys(admitPaced()));
    }
    assertThat(inChunks(count, i -> queues().complete(admitted.get(i), CompletedBy.VISITOR)))
        .containsOnly(Ended.DONE);
  }

  private long finished() {
    long finished = await(redis().zcard(key("finished")));
    assertThat(await(redis().hlen(key("entries")))).isEqualTo(finished);
    return finished;
  }

  @Test
  void finished_afterAnHour_areForgottenInSteps() {
    completeMany(2_500);
    assertThat(finished()).isEqualTo(2_500);
    advance(Duration.ofHours(1).minus(SLACK));
    admitPaced();
    assertThat(finished()).isEqualTo(2_500);

    advance(SLACK);

    admitPaced();
    assertThat(finished()).isEqualTo(1_500);
    admitPaced();
    assertThat(finished()).isEqualTo(500);
    admitPaced();
    assertThat(finished()).isZero();
    assertThat(await(redis().exists(key("entries"), key("finished"), key("entered")))).isZero();
  }

  @Test
  void finished_whereOneMayEnterOnce_areForgottenAfterThirtyDays() {
    completeMany(1_200);
    activate(Map.of("once", true));
    EntryKey early = keyOf("ann");
    admitByHand(1);
    complete(early);
    advance(Duration.ofHours(2));
    for (int i = 0; i < 3; i++) {
      admitPaced();
    }
    assertThat(finished()).as("those from before, and the one since").isEqualTo(1_201);
    advance(Duration.ofDays(30).minusHours(2).minus(SLACK));
    admitPaced();
    assertThat(finished()).isEqualTo(1_201);

    advance(SLACK);

    admitPaced();
    admitPaced();
    assertThat(finished()).isZero();
  }

  @Test
  void finished_whereOneMayEnterOnce_thoseWhoCompletedAreForgottenLast() {
    activateCalm(10, 10);
    activate(Map.of("once", true));
    EntryKey ann = keyOf("ann");
    admitPaced();
    complete(ann);
    joinMany("user", 20).forEach(this::leave);
    Script admit = Scripts.standard().admit();

    await(fixture.redis.run(admit, Keys.of(queue), "0", "100", "1"));

    assertThat(finished()).isEqualTo(1);
    assertThat(join("ann")).isInstanceOf(Joined.Over.class);
  }

  @Test
  void finished_moreThanMayBeKept_theOldestAreForgotten() {
    completeMany(300);
    Script admit = Scripts.standard().admit();

    await(fixture.redis.run(admit, Keys.of(queue), "0", "100", "250"));
    assertThat(finished()).isEqualTo(250);
    await(fixture.redis.run(admit, Keys.of(queue), "0", "100", "50"));
    assertThat(finished()).isEqualTo(150);
  }

  @Test
  void finished_manyComeAndGo_areForgottenAsFast() {
    activateCalm(10, 10);
    comeAndGo("early", 3_000);
    advance(Duration.ofHours(1));

    comeAndGo("late", 3_000);

    // Without any beat: more may come and go than a beat forgets.
    assertThat(finished()).isLessThanOrEqualTo(3_000);
  }

  private void comeAndGo(String prefix, int count) {
    List<EntryKey> all = joinMany(prefix, count);
    assertThat(inChunks(count, i -> queues().leave(all.get(i)))).containsOnly(Ended.DONE);
  }

  // What a server keeps of queues.

  @Test
  void unknownQueues_askedFor_areNotKept() {
    activateCalm(10, 10);
    keyOf("ann");
    int kept = fixture.queues.keptQueues();

    List<Joined> joins = inChunks(5_000, i -> fixture.queues.join(random(i), "ann"));
    List<Standing> standings = inChunks(5_000, i -> fixture.queues.locate(random(i), "ann"));

    assertThat(joins).containsOnly(new Joined.Refused(Joined.Reason.NO_QUEUE, 0));
    assertThat(standings).containsOnly(new Standing.NoQueue());
    assertThat(fixture.queues.keptQueues()).isLessThanOrEqualTo(kept);
    assertThat(await(redis().keys("*NONSENSE*"))).isEmpty();
  }

  private static QueueId random(int number) {
    return new QueueId("NONSENSE", "n" + number);
  }

  @Test
  void unknownQueues_askedForWhileRedisIsAway_areNotKept() {
    try (var away = RedisServer.start(RedisBinary.embedded());
        var on = RedisFixture.asInProduction(away.uri())) {
      away.kill();

      for (int i = 0; i < 1_000; i++) {
        failure(on.queues.join(random(i), "ann"));
        failure(on.queues.locate(random(i), "ann"));
      }

      assertThat(on.queues.keptQueues()).isZero();
    }
  }

  @Test
  void delete_queueWithHistory_leavesNothingBehind() {
    try (var plain = RedisFixture.asInProduction(store.uri())) {
      completeMany(5);
      EntryKey waiting = keyOf("ann");
      leave(keyOf("bob"));
      await(plain.queues.locate(queue, "ann"));
      await(redis().del(key("settings") + ":clock"));
      assertThat(await(redis().keys("*{" + Keys.name(queue) + "}*")))
          .hasSizeGreaterThanOrEqualTo(6);

      assertThat(await(plain.queues.delete(queue, Actor.SYSTEM))).isTrue();

      assertThat(await(redis().keys("*" + Keys.name(queue) + "*"))).isEmpty();
      assertThat(await(queues().names())).doesNotContain(queue);
      assertThat(plain.queues.keptQueues()).isZero();
      assertThat(await(plain.queues.leave(waiting))).isEqualTo(Ended.UNKNOWN);
    }
  }
}
