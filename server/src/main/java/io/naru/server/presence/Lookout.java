package io.naru.server.presence;

import io.naru.line.Score;
import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Seen;
import io.naru.queue.Sightings;
import io.naru.queue.Sightings.Goes;
import io.naru.queue.Sightings.Sight;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Sees who has a stream or asks, near the front of lines in which it matters who is there, and says
 * so once a second: one request for each such queue, and nothing for any other. As long as it has
 * seen somebody within the last minute, it says that it looks also if it sees nobody: only then it
 * is known of somebody that they are not there.
 */
public final class Lookout {

  /** How often {@link #beat} is due. */
  public static final long BEAT_MILLIS = 1_000;

  /** Sees nobody, and has nothing to say. */
  public static final Lookout NONE = new Lookout(System::nanoTime);

  /** Who is still there is said again after a while; who is back, at once. */
  private static final long AGAIN_NANOS = 3_000_000_000L;

  private static final long KEPT_NANOS = 10_000_000_000L;
  private static final long HOME_NANOS = 60_000_000_000L;

  /** Of this run: whoever starts again has lost sight of everybody. */
  private final String name = UUID.randomUUID().toString().substring(0, 8);

  private final LongSupplier nanos;
  private final Map<QueueId, Post> posts = new ConcurrentHashMap<>();
  private volatile boolean isStopping;

  /** What is seen of one queue. */
  private static final class Post {
    private final AtomicBoolean isTelling = new AtomicBoolean();

    /** Who was seen since the last beat: when they joined, and where they stand. */
    private final Map<Long, Long> seen = new ConcurrentHashMap<>();

    /** When it was said of whom. Only the beat looks into it. */
    private final Map<Long, Long> told = new HashMap<>();

    /** Who was passed over and is back, and since when that is known. */
    private final Map<Long, Long> back = new ConcurrentHashMap<>();

    private volatile long lastSeen;

    /** Whether something was said in vain. */
    private volatile boolean isUnheard;

    Post(long now) {
      lastSeen = now;
    }

    /** Whom to name now. */
    List<Sight> due(long now) {
      if (isUnheard) {
        isUnheard = false;
        told.clear();
      }
      told.values().removeIf(at -> now - at > KEPT_NANOS);
      back.values().removeIf(at -> now - at > KEPT_NANOS);
      List<Sight> due = new ArrayList<>();
      seen.forEach(
          (joined, score) -> {
            Long before = told.get(joined);
            if (before == null || now - before >= AGAIN_NANOS) {
              due.add(new Sight(joined, score));
            }
            // This one alone: others are being seen meanwhile, whose turn is at the next beat.
            seen.remove(joined, score);
          });
      due.forEach(sight -> told.put(sight.joined(), now));
      return due;
    }
  }

  /**
   * @param nanos a clock that is never set
   */
  public Lookout(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Somebody asks where they stand, or has just come. */
  public void see(Place place) {
    if (place.entry().isWaiting()) {
      see(place.entry().key(), place.score(), place.ahead(), place.line());
    }
  }

  /**
   * Somebody is there.
   *
   * @param ahead how many are before them, as far as that is known
   */
  public void see(EntryKey key, long score, long ahead, LineState line) {
    // Nobody looks for those whose place is not decided.
    boolean hasPlace = !Score.isUnsettled(Score.lane(score));
    if (hasPlace && line.looksAt(ahead) && !isStopping) {
      long now = nanos.getAsLong();
      Post post = posts.computeIfAbsent(key.queue(), _ -> new Post(now));
      post.lastSeen = now;
      post.seen.put(key.joined(), score);
    }
  }

  /** Whether they were passed over, and are next now that they are back. */
  public boolean isBack(EntryKey key) {
    Post post = posts.get(key.queue());
    return post != null && post.back.containsKey(key.joined());
  }

  /** Says whom it has seen. One at a time for each queue: what is not said yet waits. */
  public void beat(Queues queues) {
    long now = nanos.getAsLong();
    posts.forEach(
        (queue, post) -> {
          if (post.isTelling.compareAndSet(false, true)) {
            boolean isHome = now - post.lastSeen > HOME_NANOS;
            tell(queues, queue, post, isHome ? Goes.HOME : Goes.ON, now);
          }
        });
  }

  private void tell(Queues queues, QueueId queue, Post post, Goes goes, long now) {
    List<Sight> due = post.due(now);
    List<CompletionStage<Boolean>> parts = new ArrayList<>();
    int from = 0;
    do {
      int to = Math.min(due.size(), from + Sightings.MAX_PEOPLE);
      var sightings = new Sightings(name, due.subList(from, to), goes);
      parts.add(queues.see(queue, sightings).thenApply(seen -> heard(seen, post, now)));
      from = to;
    } while (from < due.size());
    for (CompletionStage<Boolean> part : parts) {
      part.whenComplete(
          (matters, failure) -> {
            post.isUnheard |= failure != null;
            post.isTelling.set(false);
            if (failure == null && (!matters || goes == Goes.HOME)) {
              posts.remove(queue, post);
            }
          });
    }
  }

  private static boolean heard(Seen seen, Post post, long now) {
    seen.back().forEach(joined -> post.back.put(joined, now));
    return seen.matters();
  }

  /** Says that it goes down: whoever it saw has to find another server. */
  public CompletionStage<?> stop(Queues queues) {
    isStopping = true;
    return CompletableFuture.allOf(
        posts.keySet().stream()
            .map(queue -> queues.see(queue, new Sightings(name, List.of(), Goes.DOWN)))
            // Who cannot hear it notices that nothing more is said.
            .map(said -> said.exceptionally(_ -> Seen.IN_VAIN).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }
}
