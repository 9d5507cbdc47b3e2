package io.naru.gate;

import io.naru.pass.EndedTurns;
import io.naru.pass.Pass;
import io.naru.pass.PassVerifier;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The passes of one queue whose turn is over, as Naru has told part by part. Those that end in the
 * same ten seconds are in one set: a look goes to one of them, and forgetting is dropping one.
 *
 * <p>One thread takes parts and forgets, any number look.
 */
public final class OverTurns {

  /** About 130 MB at most; more is not believed, so the knowledge grows old instead. */
  public static final int MAX_PASSES = 8_000_000;

  /** So many answers in a row that are behind what is known: then that state is gone for good. */
  private static final int MAX_BEHIND = 5;

  private final Map<Long, LongSet> byEnd = new ConcurrentHashMap<>();
  private final Duration skew;
  private final int max;
  private volatile long born;
  private volatile boolean isTold;
  private long change;
  private int behind;
  private int size;

  /** The latest end of those that were forgotten, in seconds. */
  private long forgotten;

  private @Nullable Instant issuedAt;

  /**
   * @param skew how long a pass counts beyond its end
   */
  public OverTurns(Duration skew, int max) {
    this.skew = skew;
    this.max = max;
  }

  /** Where to go on, as Naru is asked. */
  public String cursor() {
    return born + "." + change;
  }

  public boolean isOver(Pass pass) {
    if (!isTold) {
      return false;
    }
    // It is nobody's turn in a queue that is gone, and a new one of that name owes its people
    // nothing.
    long since = born;
    if (since == 0 || EndedTurns.joined(pass.id()) < since) {
      return true;
    }
    LongSet ended = byEnd.get(EndedTurns.endOf(pass.expiresAt()));
    return ended != null && ended.contains(EndedTurns.fingerprint(pass.id()));
  }

  /**
   * Takes the next part as it came over the wire; what does not follow on what is known changes
   * nothing. Of the same queue a part only adds, whenever it was signed: clocks of servers are
   * apart, and are set back. But one that was kept from before could bring a queue back that is
   * gone.
   */
  void take(EndedTurns part, Instant now) throws IOException {
    Instant last = issuedAt;
    boolean isOlder =
        last != null && part.issuedAt().isBefore(last.minus(PassVerifier.DEFAULT_SKEW));
    if (isOlder && part.born() != born) {
      throw new IOException("the turns that are over are older than those known");
    }
    learn(part, now);
    issuedAt = last == null || part.issuedAt().isAfter(last) ? part.issuedAt() : last;
  }

  /** The same of a part that nobody can have kept: it was made just now, in this process. */
  public void learn(EndedTurns part, Instant now) throws IOException {
    boolean isOtherLife = part.born() != born;
    if (part.from() > (isOtherLife ? 0 : change)) {
      throw new IOException("some of the turns that are over are missing before these");
    }
    forget(now);
    boolean wasAhead = forgotten >= now.minus(skew).getEpochSecond();
    for (Map.Entry<Long, long[]> group : part.passes().entrySet()) {
      add(group.getKey(), group.getValue(), now);
    }
    if (wasAhead) {
      // The clock was, and passes of turns that were forgotten are good again: begin anew.
      change = 0;
      behind = 0;
      forgotten = 0;
    } else if (isOtherLife || part.to() >= change) {
      change = part.to();
      behind = 0;
    } else if (++behind >= MAX_BEHIND) {
      // Not one server that is late, but a line that has lost changes: begin anew.
      change = 0;
      behind = 0;
    }
    born = part.born();
    isTold = true;
  }

  private void add(long end, long[] ids, Instant now) throws IOException {
    long latest = now.plus(skew).getEpochSecond() + Pass.MAX_LIFE_SECONDS;
    if (end > latest + EndedTurns.STEP_SECONDS || size + ids.length > max) {
      throw new IOException("more turns are over than a gate can know");
    }
    if (ids.length == 0) {
      return;
    }
    if (end < now.minus(skew).getEpochSecond()) {
      forgotten = Math.max(forgotten, end);
      return;
    }
    LongSet set = byEnd.computeIfAbsent(end, unused -> new LongSet());
    int before = set.size();
    for (long id : ids) {
      set.add(id);
    }
    size += set.size() - before;
  }

  private void forget(Instant now) {
    long past = now.minus(skew).getEpochSecond();
    byEnd
        .entrySet()
        .removeIf(
            group -> {
              boolean isPast = group.getKey() < past;
              if (isPast) {
                forgotten = Math.max(forgotten, group.getKey());
                size -= group.getValue().size();
              }
              return isPast;
            });
  }

  int size() {
    return size;
  }

  long bytes() {
    return byEnd.values().stream().mapToLong(LongSet::bytes).sum();
  }
}
