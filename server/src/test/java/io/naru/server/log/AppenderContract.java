package io.naru.server.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.fair.Checkpoint;
import io.naru.fair.Frontier;
import io.naru.fair.Leaves;
import io.naru.fair.LogRecord;
import io.naru.fair.Merkle;
import io.naru.fair.Note;
import io.naru.fair.Records;
import io.naru.fair.Tiles;
import io.naru.journal.Behind;
import io.naru.journal.HashTile;
import io.naru.journal.Journaled;
import io.naru.journal.Log;
import io.naru.journal.LogStore;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Edit;
import io.naru.queue.EntryKey;
import io.naru.queue.Joined;
import io.naru.queue.Json;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Queues;
import io.naru.queue.Secret;
import io.naru.server.entry.Salts;
import io.naru.support.Seeded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The log of a queue is the tree of its journal, record by record, whoever appends it, however many
 * at once, and wherever they are killed.
 */
abstract class AppenderContract {

  private static final long SECOND = Micros.PER_SECOND;
  private static final Secret SECRET = new Secret(new byte[32]);

  private final QueueId queue = new QueueId("LOG", UUID.randomUUID().toString());
  private final Salts salts = new Salts(SECRET);
  private final LogKey key = new LogKey(SECRET, () -> "https://wait.example.com");
  private final List<String> expected = new ArrayList<>();
  private long captured;
  private WatchedStore store;
  private int users;

  abstract Queues queues();

  abstract LogStore logs();

  @BeforeEach
  void open() throws Exception {
    store = new WatchedStore(logs(), queue);
    get(
        queues()
            .edit(
                queue,
                Edit.activate(
                    Map.of(
                        "log",
                        true,
                        "maxCapacity",
                        1_000_000,
                        "entryIntervalSeconds",
                        3_600,
                        "newPlacesPerMinute",
                        0,
                        "adaptive",
                        Map.of("errorPercent", 0.01)))));
  }

  private Appender server(String name) {
    return new Appender(store, salts, key, name);
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(20, SECONDS);
  }

  private static <T> T now(CompletionStage<T> stage) {
    try {
      return get(stage);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private EntryKey join() {
    Joined joined = now(queues().join(queue, "user" + users++));
    return ((Joined.Waiting) joined).place().entry().key();
  }

  private void joinMany(int count) {
    List<CompletionStage<Joined>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(queues().join(queue, "user" + users++));
    }
    all.forEach(AppenderContract::now);
  }

  private void admit(int count) {
    now(queues().admit(queue, new Admission.ByHand(count, Actor.SYSTEM)));
  }

  /** Something happens. */
  private void act(Random random) {
    switch (random.nextInt(6)) {
      case 0 -> joinMany(random.nextInt(300));
      case 1 -> admit(1 + random.nextInt(50));
      case 2 -> now(queues().leave(join()));
      case 3 -> now(queues().handOff(join(), "user" + users++));
      default -> join();
    }
  }

  private Behind behind() {
    return logs().behind(10_000).stream()
        .filter(b -> b.log().queue().equals(queue))
        .findFirst()
        .orElseThrow();
  }

  private boolean isBehind() {
    return logs().behind(10_000).stream().anyMatch(b -> b.log().queue().equals(queue));
  }

  /** Writes down what must be in the log, as long as it is in the journal. */
  private void capture() {
    if (isBehind()) {
      for (Journaled change : logs().journal(behind().log(), captured, 1_000_000)) {
        change.lines().forEach(line -> expected.add(published(change, line)));
        captured = change.change();
      }
    }
  }

  /** By the letter: as the journal has it, with change and time, and a leaf for a name. */
  private String published(Journaled change, String line) {
    List<@Nullable Object> fields = new ArrayList<>(Json.readList(line));
    String kind = (String) fields.getFirst();
    if (kind.equals("join")) {
      fields.set(2, leaf(((Number) fields.get(1)).longValue(), (String) fields.get(2)));
    } else if (kind.equals("handoff")) {
      fields.set(3, leaf(((Number) fields.get(2)).longValue(), (String) fields.get(3)));
    }
    fields.add(1, change.change());
    fields.add(2, change.at());
    var text = new StringBuilder();
    Json.write(text, fields);
    return text.toString();
  }

  private String leaf(long joined, String user) {
    return Leaves.text(Leaves.leaf(queue, joined, user, salts.of(queue, user)));
  }

  private Log log() {
    return now(logs().log(queue)).orElseThrow();
  }

  /** Until nothing is left to append. */
  private void finish() {
    for (int i = 0; i < 100 && isBehind(); i++) {
      store.advance(2 * SECOND);
      server("last").beat();
    }
    assertThat(isBehind()).isFalse();
  }

  private void assertLogIsTheJournal() {
    Log log = log();
    List<String> records = new ArrayList<>();
    for (long n = 0; n << Tiles.HEIGHT < log.size(); n++) {
      records.addAll(BundleText.texts(now(logs().bundle(log, n)).orElseThrow()));
    }
    for (int i = 0; i < Math.min(records.size(), expected.size()); i++) {
      assertThat(records.get(i)).as("record %d", i).isEqualTo(expected.get(i));
    }
    assertThat(records).hasSameSizeAs(expected);
    assertThat(log.size()).isEqualTo(expected.size());
    var tree = new Frontier();
    Map<String, Integer> widths = new HashMap<>();
    Map<String, HashTile> tiles = new HashMap<>();
    for (String record : records) {
      Tiles.append(
          tree,
          Merkle.leafHash(record.getBytes(UTF_8)),
          (level, number, at, hash) -> {
            String name = level + "/" + number;
            widths.put(name, at + 1);
            HashTile tile =
                tiles.computeIfAbsent(
                    name, _ -> now(logs().tile(log, level, number)).orElseThrow());
            assertThat(tile.hashes())
                .as("tile %d/%d at %d", level, number, at)
                .hasSizeGreaterThan(at * HashTile.HASH);
            assertThat(
                    Arrays.copyOfRange(tile.hashes(), at * HashTile.HASH, (at + 1) * HashTile.HASH))
                .isEqualTo(hash);
          });
      assertThat(Records.read(record)).isInstanceOf(LogRecord.class);
    }
    assertThat(tiles).hasSameSizeAs(widths);
    tiles.forEach((name, tile) -> assertThat(widths).containsEntry(name, tile.width()));
    Checkpoint signed = Checkpoint.open(log.checkpoint(), key.signer(log.origin()).verifier());
    assertThat(signed.size()).isEqualTo(records.size());
    assertThat(signed.root()).isEqualTo(tree.root());
    assertThat(log.origin()).startsWith("wait.example.com/queue/" + queue + "#");
  }

  @Test
  void beat_randomHistory_logIsTheTreeOfTheJournal() {
    Seeded.histories(
        1,
        random -> {
          Appender server = server("one");
          for (int i = 0; i < 40; i++) {
            act(random);
            capture();
            store.advance(random.nextLong(SECOND));
            server.beat();
          }
          finish();
          assertLogIsTheJournal();
        });
  }

  @Test
  void beat_manyMoreThanAStep_allInBoundedSteps() {
    for (int i = 0; i < 12; i++) {
      joinMany(1_000);
    }
    capture();
    store.advance(SECOND);

    server("one").beat();

    finish();
    assertThat(store.appended.get()).as("steps").isGreaterThan(1);
    assertThat(expected).hasSizeGreaterThan(12_000);
    assertLogIsTheJournal();
  }

  /** What is at the end of the journal is signed, though it looks as if there were more. */
  @Test
  void beat_exactlyAsManyChangesAsAStepTakes_areSigned() {
    while (behind().head() < Appender.FIRST_CHANGES) {
      join();
    }
    capture();
    store.advance(SECOND);

    server("one").beat();

    assertThat(isBehind()).isFalse();
    assertLogIsTheJournal();
  }

  /** The race it hunts: records twice, missing, or in another order than in the journal. */
  @Test
  void beat_twoAtOnce_nothingDoubledOrMissing() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> servers = new ArrayList<>();
      // What they append is compared with their own store, since the journal is trimmed behind it.
      var kept = new KeptJournal(logs(), queue);
      for (String name : List.of("one", "two")) {
        servers.add(
            threads.submit(
                () -> {
                  var appender = new Appender(kept.watched(store), salts, key, name);
                  for (int i = 0; i < 100; i++) {
                    store.advance(SECOND / 10);
                    appender.beat();
                  }
                }));
      }
      var random = new Random(7);
      for (int i = 0; i < 60; i++) {
        act(random);
      }
      for (Future<?> each : servers) {
        each.get(20, SECONDS);
      }
      new Appender(kept.watched(store), salts, key, "three").beat();
      finish(kept);
      kept.changes().forEach(c -> c.lines().forEach(line -> expected.add(published(c, line))));
    }
    assertLogIsTheJournal();
  }

  private void finish(KeptJournal kept) {
    for (int i = 0; i < 100 && isBehind(); i++) {
      store.advance(2 * SECOND);
      new Appender(kept.watched(store), salts, key, "last").beat();
    }
    assertThat(isBehind()).isFalse();
  }

  /** Each time another server goes on. */
  @Test
  void beat_killedBetweenAnyTwoSteps_nothingDoubledOrMissing() {
    Seeded.histories(
        1,
        random -> {
          for (int i = 0; i < 60; i++) {
            act(random);
            capture();
            store.advance(random.nextLong(2 * SECOND));
            store.failIn(random.nextInt(8), random.nextBoolean());
            // It bears any failure of its store; the next one knows nothing of it.
            server("server" + i).beat();
            store.failIn(Integer.MAX_VALUE, false);
          }
          finish();
          assertLogIsTheJournal();
        });
  }

  /** The same server goes on with what it had in mind. */
  @Test
  void beat_failingNowAndThen_nothingDoubledOrMissing() {
    Seeded.histories(
        1,
        random -> {
          Appender server = server("one");
          for (int i = 0; i < 60; i++) {
            act(random);
            capture();
            store.advance(random.nextLong(2 * SECOND));
            store.failIn(random.nextInt(12), random.nextBoolean());
            server.beat();
            store.failIn(Integer.MAX_VALUE, false);
          }
          finish();
          assertLogIsTheJournal();
        });
  }

  @Test
  void checkpoints_anyTwo_areConsistentAndASecondApart() {
    Appender one = server("one");
    Appender two = server("two");
    var random = new Random(3);
    for (int i = 0; i < 40; i++) {
      act(random);
      capture();
      store.advance(random.nextLong(SECOND));
      (random.nextInt(4) == 0 ? two : one).beat();
    }
    finish();
    Log log = log();
    Note.Verifier verifier = key.signer(log.origin()).verifier();
    List<Checkpoint> all =
        store.checkpoints.stream().map(text -> Checkpoint.open(text, verifier)).toList();
    assertThat(all).hasSizeGreaterThan(5);
    for (int i = 1; i < store.signed.size(); i++) {
      assertThat(store.signed.get(i) - store.signed.get(i - 1)).isGreaterThanOrEqualTo(SECOND);
    }
    for (Checkpoint before : all) {
      for (Checkpoint after : all) {
        if (before.size() <= after.size()) {
          var proof =
              Merkle.consistency(
                  before.size(),
                  after.size(),
                  Tiles.nodes(after.size(), new StoredTiles(logs(), log)));
          assertThat(
                  Merkle.isConsistent(
                      before.size(), after.size(), before.root(), after.root(), proof))
              .isTrue();
        }
      }
    }
  }

  @Test
  void beat_queueInWhichNothingHappens_asksOnceAndAppendsNothing() {
    capture();
    store.advance(SECOND);
    server("one").beat();
    int appended = store.appended.get();

    assertThat(server("one").beat()).isEqualTo(Duration.ofSeconds(1));

    assertThat(store.appended).hasValue(appended);
    assertThat(isBehind()).isFalse();
    assertLogIsTheJournal();
  }

  @Test
  void beat_storeAway_saysHowFarBehindItIsAndGoesOn() {
    Appender server = server("one");
    join();
    store.advance(60 * SECOND);
    store.failIn(1, false);
    server.beat();

    assertThat(server.lagChanges()).isEqualTo(2);
    assertThat(server.lagSeconds()).isGreaterThanOrEqualTo(60);
    assertThat(server.troubles())
        .anySatisfy(trouble -> assertThat(trouble).contains(queue.toString()));

    store.failIn(Integer.MAX_VALUE, false);
    capture();
    server.beat();
    server.beat();
    assertThat(server.troubles()).noneSatisfy(t -> assertThat(t).contains(queue.toString()));
    assertLogIsTheJournal();
  }

  @Test
  void watchedStore_thatIsToldToFail_does() {
    store.failIn(0, false);

    assertThatThrownBy(() -> store.behind(1)).isInstanceOf(QueueUnavailable.class);
  }
}
