package io.naru.server.webhooks;

import static io.naru.queue.Micros.PER_SECOND;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.server.keys.Beat;
import io.naru.webhook.Kinds;
import io.naru.webhook.Webhooks;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What no event says, since nobody decided it: that a line is too long, that a queue is frozen.
 * Every server looks; the store takes it from the first who says so. It is told once, and again
 * only after it was over for a minute; a line stays too long until a fifth of what makes it so has
 * gone, so that one which is just that long is not told of again and again.
 */
final class Signs implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Signs.class);

  private static final Duration BEAT = Duration.ofSeconds(5);
  private static final long FORGOTTEN_MICROS = 60 * PER_SECOND;

  /** Whoever has more too long lines than that has other sorrows. */
  private static final int MAX_QUEUES = 1_000;

  private final KnownWebhooks known;
  private final Webhooks store;
  private final Queues queues;
  private final Supplier<List<QueueId>> frozen;
  private final long tooLong;
  private final Beat beat = new Beat("naru-signs", BEAT, this::beat);
  private boolean isSilent;

  /**
   * @param frozen those that are, as this server knows
   * @param tooLong how many wait in a line that is
   */
  Signs(KnownWebhooks known, Queues queues, Supplier<List<QueueId>> frozen, long tooLong) {
    this.known = known;
    this.store = known.store();
    this.queues = queues;
    this.frozen = frozen;
    this.tooLong = tooLong;
  }

  void start() {
    beat.start();
  }

  @Override
  public void close() {
    beat.close();
  }

  /** Looks once. Outlives any failure. */
  void beat() {
    try {
      if (known.isWanted(Kinds.FROZEN)) {
        frozen.get().forEach(queue -> raise(queue, Kinds.FROZEN, Map.of()));
      }
      if (known.isWanted(Kinds.TOO_LONG)) {
        lookForLongLines();
      }
      isSilent = false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | RuntimeException e) {
      if (!isSilent && !beat.isClosed()) {
        log.warn("nobody is told of long lines now: {}", e.getMessage());
        isSilent = true;
      }
    }
  }

  private void lookForLongLines()
      throws InterruptedException, ExecutionException, TimeoutException {
    List<Overview> busiest =
        queues.summary(MAX_QUEUES).toCompletableFuture().get(10, SECONDS).busiest();
    Set<QueueId> raised = new TreeSet<>(store.raised(Kinds.TOO_LONG, FORGOTTEN_MICROS));
    for (Overview each : busiest) {
      QueueId queue = each.queue().id();
      long waiting = each.figures().waiting();
      if (waiting >= (raised.contains(queue) ? tooLong - tooLong / 5 : tooLong)) {
        raise(queue, Kinds.TOO_LONG, Map.of("waiting", waiting, "tooLong", tooLong));
      }
    }
  }

  private void raise(QueueId queue, String kind, Map<String, Object> more) {
    store.raise(queue, kind, Messages.sign(queue, kind, known.now(), more), FORGOTTEN_MICROS);
  }
}
