package io.naru.ledger;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.naru.line.LineCopy;
import io.naru.line.Moved;
import io.naru.line.Original;
import io.naru.line.Standing;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.testkit.FaultProxy;
import io.naru.testkit.FaultProxy.Way;
import io.naru.testkit.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two servers on one PostgreSQL, each with the line in its own memory. */
@Tag("process")
class CopiesTest {

  private static final MemoryCopy twoCopy = new MemoryCopy();

  /** How often the second server built one anew. */
  private static final LongAdder rebuilt = new LongAdder();

  /** How often which question was put to the ledger by the second server. */
  private static final Map<String, LongAdder> asked = new ConcurrentHashMap<>();

  private static int queues;
  private static FaultProxy way;
  private static LedgerFixture one;
  private static LedgerFixture two;
  private final QueueId queue = new QueueId("COPIES", "" + ++queues);

  @BeforeAll
  static void start() {
    PostgresServer postgres = PostgresServer.shared();
    way = FaultProxy.to(postgres.port());
    Ledger.Config config = LedgerFixture.postgres();
    String url = config.url().replace(":" + postgres.port() + "/", ":" + way.port() + "/");
    one = new LedgerFixture(config, new MemoryCopy());
    two =
        new LedgerFixture(
            new Ledger.Config(url, config.user(), config.password(), false),
            counted(twoCopy),
            (operation, size, nanos, failure) ->
                asked.computeIfAbsent(operation, _ -> new LongAdder()).add(size));
  }

  private static LineCopy counted(LineCopy copy) {
    return (LineCopy)
        Proxy.newProxyInstance(
            LineCopy.class.getClassLoader(),
            new Class<?>[] {LineCopy.class},
            (_, method, args) -> {
              rebuilt.add(method.getName().equals("rebuild") ? 1 : 0);
              try {
                return method.invoke(copy, args);
              } catch (InvocationTargetException e) {
                throw requireNonNull(e.getCause());
              }
            });
  }

  @BeforeEach
  void open() throws Exception {
    way.heal();
    get(
        one.ledger()
            .queues()
            .edit(queue, Edit.activate(Map.of("maxCapacity", 10, "entryIntervalSeconds", 3_600))));
    get(two.ledger().queues().join(queue, "first"));
    await().until(() -> two.ledger().troubles().isEmpty() && one.ledger().troubles().isEmpty());
    asked.clear();
    rebuilt.reset();
  }

  @AfterAll
  static void stop() {
    one.close();
    two.close();
    way.close();
  }

  @Test
  void bothCommitInTurns_placesComeFromTheCopiesAndNeverFromTheLedger() throws Exception {
    for (int i = 0; i < 60; i++) {
      LedgerFixture server = i % 2 == 0 ? one : two;
      LedgerFixture other = i % 2 == 0 ? two : one;
      var joined = (Joined.Waiting) get(server.ledger().queues().join(queue, "u" + i));

      assertThat(joined.place().ahead()).isEqualTo(i + 1L);
      assertThat(place(server, "u" + i)).isEqualTo(joined.place());
      assertThat(place(other, "u" + i).ahead()).isEqualTo(i + 1L);
      assertThat(two.ledger().behind()).as("copies that are not read").isZero();
    }
    assertThat(asked("places")).as("places that the ledger had to count").isZero();
    assertThat(asked("tally")).isZero();
  }

  @Test
  void leftElsewhere_everybodyBehindSeesItWithinASecond() throws Exception {
    EntryKey first = place(one, "first").entry().key();
    get(one.ledger().queues().join(queue, "ann"));
    assertThat(place(two, "ann").ahead()).isEqualTo(1);

    get(one.ledger().queues().leave(first));

    await().atMost(1, SECONDS).until(() -> place(two, "ann").ahead() == 0);
    assertThat(asked("places")).isZero();
  }

  @Test
  void watchedHere_admittedElsewhere_isToldByTheMoves() throws Exception {
    Place watched = place(two, "first");

    get(one.ledger().queues().admit(queue, new Admission.ByHand(1, Actor.SYSTEM)));

    await()
        .atMost(1, SECONDS)
        .until(
            () ->
                get(two.ledger().line().since(queue, watched.line().change()))
                        instanceof Moved.Steps(var line, _)
                    && line.waiting() == 0);
  }

  @Test
  void askingNowHereNowThere_withWhatOneHasSeen_neverGoesBack() throws Exception {
    for (int i = 0; i < 30; i++) {
      get(one.ledger().queues().join(queue, "u" + i));
    }
    Place last = place(one, "u29");
    for (int i = 0; i < 28; i++) {
      LedgerFixture acting = i % 3 == 0 ? two : one;
      LedgerFixture asking = i % 2 == 0 ? two : one;
      EntryKey gone = place(acting, "u" + i).entry().key();
      get(acting.ledger().queues().leave(gone));
      Place seen = find(get(acting.ledger().line().locate(queue, "u29")));

      Place next = find(get(asking.ledger().line().locate(queue, "u29", seen.line().change())));

      assertThat(next.line().change()).isGreaterThanOrEqualTo(seen.line().change());
      assertThat(next.ahead()).isEqualTo(29L - i).isLessThanOrEqualTo(last.ahead());
      last = next;
    }
  }

  @Test
  void leftAndCameBackElsewhere_whoBringsTheirChangeSeesTheNewPlace() throws Exception {
    get(one.ledger().queues().join(queue, "ann"));
    Place old = place(two, "ann");
    get(one.ledger().queues().leave(old.entry().key()));
    get(one.ledger().queues().join(queue, "ben"));
    var back = (Joined.Waiting) get(one.ledger().queues().join(queue, "ann"));

    long seen = back.place().line().change();
    Place shown = find(get(two.ledger().line().locate(queue, "ann", seen)));
    assertThat(shown).isEqualTo(back.place());
    assertThat(find(get(two.ledger().line().locate(back.place().entry().key())))).isEqualTo(shown);
  }

  @Test
  void deletedElsewhere_isGoneHere() throws Exception {
    assertThat(place(two, "first").ahead()).isZero();

    get(one.ledger().queues().delete(queue, Actor.SYSTEM));

    await()
        .atMost(5, SECONDS)
        .until(() -> get(two.ledger().line().locate(queue, "first")) instanceof Standing.NoQueue);
  }

  @Test
  void changeThatNobodyHasSeen_isAnsweredWithWhatThereIs() throws Exception {
    Standing standing = get(two.ledger().line().locate(queue, "first", 999_999_999_999L));

    assertThat(find(standing).ahead()).isZero();
    assertThat(asked("places")).isZero();
  }

  @Test
  void linkToTheDatabaseLost_lastPlacesAreShownAndItFollowsAfterwards() throws Exception {
    get(one.ledger().queues().join(queue, "ann"));
    Place before = place(two, "ann");

    way.refuse();
    EntryKey first = place(one, "first").entry().key();
    get(one.ledger().queues().leave(first));
    long seen = place(one, "ann").line().change();

    assertThat(place(two, "ann")).as("as last known").isEqualTo(before);
    assertThatThrownBy(() -> get(two.ledger().line().locate(queue, "ann", seen)))
        .as("but not to somebody who has seen more")
        .hasMessageContaining("Unavailable");
    way.heal();
    await().atMost(10, SECONDS).until(() -> place(two, "ann").ahead() == 0);
    assertThat(two.ledger().troubles()).isEmpty();
  }

  @Test
  void silentDatabase_thoseWhoAreInLineAreAnsweredAllTheSame() throws Exception {
    Place before = place(two, "first");
    way.swallow(Way.TO_CLIENT);
    for (int i = 0; i < 20; i++) {
      assertThat(place(two, "first")).isEqualTo(before);
    }
    way.heal();
  }

  @Test
  void copyLostWhileOthersJoin_isBuiltAnewAndFollows() throws Exception {
    List<CompletionStage<?>> joins = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      joins.add((i % 2 == 0 ? one : two).ledger().queues().join(queue, "u" + i));
      if (i == 1_000) {
        get(twoCopy.drop(queue));
      }
    }
    for (CompletionStage<?> join : joins) {
      get(join);
    }

    for (int i = 0; i < 3_000; i += 100) {
      String user = "u" + i;
      Place here = place(two, user);
      assertThat(here.ahead()).as(user).isEqualTo(place(one, user).ahead());
    }
    await().untilAsserted(() -> assertThat(two.ledger().troubles()).isEmpty());
    var checked = get(two.ledger().check(queue, "")).orElseThrow();
    assertThat(checked.differences()).isZero();
    assertThat(checked.entries()).isEqualTo(3_001);
  }

  @Test
  void erasedElsewhere_whoLeftLongAgo_theCopyFollows_andIsNotBuiltAnew() throws Exception {
    get(one.ledger().queues().join(queue, "ann"));
    get(one.ledger().queues().leave(place(one, "ann").entry().key()));
    get(one.ledger().queues().join(queue, "bob"));
    await().until(() -> knows(two, "bob"));

    get(one.ledger().queues().erase(queue, "ann", "erased-1", Actor.SYSTEM));
    get(one.ledger().queues().join(queue, "eve"));

    await().until(() -> knows(two, "eve"));
    assertThat(rebuilt.sum()).isZero();
    assertThat(get(two.ledger().line().locate(queue, "ann"))).isEqualTo(new Standing.Unknown());
  }

  @Test
  void erasedElsewhere_whoWaits_noCopyKnowsTheirName() throws Exception {
    get(one.ledger().queues().join(queue, "ann"));
    get(one.ledger().queues().join(queue, "bob"));
    await().until(() -> knows(two, "ann") && knows(two, "bob"));

    get(one.ledger().queues().erase(queue, "ann", "erased-2", Actor.SYSTEM));

    for (LedgerFixture server : List.of(one, two)) {
      await().until(() -> !knows(server, "ann") && server.ledger().troubles().isEmpty());
      assertThat(place(server, "bob").ahead()).isEqualTo(1);
      assertThat(get(server.ledger().check(queue, "")).orElseThrow().differences()).isZero();
    }
  }

  /** Whether the copy itself does. */
  private boolean knows(LedgerFixture server, String user) throws Exception {
    var queues = (LedgerQueues) server.ledger().queues();
    Original of = queues.reader().existing(List.of(queue)).iterator().next();
    return get(server.copy().locate(of, user)) instanceof Standing.Found;
  }

  private static long asked(String question) {
    LongAdder count = asked.get(question);
    return count == null ? 0 : count.sum();
  }

  private Place place(LedgerFixture server, String user) throws Exception {
    return find(get(server.ledger().line().locate(queue, user)));
  }

  private static Place find(Standing standing) {
    assertThat(standing).isInstanceOf(Standing.Found.class);
    return ((Standing.Found) standing).place();
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }
}
