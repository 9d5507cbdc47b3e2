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
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What this server knows of one queue's turns that are over. It asks the line once a second at
 * most, however many gates ask here and wherever they are; what was read is kept, so a gate that is
 * new costs the line nothing either.
 *
 * <p>Anybody may ask, and from wherever they like; building and signing a part takes a while. So
 * there are few of them: they begin where a part ends, or where this server was lately, at the last
 * such place before what somebody says to know. Being told something twice does no harm.
 */
final class EndedFeed {

  /** How old an answer may be. */
  private static final Duration FRESH = Duration.ofSeconds(1);

  /** Whoever was not asked for longer reads all anew: catching up would be the longer way. */
  private static final Duration IDLE = Duration.ofSeconds(60);

  private static final int MAX_SIGNED = 32;

  /** So many of its last states a server remembers: gates ask again within a few seconds. */
  private static final int MAX_MARKS = 16;

  /** 160 MB. */
  private static final int MAX_TURNS = 8_000_000;

  /** So long nothing is read if there are more: passes must be over first. */
  private static final Duration TOO_MANY = Duration.ofMinutes(1);

  private final QueueId queue;
  private final Line line;
  private final Passes passes;
  private final InstantSource clock;
  private final int maxTurns;
  private final OverTurns turns = new OverTurns();

  /** Where this server was lately, of which queue of this name. */
  private final NavigableSet<Long> marks = new TreeSet<>();

  private long markedOf;
  private final Cache<Cursor, Signed> signed =
      Caffeine.newBuilder().maximumSize(MAX_SIGNED).build();

  private long born;
  private long change;
  private @Nullable Instant readAt;
  private @Nullable Instant triedAt;
  private @Nullable Throwable failure;
  private boolean isTooMany;
  private @Nullable CompletableFuture<Void> reading;

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
    return fresh().thenCompose(_ -> part(cursor, signer));
  }

  /** Tells somebody of this very server all that is new, without signing anything. */
  CompletionStage<Void> tell(Listener listener) {
    // The first time there may be a million of them.
    return fresh().thenAcceptAsync(_ -> tellAll(listener), Thread::startVirtualThread);
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
    Instant read = readAt;
    return reading == null
        && (born == 0 || read == null || read.plus(IDLE).isBefore(clock.instant()));
  }

  private synchronized CompletionStage<Void> fresh() {
    if (reading != null) {
      return reading;
    }
    Instant now = clock.instant();
    if (triedAt != null && isWithin(isTooMany ? TOO_MANY : FRESH, triedAt, now)) {
      return failure == null ? completedFuture(null) : failedFuture(failure);
    }
    triedAt = now;
    isTooMany = false;
    boolean isCatchingUp = readAt != null && isWithin(IDLE, readAt, now) && born != 0;
    if (!isCatchingUp) {
      forgetAll();
    }
    var answer = new CompletableFuture<Void>();
    reading = answer;
    // On a thread of its own: the first time there may be a million of them.
    Thread.startVirtualThread(() -> read(now, answer));
    return answer;
  }

  private void read(Instant now, CompletableFuture<Void> answer) {
    try {
      line.over(queue, upTo(), this::heard)
          .whenComplete((told, problem) -> finish(told, problem, now, answer));
    } catch (RuntimeException e) {
      finish(null, e, now, answer);
    }
  }

  private synchronized long upTo() {
    return change;
  }

  /** Absolute: a clock that was set back must not stop us for as long as it was set back. */
  private static boolean isWithin(Duration span, Instant since, Instant now) {
    return Duration.between(since, now).abs().compareTo(span) < 0;
  }

  private synchronized void heard(OverTurn turn) {
    if (turns.size() >= maxTurns) {
      // Gates would not hold more either: better that they notice how old their knowledge gets.
      isTooMany = true;
      throw new QueueUnavailable(
          QueueUnavailable.Kind.OVERLOADED,
          "more turns are over in " + queue + " than can be told");
    }
    turns.add(
        turn.change(),
        EndedTurns.fingerprint(passes.idOf(turn.entry())),
        EndedTurns.endOf(Passes.endOf(turn.entry())));
  }

  private void finish(
      @Nullable Told told,
      @Nullable Throwable problem,
      Instant at,
      CompletableFuture<Void> answer) {
    boolean isToBeReadAgain = false;
    synchronized (this) {
      reading = null;
      failure = problem;
      if (problem != null) {
        // Half of what was to be read may be here: what follows is read from the beginning.
        readAt = null;
        if (isTooMany) {
          forgetAll();
        }
      } else if (told instanceof Told.UpTo(long of, long upTo)) {
        if (born != 0 && (of != born || upTo < change)) {
          // Another queue of that name, or one that lost changes; at once, and all of it.
          forgetAll();
          triedAt = null;
          isToBeReadAgain = true;
        } else {
          born = of;
          change = upTo;
          if (markedOf != of) {
            markedOf = of;
            marks.clear();
          }
          marks.add(upTo);
          if (marks.size() > MAX_MARKS) {
            marks.removeFirst();
          }
        }
        readAt = at;
      } else {
        forgetAll();
        readAt = at;
      }
      turns.forget(at.getEpochSecond());
    }
    if (problem != null) {
      answer.completeExceptionally(problem);
    } else if (isToBeReadAgain) {
      fresh()
          .whenComplete(
              (_, again) -> {
                if (again == null) {
                  answer.complete(null);
                } else {
                  answer.completeExceptionally(again);
                }
              });
    } else {
      answer.complete(null);
    }
  }

  private void forgetAll() {
    turns.clear();
    signed.invalidateAll();
    born = 0;
    change = 0;
  }

  /**
   * Where there is no such queue, everybody who joined one before now has no turn; those of one
   * that is made next do, before the gates have heard of it.
   */
  private long bornAt(Instant now) {
    return born > 0 ? born : Micros.of(readAt == null ? now : readAt);
  }

  private CompletionStage<String> part(Cursor cursor, Signer signer) {
    Signed known = known(cursor);
    return known != null
        ? completedFuture(known.token)
        // Not where requests are answered: a part of some thousands takes a while.
        : CompletableFuture.supplyAsync(() -> sign(cursor, signer), Thread::startVirtualThread);
  }

  private synchronized @Nullable Signed known(Cursor cursor) {
    Signed last = signed.getIfPresent(new Cursor(born, border(cursor)));
    boolean isOfNow =
        last != null
            && last.readAt.equals(readAt)
            && isWithin(FRESH, last.part.issuedAt(), clock.instant());
    return isOfNow ? last : null;
  }

  /** Each part once, however many ask at the same time. */
  private synchronized String sign(Cursor cursor, Signer signer) {
    Signed last = known(cursor);
    if (last == null) {
      Instant now = clock.instant();
      var from = new Cursor(born, border(cursor));
      EndedTurns next = next(from, now);
      last = new Signed(readAt == null ? now : readAt, next, signer.sign(next));
      signed.put(from, last);
    }
    return last.token;
  }

  /** From where on somebody is told who knows so much. */
  private long border(Cursor cursor) {
    long from = from(cursor);
    Long mark = marks.floor(from);
    return Math.max(turns.border(from), mark == null ? 0 : mark);
  }

  /** Who asks for what is not there yet was told by a server that is ahead: nothing is new. */
  private long from(Cursor cursor) {
    return cursor.born != born ? 0 : Math.min(cursor.change, change);
  }

  private synchronized EndedTurns next(Cursor cursor, Instant now) {
    long from = from(cursor);
    OverTurns.Part part = turns.after(from, now.getEpochSecond());
    return new EndedTurns(
        passes.issuer(),
        queue.toString(),
        now,
        bornAt(now),
        from,
        part.isCut() ? part.to() : change,
        part.isCut(),
        part.passes());
  }
}
