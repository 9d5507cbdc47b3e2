package io.naru.server.pass;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.naru.gate.OverTurns;
import io.naru.pass.EndedTurns;
import io.naru.pass.PassVerifier;
import io.naru.queue.QueueId;
import io.naru.server.pass.EndedFeed.Cursor;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn is over in one queue, as a gate knows it: what was told once serves on while the store
 * is away. The store is asked once a second at most, however many checks there are.
 */
final class KnownTurns {

  private static final Duration FRESH = Duration.ofSeconds(1);

  /** How long somebody waits for what is new, if something older is known. */
  private static final long PATIENCE_MILLIS = 250;

  private final QueueId queue;
  private final EndedFeeds feeds;
  private final InstantSource clock;
  private final OverTurns turns = new OverTurns(PassVerifier.DEFAULT_SKEW, OverTurns.MAX_PASSES);
  private boolean isKnown;
  private @Nullable Instant askedAt;
  private @Nullable CompletableFuture<Void> asking;

  KnownTurns(QueueId queue, EndedFeeds feeds, InstantSource clock) {
    this.queue = queue;
    this.feeds = feeds;
    this.clock = clock;
  }

  /** What is known now; fails only if nothing ever was. */
  CompletionStage<OverTurns> known() {
    CompletableFuture<Void> asked;
    boolean isFirst = false;
    boolean mustWait;
    synchronized (this) {
      mustWait = !isKnown;
      if (asking == null) {
        if (isKnown && isFresh()) {
          return completedFuture(turns);
        }
        askedAt = clock.instant();
        asking = new CompletableFuture<>();
        isFirst = true;
      }
      asked = asking;
    }
    if (isFirst) {
      ask(asked);
    }
    return mustWait
        ? asked.thenApply(_ -> turns)
        : asked
            .copy()
            .completeOnTimeout(null, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
            .handle((_, _) -> turns);
  }

  private boolean isFresh() {
    // Absolute: a clock that was set back must not stop us for as long as it was set back.
    return askedAt != null && Duration.between(askedAt, clock.instant()).abs().compareTo(FRESH) < 0;
  }

  private void ask(CompletableFuture<Void> answer) {
    feeds
        .of(queue)
        .tell(new Learning())
        .whenComplete(
            (_, problem) -> {
              synchronized (this) {
                asking = null;
                isKnown |= problem == null;
              }
              if (problem == null) {
                answer.complete(null);
              } else {
                answer.completeExceptionally(problem);
              }
            });
  }

  /** One of them at a time: nobody asks while somebody does. */
  private final class Learning implements EndedFeed.Listener {
    @Override
    public Cursor cursor() {
      return Cursor.parse(turns.cursor()).orElseThrow();
    }

    @Override
    public void take(EndedTurns part, Instant now) throws IOException {
      turns.take(part, now);
    }
  }
}
