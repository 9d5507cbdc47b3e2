package io.naru.ledger;

import static io.naru.queue.Micros.PER_SECOND;

import io.naru.audit.AuditTrail;
import io.naru.decision.Draw;
import io.naru.decision.EntryState;
import io.naru.history.Minute;
import io.naru.journal.Feed;
import io.naru.rate.RatePoint;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what nobody asks for any more, as fast as it comes about: in small steps until nothing is
 * left, with rests between them, so that those who enter hardly notice. Blocks.
 *
 * <p>An entry that has ended is never changed again, so it is deleted without its queue's lock.
 * Only that it will be missing is noted under the lock, before: a copy that would need it is then
 * built anew, instead of being told what is left.
 */
final class Retention {

  private static final Logger log = LoggerFactory.getLogger(Retention.class);

  /** A few milliseconds of work; an embedded database lets nobody else write meanwhile. */
  private static final int STEP = 1_000;

  /** Those of a log are long. */
  private static final int LOG_STEP = 100;

  private static final int QUEUES = 100;

  /** Of leaves, 160 KB each. */
  private static final int PARTS = 16;

  /** For so long whoever lists those who are drawn may take; a day is more than enough. */
  private static final long LISTS_KEPT = 24 * 3_600 * PER_SECOND;

  private static final Duration SHORTEST_REST = Duration.ofMillis(5);

  private final Pool pool;
  private final Dialect dialect;
  private final Supplier<Feed.Bounds> bounds;
  private final Failures failures;
  private final Map<String, String> troubles = new ConcurrentHashMap<>();

  Retention(Pool pool, Dialect dialect, Supplier<Feed.Bounds> bounds) {
    this.pool = pool;
    this.dialect = dialect;
    this.bounds = bounds;
    this.failures = new Failures(dialect);
  }

  /** Some of what is to be deleted. */
  private interface Part {
    void run() throws Exception;
  }

  /**
   * Goes on until nothing is left to delete. What cannot be deleted does not keep the rest, or that
   * would grow for ever.
   */
  void run() throws InterruptedException {
    run("marks of servers", this::forgetMarks);
    run("queues that were deleted", this::purgeDeleted);
    run("entries that have ended", this::sweepEnded);
    run("minutes", this::forgetOldMinutes);
    run("acts", this::forgetActs);
    run("rates", this::forgetRates);
    run("lists of draws", this::forgetOtherLists);
    run("events", this::forgetEvents);
  }

  private void run(String what, Part part) throws InterruptedException {
    try {
      part.run();
      if (troubles.remove(what) != null) {
        log.info("old {} are deleted again", what);
      }
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      if (failures.isOfAll(e)) {
        // Others say so.
        log.debug("old {} have to wait", what, e);
        return;
      }
      String trouble = "old " + what + " cannot be deleted, and pile up: " + e.getMessage();
      if (troubles.put(what, trouble) == null) {
        log.warn("{}. It is tried again every minute", trouble, e);
      }
    }
  }

  /** What is not deleted as it should be; empty if all is well. */
  List<String> troubles() {
    return troubles.values().stream().sorted().toList();
  }

  private long endedBefore() throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return dialect.now(connection) - EntryState.ENDED_KEPT;
    }
  }

  private void forgetMarks() throws SQLException {
    long before = endedBefore();
    try (Connection connection = pool.getConnection()) {
      new Rows(connection, dialect).marks().forget(before);
    }
  }

  /** Who reads no more, what all have read, and what somebody has left lying for too long. */
  private void forgetEvents() throws Exception {
    Feed.Bounds kept = bounds.get();
    long before;
    try (Connection connection = pool.getConnection()) {
      before = dialect.now(connection) - kept.micros();
    }
    for (String reader : askEvents(events -> events.silent(before))) {
      log.warn("nothing was heard of {} for {}: no events are kept for it", reader, kept.age());
      together(
          events -> {
            events.end(reader);
            return true;
          });
    }
    OptionalLong next = askEvents(events -> events.queueAfter(0));
    while (next.isPresent()) {
      long queue = next.getAsLong();
      boolean isMore = true;
      while (isMore) {
        isMore = unhurried(() -> askEvents(events -> events.forgetRead(queue, STEP)));
      }
      isMore = true;
      while (isMore) {
        isMore =
            unhurried(() -> together(events -> events.lose(queue, kept.changes(), before, STEP)));
      }
      next = askEvents(events -> events.queueAfter(queue));
    }
    askEvents(EventRows::forgetDeleted);
  }

  private interface EventQuestion<T> {
    T ask(EventRows events) throws SQLException;
  }

  private <T> T askEvents(EventQuestion<T> question) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return question.ask(new Rows(connection, dialect).events());
    }
  }

  private <T> T together(EventQuestion<T> question) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      try {
        T done = question.ask(new Rows(connection, dialect).events());
        connection.commit();
        return done;
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    }
  }

  /** Leaves of lists that were not taken, or of an earlier draw. */
  private void forgetOtherLists() throws Exception {
    var last = new LeafRows.Kept(0, "");
    List<LeafRows.Kept> some;
    do {
      LeafRows.Kept after = last;
      some = askLeaves((leaves, now) -> leaves.old(after, now - LISTS_KEPT, QUEUES));
      for (LeafRows.Kept kept : some) {
        unhurried(() -> askLeaves((leaves, _) -> forgetOther(leaves, kept)));
      }
      last = some.isEmpty() ? last : some.getLast();
    } while (some.size() == QUEUES);
  }

  private static boolean forgetOther(LeafRows leaves, LeafRows.Kept kept) throws SQLException {
    Draw draw = Draw.ofText(leaves.draw(kept.queue()).orElse(null));
    boolean isOther = draw == null || !draw.sealId().equals(kept.sealId());
    if (isOther) {
      leaves.delete(kept.queue(), kept.sealId());
    }
    return isOther;
  }

  private interface LeafQuestion<T> {
    T ask(LeafRows leaves, long now) throws SQLException;
  }

  private <T> T askLeaves(LeafQuestion<T> question) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return question.ask(new Rows(connection, dialect).leaves(), dialect.now(connection));
    }
  }

  private void forgetRates() throws Exception {
    OptionalLong queue = askRates(rates -> rates.queueAfter(0));
    while (queue.isPresent()) {
      long id = queue.getAsLong();
      forgetRates(id, RatePoint.KEPT);
      queue = askRates(rates -> rates.queueAfter(id));
    }
  }

  private void forgetRates(long queue, long kept) throws Exception {
    boolean isMore = true;
    while (isMore) {
      isMore =
          unhurried(
              () -> {
                try (Connection connection = pool.getConnection()) {
                  long before = dialect.now(connection) - kept;
                  return new Rows(connection, dialect).rates().forget(queue, before);
                }
              });
    }
  }

  private interface RateQuestion<T> {
    T ask(RateRows rates) throws SQLException;
  }

  private <T> T askRates(RateQuestion<T> question) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return question.ask(new Rows(connection, dialect).rates());
    }
  }

  /** Acts, and the keys whose revocation is older than any act. */
  private void forgetActs() throws Exception {
    boolean isMore = true;
    while (isMore) {
      isMore =
          unhurried(
              () -> {
                try (Connection connection = pool.getConnection()) {
                  long before = dialect.now(connection) - AuditTrail.KEPT.toSeconds() * PER_SECOND;
                  var rows = new Rows(connection, dialect);
                  rows.access().forget(before);
                  return rows.audit().forget(before, STEP);
                }
              });
    }
  }

  private void purgeDeleted() throws Exception {
    OptionalLong gone = ask(EndedRows::firstDeleted);
    while (gone.isPresent()) {
      long queue = gone.getAsLong();
      purge(queue);
      ask(ended -> ended.forgetDeleted(queue));
      gone = ask(EndedRows::firstDeleted);
    }
  }

  private void purge(long queue) throws Exception {
    forgetMinutes(queue, Long.MAX_VALUE);
    // All of them, and those of a clock that was ahead.
    forgetRates(queue, -RatePoint.KEPT);
    forgetCodes(queue);
    forgetPresence(queue);
    forgetLog(queue);
    forgetLeaves(queue);
    EndedRows.Stretch done = EndedRows.Stretch.NONE;
    do {
      long from = done.last();
      done =
          unhurried(
              () -> {
                EndedRows.Stretch found = ask(ended -> ended.all(queue, from, STEP));
                ask(ended -> ended.deleteAll(queue, from, found.last()));
                return found;
              });
    } while (done.count() > 0);
  }

  private void sweepEnded() throws Exception {
    long before = endedBefore();
    long from = 0;
    List<EndedRows.Numbered> some = withEnded(from, before);
    while (!some.isEmpty()) {
      from = some.getLast().id();
      // Each server in another order, so that they seldom meet.
      List<EndedRows.Numbered> mixed = new ArrayList<>(some);
      Collections.shuffle(mixed);
      for (EndedRows.Numbered queue : mixed) {
        try {
          sweep(queue, before);
        } catch (InterruptedException e) {
          throw e;
        } catch (Exception e) {
          // One that is locked for long: the others need not wait for it.
          log.debug("{} is not swept now", queue.queue(), e);
        }
      }
      some = withEnded(from, before);
    }
  }

  private List<EndedRows.Numbered> withEnded(long from, long before) throws SQLException {
    return ask(ended -> ended.withEnded(from, before, QUEUES));
  }

  private void sweep(EndedRows.Numbered queue, long before) throws Exception {
    EndedRows.Stretch done = EndedRows.Stretch.NONE;
    do {
      long from = done.last();
      done =
          unhurried(
              () -> {
                EndedRows.Stretch found = ask(ended -> ended.ended(queue.id(), from, before, STEP));
                if (found.count() == 0 || !willMiss(queue, found.highestChange())) {
                  return EndedRows.Stretch.NONE;
                }
                ask(ended -> ended.deleteEnded(queue.id(), from, found.last(), before));
                return found;
              });
    } while (done.count() > 0);
  }

  /** Also of queues that nobody enters: what a site says of itself or its stock is counted, too. */
  private void forgetOldMinutes() throws Exception {
    long before = Minute.of(endedBefore());
    SQLException failure = null;
    List<Long> some = withOldMinutes(0, before);
    while (!some.isEmpty()) {
      for (long queue : some) {
        try {
          forgetMinutes(queue, before);
        } catch (SQLException e) {
          if (failures.isOfAll(e)) {
            throw e;
          }
          // It is said at the end: the others need not wait for it.
          failure = e;
        }
      }
      some = withOldMinutes(some.getLast(), before);
    }
    if (failure != null) {
      throw failure;
    }
  }

  private List<Long> withOldMinutes(long from, long before) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return new Rows(connection, dialect).minutes().withOld(from, before, QUEUES);
    }
  }

  private void forgetMinutes(long queue, long before) throws Exception {
    boolean isMore = true;
    while (isMore) {
      isMore =
          unhurried(
              () -> {
                try (Connection connection = pool.getConnection()) {
                  return new Rows(connection, dialect).minutes().forget(queue, before);
                }
              });
    }
  }

  private void forgetCodes(long queue) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      new Rows(connection, dialect).codes().deleteAll(queue);
    }
  }

  private void forgetLeaves(long queue) throws Exception {
    boolean isMore = true;
    while (isMore) {
      isMore = unhurried(() -> askLeaves((leaves, _) -> leaves.deleteSome(queue, PARTS)));
    }
  }

  private void forgetPresence(long queue) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      new Rows(connection, dialect).presence().forgetAll(queue);
    }
  }

  /** With its queue: nobody could ask for it any more. */
  private void forgetLog(long queue) throws Exception {
    try (Connection connection = pool.getConnection()) {
      new Rows(connection, dialect).logs().end(queue);
    }
    boolean isMore = true;
    while (isMore) {
      isMore =
          unhurried(
              () -> {
                try (Connection connection = pool.getConnection()) {
                  var rows = new Rows(connection, dialect);
                  return rows.journal().forgetSome(queue, STEP)
                      || rows.logs().forgetSome(queue, LOG_STEP);
                }
              });
    }
  }

  /** Whether that was noted; not if the queue is gone, which is purged as a whole then. */
  private boolean willMiss(EndedRows.Numbered queue, long change) throws Exception {
    return ask(ended -> ended.keepFrom(queue.id(), change));
  }

  /** Rests as long as something took, so that at least half of the time is for others. */
  private static <T> T unhurried(Callable<T> step) throws Exception {
    long start = System.nanoTime();
    T done = step.call();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    Thread.sleep(took.compareTo(SHORTEST_REST) < 0 ? SHORTEST_REST : took);
    return done;
  }

  private interface Question<T> {
    T ask(EndedRows ended) throws SQLException;
  }

  /** Each statement is a transaction of its own. */
  private <T> T ask(Question<T> question) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return question.ask(new Rows(connection, dialect).ended());
    }
  }
}
