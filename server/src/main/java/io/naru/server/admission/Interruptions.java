package io.naru.server.admission;

import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.server.metrics.Health;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What keeps people from being let in, everywhere or in one queue, and what is said about it: a
 * line when it begins, one a minute while it lasts, and one when it is over everywhere. However
 * many queues are concerned and however often they fail, that is three lines a minute.
 *
 * <p>Used by the scheduler's thread only.
 */
final class Interruptions {

  private static final Logger log = LoggerFactory.getLogger(Scheduler.class);

  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final int MAX_NAMES = 5;

  private final Health health;
  private final LongSupplier nanoTime;

  /** Whether the last line said that something is interrupted. */
  private boolean isSaid;

  private boolean hasSaidAnything;
  private long saidAt;

  Interruptions(Health health, LongSupplier nanoTime) {
    this.health = health;
    this.nanoTime = nanoTime;
  }

  /** What decides cannot be reached. */
  void everywhere(Throwable failure) {
    Throwable cause = cause(failure);
    health.down(String.valueOf(cause.getMessage()));
    say("", cause);
  }

  void in(QueueId queue, Throwable failure) {
    Throwable cause = cause(failure);
    health.down(queue, String.valueOf(cause.getMessage()));
    say(" in " + queue, cause);
  }

  /** What decides answers. Returns whether that is news. */
  boolean overEverywhere() {
    boolean news = health.up();
    sayIfOver();
    return news;
  }

  /** People can be let in to this queue again, or it is gone. */
  void overIn(QueueId queue) {
    health.up(queue);
    sayIfOver();
  }

  private void say(String where, Throwable cause) {
    if (!isDue()) {
      return;
    }
    List<QueueId> queues = health.interrupted();
    if (isSaid && queues.size() > 1) {
      log.warn(
          "admission is interrupted in {} queues ({}{}), places are kept, trying again until it"
              + " works; the last reason: {}",
          queues.size(),
          queues.stream().limit(MAX_NAMES).map(QueueId::toString).collect(Collectors.joining(", ")),
          queues.size() > MAX_NAMES ? ", …" : "",
          cause.getMessage());
    } else {
      log.warn(
          "admission is interrupted{}, places are kept, trying again until it works: {}",
          where,
          cause.getMessage(),
          // Where it happened matters only if nobody foresaw it.
          cause instanceof QueueUnavailable ? null : cause);
    }
    isSaid = true;
    hasSaidAnything = true;
    saidAt = nanoTime.getAsLong();
  }

  /** Not more than a line a minute, also when it begins and ends again and again. */
  private boolean isDue() {
    return !hasSaidAnything || nanoTime.getAsLong() - saidAt >= MINUTE;
  }

  private void sayIfOver() {
    if (isSaid && health.isWell()) {
      isSaid = false;
      log.info("the line answers again; admission goes on");
    }
  }

  private static Throwable cause(Throwable failure) {
    @Nullable Throwable cause = failure instanceof CompletionException ? failure.getCause() : null;
    return cause == null ? failure : cause;
  }
}
