package io.naru.server.pass;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.naru.line.Line;
import io.naru.line.OverTurn;
import io.naru.line.Told;
import io.naru.pass.EndedTurns;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What this server tells of one queue's turns that are over. It asks the line once a second at
 * most, however many gates ask here and wherever they are; what was read is kept, so a gate that is
 * new costs the line nothing either.
 *
 * <p>There may be a million of them, and reading those takes longer than gates wait. So a server
 * that begins reads the latest first: with them it answers gates that knew everything a moment ago,
 * which are all but the new ones. The others are read when somebody comes who needs them. How much
 * that is does not depend on what anybody says to know.
 *
 * <p>Anybody may ask, and from wherever they like; building and signing a part takes a while. So
 * there are few of them: they begin where a part ends, or where this server was lately, at the last
 * such place before what somebody says to know. Being told something twice does no harm.
 */
final class EndedFeed {

  /** Whoever was not asked for longer reads all anew: catching up would be the longer way. */
  private static final Duration IDLE = Duration.ofSeconds(60);

  private static final int MAX_SIGNED = 32;

  /** 160 MB. */
  private static final int MAX_TURNS = 8_000_000;

  /**
   * What a server that begins reads first: some seconds of a queue with 5,000 turns a second, in
   * which as many join and go in.
   */
  private static final int LATEST = 50_000;

  private final QueueId queue;
  private final Line line;
  private final Passes passes;
  private final InstantSource clock;
  private final int maxTurns;
  private final Cache<Cursor, Signed> signed =
      Caffeine.newBuilder().maximumSize(MAX_SIGNED).build();

  private KnownOver known = new KnownOver();
  private final Attempt news = new Attempt();
  private final Attempt earlier = new Attempt();

  /** Up to where somebody has been told, of which queue of this name. */
  record Cursor(long born, long change) {

    private static final Pattern TEXT = Pattern.compile("(\\d{1,18})\\.(\\d{1,18})");

    /** Empty if that is none. */
    static Optional<Cursor> parse(String text) {
      Matcher matcher = TEXT.matcher(text);
      return matcher.matches()
          ? Optional.of(
              new Cursor(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))))
          : Optional.empty();
    }
  }

  /** A part as it was signed, of what was known then. */
  private record Signed(Instant readAt, EndedTurns part, String token) {}

  /** Signs a part. */
  interface Signer {
    String sign(EndedTurns part);
  }

  /** Is told of parts, one after the other, and says up to where it has been told. */
  interface Listener {
    Cursor cursor();

    void take(EndedTurns part, Instant now) throws IOException;
  }

  EndedFeed(QueueId queue, Line line, Passes passes, InstantSource clock) {
    this(queue, line, passes, clock, MAX_TURNS);
  }

  /**
   * @param maxTurns how many can be told
   */
  EndedFeed(QueueId queue, Line line, Passes passes, InstantSource clock, int maxTurns) {
    this.queue = queue;
    this.line = line;
    this.passes = passes;
    this.clock = clock;
    this.maxTurns = maxTurns;
  }

  /** The next part for somebody who has been told so far, signed. */
  CompletionStage<String> after(Cursor cursor, Signer signer) {
    return readFor(cursor).thenCompose(_ -> part(cursor, signer));
  }

  /** Tells somebody of this very server all that is new, without signing anything. */
  CompletionStage<Void> tell(Listener listener) {
    // The first time there may be a million of them.
    return readFor(listener.cursor())
        .thenAcceptAsync(_ -> tellAll(listener), Thread::startVirtualThread);
  }

  private void tellAll(Listener listener) {
    Cursor before;
    EndedTurns part;
    do {
      before = listener.cursor();
      Instant now = clock.instant();
      part = next(before, now);
      try {
        listener.take(part, now);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    } while (part.more() && !listener.cursor().equals(before));
  }

  /** Nobody needs this any more, or there is no such queue. */
  synchronized boolean isWorthless() {
    return !news.isUnderWay()
        && !earlier.isUnderWay()
        && (known.born() == 0 || known.readAt().plus(IDLE).isBefore(clock.instant()));
  }

  // --- reading

  /** Reads what is new, and all that was before if somebody needs it. */
  private CompletionStage<Void> readFor(Cursor cursor) {
    return news().thenCompose(_ -> isHere(cursor) ? completedFuture(null) : earlier());
  }

  private synchronized boolean isHere(Cursor cursor) {
    return known.has(cursor);
  }

  private synchronized CompletionStage<Void> news() {
    Instant now = clock.instant();
    CompletableFuture<Void> last = news.last(now);
    if (last != null) {
      return last;
    }
    CompletableFuture<Void> answer = news.begin(now);
    // What is past is forgotten: if the clock was set back, some of that is not past after all.
    boolean isCatchingUp =
        Attempt.isWithin(IDLE, known.readAt(), now)
            && !now.isBefore(known.readAt())
            && known.born() != 0;
    if (!isCatchingUp) {
      forgetAll();
    }
    KnownOver into = known;
    long upTo = into.change();
    Consumer<OverTurn> each = turn -> hear(turn, news, into::turns);
    read(
        () -> isCatchingUp ? line.over(queue, upTo, each) : line.latestOver(queue, LATEST, each),
        (told, problem) -> finish(told, problem, now, answer));
    return answer;
  }

  private void finish(
      @Nullable Told told,
      @Nullable Throwable problem,
      Instant at,
      CompletableFuture<Void> answer) {
    boolean isToBeReadAgain = false;
    synchronized (this) {
      news.end(problem);
      if (told == null) {
        if (news.hasHeard()) {
          // Half of what was to be read is here: what follows is read from the beginning.
          forgetAll();
        }
      } else if (known.isOfAnother(told)) {
        // At once, and all of it.
        forgetAll();
        news.forget();
        isToBeReadAgain = true;
      } else {
        if (told instanceof Told.NoQueue) {
          forgetAll();
        }
        known.reached(told, at);
      }
    }
    if (isToBeReadAgain) {
      news().whenComplete((_, again) -> complete(answer, again));
    } else {
      complete(answer, problem);
    }
  }

  /** All that was before what is known: whoever needs it waits for the one read of it. */
  private synchronized CompletionStage<Void> earlier() {
    Instant now = clock.instant();
    CompletableFuture<Void> last = earlier.last(now);
    if (last != null || known.since() == 0) {
      return last != null ? last : completedFuture(null);
    }
    CompletableFuture<Void> answer = earlier.begin(now);
    KnownOver into = known;
    long upTo = into.since();
    var all = new OverTurns();
    Consumer<OverTurn> each =
        turn -> {
          if (turn.change() <= upTo) {
            hear(turn, earlier, () -> all);
          }
        };
    read(
        () -> line.over(queue, 0, each),
        (told, problem) -> {
          synchronized (this) {
            earlier.end(problem);
            if (told instanceof Told.UpTo(long of, _) && of == into.born()) {
              into.precede(all);
            }
          }
          complete(answer, problem);
        });
    return answer;
  }

  /** On a thread of its own: there may be a million of them. */
  private static void read(
      Supplier<CompletionStage<Told>> question,
      BiConsumer<@Nullable Told, @Nullable Throwable> then) {
    Thread.startVirtualThread(
        () -> {
          CompletionStage<Told> answer;
          try {
            answer = question.get();
          } catch (RuntimeException e) {
            answer = failedFuture(e);
          }
          answer.whenComplete(then);
        });
  }

  private void hear(OverTurn turn, Attempt attempt, Supplier<OverTurns> to) {
    long pass = EndedTurns.fingerprint(passes.idOf(turn.entry()));
    synchronized (this) {
      attempt.hears();
      if (to.get().size() >= maxTurns) {
        // Gates would not hold more either: better that they notice how old their knowledge gets.
        attempt.isTooMuch();
        throw new QueueUnavailable(
            QueueUnavailable.Kind.OVERLOADED,
            "more turns are over in " + queue + " than can be told");
      }
      to.get().add(turn.change(), pass, EndedTurns.endOf(Passes.endOf(turn.entry())));
    }
  }

  private static void complete(CompletableFuture<Void> answer, @Nullable Throwable problem) {
    if (problem == null) {
      answer.complete(null);
    } else {
      answer.completeExceptionally(problem);
    }
  }

  private void forgetAll() {
    known = new KnownOver();
    signed.invalidateAll();
  }

  // --- parts

  /**
   * Where there is no such queue, everybody who joined one before now has no turn; those of one
   * that is made next do, before the gates have heard of it.
   */
  private long bornAt() {
    return known.born() > 0 ? known.born() : Micros.of(known.readAt());
  }

  private CompletionStage<String> part(Cursor cursor, Signer signer) {
    Signed last = signedLately(cursor);
    return last != null
        ? completedFuture(last.token)
        // Not where requests are answered: a part of some thousands takes a while.
        : CompletableFuture.supplyAsync(() -> sign(cursor, signer), Thread::startVirtualThread);
  }

  private synchronized @Nullable Signed signedLately(Cursor cursor) {
    Signed last = signed.getIfPresent(from(cursor));
    boolean isOfNow =
        last != null
            && last.readAt.equals(known.readAt())
            && Attempt.isWithin(Attempt.FRESH, last.part.issuedAt(), clock.instant());
    return isOfNow ? last : null;
  }

  /** Each part once, however many ask at the same time. */
  private synchronized String sign(Cursor cursor, Signer signer) {
    Signed last = signedLately(cursor);
    if (last == null) {
      Instant now = clock.instant();
      Cursor from = from(cursor);
      EndedTurns next = next(from, now);
      last = new Signed(known.readAt(), next, signer.sign(next));
      signed.put(from, last);
    }
    return last.token;
  }

  private Cursor from(Cursor cursor) {
    requireHere(cursor);
    return new Cursor(known.born(), known.border(cursor));
  }

  private synchronized EndedTurns next(Cursor cursor, Instant now) {
    requireHere(cursor);
    OverTurns.Part part = known.after(cursor, now);
    return new EndedTurns(
        passes.issuer(),
        queue.toString(),
        now,
        bornAt(),
        known.from(cursor),
        part.isCut() ? part.to() : known.change(),
        part.isCut(),
        part.passes());
  }

  /** It was, but what is known may have been given up since. */
  private void requireHere(Cursor cursor) {
    if (!known.has(cursor)) {
      throw new QueueUnavailable(
          QueueUnavailable.Kind.OVERLOADED,
          "the turns that are over in " + queue + " are being read anew");
    }
  }
}
