package io.naru.e2e.concert;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.naru.testkit.HttpConnection.Reply;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** As many visitors as there are seats, all at once. */
@Timeout(value = 4, unit = MINUTES)
class CrowdTest {

  private static final int VISITORS = 200;
  private static final int CAPACITY = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pattern FREE = Pattern.compile("<option>(\\w+)");

  @Test
  void everybodyAtOnce_everySeatIsSoldOnceAndEverybodyIsCompletedOnce(@TempDir Path data)
      throws Exception {
    String settings = "\"maxCapacity\":%d,\"entryBatchSize\":100".formatted(CAPACITY);
    try (var evening = new Evening(data, settings);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var over = new AtomicBoolean();
      Future<Long> most = threads.submit(() -> watch(evening, over));
      try {
        List<Future<Integer>> visits = new ArrayList<>();
        for (int i = 0; i < VISITORS; i++) {
          int number = i;
          visits.add(
              threads.submit(() -> visit(evening.visitor("u" + number), new Random(number))));
        }
        int refusals = 0;
        for (Future<Integer> visit : visits) {
          refusals += visit.get();
        }
        assertThat(refusals).as("wishes for a seat that was taken already").isPositive();
        await()
            .atMost(PATIENCE)
            .untilAsserted(() -> assertThat(evening.figure("completed")).isEqualTo(VISITORS));
      } finally {
        over.set(true);
      }
      assertThat(most.get()).as("most people inside").isEqualTo(CAPACITY);
      assertEverythingIsThereOnce(evening);
    }
  }

  /** The whole way of one visitor; answers how often somebody was faster. */
  private static int visit(Visitor visitor, Random random) {
    String pass = visitor.enterAndGetPass();
    // Nobody likes to sit in the back: they all want the same seats first.
    String seat = "A" + (1 + random.nextInt(20));
    for (int refusals = 0; ; refusals++) {
      Reply reply = visitor.reserve(pass, seat);
      if (reply.status() == 201) {
        return refusals;
      }
      assertThat(reply.status()).as(reply.body()).isEqualTo(409);
      List<String> free =
          FREE.matcher(visitor.look(pass, "/reservations/new").body())
              .results()
              .map(result -> result.group(1))
              .toList();
      seat = free.get(random.nextInt(Math.min(free.size(), 20)));
    }
  }

  /** How many were inside at most, as the ledger says at any moment. */
  private static long watch(Evening evening, AtomicBoolean over) throws InterruptedException {
    long most = 0;
    while (!over.get()) {
      var inside = evening.ledger("SELECT count(*) FROM queue_entries WHERE status = 'ENTERED'");
      most = Math.max(most, Long.parseLong(inside.getFirst()));
      Thread.sleep(5);
    }
    return most;
  }

  private static void assertEverythingIsThereOnce(Evening evening) {
    List<String> everybody = IntStream.range(0, VISITORS).mapToObj(i -> "u" + i).sorted().toList();
    assertThat(evening.sales("SELECT visitor FROM reservations"))
        .containsExactlyInAnyOrderElementsOf(everybody);
    assertThat(evening.sales("SELECT DISTINCT seat FROM reservations")).hasSize(VISITORS);
    assertThat(evening.ledger("SELECT user_id, status FROM queue_entries"))
        .as("entries in the ledger")
        .containsExactlyInAnyOrderElementsOf(
            everybody.stream().map(user -> user + " COMPLETED").toList());
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(evening.sales("SELECT pass_id FROM completions WHERE outcome = 'DONE'"))
                    .hasSize(VISITORS));
    assertThat(evening.sales("SELECT token FROM completions WHERE token IS NOT NULL")).isEmpty();
  }
}
