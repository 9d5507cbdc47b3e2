package io.naru.ledger;

import io.naru.batch.BatchObserver;
import io.naru.decision.Request;
import io.naru.ledger.Dialect.Haste;
import io.naru.ledger.Transaction.Decided;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one writer of this server. While one transaction is under way, requests collect; the next
 * takes all of them, up to a bound. Whatever fails, it goes on.
 *
 * <p>A commit whose answer is lost has happened or not, and guessing would tell somebody something
 * wrong. Each transaction leaves its number in a row of this server; after a lost answer the queues
 * are locked once more (which waits for the old transaction to be over, one way or the other), and
 * that row says what became of it.
 *
 * <p>A commit that is answered with a warning is no better: the wait for a synchronous standby was
 * cancelled, and what was committed here is lost with this database. So is what a primary shows
 * that was restarted before its standby had it. What was found there is told only after another
 * commit over the same connection, for which the standby was waited for.
 *
 * <p>The same row says over a new connection whether the database behind it has what this server
 * has committed ({@link OwnCommits}).
 */
final class Writer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Writer.class);

  private static final int LOOK_UPS = 3;

  /** So long may a visitor wait here; the rest of 3 seconds is for the way. */
  private static final Duration PATIENCE = Duration.ofMillis(2_500);

  private static final Duration COMPLAINTS = Duration.ofMinutes(1);

  private final WriterConnection connection;
  private final Dialect dialect;
  private final Failures failures;
  private final Callbacks callbacks;
  private final BatchObserver observer;
  private final String server;
  private final Thread thread;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition asked = lock.newCondition();
  private final Backlog backlog = new Backlog();
  private List<Pending<?>> underWay = new ArrayList<>();
  private boolean closed;
  private long batch;

  /** Over which a commit was answered without a doubt: what is read over it will last. */
  private @Nullable Connection proven;

  private final OwnCommits own = new OwnCommits();

  /** Over which it was looked whether what this server has committed is there. */
  private @Nullable Connection compared;

  /** When the log was last told of a failure that nobody foresaw, and how many it was spared. */
  private long complainedAt = System.nanoTime() - COMPLAINTS.toNanos();

  private long uncomplained;

  /** Who is asked before, and told after a transaction. */
  interface Callbacks {

    /**
     * @throws Tables.Outdated if nothing may be decided here any more
     */
    void checkTables(QueueRow locked, Connection connection) throws SQLException;

    /** Whether a locked queue may be changed over this connection; why not, or null. */
    Transaction.@Nullable Refusal refusal(QueueRow locked, Connection connection);

    /** The database does not have what was committed here about this queue. */
    void lost(QueueId queue);

    /** Whether anybody reads what happens. */
    boolean hasReaders();

    /** A commit is certain. Must not block, and answers when it is time to. */
    void committed(Decided decided);
  }

  Writer(
      WriterConnection connection,
      Dialect dialect,
      Callbacks callbacks,
      BatchObserver observer,
      String server) {
    this.connection = connection;
    this.dialect = dialect;
    this.failures = new Failures(dialect);
    this.callbacks = callbacks;
    this.observer = observer;
    this.server = server;
    this.thread = Thread.ofPlatform().name("naru-ledger-writer").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  <A> CompletionStage<A> submit(Request<A> request) {
    Pending<A> pending = Pending.of(request);
    lock.lock();
    try {
      if (closed) {
        pending.fail(closing());
      } else if (backlog.add(pending)) {
        asked.signal();
      } else {
        pending.fail(
            new QueueUnavailable(Kind.OVERLOADED, "too many requests wait for the ledger"));
      }
    } finally {
      lock.unlock();
    }
    return pending.answer();
  }

  private void run() {
    for (List<Pending<?>> next = collect(); !next.isEmpty(); next = collect()) {
      long start = System.nanoTime();
      @Nullable Throwable failure = null;
      try {
        write(next);
        acquit(next);
      } catch (Throwable e) {
        // Whatever it is, those who wait must hear of it, and those after them must get their turn.
        failure = e;
        fail(next, e);
      }
      observe(next.size(), System.nanoTime() - start, failure);
    }
  }

  /** Waits for requests and takes those whose turn it is. None at the end. */
  private List<Pending<?>> collect() {
    lock.lock();
    try {
      underWay = new ArrayList<>();
      while (backlog.isEmpty() && !closed) {
        asked.awaitUninterruptibly();
      }
      underWay.addAll(backlog.next());
      return new ArrayList<>(underWay);
    } finally {
      lock.unlock();
    }
  }

  /** Takes what has come in since for queues that are locked by now, while others waited for us. */
  private List<Pending<?>> collectMore(Set<QueueId> locked) {
    lock.lock();
    try {
      List<Pending<?>> more = backlog.more(locked, underWay);
      underWay.addAll(more);
      return more;
    } finally {
      lock.unlock();
    }
  }

  private static Set<QueueId> queues(List<Pending<?>> requests) {
    return requests.stream().map(Pending::queue).collect(Collectors.toSet());
  }

  private void acquit(List<Pending<?>> requests) {
    lock.lock();
    try {
      backlog.acquit(queues(requests));
    } finally {
      lock.unlock();
    }
  }

  /** Whether this is about a queue in which a transaction failed before. */
  private boolean isSuspect(Set<QueueId> queues) {
    lock.lock();
    try {
      return queues.stream().anyMatch(backlog::isSuspect);
    } finally {
      lock.unlock();
    }
  }

  /**
   * @param requests more may be added while we wait for locks
   */
  private void write(List<Pending<?>> requests) throws SQLException {
    List<Decided> all;
    try {
      all = commit(requests);
    } catch (SQLException e) {
      if (!dialect.isConnectionLost(e) && !dialect.isVictim(e)) {
        throw e;
      }
      // Nothing was committed: the connection was dead before, or others had to go first.
      log.debug("trying once more", e);
      all = commit(requests);
    }
    own.committed(batch, all.stream().filter(Decided::isTouched).map(Decided::queue).toList());
    for (Decided decided : all) {
      callbacks.committed(decided);
    }
  }

  /** One transaction. An exception means that nothing was committed. */
  private List<Decided> commit(List<Pending<?>> requests) throws SQLException {
    long number = ++batch;
    Connection current = connection.begin();
    Rows rows = connection.rows();
    var transaction = new Transaction(rows, check(current), callbacks.hasReaders());
    SortedMap<QueueId, List<Pending<?>>> byQueue = Transaction.byQueue(requests);
    List<Decided> all;
    try {
      compare(current, rows);
      Set<QueueId> locked;
      try (Haste _ = isSuspect(byQueue.keySet()) ? dialect.hurry(current) : Haste.NONE) {
        locked = transaction.lock(byQueue);
      }
      // Another server may have kept us waiting; those who came meanwhile need not wait again.
      requests.addAll(collectMore(locked));
      byQueue = Transaction.byQueue(requests);
      all = transaction.run(byQueue);
      if (!transaction.isTouched() && current.equals(proven)) {
        // Nothing to keep, so nothing to wait for: an idle queue costs no disk.
        current.rollback();
        connection.end();
        return all;
      }
      rows.marks().mark(server, number, transaction.now());
    } catch (Throwable e) {
      giveUp(current, e instanceof SQLException sql && failures.isInDoubt(sql));
      throw e;
    }
    try {
      commit(current, rows);
    } catch (SQLException e) {
      boolean isInDoubt = failures.isInDoubt(e);
      giveUp(current, isInDoubt);
      if (!isInDoubt) {
        throw e;
      }
      log.warn("a commit was not answered; looking up what became of it: {}", e.getMessage());
      if (!hasHappened(byQueue.keySet(), number)) {
        throw new SQLException("the transaction was lost with its connection", "08007", e);
      }
      return all;
    } catch (RuntimeException | Error e) {
      // It broke here, before it was sent or after that.
      giveUp(current, true);
      log.warn("a commit broke; looking up what became of it: {}", e.toString());
      if (!hasHappened(byQueue.keySet(), number)) {
        // As it is: the database is well, so it is about these queues and no others.
        throw e;
      }
      return all;
    }
    endOrDrop();
    return all;
  }

  /** Behind a new connection there may be another database, which took over and knows less. */
  private void compare(Connection current, Rows rows) throws SQLException {
    if (!current.equals(compared)) {
      rows.marks().of(server).map(own::lost).ifPresent(lost -> lost.forEach(callbacks::lost));
      compared = current;
    }
  }

  private Transaction.Check check(Connection current) {
    return new Transaction.Check() {
      @Override
      public void tables(QueueRow locked) throws SQLException {
        callbacks.checkTables(locked, current);
      }

      @Override
      public Transaction.@Nullable Refusal refusal(QueueRow locked) {
        return callbacks.refusal(locked, current);
      }
    };
  }

  private void commit(Connection current, Rows rows) throws SQLException {
    proven = null;
    SQLWarning warning = rows.commit();
    if (warning != null) {
      connection.warned();
      throw new SQLException(
          "it was answered with a warning: " + warning.getMessage(), Failures.UNKNOWN, warning);
    }
    proven = current;
  }

  /** Ends a transaction that failed. A connection of which nothing is in doubt can go on. */
  private void giveUp(Connection current, boolean isInDoubt) {
    try {
      current.rollback();
      if (!isInDoubt) {
        connection.end();
        return;
      }
    } catch (Throwable e) {
      // Whatever it is: a connection that is kept would go on with this transaction.
      log.debug("the connection is gone, and the transaction with it", e);
    }
    connection.drop();
  }

  private void endOrDrop() {
    try {
      connection.end();
    } catch (SQLException | RuntimeException e) {
      // What was committed stays so.
      connection.drop();
    }
  }

  private boolean hasHappened(Set<QueueId> queues, long number) throws SQLException {
    Throwable last = null;
    for (int attempt = 0; attempt < LOOK_UPS; attempt++) {
      try {
        Connection current = connection.begin();
        Rows rows = connection.rows();
        for (QueueId queue : queues) {
          rows.queues().lock(queue);
        }
        boolean happened = rows.marks().isMarked(server, number);
        if (happened) {
          rows.marks().mark(server, number, dialect.now(current));
          commit(current, rows);
        } else {
          current.rollback();
        }
        connection.end();
        return happened;
      } catch (Throwable e) {
        // Whatever it is: a connection that is kept would go on with this transaction.
        last = e;
        connection.drop();
      }
    }
    own.unknown(number);
    throw new SQLException("whether it was committed is not known", Failures.UNKNOWN, last);
  }

  /**
   * If the database is away, those who collected behind a failed transaction fail with it, instead
   * of one by one later. Otherwise one queue is to blame: they are tried again each by itself, and
   * that one fails alone.
   */
  private void fail(List<Pending<?>> requests, Throwable failure) {
    QueueUnavailable unavailable = failures.unavailable("store this", failure);
    List<Pending<?>> failed;
    lock.lock();
    try {
      failed = underWay;
      underWay = new ArrayList<>();
      if (failures.isOfAll(failure)) {
        failed.addAll(backlog.clear());
      } else if (queues(requests).size() > 1) {
        backlog.putBack(failed);
        return;
      } else {
        queues(requests).forEach(backlog::suspect);
      }
    } finally {
      lock.unlock();
    }
    if (unavailable.kind() == Kind.REFUSED && !(failure instanceof Tables.Outdated)) {
      complain(requests.getFirst().queue(), failure);
    }
    failed.forEach(pending -> pending.fail(unavailable));
  }

  /** Once a minute; who fails again and again is said elsewhere. */
  private void complain(QueueId queue, Throwable failure) {
    long now = System.nanoTime();
    if (now - complainedAt < COMPLAINTS.toNanos()) {
      uncomplained++;
      return;
    }
    log.warn(
        "a transaction of {} failed ({} more did since the last line like this): {}",
        queue,
        uncomplained,
        failure.getMessage(),
        failure);
    complainedAt = now;
    uncomplained = 0;
  }

  /** Answers those who have waited too long. Whether their transaction happens is not known. */
  void answerTheImpatient() {
    long before = System.nanoTime() - PATIENCE.toNanos();
    List<Pending<?>> late = new ArrayList<>();
    lock.lock();
    try {
      underWay.stream().filter(p -> p.since() - before < 0).forEach(late::add);
      late.addAll(backlog.late(before));
    } finally {
      lock.unlock();
    }
    late.forEach(
        pending ->
            pending.fail(
                new QueueUnavailable(
                    Kind.TIMEOUT,
                    "the ledger did not answer within " + PATIENCE.toMillis() + " ms")));
  }

  private void observe(int size, long nanos, @Nullable Throwable failure) {
    try {
      observer.answered("transaction", size, nanos, failure);
    } catch (RuntimeException e) {
      // A metric that is missing costs less than a writer that is.
    }
  }

  private static QueueUnavailable closing() {
    return new QueueUnavailable(Kind.DISCONNECTED, "this server is stopping");
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      backlog.clear().forEach(p -> p.fail(closing()));
      asked.signalAll();
    } finally {
      lock.unlock();
    }
    try {
      if (thread.join(Duration.ofSeconds(3))) {
        connection.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
