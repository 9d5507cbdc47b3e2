package io.naru.ledger;

import io.naru.batch.BatchObserver;
import io.naru.batch.NaturalBatch;
import io.naru.ledger.Reader.Wanted;
import io.naru.line.Standing;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Places as the ledger has them. All who ask meanwhile are answered by one read, whatever queue
 * they ask for, which is cheap; but one queue that takes long, or cannot be read, must not be
 * everybody's trouble. So when a read fails or takes too long, the queue it was at is to blame: it
 * is read apart from then on, until it is quick again, and the others are tried once more. Who
 * asked for a queue that was only slow waits for the rest of their time there.
 *
 * <p>What fails is the answer of those who asked for it, never a batch: those who came behind it
 * would fail with it. Only a database that is away is everybody's trouble.
 */
final class Places {

  private static final int MAX_BATCH = 512;
  private static final int MAX_PENDING = 65_536;

  /** Twice that is as long as somebody may wait for an answer of the ledger. */
  static final Duration QUICK = Duration.ofMillis(700);

  /** Added, not multiplied: that way leads through BigDecimal, which costs a start 20 ms. */
  private static final Duration SLOW = QUICK.plus(QUICK);

  /** Of who goes over from one to the other; the door answers after 2.7 s in any case. */
  private static final Duration PATIENCE = QUICK.plus(SLOW);

  private final Locating locating;
  private final Background background;
  private final NaturalBatch<Wanted, Answer> quick;
  private final NaturalBatch<Wanted, Answer> slow;

  /** The queues that are read apart. */
  private final Set<QueueId> suspects = ConcurrentHashMap.newKeySet();

  /** Whether one of those is read; nobody waits for it as long as it may take. */
  private final AtomicBoolean isReadingApart = new AtomicBoolean();

  /** Finds out where these stand, queue by queue; blocks. */
  interface Locating {
    void locate(List<Wanted> all, Progress progress) throws Exception;
  }

  /** How far a read has come. */
  static final class Progress {
    private final Map<Wanted, Standing> found = new ConcurrentHashMap<>();
    private final Set<QueueId> done = ConcurrentHashMap.newKeySet();
    private volatile @Nullable QueueId at;

    void begins(QueueId queue) {
      at = queue;
    }

    void found(Wanted asked, Standing standing) {
      found.put(asked, standing);
    }

    void ends(QueueId queue) {
      done.add(queue);
    }

    private @Nullable Answer answer(Wanted asked) {
      return done.contains(asked.queue())
          ? new Answer(found.getOrDefault(asked, new Standing.Unknown()), null, false)
          : null;
    }
  }

  /**
   * A standing, or why there is none.
   *
   * @param isLate whether there may be one yet, if it is read apart
   */
  private record Answer(
      @Nullable Standing standing, @Nullable QueueUnavailable failure, boolean isLate) {

    CompletionStage<Standing> stage() {
      return standing != null
          ? CompletableFuture.completedStage(standing)
          : CompletableFuture.failedStage(reason());
    }

    private QueueUnavailable reason() {
      return failure != null
          ? failure
          : new QueueUnavailable(Kind.REFUSED, "the ledger did not say where they stand");
    }
  }

  Places(Locating locating, Background background, BatchObserver observer) {
    this.locating = locating;
    this.background = background;
    this.quick =
        new NaturalBatch<>("places", MAX_BATCH, MAX_PENDING, observer, asked -> read(asked, true));
    this.slow =
        new NaturalBatch<>("places-apart", MAX_BATCH, MAX_PENDING, observer, this::readApart);
  }

  CompletionStage<Standing> locate(Wanted asked) {
    if (suspects.contains(asked.queue())) {
      return slow.submit(asked).thenCompose(Answer::stage);
    }
    long start = System.nanoTime();
    return quick
        .submit(asked)
        .thenCompose(answer -> answer.isLate ? apart(asked, answer, start) : answer.stage());
  }

  /**
   * They may wait longer than the read could that took too long, and do it where nobody waits who
   * asked for a queue that is quick.
   */
  private CompletionStage<Standing> apart(Wanted asked, Answer late, long start) {
    long rest = PATIENCE.toNanos() - (System.nanoTime() - start);
    return rest <= 0
        ? late.stage()
        : slow.submit(asked)
            .completeOnTimeout(late, rest, TimeUnit.NANOSECONDS)
            .thenCompose(Answer::stage);
  }

  /**
   * @param isFirst whether what is not to blame for a failure may be tried once more
   */
  private CompletionStage<List<Answer>> read(List<Wanted> asked, boolean isFirst) {
    var progress = new Progress();
    return background
        .call("count places", QUICK, () -> locate(asked, progress))
        .thenApply(_ -> answers(asked, progress, Map.of(), null, null))
        .exceptionallyCompose(e -> afterFailure(asked, progress, e, isFirst));
  }

  private CompletionStage<List<Answer>> afterFailure(
      List<Wanted> asked, Progress progress, Throwable e, boolean isFirst) {
    QueueUnavailable failure = background.failures().unavailable("count places", e);
    QueueId blamed = progress.at;
    if (failure.kind() == Kind.DISCONNECTED || blamed == null) {
      return CompletableFuture.failedStage(failure);
    }
    suspects.add(blamed);
    List<Wanted> others = new ArrayList<>();
    for (Wanted one : asked) {
      if (!one.queue().equals(blamed) && progress.answer(one) == null) {
        others.add(one);
      }
    }
    if (others.isEmpty() || !isFirst) {
      return CompletableFuture.completedStage(answers(asked, progress, Map.of(), failure, blamed));
    }
    return read(others, false)
        .thenApply(
            more -> {
              Map<Wanted, Answer> again = new ConcurrentHashMap<>();
              for (int i = 0; i < others.size(); i++) {
                again.put(others.get(i), more.get(i));
              }
              return answers(asked, progress, again, failure, blamed);
            });
  }

  /**
   * Those who are in doubt, one read at a time, however long it takes: nobody else waits for it.
   */
  private CompletionStage<List<Answer>> readApart(List<Wanted> asked) {
    if (!isReadingApart.compareAndSet(false, true)) {
      var failure = new QueueUnavailable(Kind.TIMEOUT, "the ledger still counts places there");
      return CompletableFuture.completedStage(
          answers(asked, new Progress(), Map.of(), failure, null));
    }
    var progress = new Progress();
    return background
        .call(
            "count places",
            SLOW,
            () -> {
              long start = System.nanoTime();
              try {
                locate(asked, progress);
                if (System.nanoTime() - start < QUICK.toNanos()) {
                  suspects.removeAll(progress.done);
                }
                return true;
              } finally {
                isReadingApart.set(false);
              }
            })
        .handle(
            (_, e) ->
                answers(
                    asked,
                    progress,
                    Map.of(),
                    e == null ? null : background.failures().unavailable("count places", e),
                    null));
  }

  private boolean locate(List<Wanted> asked, Progress progress) throws Exception {
    locating.locate(asked, progress);
    return true;
  }

  /**
   * @param again what was found when it was tried once more
   * @param failure for all of whom nothing is known
   * @param blamed which queue is read apart from now on
   */
  private static List<Answer> answers(
      List<Wanted> asked,
      Progress progress,
      Map<Wanted, Answer> again,
      @Nullable QueueUnavailable failure,
      @Nullable QueueId blamed) {
    boolean isTimeout = failure != null && failure.kind() == Kind.TIMEOUT;
    List<Answer> answers = new ArrayList<>(asked.size());
    for (Wanted one : asked) {
      Answer first = progress.answer(one);
      var none = new Answer(null, failure, isTimeout && one.queue().equals(blamed));
      answers.add(first != null ? first : again.getOrDefault(one, none));
    }
    return answers;
  }
}
