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

  /** Takes the next part; what does not follow on what is known changes nothing. */
  public void take(EndedTurns part, Instant now) throws IOException {
    Instant last = issuedAt;
    if (last != null && part.issuedAt().isBefore(last.minus(PassVerifier.DEFAULT_SKEW))) {
      throw new IOException("the turns that are over are older than those known");
    }
    boolean isOtherLife = part.born() != born;
    if (part.from() > (isOtherLife ? 0 : change)) {
      throw new IOException("some of the turns that are over are missing before these");
    }
    forget(now);
    for (Map.Entry<Long, long[]> group : part.passes().entrySet()) {
      add(group.getKey(), group.getValue(), now);
    }
    issuedAt = last == null || part.issuedAt().isAfter(last) ? part.issuedAt() : last;
    if (isOtherLife || part.to() >= change) {
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
    if (end < now.minus(skew).getEpochSecond() || ids.length == 0) {
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
