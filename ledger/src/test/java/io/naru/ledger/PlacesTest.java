package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.naru.batch.BatchObserver;
import io.naru.ledger.Reader.Wanted;
import io.naru.line.Standing;
import io.naru.queue.QueueId;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Somebody's place is found, whatever is wrong with the queue of somebody else. */
class PlacesTest {

  private static final QueueId FIRST = new QueueId("PLACES", "first");
  private static final QueueId ILL = new QueueId("PLACES", "ill");
  private static final QueueId WELL = new QueueId("PLACES", "well");

  private final Background background =
      new Background(new Failures(Dialect.of("jdbc:sqlite:none", InstantSource.system())));

  /** What happens where these queues are read. */
  private final Map<QueueId, Wrong> wrong = new ConcurrentHashMap<>();

  private final CountDownLatch started = new CountDownLatch(1);
  private final Places places = new Places(this::locate, background, BatchObserver.NONE);

  private interface Wrong {
    void happens() throws Exception;
  }

  @AfterEach
  void close() {
    background.close();
  }

  private void locate(List<Wanted> all, Places.Progress progress) throws Exception {
    started.countDown();
    for (Wanted one : all) {
      progress.begins(one.queue());
      wrong.getOrDefault(one.queue(), () -> {}).happens();
      progress.found(one, new Standing.NoQueue());
      progress.ends(one.queue());
    }
  }

  private CompletionStage<Standing> ask(QueueId queue) {
    return places.locate(new Wanted(queue, "ann", Wanted.LATEST));
  }

  private static Standing get(CompletionStage<Standing> asked) throws Exception {
    return asked.toCompletableFuture().get(10, SECONDS);
  }

  /** Asks for all of these in one read, because another one is under way. */
  private List<CompletionStage<Standing>> askTogether(QueueId... queues) throws Exception {
    var isOver = new CountDownLatch(1);
    wrong.put(FIRST, isOver::await);
    CompletionStage<Standing> first = ask(FIRST);
    started.await();
    List<CompletionStage<Standing>> asked = List.of(queues).stream().map(this::ask).toList();
    isOver.countDown();
    get(first);
    wrong.remove(FIRST);
    return asked;
  }

  @Test
  void oneTakesLong_othersAreAnswered_andFromThenOnDoNotWaitForIt() throws Exception {
    var isRead = new CountDownLatch(1);
    wrong.put(ILL, isRead::await);

    List<CompletionStage<Standing>> asked = askTogether(ILL, WELL);

    assertThat(get(asked.get(1))).isInstanceOf(Standing.NoQueue.class);
    for (int i = 0; i < 20; i++) {
      assertThat(get(ask(WELL))).isInstanceOf(Standing.NoQueue.class);
    }
    assertThatThrownBy(() -> get(asked.get(0))).hasMessageContaining("in time");
    assertThatThrownBy(() -> get(ask(ILL)))
        .as("it is not read twice at the same time")
        .hasMessageContaining("still counts");

    isRead.countDown();
    await().untilAsserted(() -> assertThat(get(ask(ILL))).isInstanceOf(Standing.NoQueue.class));
  }

  @Test
  void oneTakesLongOnce_itsOwnAreAnsweredAfterAll_andOthersDoNotWaitForThat() throws Exception {
    var isFirst = new AtomicBoolean(true);
    wrong.put(
        ILL,
        () -> {
          if (isFirst.getAndSet(false)) {
            new CountDownLatch(1).await();
          }
          // While it is read apart.
          assertThat(get(ask(WELL))).isInstanceOf(Standing.NoQueue.class);
        });

    List<CompletionStage<Standing>> asked = askTogether(ILL, WELL);

    assertThat(get(asked.get(1))).isInstanceOf(Standing.NoQueue.class);
    assertThat(get(asked.get(0))).isInstanceOf(Standing.NoQueue.class);
  }

  @Test
  void oneCannotBeRead_othersAreAnswered() throws Exception {
    wrong.put(
        ILL,
        () -> {
          throw new SQLException("this row is poisoned");
        });

    List<CompletionStage<Standing>> asked = askTogether(ILL, WELL, FIRST);

    assertThatThrownBy(() -> get(asked.get(0))).hasMessageContaining("poisoned");
    assertThat(get(asked.get(1))).isInstanceOf(Standing.NoQueue.class);
    assertThat(get(asked.get(2))).isInstanceOf(Standing.NoQueue.class);

    wrong.remove(ILL);
    assertThat(get(ask(ILL))).isInstanceOf(Standing.NoQueue.class);
  }

  @Test
  void databaseIsAway_nobodyIsTriedAgain() throws Exception {
    wrong.put(
        ILL,
        () -> {
          throw new SQLTransientConnectionException("no connection");
        });

    List<CompletionStage<Standing>> asked = askTogether(ILL, WELL);

    assertThatThrownBy(() -> get(asked.get(0))).hasMessageContaining("no connection");
    assertThatThrownBy(() -> get(asked.get(1))).hasMessageContaining("no connection");
  }
}
