package io.naru.access;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.access.AccessKeys.Added;
import io.naru.access.AccessKeys.Kept;
import io.naru.audit.Act;
import io.naru.audit.Act.Kind;
import io.naru.audit.AuditRow;
import io.naru.audit.AuditTrail;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.EndReason;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every store must do for operators: keep their keys, and what they did. */
public abstract class OperatorsContract {

  private static final Actor BY = new Actor("admin", "admin", "203.0.113.9");

  private static final QueueId QUEUE = new QueueId("AUDITED", "1");

  protected abstract AccessKeys keys();

  protected abstract AuditTrail trail();

  /** What changes there is kept in the trail. */
  protected abstract Queues queues();

  /** Makes the store as if nothing had ever been kept. */
  protected abstract void empty() throws Exception;

  private static Kept kept(String id, String name) {
    var reach = Reach.of(List.of("SALE/1", "CONCERT/*"));
    var key = new AccessKey(id, name, Role.OPERATOR, reach, 5, "admin", 99, 0, 0);
    return new Kept(key, "ab".repeat(31) + id.repeat(2).substring(0, 2));
  }

  @Test
  void add_isKeptAsItIs() throws Exception {
    empty();
    var desk = kept("01", "창구-2 @home");
    var all =
        new Kept(
            new AccessKey("02", "all", Role.VIEWER, Reach.ALL, 6, "x", 0, 0, 0), "cd".repeat(32));

    assertThat(keys().add(desk, BY)).isEqualTo(Added.DONE);
    assertThat(keys().add(all, BY)).isEqualTo(Added.DONE);

    assertThat(keys().kept()).containsExactlyInAnyOrder(desk, all);
    assertThat(keys().list(null, 10)).containsExactly(desk.key(), all.key());
  }

  @Test
  void add_nameOfAnother_isTakenUntilThatIsRevoked() throws Exception {
    empty();
    keys().add(kept("01", "desk"), BY);

    assertThat(keys().add(kept("02", "desk"), BY)).isEqualTo(Added.NAME_TAKEN);
    keys().revoke("01", 7, BY);
    assertThat(keys().add(kept("03", "desk"), BY)).isEqualTo(Added.DONE);

    assertThat(keys().kept()).containsExactly(kept("03", "desk"));
  }

  @Test
  void add_sameNameAtOnce_oneIsFirst() throws Exception {
    empty();
    int servers = 4;
    var together = new CyclicBarrier(servers);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Added>> tries =
          IntStream.range(0, servers)
              .<Callable<Added>>mapToObj(
                  i ->
                      () -> {
                        together.await();
                        return keys().add(kept("0" + i, "desk"), BY);
                      })
              .toList();
      int made = 0;
      for (Future<Added> each : threads.invokeAll(tries)) {
        made += each.get() == Added.DONE ? 1 : 0;
      }
      assertThat(made).isEqualTo(1);
    }
    assertThat(keys().kept()).hasSize(1);
  }

  @Test
  void revoke_isForGood() throws Exception {
    empty();
    Kept desk = kept("01", "desk");
    keys().add(desk, BY);

    assertThat(keys().revoke("01", 7, BY)).contains(desk.key().revoked(7));
    assertThat(keys().revoke("01", 8, BY)).contains(desk.key().revoked(7));
    assertThat(keys().revoke("none", 8, BY)).isEmpty();

    assertThat(keys().kept()).isEmpty();
    assertThat(keys().list(null, 10)).containsExactly(desk.key().revoked(7));
  }

  @Test
  void list_inPages_namesEachOnce() throws Exception {
    empty();
    for (int i = 1; i <= 5; i++) {
      keys().add(kept("0" + i, "desk-" + i), BY);
    }

    assertThat(keys().list(null, 2)).map(AccessKey::id).containsExactly("01", "02");
    assertThat(keys().list("02", 2)).map(AccessKey::id).containsExactly("03", "04");
    assertThat(keys().list("04", 2)).map(AccessKey::id).containsExactly("05");
    assertThat(keys().list("05", 2)).isEmpty();
  }

  @Test
  void used_isNotedForTheKeyMeant() throws Exception {
    empty();
    keys().add(kept("01", "desk-1"), BY);
    keys().add(kept("02", "desk-2"), BY);

    keys().used(Map.of("02", 60L, "none", 61L));
    keys().used(Map.of());

    assertThat(keys().list(null, 9)).map(AccessKey::lastUsedAt).containsExactly(0L, 60L);
  }

  // --- what they did

  private static final Actor DESK = new Actor("desk-2", "operator", "2001:db8::1");

  private Edited edit(Edit edit) throws Exception {
    return get(queues().edit(QUEUE, edit.by(DESK)));
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }

  /** The latest first. */
  private List<Act> acts() {
    return trail().list(null, Long.MAX_VALUE, 1_000).stream().map(AuditRow::act).toList();
  }

  protected static Act refusal() {
    return new Act(DESK, Kind.REFUSED, QUEUE, Map.of(), Map.of("code", "role-needed"));
  }

  @Test
  void edit_isKeptWithWhatIsDifferent() throws Exception {
    empty();
    edit(Edit.activate(Map.of("maxCapacity", 30, "title", "Sale")));
    edit(Edit.put(Map.of("maxCapacity", 50, "title", "Sale"), OptionalLong.empty()));

    assertThat(acts())
        .containsExactly(
            new Act(DESK, Kind.EDIT, QUEUE, Map.of("maxCapacity", 30), Map.of("maxCapacity", 50)),
            new Act(
                DESK,
                Kind.CREATE,
                QUEUE,
                Map.of(),
                Map.of(
                    "maxCapacity",
                    30,
                    "title",
                    "Sale",
                    "entryOpen",
                    true,
                    "admissionPaused",
                    false)));
    assertThat(trail().list(null, Long.MAX_VALUE, 9))
        .allSatisfy(row -> assertThat(row.at()).isPositive())
        .map(AuditRow::id)
        .isSortedAccordingTo(Comparator.reverseOrder());
  }

  @Test
  void edit_ofNothing_isNoAct() throws Exception {
    empty();
    assertThat(edit(Edit.put(Map.of(), OptionalLong.of(1)))).isInstanceOf(Edited.NoQueue.class);
    edit(Edit.activate(Map.of()));
    List<Act> before = acts();

    edit(Edit.activate(Map.of()));
    edit(Edit.put(Map.of("maxCapacity", 1_000), OptionalLong.empty()));
    CompletionStage<Edited> wrong =
        queues().edit(QUEUE, Edit.put(Map.of("maxCapacity", 0), OptionalLong.empty()).by(DESK));
    assertThat(wrong.toCompletableFuture()).failsWithin(Duration.ofSeconds(10));

    assertThat(acts()).isEqualTo(before).hasSize(1);
  }

  /** Two operators had the same page open: the second hears of the first. */
  @Test
  void edit_meanwhileByAnother_changesNothingAndIsNoAct() throws Exception {
    empty();
    edit(Edit.activate(Map.of("maxCapacity", 30)));
    edit(Edit.put(Map.of("maxCapacity", 50), OptionalLong.of(1)));

    assertThat(edit(Edit.put(Map.of("maxCapacity", 10), OptionalLong.of(1))))
        .isEqualTo(new Edited.Conflict(2));

    assertThat(get(queues().find(QUEUE)).orElseThrow().queue().settings().pace().maxCapacity())
        .isEqualTo(50);
    assertThat(acts()).hasSize(2);
  }

  @Test
  void acts_onAQueue_areEachKept() throws Exception {
    empty();
    edit(Edit.activate(Map.of()));
    edit(Edit.of(Edit.Act.PAUSE, "One \"moment\", 잠시만요"));
    edit(Edit.of(Edit.Act.RESUME, ""));
    edit(Edit.of(Edit.Act.CLOSE, ""));
    edit(Edit.of(Edit.Act.OPEN, ""));
    edit(Edit.deactivate());
    edit(Edit.activate(Map.of()));
    edit(Edit.of(Edit.Act.END, ""));

    assertThat(acts().reversed())
        .map(Act::kind)
        .containsExactly(
            Kind.CREATE,
            Kind.PAUSE,
            Kind.RESUME,
            Kind.CLOSE,
            Kind.OPEN,
            Kind.DEACTIVATE,
            Kind.ACTIVATE,
            Kind.END);
    Act pause = acts().reversed().get(1);
    assertThat(pause.before()).isEqualTo(Map.of("admissionPaused", false, "pausedReason", ""));
    assertThat(pause.after())
        .isEqualTo(Map.of("admissionPaused", true, "pausedReason", "One \"moment\", 잠시만요"));
    assertThat(acts().getFirst().after().get("endedAt")).asString().endsWith("Z");
  }

  @Test
  void process_isKeptIfSomebodyWentIn() throws Exception {
    empty();
    edit(Edit.activate(Map.of("maxCapacity", 5, "entryBatchSize", 1)));
    edit(Edit.put(Map.of("entryIntervalSeconds", 3_600), OptionalLong.empty()));
    for (String user : List.of("ann", "ben", "cid")) {
      get(queues().join(QUEUE, user));
    }

    get(queues().admit(QUEUE, new Admission.ByHand(2, DESK)));
    get(queues().admit(QUEUE, new Admission.Paced()));
    get(queues().admit(QUEUE, new Admission.ByHand(2, DESK)));

    assertThat(acts())
        .filteredOn(act -> act.kind() == Kind.PROCESS)
        .containsExactly(new Act(DESK, Kind.PROCESS, QUEUE, Map.of(), Map.of("admitted", 2)));
    assertThat(acts().toString()).doesNotContain("ann");
  }

  @Test
  void removeAndErase_areKeptWithoutTheName() throws Exception {
    empty();
    edit(Edit.activate(Map.of()));
    edit(Edit.of(Edit.Act.PAUSE, ""));
    get(queues().join(QUEUE, "ann-the-visitor"));
    get(queues().join(QUEUE, "ben-the-visitor"));

    get(queues().remove(QUEUE, "ann-the-visitor", EndReason.REMOVED, DESK));
    get(queues().remove(QUEUE, "ann-the-visitor", EndReason.REMOVED, DESK));
    get(queues().erase(QUEUE, "ben-the-visitor", "erased-1", DESK));

    assertThat(acts())
        .map(Act::kind)
        .containsExactly(Kind.ERASE, Kind.REMOVE, Kind.PAUSE, Kind.CREATE);
    assertThat(acts().get(0).after()).isEqualTo(Map.of("name", "erased-1"));
    assertThat(acts().get(1).before().get("status")).isEqualTo("WAITING");
    assertThat(acts().get(1).after()).isEqualTo(Map.of("status", "LEFT", "reason", "removed"));
    assertThat(acts().toString()).doesNotContain("visitor");
  }

  @Test
  void delete_isKept_andAllThatWasBefore() throws Exception {
    empty();
    edit(Edit.activate(Map.of("maxCapacity", 1, "entryIntervalSeconds", 3_600)));
    edit(Edit.of(Edit.Act.PAUSE, ""));
    get(queues().join(QUEUE, "ann"));

    assertThat(get(queues().delete(QUEUE, DESK))).isTrue();
    assertThat(get(queues().delete(QUEUE, DESK))).isFalse();

    assertThat(trail().list(QUEUE, Long.MAX_VALUE, 9))
        .map(AuditRow::act)
        .map(Act::kind)
        .containsExactly(Kind.DELETE, Kind.PAUSE, Kind.CREATE);
    assertThat(acts().getFirst().before()).isEqualTo(Map.of("waiting", 1, "inside", 0));
  }

  @Test
  void list_isOfOneQueueAndInPages() throws Exception {
    empty();
    var other = new QueueId("AUDITED", "10");
    trail().note(refusal());
    trail().note(new Act(DESK, Kind.CHECK, other, Map.of(), Map.of()));
    trail().note(new Act(DESK, Kind.ROTATE_KEY, null, Map.of("kid", "a"), Map.of("kid", "b")));
    trail().note(refusal());
    List<AuditRow> all = trail().list(null, Long.MAX_VALUE, 9);

    assertThat(all).hasSize(4);
    assertThat(trail().list(null, Long.MAX_VALUE, 2)).isEqualTo(all.subList(0, 2));
    assertThat(trail().list(null, all.get(1).id(), 2)).isEqualTo(all.subList(2, 4));
    assertThat(trail().list(QUEUE, Long.MAX_VALUE, 9)).containsExactly(all.get(0), all.get(3));
    assertThat(trail().list(QUEUE, all.get(0).id(), 9)).containsExactly(all.get(3));
    assertThat(trail().list(other, Long.MAX_VALUE, 9)).containsExactly(all.get(2));
    assertThat(all.get(1).act().queue()).isNull();
  }

  @Test
  void keys_madeAndRevoked_areActs() throws Exception {
    empty();
    Kept desk = kept("01", "desk");

    keys().add(desk, BY);
    keys().add(kept("02", "desk"), BY);
    keys().revoke("01", 7, BY);
    keys().revoke("01", 8, BY);
    keys().revoke("none", 8, BY);

    assertThat(acts()).containsExactly(desk.key().revokedBy(BY), desk.key().added(BY));
    assertThat(acts().toString()).doesNotContain(desk.digest());
  }
}
