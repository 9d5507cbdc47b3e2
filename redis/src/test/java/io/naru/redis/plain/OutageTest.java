package io.naru.redis.plain;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.line.Standing;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.Figures;
import io.naru.queue.Joined;
import io.naru.queue.Place;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import io.naru.queue.Queues;
import io.naru.queue.Stay.CompletedBy;
import io.naru.redis.Script;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Redis is killed, restarted, frozen; the queues are the same objects all the while. */
class OutageTest extends RedisScenario {

  private static RedisServer store;
  private static RedisFixture fixture;

  @BeforeAll
  static void start() {
    store =
        RedisServer.start(RedisBinary.embedded(), "--appendonly", "yes", "--appendfsync", "always");
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

  private void awaitAnswers(Queues asked) {
    eventually(() -> await(asked.due()) != null);
  }

  // Killed.

  @Test
  void kill_thenRestart_everyCallFailsInTimeThenGoesOn() {
    activateCalm(10, 2);
    List<EntryKey> all = joinMany("user", 6);
    admitPaced();
    complete(all.get(0));
    leave(all.get(4));
    List<Standing> before = standings(all);
    store.kill();
    eventually(() -> failure(queues().due()).kind() == Kind.DISCONNECTED);

    for (Call call : everyCall(all.get(3))) {
      QueueUnavailable failure = failure(call.ask().get());
      assertThat(failure.kind()).as(call.name()).isEqualTo(Kind.DISCONNECTED);
      assertThat(failure).hasMessageContaining("no connection to Redis for ");
    }

    store.restart();
    awaitAnswers(queues());
    assertThat(standings(all)).isEqualTo(before);
    for (Call call : everyCall(all.get(3))) {
      assertThat(await(call.ask().get())).as(call.name()).isNotNull();
    }
  }

  private List<Standing> standings(List<EntryKey> keys) {
    return keys.stream().map(key -> locate(key.user())).toList();
  }

  /** Hunts for a place that was told to somebody and is gone, or is another's, after a restart. */
  @Test
  void kill_whileManyJoin_losesNobodyWhoWasTold() {
    activateCalm(10, 2);
    Map<String, EntryKey> told = new ConcurrentHashMap<>();
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int client = 0; client < 16; client++) {
        String prefix = "user" + client + "-";
        clients.submit(() -> joinUntilItFails(prefix, told));
      }
      eventually(() -> told.size() > 500);
      store.kill();
    }

    store.restart();
    awaitAnswers(queues());
    List<EntryKey> inOrder =
        told.values().stream().sorted(Comparator.comparingLong(EntryKey::joined)).toList();
    List<Place> places = placesOf(inOrder);
    assertThat(places.stream().map(place -> place.entry().key())).isEqualTo(inOrder);
    assertThat(places.stream().map(Place::ahead).toList()).isSorted().doesNotHaveDuplicates();
    // Whoever was not told asks again; nobody is in twice.
    assertThat(await(redis().zcard(key("waiting")))).isEqualTo(figures().joined());
    long last = inOrder.getLast().joined();
    assertThat(keyOf("late").joined()).isGreaterThan(last);
  }

  private void joinUntilItFails(String prefix, Map<String, EntryKey> told) {
    for (int i = 0; i < 100_000; i++) {
      String user = prefix + i;
      try {
        told.put(user, keyOf(user));
      } catch (QueueUnavailable e) {
        return;
      }
    }
  }

  private List<Place> placesOf(List<EntryKey> keys) {
    List<CompletionStage<Standing>> asked = new ArrayList<>();
    keys.forEach(key -> asked.add(line().locate(queue, key.user())));
    return asked.stream().map(stage -> ((Standing.Found) await(stage)).place()).toList();
  }

  @Test
  void kill_redisThatKeepsNothing_answersThatThereIsNoQueue() {
    try (var forgetful = RedisServer.start(RedisBinary.embedded());
        var on = RedisFixture.asInProduction(forgetful.uri())) {
      await(on.queues.edit(queue, Edit.activate(Map.of())));
      var joined = (Joined.Waiting) await(on.queues.join(queue, "ann"));
      EntryKey ann = joined.place().entry().key();

      forgetful.restart();
      awaitAnswers(on.queues);

      assertThat(await(on.queues.join(queue, "ann")))
          .isEqualTo(new Joined.Refused(Joined.Reason.NO_QUEUE, 0));
      assertThat(await(on.queues.locate(queue, "ann"))).isEqualTo(new Standing.NoQueue());
      assertThat(await(on.queues.leave(ann))).isEqualTo(Ended.UNKNOWN);
      assertThat(await(on.queues.complete(ann, CompletedBy.VISITOR))).isEqualTo(Ended.UNKNOWN);
      assertThat(await(on.queues.admit(queue, BEAT))).isEqualTo(new Admitted.NoQueue());
      assertThat(await(on.queues.edit(queue, Edit.deactivate()))).isEqualTo(new Edited.NoQueue());
      assertThat(await(on.queues.find(queue))).isEqualTo(Optional.empty());
      assertThat(await(on.queues.names())).isEmpty();
      assertThat(await(on.queues.delete(queue, Actor.SYSTEM))).isFalse();
    }
  }

  // Frozen: what was sent is carried out later, when nobody waits for it any more.

  /** A script that Redis does not know leaves no ghost. */
  private void loadScripts() {
    var all = Scripts.standard();
    for (Script script : List.of(all.join(), all.leave(), all.complete(), all.admit())) {
      await(redis().scriptLoad(script.text()));
    }
  }

  @Test
  void freeze_everyCall_timesOutInTime() {
    activateCalm(10, 2);
    EntryKey ann = keyOf("ann");
    store.freeze();
    try {
      List<CompletionStage<?>> asked = new ArrayList<>();
      everyCall(ann).forEach(call -> asked.add(call.ask().get()));
      for (CompletionStage<?> answer : asked) {
        QueueUnavailable failure = failure(answer);
        assertThat(failure.kind()).isEqualTo(Kind.TIMEOUT);
        assertThat(failure).hasMessageContaining("within 1000 ms");
      }
    } finally {
      store.thaw();
    }
    awaitAnswers(queues());
  }

  @Test
  void freeze_moreCallsThanMayWait_areRefusedAtOnce() {
    activateCalm(10, 2);
    EntryKey ann = keyOf("ann");
    try (var few = RedisFixture.asInProduction(store.uri(), 100)) {
      store.freeze();
      try {
        List<CompletionStage<Ended>> asked = new ArrayList<>();
        for (int i = 0; i < 102; i++) {
          asked.add(few.queues.complete(ann, CompletedBy.VISITOR));
        }
        List<Kind> kinds = asked.stream().map(call -> failure(call).kind()).toList();
        assertThat(kinds.subList(0, 100)).containsOnly(Kind.TIMEOUT);
        assertThat(kinds.subList(100, 102)).containsOnly(Kind.OVERLOADED);
      } finally {
        store.thaw();
      }
      awaitAnswers(few.queues);
      assertThat(await(few.queues.complete(ann, CompletedBy.VISITOR))).isEqualTo(Ended.NOT_INSIDE);
    }
  }

  @Test
  void freeze_joinTimesOut_retryFindsThePlaceOfItsGhost() {
    activateCalm(10, 2);
    keyOf("ann");
    loadScripts();
    store.freeze();
    try {
      assertThat(failure(queues().join(queue, "bob")).kind()).isEqualTo(Kind.TIMEOUT);
    } finally {
      store.thaw();
    }
    awaitAnswers(queues());

    Joined retry = join("bob");

    assertThat(retry).isInstanceOf(Joined.AlreadyIn.class);
    assertThat(((Joined.AlreadyIn) retry).place().position()).isEqualTo(2);
    assertThat(figures().joined()).isEqualTo(2);
    assertThat(placeOf("bob").entry()).isEqualTo(((Joined.AlreadyIn) retry).place().entry());
  }

  /** Two servers, all of whose commands arrive late and in any order. */
  @Test
  void freeze_twoServersDoTheSame_itIsDoneOnce() {
    activateCalm(5, 3);
    List<EntryKey> all = joinMany("user", 12);
    admitByHand(2);
    loadScripts();
    try (var other = RedisFixture.asInProduction(store.uri())) {
      store.freeze();
      try {
        List<CompletionStage<?>> calls = new ArrayList<>();
        for (RedisQueues server : List.of(fixture.queues, other.queues)) {
          calls.add(server.join(queue, "late"));
          calls.add(server.complete(all.get(0), CompletedBy.VISITOR));
          calls.add(server.leave(all.get(11)));
          calls.add(server.admit(queue, new Admission.Paced()));
        }
        assertThat(calls.stream().map(call -> failure(call).kind())).containsOnly(Kind.TIMEOUT);
      } finally {
        store.thaw();
      }
      // Redis answers each connection in order, so each server's ghosts are done when this is.
      awaitAnswers(other.queues);
      awaitAnswers(queues());
    }

    Figures after = figures();
    assertThat(after.joined()).isEqualTo(13);
    assertThat(after.completed()).isEqualTo(1);
    assertThat(after.left()).isEqualTo(1);
    assertThat(after.entered()).as("two by hand, and the allowance of three").isEqualTo(5);
    assertThat(after.inside()).isEqualTo(4);
    assertThat(after.waiting()).isEqualTo(7);
    assertThat(admitPaced().entries()).isEmpty();
    Stream<EntryKey> next = admitByHand(1).entries().stream().map(entry -> entry.key());
    assertThat(next).containsExactly(all.get(5));
  }

  @Test
  void freeze_admitByHandTimesOut_itsGhostsKeepTheCapacity() {
    activateCalm(5, 3);
    joinMany("user", 20);
    loadScripts();
    store.freeze();
    try {
      var first = queues().admit(queue, new Admission.ByHand(4, Actor.SYSTEM));
      var second = queues().admit(queue, new Admission.ByHand(4, Actor.SYSTEM));
      assertThat(failure(first).kind()).isEqualTo(Kind.TIMEOUT);
      assertThat(failure(second).kind()).isEqualTo(Kind.TIMEOUT);
    } finally {
      store.thaw();
    }
    awaitAnswers(queues());

    Admitted.Done retry = admitByHand(4);

    assertThat(retry.entries()).isEmpty();
    assertThat(retry.figures().inside()).isEqualTo(5);
    assertThat(retry.figures().entered()).isEqualTo(5);
  }
}
