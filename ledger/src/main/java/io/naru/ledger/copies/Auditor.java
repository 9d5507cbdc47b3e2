package io.naru.ledger.copies;

import io.naru.line.Change;
import io.naru.line.Checked;
import io.naru.line.Fact;
import io.naru.line.Held;
import io.naru.line.LineCopy;
import io.naru.line.Original;
import io.naru.line.Part;
import io.naru.line.Sum;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares copies with their ledger, entry by entry. A copy notices by itself when it is behind or
 * when somebody is missing; that a score was changed in it, or one member put in another's place,
 * it does not.
 *
 * <p>Both are read in parts of the same bounds, and compared by count and checksum. People come and
 * go between the two readings, so a part that differs is looked at closely: whoever differs must
 * have been touched by a change after the older of the two readings, which the ledger knows of each
 * entry. Who was not, and is not when it is all read again, is a difference. Then the copy is no
 * longer read and is built anew ({@link Keeper#distrust}).
 *
 * <p>One thread at a time: a comparison by hand waits for the beat's, which is short.
 */
public final class Auditor {

  private static final Logger log = LoggerFactory.getLogger(Auditor.class);

  /** How many are compared in one look; reading them takes some milliseconds. */
  static final int PART = 2_000;

  /** What one beat does at most: so many queues, and about so many entries. */
  private static final int LOOKS = 20;

  private static final int ENTRIES = 4_000;

  /** No queue is looked at more often than that by the beat. */
  private static final Duration ROUND = Duration.ofSeconds(30);

  private static final Duration REPAIR = Duration.ofSeconds(1);
  private static final int POLL_MILLIS = 20;

  private final Keeper keeper;
  private final LineCopy copy;
  private final Source source;
  private final LongSupplier nanos;
  private final int size;
  private final ArrayDeque<Turn> round = new ArrayDeque<>();
  private final Map<Original, Integer> unrepaired = new HashMap<>();
  private long roundBegan;

  private final LongAdder entries = new LongAdder();
  private final LongAdder differences = new LongAdder();
  private final LongAdder repairs = new LongAdder();

  /** A queue, and from where on it is to be compared. */
  private record Turn(Original of, Cursor from) {}

  /** A place to go on from: first all who wait, then all inside. */
  private record Cursor(boolean isInside, long after) {

    static final Cursor START = new Cursor(false, Part.BEGINNING);

    /** Where to go on behind a part; null behind the last one. */
    static @Nullable Cursor behind(Part part) {
      if (part.upTo() != Part.END) {
        return new Cursor(part.isInside(), part.upTo());
      }
      return part.isInside() ? null : new Cursor(true, Part.BEGINNING);
    }

    static Cursor parse(String text) {
      if (text.isEmpty()) {
        return START;
      }
      if (!text.matches(Checked.NEXT_ALLOWED)) {
        throw new IllegalArgumentException(text);
      }
      int colon = text.indexOf(':');
      return new Cursor(
          text.startsWith("inside"),
          colon < 0 ? Part.BEGINNING : Long.parseLong(text.substring(colon + 1)));
    }

    @Override
    public String toString() {
      return (isInside ? "inside" : "waiting") + (after == Part.BEGINNING ? "" : ":" + after);
    }
  }

  /** One part, compared. */
  private record Look(int entries, Set<String> differing, long change, @Nullable Cursor next) {}

  /** Lists the queues that anybody is in. */
  @FunctionalInterface
  public interface Busy {
    List<Original> list() throws Exception;
  }

  public Auditor(Keeper keeper, LineCopy copy, Source source) {
    this(keeper, copy, source, System::nanoTime, PART);
  }

  Auditor(Keeper keeper, LineCopy copy, Source source, LongSupplier nanos, int size) {
    this.keeper = keeper;
    this.copy = copy;
    this.source = source;
    this.nanos = nanos;
    this.size = size;
    this.roundBegan = nanos.getAsLong();
  }

  /** How many entries were compared. */
  public long entries() {
    return entries.sum();
  }

  /** How many were not in the copy as in the ledger. */
  public long differences() {
    return differences.sum();
  }

  /** How many of those are by now. */
  public long repairs() {
    return repairs.sum();
  }

  /**
   * Goes on with the round: one part of each busy queue after the other, until all are compared.
   * Then the next one begins.
   */
  public synchronized void beat(Busy busy) throws Exception {
    List.copyOf(unrepaired.keySet()).forEach(this::settle);
    if (round.isEmpty()) {
      long now = nanos.getAsLong();
      if (now - roundBegan < ROUND.toNanos()) {
        return;
      }
      roundBegan = now;
      List<Original> all = new ArrayList<>(busy.list());
      // Several servers do this; not all of them need to look at the same one.
      Collections.shuffle(all);
      all.forEach(of -> round.add(new Turn(of, Cursor.START)));
    }
    int compared = 0;
    for (int looks = 0; looks < LOOKS && compared < ENTRIES && !round.isEmpty(); looks++) {
      Turn turn = round.removeFirst();
      Look look = look(turn.of, turn.from).orElse(null);
      if (look != null) {
        compared += look.entries;
        if (look.next != null) {
          round.addLast(new Turn(turn.of, look.next));
        }
        repair(turn.of, look);
      }
    }
  }

  /**
   * Compares a whole queue, or as much of it as can be in this time; empty if it cannot be compared
   * now, because it is gone, frozen, or its copy is being healed.
   *
   * @param after where to go on; empty for the beginning
   * @throws IllegalArgumentException if that is not where a comparison ended
   */
  public synchronized Optional<Checked> check(Original of, String after, Duration budget)
      throws Exception {
    @Nullable Cursor from = Cursor.parse(after);
    if (!keeper.isFollowing(of)) {
      keeper.doubt(of);
    }
    if (!isFollowedSoon(of)) {
      return Optional.empty();
    }
    long end = nanos.getAsLong() + budget.toNanos();
    long compared = 0;
    long differed = 0;
    long repaired = 0;
    long change = 0;
    do {
      Optional<Look> look = look(of, from);
      if (look.isEmpty()) {
        return Optional.empty();
      }
      compared += look.get().entries;
      differed += look.get().differing.size();
      repaired += repair(of, look.get());
      change = look.get().change;
      from = look.get().next;
    } while (from != null && repaired == differed && nanos.getAsLong() - end < 0);
    return Optional.of(
        new Checked(compared, differed, repaired, change, from == null ? "" : from.toString()));
  }

  private Optional<Look> look(Original of, Cursor from) throws Exception {
    if (keeper.frozen(of) != null || !keeper.isFollowing(of)) {
      return Optional.empty();
    }
    Source.Extent ours = source.part(of, from.isInside, from.after, size).orElse(null);
    if (ours == null) {
      return Optional.empty();
    }
    int count = ours.held().facts().size();
    Sum theirs = Keeper.await(copy.sum(of, ours.part(), count + 1)).orElse(null);
    if (theirs == null) {
      keeper.doubt(of);
      return Optional.empty();
    }
    Set<String> differing =
        theirs.count() == count && theirs.checksum().equals(ours.held().sum().checksum())
            ? Set.of()
            : differing(of, from, ours);
    entries.add(count);
    return Optional.of(
        new Look(count, differing, ours.held().change(), Cursor.behind(ours.part())));
  }

  /** Looked at twice: whoever differs for no reason does so again. */
  private Set<String> differing(Original of, Cursor from, Source.Extent ours) throws Exception {
    Set<String> first = withoutReason(of, ours);
    if (first.isEmpty()) {
      return first;
    }
    Optional<Source.Extent> again = source.part(of, from.isInside, from.after, size);
    if (again.isEmpty()) {
      return Set.of();
    }
    Set<String> second = withoutReason(of, again.get());
    second.retainAll(first);
    return second;
  }

  /** Those who differ in this part, and were not touched since the older of both was read. */
  private Set<String> withoutReason(Original of, Source.Extent ours) throws Exception {
    Held known = ours.held();
    int limit = 2 * known.facts().size() + size;
    Held theirs = Keeper.await(copy.held(of, ours.part(), limit)).orElse(null);
    if (theirs == null) {
      return Set.of();
    }
    Set<String> users =
        theirs.facts().size() < limit
            ? unlike(known.facts(), theirs.facts())
            : unlikeBefore(Part.at(theirs.facts().getLast()), known.facts(), theirs.facts());
    if (users.isEmpty()) {
      return users;
    }
    long older = Math.min(known.change(), theirs.change());
    Change since = source.since(of, older, Keeper.MAX_JUMP).orElse(null);
    if (since == null || theirs.change() > since.to()) {
      // Too much has happened to tell, or the ledger lost commits, which is the keeper's to find.
      return Set.of();
    }
    since.facts().forEach(fact -> users.remove(fact.user()));
    return users;
  }

  /** A copy that is behind may hold more than was read of it: what lies further on is not known. */
  private static Set<String> unlikeBefore(long end, List<Fact> one, List<Fact> other) {
    return unlike(
        one.stream().filter(fact -> Part.at(fact) < end).toList(),
        other.stream().filter(fact -> Part.at(fact) < end).toList());
  }

  private static Set<String> unlike(List<Fact> one, List<Fact> other) {
    Map<String, Fact> byUser = new HashMap<>();
    one.forEach(fact -> byUser.put(fact.user(), fact));
    Set<String> unlike = new HashSet<>();
    for (Fact fact : other) {
      if (!fact.equals(byUser.remove(fact.user()))) {
        unlike.add(fact.user());
      }
    }
    unlike.addAll(byUser.keySet());
    return unlike;
  }

  /** Says how many are as they should be afterwards; those of a long line a little later. */
  private int repair(Original of, Look look) throws Exception {
    int count = look.differing.size();
    if (count == 0) {
      return 0;
    }
    differences.add(count);
    // Not who: a log is read by more people than a line.
    log.warn(
        "the copy of {} differed from the ledger at change {} in {} of {} entries that were compared;"
            + " it is built anew",
        of.queue(),
        look.change,
        count,
        look.entries);
    keeper.distrust(of);
    unrepaired.merge(of, count, Integer::sum);
    return isFollowedSoon(of) ? settle(of) : 0;
  }

  private boolean isFollowedSoon(Original of) throws InterruptedException {
    long end = nanos.getAsLong() + REPAIR.toNanos();
    while (!keeper.isFollowing(of) && nanos.getAsLong() - end < 0) {
      Thread.sleep(POLL_MILLIS);
    }
    return keeper.isFollowing(of);
  }

  /** Counts what is repaired, if it is. */
  private int settle(Original of) {
    Integer count = keeper.isFollowing(of) ? unrepaired.remove(of) : null;
    repairs.add(count == null ? 0 : count);
    return count == null ? 0 : count;
  }
}
