package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.naru.batch.BatchObserver;
import io.naru.line.Moved;
import io.naru.line.Original;
import io.naru.memory.MemoryCopy;
import io.naru.queue.Drawing;
import io.naru.queue.Edit;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Units;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Lines that are counted once for all who ask. */
class TalliesTest {

  private static final QueueId QUEUE = new QueueId("TALLY", "1");

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(10, SECONDS);
  }

  /** What fails one who asks must not fail everybody after. */
  @Test
  void failsOnItsWay_isGivenUp() throws Exception {
    Ledger.Config config = LedgerFixture.sqlite();
    var failures = new Failures(Dialect.of(config.url(), InstantSource.system()));
    try (var server = new LedgerFixture(config, new MemoryCopy());
        var background = new Background(failures)) {
      Queues queues = server.ledger().queues();
      Reader reader = ((LedgerQueues) queues).reader();
      get(queues.edit(QUEUE, Edit.activate(Map.of())));
      join(queues, "ann");
      Original of = reader.existing(List.of(QUEUE)).iterator().next();
      var tallies = new Tallies(reader, background, BatchObserver.NONE, 3);
      var _ = tallies.prepared(of);
      await().until(() -> tallies.of(QUEUE) != null);
      Tally tally = Objects.requireNonNull(tallies.of(QUEUE));
      // From a band that is none it cannot be moved on.
      tally.advance(List.of(), withBand(99, tally.change()));

      join(queues, "ben");
      assertThatThrownBy(() -> reader.follow(tally, tallies))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(tallies.of(QUEUE)).isNull();
    }
  }

  private static LineState withBand(int band, long change) {
    var lanes = List.of(new LaneCount(band, "", 1, 0));
    return new LineState(
        change, 1, lanes, 1, State.OPEN, Settings.DEFAULT, Units.NONE, 0, Drawing.NONE);
  }

  @Test
  void growsBeyondItsRoom_isGivenUp() throws Exception {
    Ledger.Config config = LedgerFixture.sqlite();
    var failures = new Failures(Dialect.of(config.url(), InstantSource.system()));
    try (var server = new LedgerFixture(config, new MemoryCopy());
        var background = new Background(failures)) {
      Queues queues = server.ledger().queues();
      Reader reader = ((LedgerQueues) queues).reader();
      get(queues.edit(QUEUE, Edit.activate(Map.of())));
      join(queues, "ann", "ben");
      Original of = reader.existing(List.of(QUEUE)).iterator().next();
      var tallies = new Tallies(reader, background, BatchObserver.NONE, 3);
      // Whoever asks waits for a second only; it is made all the same.
      var _ = tallies.prepared(of);
      await().until(() -> tallies.of(QUEUE) != null);
      Tally tally = Objects.requireNonNull(tallies.of(QUEUE));

      join(queues, "cho");
      reader.follow(tally, tallies);
      assertThat(tallies.of(QUEUE)).as("there is room for three").isSameAs(tally);

      join(queues, "dan");
      reader.follow(tally, tallies);
      assertThat(tallies.of(QUEUE)).as("and not for four").isNull();
      assertThat(get(tallies.since(of, 0))).isInstanceOf(Moved.Gap.class);
    }
  }

  private static void join(Queues queues, String... users) throws Exception {
    for (String user : users) {
      get(queues.join(QUEUE, user));
    }
  }
}
