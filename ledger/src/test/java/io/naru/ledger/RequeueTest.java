package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.ledger.copies.Rebuilding;
import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.LineCopy;
import io.naru.line.Original;
import io.naru.line.Standing;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edit;
import io.naru.queue.Entry;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.QueueId;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the contract cannot ask of every store: rows, copies that fail, and a second server. */
@Tag("process")
class RequeueTest {

  private static final QueueId QUEUE = new QueueId("AGAIN", "1");
  private static final Admission BEAT = new Admission.Paced();
  private static final Duration TURN = Duration.ofSeconds(60);

  private static Ledger.Config sqlite(Path directory) {
    return new Ledger.Config("jdbc:sqlite:" + directory.resolve("ledger.db"), null, null, false);
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }

  /** One batch goes in, and then nobody but by hand. */
  private static void open(LedgerFixture server, int batch) throws Exception {
    var settings =
        Map.<String, Object>of(
            "entryBatchSize",
            batch,
            "entryIntervalSeconds",
            3_600,
            "passTtlSeconds",
            (int) TURN.toSeconds(),
            "onExpiry",
            "REQUEUE");
    get(server.ledger().queues().edit(QUEUE, Edit.activate(settings)));
  }

  private static EntryKey join(LedgerFixture server, String user) throws Exception {
    return ((Joined.Waiting) get(server.ledger().queues().join(QUEUE, user))).place().entry().key();
  }

  private static Admitted.Done admit(LedgerFixture server, Admission admission) throws Exception {
    return (Admitted.Done) get(server.ledger().queues().admit(QUEUE, admission));
  }

  private record Row(
      long joined, String status, long entered, long until, long ended, long change) {}

  private static List<Row> rowsOf(LedgerFixture server, String user) throws SQLException {
    String sql =
        "SELECT joined_at, status, entered_at, expires_at, ended_at, change_no FROM queue_entries"
            + " WHERE user_id = ? ORDER BY score";
    try (var connection = server.connect();
        var select = connection.prepareStatement(sql)) {
      select.setString(1, user);
      List<Row> rows = new ArrayList<>();
      var result = select.executeQuery();
      while (result.next()) {
        rows.add(
            new Row(
                result.getLong(1),
                result.getString(2),
                result.getLong(3),
                result.getLong(4),
                result.getLong(5),
                result.getLong(6)));
      }
      return rows;
    }
  }

  @Test
  void requeue_bothEntries_haveTheirTimesInTheLedger(@TempDir Path directory) throws Exception {
    for (var config : List.of(sqlite(directory), LedgerFixture.postgres())) {
      try (var server = new LedgerFixture(config, new MemoryCopy())) {
        open(server, 1);
        EntryKey first = join(server, "ann");
        Entry inside = admit(server, BEAT).entries().getFirst();
        server.advance(TURN);
        long change = admit(server, BEAT).figures().change();
        Entry again = admit(server, new Admission.ByHand(1, Actor.SYSTEM)).entries().getFirst();

        List<Row> rows = rowsOf(server, "ann");

        assertThat(rows).hasSize(2);
        long ended = rows.getFirst().ended;
        assertThat(rows.getFirst())
            .isEqualTo(
                new Row(
                    first.joined(), "EXPIRED", inside.entered(), inside.until(), ended, change));
        assertThat(ended).isGreaterThanOrEqualTo(inside.until());
        assertThat(rows.getLast())
            .isEqualTo(new Row(ended, "ENTERED", again.entered(), again.until(), 0, change + 1));
        assertThat(again.key().joined()).isEqualTo(ended);
      }
    }
  }

  /** A copy that can be kept from hearing of changes, as if its server had died before telling. */
  private static final class Deaf {
    private final MemoryCopy real = new MemoryCopy();
    private volatile boolean isDeaf;

    LineCopy copy() {
      return (LineCopy)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {LineCopy.class},
              (_, method, args) -> {
                if (method.getName().equals("isOwn")) {
                  return false; // one's own memory is never out of reach
                }
                if (isDeaf) {
                  return CompletableFuture.failedStage(new IOException("not reached"));
                }
                try {
                  return method.invoke(real, args);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }
  }

  /** Everybody, as a copy shows them. */
  private static List<Standing> shown(LineCopy copy, Original of, int people) {
    return IntStream.range(0, people)
        .mapToObj(i -> copy.locate(of, "user" + i).toCompletableFuture().join())
        .toList();
  }

  @Test
  void requeue_copyHeardNothing_catchesUpAndEqualsOneBuiltAnew(@TempDir Path directory)
      throws Exception {
    int people = 12;
    var deaf = new Deaf();
    try (var server = new LedgerFixture(sqlite(directory), deaf.copy())) {
      open(server, 4);
      for (int i = 0; i < people; i++) {
        join(server, "user" + i);
      }
      // For this copy the first four still wait when they stand at the end already.
      deaf.isDeaf = true;
      assertThat(admit(server, BEAT).entries()).hasSize(4);
      server.advance(TURN);
      assertThat(admit(server, BEAT).expired()).isEqualTo(4);
      assertThat(admit(server, new Admission.ByHand(9, Actor.SYSTEM)).entries()).hasSize(9);
      server.advance(TURN);
      long change = admit(server, new Admission.ByHand(1, Actor.SYSTEM)).figures().change();
      deaf.isDeaf = false;

      var queues = (LedgerQueues) server.ledger().queues();
      Original of = queues.reader().existing(List.of(QUEUE)).iterator().next();
      await()
          .untilAsserted(
              () -> assertThat(get(deaf.real.state(of))).isEqualTo(new CopyState.At(change)));
      var anew = new MemoryCopy();
      Rebuilding.run(queues.reader(), of, anew.rebuild(of), 1_000);

      assertThat(shown(deaf.real, of, people)).isEqualTo(shown(anew, of, people));
      assertThat(shown(anew, of, people))
          .as("everybody is in line or inside, once")
          .allSatisfy(standing -> assertThat(standing).isInstanceOf(Standing.Found.class));
    }
  }

  @Test
  void requeue_copyBehind_jumpEqualsTheChangesOneByOne(@TempDir Path directory) throws Exception {
    int people = 6;
    var followed = new MemoryCopy();
    try (var server = new LedgerFixture(sqlite(directory), followed)) {
      open(server, 2);
      for (int i = 0; i < people; i++) {
        join(server, "user" + i);
      }
      var reader = ((LedgerQueues) server.ledger().queues()).reader();
      Original of = reader.existing(List.of(QUEUE)).iterator().next();
      List<MemoryCopy> behind = new ArrayList<>();
      for (int turn = 0; turn < 4; turn++) {
        var copy = new MemoryCopy();
        Rebuilding.run(reader, of, copy.rebuild(of), 1_000);
        behind.add(copy);
        admit(server, new Admission.ByHand(2, Actor.SYSTEM));
        server.advance(TURN);
      }
      long change = admit(server, BEAT).figures().change();

      for (MemoryCopy copy : behind) {
        long at = ((CopyState.At) get(copy.state(of))).change();
        Change jump = reader.since(of, at, 1_000).orElseThrow();
        assertThat(get(copy.apply(of, jump))).isEqualTo(new CopyState.At(change));
        assertThat(shown(copy, of, people)).isEqualTo(shown(followed, of, people));
      }
    }
  }

  /** Hunts for somebody whom two servers requeue, and for a copy that two servers confuse. */
  @Test
  void requeue_twoServersTick_happensOnceForEach() throws Exception {
    int people = 200;
    var copy = new MemoryCopy();
    Ledger.Config config = LedgerFixture.postgres();
    try (var one = new LedgerFixture(config, copy);
        var two = new LedgerFixture(config, copy)) {
      open(one, people);
      List<CompletionStage<Joined>> joins =
          IntStream.range(0, people)
              .mapToObj(i -> one.ledger().queues().join(QUEUE, "user" + i))
              .toList();
      for (var joined : joins) {
        get(joined);
      }
      assertThat(admit(one, BEAT).entries()).hasSize(people);
      one.advance(TURN);
      two.advance(TURN);

      List<CompletionStage<Admitted>> steps = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        for (var server : List.of(one, two)) {
          steps.add(server.ledger().queues().admit(QUEUE, BEAT));
        }
      }
      int expired = 0;
      for (var step : steps) {
        expired += ((Admitted.Done) get(step)).expired();
      }

      assertThat(expired).isEqualTo(people);
      var figures = get(two.ledger().queues().find(QUEUE)).orElseThrow().figures();
      assertThat(figures.joined()).isEqualTo(2L * people);
      assertThat(figures.waiting()).isEqualTo(people);
      assertThat(figures.inside()).isZero();
      for (var server : List.of(one, two)) {
        assertThat(aheadOfAll(server, people))
            .containsExactlyInAnyOrderElementsOf(
                Stream.iterate(0L, i -> i + 1).limit(people).toList());
      }
    }
  }

  private static List<Long> aheadOfAll(LedgerFixture server, int people) throws Exception {
    List<Long> all = new ArrayList<>();
    for (int i = 0; i < people; i++) {
      Standing standing = get(server.ledger().line().locate(QUEUE, "user" + i));
      all.add(((Standing.Found) standing).place().ahead());
    }
    return all;
  }
}
