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

  /** How long somebody waits for what is new, if something older is known that is not old. */
  private static final Duration PATIENCE = Duration.ofMillis(250);

  /** A pass works for five seconds after its turn at most. */
  private static final Duration OLD = Duration.ofSeconds(4);

  private final QueueId queue;
  private final EndedFeeds feeds;
  private final InstantSource clock;
  private final Duration patience;
  private final OverTurns turns = new OverTurns(PassVerifier.DEFAULT_SKEW, OverTurns.MAX_PASSES);
  private @Nullable Instant knownAt;
  private boolean isAway;
  private @Nullable Instant askedAt;
  private @Nullable CompletableFuture<Void> asking;

  KnownTurns(QueueId queue, EndedFeeds feeds, InstantSource clock) {
    this(queue, feeds, clock, PATIENCE);
  }

  KnownTurns(QueueId queue, EndedFeeds feeds, InstantSource clock, Duration patience) {
    this.queue = queue;
    this.feeds = feeds;
    this.clock = clock;
    this.patience = patience;
  }

  /**
   * What is known now; fails only if nothing ever was. Where nobody asked for a while, the first
   * one waits for what is new as long as that takes, unless the store is away.
   */
  CompletionStage<OverTurns> known() {
    CompletableFuture<Void> asked;
    boolean isFirst = false;
    boolean isKnown;
    boolean mustWait;
    synchronized (this) {
      isKnown = knownAt != null;
      mustWait = !isAway && !isWithin(OLD, knownAt);
      if (asking == null) {
        if (isKnown && isWithin(FRESH, askedAt)) {
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
    if (!isKnown) {
      return asked.thenApply(_ -> turns);
    }
    CompletableFuture<Void> news = asked.copy();
    return (mustWait
            ? news
            : news.completeOnTimeout(null, patience.toMillis(), TimeUnit.MILLISECONDS))
        .handle((_, _) -> turns);
  }

  private boolean isWithin(Duration span, @Nullable Instant since) {
    return since != null && Attempt.isWithin(span, since, clock.instant());
  }

  private void ask(CompletableFuture<Void> answer) {
    feeds
        .of(queue)
        .tell(new Learning())
        .whenComplete(
            (_, problem) -> {
              synchronized (this) {
                asking = null;
                isAway = problem != null;
                if (!isAway) {
                  knownAt = askedAt;
                }
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
      turns.learn(part, now);
    }
  }
}
