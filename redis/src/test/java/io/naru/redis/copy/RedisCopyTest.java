package io.naru.redis.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.Range;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.naru.admission.Pacing;
import io.naru.batch.BatchObserver;
import io.naru.line.CopyState;
import io.naru.line.Fact;
import io.naru.line.LineCopy;
import io.naru.line.LineCopyContract;
import io.naru.line.Rules;
import io.naru.line.Standing;
import io.naru.queue.Entry.Status;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.redis.Keys;
import io.naru.redis.Redis;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisCopyTest extends LineCopyContract {

  private static final Rules RULES = new Rules(1, State.OPEN, Settings.DEFAULT);

  private static RedisServer store;
  private static Redis redis;
  private static RedisCopy copy;

  @BeforeAll
  static void start() {
    store = RedisServer.start(RedisBinary.embedded());
    redis = Redis.connect(store.uri());
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

  private static RedisClusterAsyncCommands<String, String> commands() {
    return redis.commands();
  }

  private String key(String part) {
    return "queue:{" + Keys.name(of.queue()) + "}:" + part;
  }

  private void beginWithSomebodyInside() {
    begin("ann", "bob", "cid");
    apply(1, 2, 2, 1, null, new Fact("ann", score(0), score(0), Status.ENTERED, 5, 9));
  }

  @Test
  void droppedElsewhere_nothingIsKeptOfIt() {
    int before = copy.keptSights();
    begin("ann");
    locate("ann");
    assertThat(copy.keptSights()).isEqualTo(before + 1);

    await(new RedisCopy(redis, BatchObserver.NONE).drop(of.queue()));

    assertThat(state()).isEqualTo(new CopyState.Lost());
    assertThat(copy.keptSights()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"state", "waiting", "entered", "entries", "settings"})
  void keyDeleted_isLostAtOnce(String part) {
    beginWithSomebodyInside();

    await(commands().del(key(part)));

    assertThat(locate("bob")).isEqualTo(new Standing.NoQueue());
    assertThat(state()).isEqualTo(new CopyState.Lost());
    assertRebuilt();
  }

  @ParameterizedTest
  @ValueSource(strings = {"state", "waiting", "entered", "entries", "settings", "moves"})
  void keyOfAnotherType_isLostAtOnce(String part) {
    beginWithSomebodyInside();
    await(commands().del(key(part)));
    await(commands().set(key(part), "somebody's note"));

    assertThat(locate("bob")).isEqualTo(new Standing.NoQueue());
    assertThat(apply(2, 3, 2, 1, null)).isEqualTo(new CopyState.Lost());
    assertRebuilt();
  }

  @Test
  void memberRemoved_isLostAtOnce() {
    beginWithSomebodyInside();

    await(commands().zrem(key("waiting"), "bob"));

    assertThat(locate("cid")).isEqualTo(new Standing.NoQueue());
    assertRebuilt();
  }

  /** As the version before wrote it: a field for each setting. */
  @Test
  void copyOfTheVersionBefore_isReadAndTakesChanges() {
    begin("ann", "bob");
    await(commands().del(key("settings")));
    await(
        commands()
            .hset(
                key("settings"),
                Map.of(
                    "active", "1",
                    "maxCapacity", "5",
                    "entryBatchSize", "7",
                    "entryIntervalSeconds", "60",
                    "once", "true",
                    "onExpiry", "REQUEUE",
                    "title", "1",
                    "targetUrl", "https://shop.example/a?b=%22&c=%C3%A9",
                    "audience", "")));

    Settings expected = Settings.DEFAULT.withStored(await(commands().hgetall(key("settings"))));
    assertThat(place("bob").line().settings()).isEqualTo(expected);
    assertThat(expected.pacing()).isEqualTo(new Pacing(7, 60));

    Settings next = Settings.DEFAULT.with(Map.of("entryBatchSize", 3));
    apply(1, 2, 2, 0, new Rules(1, State.INACTIVE, next));
    assertThat(place("bob").line().settings()).isEqualTo(next);
    assertThat(place("bob").line().state().isActive()).isFalse();
  }

  private void assertRebuilt() {
    LineCopy.Rebuild rebuild = copy().rebuild(of);
    await(
        rebuild.add(
            1,
            List.of(
                new Fact("ann", score(0), score(0), Status.ENTERED, 5, 9),
                waiting("bob", score(1), score(1)),
                waiting("cid", score(2), score(2)))));
    assertThat(await(rebuild.finish(2, 2, 1, RULES))).isEqualTo(at(2));
    assertThat(place("cid").ahead()).isEqualTo(1);
    assertThat(place("ann").entry().status()).isEqualTo(Status.ENTERED);
  }

  /** However many came and went behind somebody who stays, what is kept of them has a bound. */
  @Test
  void tickets_farMoreGoneThanAnybodyKeeps_areUnknownUntilTheLineIsEmpty() {
    begin("ann");
    apply(1, 2, 2, 0, null, Fact.waiting("bob", score(1), score(1), 5_000_000));

    assertThat(place("bob").ahead()).isEqualTo(1);
    assertThat(place("bob").ticket()).isZero();
    assertThat(await(copy().tickets(of))).isEmpty();

    apply(2, 3, 0, 2, null, in("ann", 0), in("bob", 1));
    apply(3, 4, 1, 2, null, Fact.waiting("cid", score(2), score(2), 5_000_001));

    assertThat(place("cid").ticket()).isEqualTo(5_000_001);
    assertThat(await(copy().tickets(of))).isPresent();
  }

  private static Fact in(String user, int number) {
    return new Fact(user, score(number), score(number), Status.ENTERED, 5, 9);
  }

  @Test
  void rebuild_unfinished_vanishesByItself() {
    await(copy().rebuild(of).add(1, List.of(waiting("ann", score(0), score(0)))));

    List<String> staged = stagedKeys();

    assertThat(staged).hasSize(2);
    for (String key : staged) {
      assertThat(await(commands().ttl(key))).as(key).isBetween(1L, 20L);
    }
  }

  @Test
  void rebuild_abandonedOrBegunAgain_leavesNothingBehind() {
    LineCopy.Rebuild abandoned = copy().rebuild(of);
    await(abandoned.add(1, List.of(waiting("ann", score(0), score(0)))));
    await(abandoned.abandon());
    assertThat(stagedKeys()).isEmpty();

    await(copy().rebuild(of).add(1, List.of(waiting("ann", score(0), score(0)))));
    LineCopy.Rebuild next = copy().rebuild(of);
    await(next.add(1, List.of(waiting("bob", score(1), score(1)))));

    assertThat(stagedKeys()).as("of the second one only").hasSize(2);
    await(next.finish(1, 1, 0, RULES));
    assertThat(stagedKeys()).isEmpty();
  }

  private List<String> stagedKeys() {
    return await(commands().keys("queue:{" + Keys.name(of.queue()) + "}:staged:*"));
  }

  @Test
  void rebuild_finishedOrRefused_leavesNothingBehind() {
    LineCopy.Rebuild finished = copy().rebuild(of);
    await(finished.add(1, List.of(waiting("ann", score(0), score(0)))));
    await(finished.finish(3, 1, 0, RULES));
    LineCopy.Rebuild refused = copy().rebuild(of);
    await(refused.add(1, List.of(waiting("ann", score(0), score(0)))));
    await(refused.finish(2, 1, 0, RULES));

    assertThat(stagedKeys()).isEmpty();
    assertThat(await(commands().ttl(key("waiting")))).as("kept for good").isEqualTo(-1);
  }

  @Test
  void moves_sayWhatLeftTheLine() {
    begin("ann", "bob", "cid", "dan", "eve");
    apply(
        1,
        7,
        2,
        1,
        null,
        new Fact("ann", score(0), score(0), Status.ENTERED, 5, 9),
        new Fact("bob", score(1), score(1), Status.LEFT, 0, 0),
        new Fact("dan", score(3), score(3), Status.LEFT, 0, 0));
    apply(7, 8, 2, 1, null);

    var moves = await(commands().xrange(key("moves"), Range.unbounded()));

    assertThat(moves)
        .extracting(message -> message.getBody())
        .containsExactly(
            Map.of("from", "0", "to", "1", "front", "0", "out", "", "waiting", "5"),
            Map.of("from", "1", "to", "7", "front", "2", "out", "" + score(3), "waiting", "2"),
            Map.of("from", "7", "to", "8", "front", "0", "out", "", "waiting", "2"));
  }

  @Test
  void moves_afterARebuild_beginFromNowhere() {
    await(copy().rebuild(of).finish(4, 0, 0, RULES));

    var moves = await(commands().xrange(key("moves"), Range.unbounded()));

    assertThat(moves.getLast().getBody()).containsEntry("from", "-1").containsEntry("to", "4");
  }
}
