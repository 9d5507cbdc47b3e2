package io.naru.redis.plain;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Actor;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.Figures;
import io.naru.queue.Joined;
import io.naru.queue.Place;
import io.naru.redis.Keys;
import io.naru.redis.Script;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the scripts are to survive: being forgotten by Redis, and being run twice. */
class ScriptsTest extends RedisScenario {

  private static final Scripts SCRIPTS = Scripts.standard();

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

  // Forgotten.

  @Test
  void f8_everyCall_scriptsFlushed_goesOn() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");

    for (Call call : everyCall(ann)) {
      await(redis().scriptFlush());
      assertThat(await(call.ask().get())).as(call.name()).isNotNull();
    }

    assertThat(await(queues().find(queue))).isEmpty();
  }

  @Test
  void f8_join_scriptsFlushedMeanwhile_givesEverybodyOnePlace() {
    activateCalm(10, 10);
    int people = 4_000;

    List<CompletionStage<Joined>> joins =
        IntStream.range(0, people)
            .mapToObj(
                i -> {
                  if (i % 100 == 0) {
                    await(redis().scriptFlush());
                  }
                  return queues().join(queue, "user" + i);
                })
            .toList();

    List<Place> places =
        joins.stream().map(join -> ((Joined.Waiting) await(join)).place()).toList();
    assertThat(places.stream().map(Place::ahead))
        .containsExactlyElementsOf(IntStream.range(0, people).mapToObj(i -> (long) i).toList());
    assertThat(figures().joined()).isEqualTo(people);
  }

  // Repeated: the reply was lost, or the command came late.

  @Test
  void join_repeated_changesNothing() {
    activateCalm(10, 10);
    run(SCRIPTS.join(), "ann", "bob", "ann", "cid");

    List<Object> again = unchangedBy(SCRIPTS.join(), "ann", "bob", "ann", "cid");

    assertThat(again.subList(6, 8)).isEqualTo(List.of(2L, 0L));
    assertThat(figures().joined()).isEqualTo(3);
  }

  @Test
  void join_repeatedWhenInside_changesNothing() {
    activateCalm(10, 10);
    run(SCRIPTS.join(), "ann");
    admitPaced();

    List<Object> again = unchangedBy(SCRIPTS.join(), "ann");

    assertThat(again.get(6)).isEqualTo(3L);
  }

  @Test
  void leave_repeated_changesNothing() {
    activateCalm(10, 1);
    EntryKey inside = keyOf("ann");
    EntryKey waiting = keyOf("bob");
    keyOf("cid");
    admitPaced();

    for (EntryKey key : List.of(inside, waiting)) {
      assertThat(leave(key)).isEqualTo(Ended.DONE);
      assertThat(unchangedBy(SCRIPTS.leave(), key)).first().isEqualTo(0L);
    }
    assertThat(figures().left()).isEqualTo(2);
  }

  @Test
  void leave_lateAfterJoiningAnew_changesNothing() {
    activateCalm(10, 1);
    EntryKey first = keyOf("ann");
    leave(first);
    keyOf("ann");

    unchangedBy(SCRIPTS.leave(), first);
    admitPaced();
    unchangedBy(SCRIPTS.leave(), first);
  }

  @Test
  void complete_repeatedOrTooEarlyOrTooLate_changesNothing() {
    activateCalm(10, 1);
    EntryKey ann = keyOf("ann");
    assertThat(unchangedBy(SCRIPTS.complete(), ann)).first().isEqualTo(2L);
    admitPaced();
    assertThat(complete(ann)).isEqualTo(Ended.DONE);

    assertThat(unchangedBy(SCRIPTS.complete(), ann)).first().isEqualTo(1L);
    assertThat(unchangedBy(SCRIPTS.leave(), ann)).first().isEqualTo(0L);
    keyOf("ann");
    assertThat(unchangedBy(SCRIPTS.complete(), ann)).first().isEqualTo(0L);
    assertThat(figures().completed()).isEqualTo(1);
  }

  @Test
  void admit_repeatedWithAllowanceSpent_changesNothing() {
    activateCalm(100, 3);
    joinMany("user", 20);
    String[] beat = {"0", "1000", "1000000"};
    run(SCRIPTS.admit(), beat);

    unchangedBy(SCRIPTS.admit(), beat);

    Figures figures = figures();
    assertThat(figures.entered()).isEqualTo(3);
    assertThat(figures.waiting()).isEqualTo(17);
  }

  @Test
  void admit_byHandRepeatedWithCapacityFull_changesNothing() {
    activateCalm(5, 3);
    joinMany("user", 20);
    String[] byHand = {"4", "1000", "1000000"};
    run(SCRIPTS.admit(), byHand);
    run(SCRIPTS.admit(), byHand);
    assertThat(figures().inside()).isEqualTo(5);

    unchangedBy(SCRIPTS.admit(), byHand);
  }

  @Test
  void edit_repeatedOrOvertaken_changesNothing() {
    activateCalm(10, 10);
    String[] raise = {"1", "2", "KEEP", "maxCapacity", "20"};
    assertThat(run(SCRIPTS.edit(), raise)).first().isEqualTo(1L);

    assertThat(unchangedBy(SCRIPTS.edit(), raise)).isEqualTo(List.of(0L, 2L));
    assertThat(overview().queue().settings().pace().maxCapacity()).isEqualTo(20);
  }

  @Test
  void delete_repeated_changesNothing() {
    activateCalm(10, 10);
    keyOf("ann");
    assertThat(run(SCRIPTS.delete())).isEqualTo(List.of(1L));

    assertThat(unchangedBy(SCRIPTS.delete())).isEqualTo(List.of(0L));
  }

  @Test
  void changes_ofAQueueThatIsGone_leaveNoKeys() {
    activateCalm(10, 10);
    EntryKey ann = keyOf("ann");
    await(queues().delete(queue, Actor.SYSTEM));

    everyCall(ann).stream()
        .filter(call -> !call.name().equals("edit"))
        .forEach(call -> await(call.ask().get()));

    assertThat(await(redis().keys("*" + Keys.name(queue) + "*"))).isEmpty();
  }

  private List<Object> run(Script script, String... args) {
    return await(fixture.redis.run(script, Keys.of(queue), args));
  }

  private List<Object> unchangedBy(Script script, EntryKey entry) {
    return unchangedBy(script, entry.user(), Long.toString(entry.joined()), "1000000");
  }

  /** Runs a script that must leave every key of the queue as it is, byte by byte. */
  private List<Object> unchangedBy(Script script, String... args) {
    Map<String, String> before = contents();
    List<Object> reply = run(script, args);
    assertThat(contents()).as("keys after %s %s", script.name(), List.of(args)).isEqualTo(before);
    return reply;
  }

  private Map<String, String> contents() {
    return Arrays.stream(Keys.of(queue)).collect(toMap(key -> key, ScriptsTest::content));
  }

  private static String content(String key) {
    byte[] dump = await(fixture.redis.commands().dump(key));
    return dump == null ? "" : Base64.getEncoder().encodeToString(dump);
  }
}
