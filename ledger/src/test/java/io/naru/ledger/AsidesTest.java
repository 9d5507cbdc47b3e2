package io.naru.ledger;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.batch.BatchObserver;
import io.naru.queue.QueueUnavailable;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whatever strangers look at, and however often, takes one connection. */
class AsidesTest {

  private final Background background =
      new Background(new Failures(Dialect.of("jdbc:sqlite:none", InstantSource.system())));
  private final Asides asides = new Asides(background, BatchObserver.NONE);

  private final Semaphore connection = new Semaphore(1);
  private final Set<List<Integer>> read = ConcurrentHashMap.newKeySet();
  private final CountDownLatch hasBegun = new CountDownLatch(1);
  private final CountDownLatch mayGoOn = new CountDownLatch(1);

  @AfterEach
  void close() {
    background.close();
  }

  /** Negative numbers are not there, zero cannot be read. */
  private Map<Integer, String> read(List<Integer> asked) throws Exception {
    assertThat(connection.tryAcquire()).as("one read at a time").isTrue();
    try {
      hasBegun.countDown();
      mayGoOn.await();
      read.add(asked);
      if (asked.contains(0)) {
        throw new SQLException("this row is poisoned");
      }
      Map<Integer, String> found = new HashMap<>();
      asked.stream().filter(each -> each > 0).forEach(each -> found.put(each, "no. " + each));
      return found;
    } finally {
      connection.release();
    }
  }

  private static <T> T get(CompletionStage<T> asked) throws Exception {
    return asked.toCompletableFuture().get(10, SECONDS);
  }

  @Test
  void find_ofSeveralKinds_oneReadAtATime_eachThingOnce() throws Exception {
    Asides.Kind<Integer, String> one = asides.kind("one", "read one", this::read);
    Asides.Kind<Integer, String> other = asides.kind("other", "read the other", this::read);
    List<CompletionStage<Optional<String>>> asked = new ArrayList<>(List.of(one.find(1)));
    hasBegun.await();
    for (int i = 0; i < 8; i++) {
      asked.add(one.find(1));
      asked.add(other.find(1));
    }

    mayGoOn.countDown();

    for (CompletionStage<Optional<String>> each : asked) {
      assertThat(get(each)).contains("no. 1");
    }
    assertThat(read).containsOnly(List.of(1));
    assertThat(get(other.find(-1))).isEmpty();
  }

  @Test
  void find_whatCannotBeRead_failsAlone() throws Exception {
    Asides.Kind<Integer, String> kind = asides.kind("one", "read one", this::read);
    CompletionStage<Optional<String>> first = kind.find(1);
    hasBegun.await();
    CompletionStage<Optional<String>> ill = kind.find(0);
    CompletionStage<Optional<String>> well = kind.find(2);

    mayGoOn.countDown();

    assertThat(get(first)).contains("no. 1");
    assertThatThrownBy(() -> get(ill)).hasMessageContaining("poisoned");
    assertThat(get(well)).contains("no. 2");
    assertThatThrownBy(() -> get(kind.find(0))).hasMessageContaining("poisoned");
  }

  @Test
  void find_tooManyWait_refusesAtOnce_andOtherKindsAreRead() throws Exception {
    Asides.Kind<Integer, String> one = asides.kind("one", "read one", this::read);
    Asides.Kind<Integer, String> other = asides.kind("other", "read the other", this::read);
    List<CompletableFuture<Optional<String>>> asked = new ArrayList<>();
    for (int i = 1; i <= 2_000; i++) {
      asked.add(one.find(i).toCompletableFuture());
    }

    assertThat(asked.getLast())
        .failsWithin(0, SECONDS)
        .withThrowableThat()
        .withCauseInstanceOf(QueueUnavailable.class);
    CompletionStage<Optional<String>> honest = other.find(1);
    mayGoOn.countDown();

    assertThat(get(honest)).contains("no. 1");
    assertThat(get(asked.getFirst())).contains("no. 1");
  }
}
