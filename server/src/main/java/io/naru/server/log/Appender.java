package io.naru.server.log;

import static io.naru.queue.Micros.PER_SECOND;

import io.naru.fair.Checkpoint;
import io.naru.fair.Note;
import io.naru.journal.Addition;
import io.naru.journal.Behind;
import io.naru.journal.Journaled;
import io.naru.journal.Log;
import io.naru.journal.LogStore;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.server.entry.Salts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the logs of queues of their journals. Every server does; of one log at a time whoever
 * began, until nothing was heard of it for a while. That only saves work: what is appended is right
 * because the store takes it only behind what was there when it was read.
 *
 * <p>A checkpoint is signed at the end of the journal, or of a beat that does not get there, and
 * never sooner than a second after the one before: an end that would come sooner waits. So whatever
 * is in a log and not under a checkpoint has more of the journal behind it, which is how a server
 * that takes over finds it.
 */
public final class Appender implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Appender.class);

  private static final long BEAT_MILLIS = 1_000;
  private static final long SHORTEST_PAUSE_MILLIS = 10;

  /** Longer than a few beats, and shorter than anybody waits for a receipt. */
  private static final long HOLD_MICROS = 5 * PER_SECOND;

  /** So many logs in one beat; the others have their turn with the next. */
  private static final int MAX_LOGS = 1_000;

  /** About so many records are appended in one step, a few milliseconds of the database's time. */
  private static final int STEP_RECORDS = 4_096;

  static final int FIRST_CHANGES = 64;
  private static final int LEAST_CHANGES = 4;
  private static final int MOST_CHANGES = 1_024;

  /** So many steps for one log before the next one has its turn. */
  private static final int MAX_STEPS = 16;

  /** An edge is some ten kilobytes. */
  private static final int MAX_EDGES = 256;

  /** From when on operators are told. */
  private static final long LATE_MICROS = 10 * PER_SECOND;

  private final LogStore store;
  private final Salts salts;
  private final LogKey key;
  private final String server;
  private final Map<Long, Known> known = new LinkedHashMap<>(16, 0.75f, true);
  private final Set<QueueId> failing = new HashSet<>();
  private boolean isStoreFailing;
  private volatile Lag lag = new Lag(0, 0, List.of());
  private volatile boolean isClosed;
  private @Nullable Thread thread;

  /**
   * How far logs were behind their journals at the last beat.
   *
   * @param changes of the log that is most
   * @param micros of the log of which something waits longest
   * @param late those that are later than they should ever be
   */
  private record Lag(long changes, long micros, List<String> late) {}

  /** What is known of a log from having appended to it. */
  private static final class Known {
    Log log;
    final Edge edge;
    final Note.Signer signer;
    int changes = FIRST_CHANGES;

    Known(Log log, Edge edge, Note.Signer signer) {
      this.log = log;
      this.edge = edge;
      this.signer = signer;
    }
  }

  public Appender(LogStore store, Salts salts, LogKey key) {
    this(store, salts, key, UUID.randomUUID().toString());
  }

  /**
   * @param server names this one among all that append
   */
  Appender(LogStore store, Salts salts, LogKey key, String server) {
    this.store = store;
    this.salts = salts;
    this.key = key;
    this.server = server;
  }

  public void start() {
    thread = Thread.ofVirtual().name("naru-log").start(this::run);
  }

  private void run() {
    try {
      while (!isClosed) {
        Thread.sleep(beat());
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  @Override
  public void close() {
    isClosed = true;
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }

  /** How many changes the log has yet to get that is furthest behind. */
  public long lagChanges() {
    return lag.changes;
  }

  /** For how long something has been waiting to be in a log. */
  public double lagSeconds() {
    return lag.micros / (double) PER_SECOND;
  }

  /** What an operator should know; empty if all is well. */
  public List<String> troubles() {
    return lag.late;
  }

  /** Appends what there is to append; says how long to wait before the next time. */
  Duration beat() {
    List<Behind> behind;
    try {
      behind = store.behind(MAX_LOGS);
      isStoreFailing = false;
    } catch (RuntimeException e) {
      if (!isStoreFailing) {
        log.warn("logs have to wait: {}", e.getMessage());
      }
      isStoreFailing = true;
      return Duration.ofMillis(BEAT_MILLIS);
    }
    lag = lagOf(behind);
    long pause = BEAT_MILLIS * 1_000;
    for (Behind each : behind) {
      if (isClosed) {
        break;
      }
      if (!each.log().isHeldBefore(server, each.now())) {
        pause = Math.min(pause, append(each));
      }
    }
    return Duration.ofMillis(Math.max(SHORTEST_PAUSE_MILLIS, Math.ceilDiv(pause, 1_000)));
  }

  private static Lag lagOf(List<Behind> behind) {
    return new Lag(
        behind.stream().mapToLong(Behind::changes).max().orElse(0),
        behind.stream().mapToLong(Behind::micros).max().orElse(0),
        behind.stream()
            .filter(b -> b.micros() > LATE_MICROS)
            .sorted(Comparator.comparingLong(Behind::oldestAt))
            .map(
                b ->
                    "the log of %s is %s s behind"
                        .formatted(b.log().queue(), b.micros() / PER_SECOND))
            .toList());
  }

  /** Says how long to wait before there is more to do for this log, in microseconds. */
  private long append(Behind behind) {
    QueueId queue = behind.log().queue();
    try {
      long pause = appendSteps(behind);
      failing.remove(queue);
      return pause;
    } catch (QueueUnavailable e) {
      known.remove(behind.log().id());
      if (failing.add(queue)) {
        log.warn("the log of {} has to wait: {}", queue, e.getMessage());
      }
    } catch (RuntimeException e) {
      known.remove(behind.log().id());
      if (failing.add(queue)) {
        log.error("the log of {} cannot be appended to; what happens is kept for it", queue, e);
      }
    }
    return BEAT_MILLIS * 1_000;
  }

  private long appendSteps(Behind behind) {
    Known of = known(behind.log());
    long start = System.nanoTime();
    for (int i = 0; i < MAX_STEPS && !isClosed; i++) {
      // One more than is taken, to know whether there is more behind it.
      List<Journaled> read = store.journal(of.log, of.log.cursor(), of.changes + 1);
      List<Journaled> changes = step(read, of.changes);
      boolean isEnd = changes.size() == read.size();
      long now = behind.now() + (System.nanoTime() - start) / 1_000;
      long early = early(of.log, now);
      if (changes.isEmpty() || (isEnd && early > 0)) {
        return changes.isEmpty() ? BEAT_MILLIS * 1_000 : early;
      }
      boolean isSigned = isEnd || (i == MAX_STEPS - 1 && early <= 0);
      if (!appendStep(of, changes, isSigned, now)) {
        // Somebody else did: they go on.
        known.remove(of.log.id());
        return BEAT_MILLIS * 1_000;
      }
      if (isEnd) {
        return BEAT_MILLIS * 1_000;
      }
    }
    return 0;
  }

  /** As many of these as make a step; one of them at least, however many records that has. */
  private static List<Journaled> step(List<Journaled> changes, int most) {
    long records = 0;
    for (int i = 0; i < changes.size(); i++) {
      records += changes.get(i).count();
      if (records >= STEP_RECORDS || i + 1 == most) {
        return changes.subList(0, i + 1);
      }
    }
    return changes;
  }

  /** How long until the next checkpoint may be signed; 0 or less if it may. */
  private static long early(Log log, long now) {
    long early = log.signedAt() + PER_SECOND - now;
    // One that was signed in the future was so on a clock that has been set since.
    return early > PER_SECOND ? 0 : early;
  }

  private Known known(Log now) {
    Known before = known.get(now.id());
    if (before != null
        && before.log.size() == now.size()
        && before.log.cursor() == now.cursor()
        && before.edge.size() == now.size()) {
      before.log = now;
      return before;
    }
    String origin = key.origin(now);
    var read = new Known(now, Edge.read(store, now), key.signer(origin));
    known.put(now.id(), read);
    if (known.size() > MAX_EDGES) {
      known.remove(known.keySet().iterator().next());
    }
    return read;
  }

  /** Whether it was appended; the edge is wrong if not. */
  private boolean appendStep(Known of, List<Journaled> changes, boolean isSigned, long now) {
    Log from = of.log;
    List<PublicRecord> records = new ArrayList<>();
    for (Journaled change : changes) {
      for (String line : change.lines()) {
        records.add(PublicRecord.of(from.queue(), change, line, salts));
      }
    }
    records.forEach(of.edge::append);
    of.changes =
        Math.clamp(
            (long) changes.size() * STEP_RECORDS / Math.max(1, records.size()),
            LEAST_CHANGES,
            MOST_CHANGES);
    String origin = of.signer.verifier().name();
    long size = of.edge.size();
    String checkpoint =
        isSigned ? new Checkpoint(origin, size, of.edge.root(), now).sign(of.signer) : null;
    long cursor = changes.getLast().change();
    var addition =
        new Addition(
            size,
            cursor,
            origin,
            server,
            HOLD_MICROS,
            of.edge.grownTiles(),
            of.edge.grownBundles(),
            checkpoint,
            now);
    if (!store.append(from, addition)) {
      return false;
    }
    of.log =
        new Log(
            from.id(),
            from.queue(),
            from.original(),
            origin,
            size,
            cursor,
            server,
            now + HOLD_MICROS,
            checkpoint == null ? from.checkpoint() : checkpoint,
            checkpoint == null ? from.signedAt() : now);
    return true;
  }
}
