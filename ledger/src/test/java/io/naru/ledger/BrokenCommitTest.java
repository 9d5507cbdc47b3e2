package io.naru.ledger;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.batch.BatchObserver;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A commit in which something breaks that is not the database: it happens as a whole or not. */
class BrokenCommitTest {

  private static final QueueId QUEUE = new QueueId("BROKEN", "1");

  private enum Breaks {
    BEFORE,
    AFTER
  }

  /** What becomes of the next commit, if it does not work. */
  private final AtomicReference<@Nullable Breaks> next = new AtomicReference<>();

  private Ledger ledger;

  Ledger.Config database() {
    return LedgerFixture.sqlite();
  }

  @BeforeEach
  void start() throws Exception {
    Ledger.Config config = database();
    Dialect real = Dialect.of(config.url(), InstantSource.system());
    ledger =
        Ledger.open(
            config,
            around(
                Dialect.class,
                real,
                (method, _, answer) ->
                    method.getName().equals("connect") ? breaking((Connection) answer) : answer));
    ledger.start(new MemoryCopy(), BatchObserver.NONE);
    ledger.serve();
    get(queues().edit(QUEUE, Edit.activate(Map.of("maxCapacity", 1))));
  }

  @AfterEach
  void stop() {
    ledger.close();
  }

  private Queues queues() {
    return ledger.queues();
  }

  private interface Afterwards {
    Object of(Method method, List<Object> args, Object answer);
  }

  private <T> T around(Class<T> type, T real, Afterwards afterwards) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              if (method.getName().equals("equals")) {
                return self == args[0];
              }
              boolean isCommit = isCommit(real, method);
              if (isCommit && next.compareAndSet(Breaks.BEFORE, null)) {
                throw new IllegalStateException("broken before it");
              }
              try {
                Object answer = method.invoke(real, args);
                if (isCommit && next.compareAndSet(Breaks.AFTER, null)) {
                  throw new IllegalStateException("broken after it");
                }
                return afterwards.of(
                    method, args == null ? List.of() : Arrays.asList(args), answer);
              } catch (InvocationTargetException e) {
                throw requireNonNull(e.getCause());
              }
            }));
  }

  /** By itself, or together with what was held for it. */
  private static boolean isCommit(Object real, Method method) {
    return real instanceof PreparedStatement
        ? method.getName().equals("execute")
        : method.getName().equals("commit");
  }

  private Connection breaking(Connection real) {
    return around(
        Connection.class,
        real,
        (method, args, answer) ->
            method.getName().equals("prepareStatement")
                    && String.valueOf(args.getFirst()).endsWith("COMMIT")
                ? around(PreparedStatement.class, (PreparedStatement) answer, (_, _, same) -> same)
                : answer);
  }

  private void assertWaiting(int count) throws Exception {
    assertThat(get(queues().find(QUEUE)).orElseThrow().figures().waiting()).isEqualTo(count);
  }

  @Test
  void commit_brokenBeforeIt_nothingOfItHappensLater() throws Exception {
    next.set(Breaks.BEFORE);

    assertThatThrownBy(() -> get(queues().join(QUEUE, "ann")))
        .hasMessageContaining("broken before it");

    assertThat(get(queues().join(QUEUE, "ben"))).isInstanceOf(Joined.Waiting.class);
    assertWaiting(1);
    assertThat(get(queues().join(QUEUE, "ann"))).isInstanceOf(Joined.Waiting.class);
    assertWaiting(2);
  }

  /** Of which some was sent before: who goes in. */
  @Test
  void commit_ofAnAdmissionBrokenBeforeIt_nothingOfItHappensLater() throws Exception {
    get(queues().join(QUEUE, "ann"));
    next.set(Breaks.BEFORE);

    assertThatThrownBy(() -> admitted()).hasMessageContaining("broken before it");

    get(queues().join(QUEUE, "ben"));
    assertWaiting(2);
    assertThat(admitted()).containsExactly("ann");
  }

  private List<String> admitted() throws Exception {
    var admitted = get(queues().admit(QUEUE, new Admission.ByHand(1, Actor.SYSTEM)));
    return ((Admitted.Done) admitted).entries().stream().map(entry -> entry.key().user()).toList();
  }

  @Test
  void commit_brokenAfterIt_isLookedUpAndTold() throws Exception {
    next.set(Breaks.AFTER);

    assertThat(get(queues().join(QUEUE, "ann"))).isInstanceOf(Joined.Waiting.class);

    assertThat(get(queues().join(QUEUE, "ben"))).isInstanceOf(Joined.Waiting.class);
    assertWaiting(2);
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }
}
