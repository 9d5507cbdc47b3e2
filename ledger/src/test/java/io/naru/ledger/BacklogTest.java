package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.decision.Request;
import io.naru.queue.Admission;
import io.naru.queue.QueueId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Whose turn it is. */
class BacklogTest {

  private final Backlog backlog = new Backlog();
  private long clock;

  private static QueueId queue(String id) {
    return new QueueId("TURN", id);
  }

  private void join(String queue, int count) {
    for (int i = 0; i < count; i++) {
      add(new Request.Join(queue(queue), "user" + clock));
    }
  }

  private void admit(String queue) {
    var beat = new Admission.Paced();
    add(new Request.Admit(queue(queue), beat));
  }

  private <A> void add(Request<A> request) {
    assertThat(backlog.add(new Pending<>(request, new CompletableFuture<>(), clock++))).isTrue();
  }

  /** How many requests of which queue the next transaction takes. */
  private Map<String, Integer> next() {
    return counted(backlog.next());
  }

  private static Map<String, Integer> counted(List<Pending<?>> batch) {
    Map<String, Integer> counts = new HashMap<>();
    batch.forEach(p -> counts.merge(p.queue().id(), 1, Integer::sum));
    return counts;
  }

  @Test
  void quietQueues_share() {
    join("a", 1);
    join("b", 2);
    admit("c");

    assertThat(next()).isEqualTo(Map.of("a", 1, "b", 2, "c", 1));
    assertThat(backlog.isEmpty()).isTrue();
  }

  @Test
  void quietQueues_manyOfThem_shareInTurns() {
    for (int i = 0; i < 40; i++) {
      join("q" + i, 1);
    }

    assertThat(next()).hasSize(Backlog.MAX_SHARING);
    assertThat(next()).hasSize(Backlog.MAX_SHARING);
    assertThat(next()).hasSize(40 - 2 * Backlog.MAX_SHARING);
    assertThat(backlog.isEmpty()).isTrue();
  }

  @Test
  void busyQueue_hasATransactionOfItsOwn_andTakesTurns() {
    join("a", 1);
    join("hot", 3_000);
    join("b", 1);

    assertThat(next()).isEqualTo(Map.of("a", 1, "b", 1));
    assertThat(next()).isEqualTo(Map.of("hot", Backlog.MAX_BATCH));
    join("a", 1);
    assertThat(next()).isEqualTo(Map.of("hot", Backlog.MAX_BATCH));
    assertThat(next()).isEqualTo(Map.of("a", 1));
    assertThat(next()).isEqualTo(Map.of("hot", 3_000 - 2 * Backlog.MAX_BATCH));
  }

  @Test
  void twoBusyQueues_takeTurns() {
    join("hot", 3_000);
    join("warm", 3_000);

    assertThat(next()).containsOnlyKeys("hot");
    assertThat(next()).containsOnlyKeys("warm");
    assertThat(next()).containsOnlyKeys("hot");
  }

  @Test
  void admissions_oneAtATime_othersKeepTheirPlace() {
    admit("a");
    admit("a");
    join("a", 1);

    assertThat(next()).isEqualTo(Map.of("a", 2));
    assertThat(next()).isEqualTo(Map.of("a", 1));
  }

  @Test
  void more_comesForLockedQueues_butNoneThatIsBusyByNow() {
    admit("a");
    join("b", 1);
    List<Pending<?>> batch = backlog.next();
    join("a", 2);
    admit("a");
    join("b", Backlog.BUSY);
    join("c", 1);

    List<Pending<?>> more = backlog.more(Set.of(queue("a"), queue("b")), batch);

    assertThat(counted(more)).isEqualTo(Map.of("a", 2));
    assertThat(next()).isEqualTo(Map.of("b", Backlog.BUSY));
    assertThat(next()).isEqualTo(Map.of("c", 1, "a", 1));
  }

  @Test
  void more_forTheOneQueueThatIsLocked_isTakenHoweverBusy() {
    join("hot", 100);
    List<Pending<?>> batch = backlog.next();
    join("hot", 2_000);

    assertThat(counted(backlog.more(Set.of(queue("hot")), batch)))
        .isEqualTo(Map.of("hot", Backlog.MAX_BATCH - 100));
  }

  @Test
  void putBack_eachGoesAlone_untilItWorks() {
    join("a", 2);
    join("b", 1);
    List<Pending<?>> batch = backlog.next();
    join("c", 1);

    backlog.putBack(batch);

    List<Pending<?>> again = backlog.next();
    assertThat(counted(again)).isEqualTo(Map.of("a", 2));
    assertThat(again).isEqualTo(batch.subList(0, 2));
    assertThat(next()).isEqualTo(Map.of("b", 1));
    assertThat(next()).isEqualTo(Map.of("c", 1));
    backlog.acquit(Set.of(queue("a")));
    join("a", 1);
    join("b", 1);
    join("c", 1);
    assertThat(next()).isEqualTo(Map.of("a", 1, "c", 1));
    assertThat(next()).isEqualTo(Map.of("b", 1));
  }

  @Test
  void putBack_whoHasBeenAnswered_isNotTriedAgain() {
    join("a", 1);
    join("b", 1);
    List<Pending<?>> batch = backlog.next();
    batch.getFirst().fail(new IllegalStateException("late"));

    backlog.putBack(batch);

    assertThat(next()).isEqualTo(Map.of("b", 1));
    assertThat(backlog.isEmpty()).isTrue();
  }

  @Test
  void late_takesOutWhoeverWaitsLongest_inEveryQueue() {
    join("a", 2);
    join("b", 2);
    join("a", 1);

    assertThat(backlog.late(3).stream().map(Pending::since).collect(Collectors.toSet()))
        .isEqualTo(Set.of(0L, 1L, 2L));
    assertThat(next()).isEqualTo(Map.of("a", 1, "b", 1));
  }

  @Test
  void full_oneQueueLeavesRoomForOthers() {
    int count = 0;
    while (backlog.add(pending("hot"))) {
      count++;
    }

    assertThat(count).isBetween(10_000, 65_535);
    assertThat(backlog.add(pending("a"))).isTrue();
  }

  private static Pending<?> pending(String queue) {
    return Pending.of(new Request.Join(queue(queue), "somebody"));
  }
}
