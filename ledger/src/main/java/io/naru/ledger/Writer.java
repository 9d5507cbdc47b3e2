package io.naru.ledger;

import io.naru.batch.BatchObserver;
import io.naru.ledger.Transaction.Outcome;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
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
 */
final class Writer implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Writer.class);

  private static final int MAX_BATCH = 1_024;
  private static final int MAX_QUEUES = 64;
  private static final int MAX_PENDING = 65_536;
  private static final int LOOK_UPS = 3;

  /** So long may a visitor wait here; the rest of 3 seconds is for the way. */
  private static final Duration PATIENCE = Duration.ofMillis(2_500);

  private final WriterConnection connection;
  private final Dialect dialect;
  private final Callbacks callbacks;
  private final BatchObserver observer;
  private final String server;
  private final Thread thread;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition asked = lock.newCondition();
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private List<Pending> underWay = new ArrayList<>();
  private boolean closed;
  private long batch;

  /** Over which a commit was answered without a doubt: what is read over it will last. */
  private @Nullable Connection proven;

  /** A request and since when it waits. */
  private record Pending(Request request, long since) {}

  /** Who is asked before, and told after a transaction. */
  interface Callbacks extends Transaction.Places {

    /** Whether a locked queue may be changed over this connection; why not, or null. */
    @Nullable RuntimeException refusal(QueueRow locked, Connection connection);

    /** A commit is certain. Must not block, and answers when it is time to. */
    void committed(Outcome outcome);
  }

  Writer(
      WriterConnection connection,
      Dialect dialect,
      Callbacks callbacks,
      BatchObserver observer,
      String server) {
    this.connection = connection;
    this.dialect = dialect;
    this.callbacks = callbacks;
    this.observer = observer;
    this.server = server;
    this.thread = Thread.ofPlatform().name("naru-ledger-writer").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void submit(Request request) {
    lock.lock();
    try {
      if (closed) {
        request.answer().completeExceptionally(closing());
      } else if (pending.size() >= MAX_PENDING) {
        request
            .answer()
            .completeExceptionally(
                new QueueUnavailable(
                    Kind.OVERLOADED, "more than " + MAX_PENDING + " requests wait for the ledger"));
      } else {
        pending.add(new Pending(request, System.nanoTime()));
        asked.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    for (List<Request> next = collect(); !next.isEmpty(); next = collect()) {
      long start = System.nanoTime();
      @Nullable Throwable failure = null;
      try {
        write(next);
      } catch (Throwable e) {
        // Whatever it is, those who wait must hear of it, and those after them must get their turn.
        failure = e;
        fail(next, e);
      }
      observe(next.size(), System.nanoTime() - start, failure);
    }
  }

  /**
   * Waits for requests and takes them: at most one admission per queue and not too many queues.
   * None at the end.
   */
  private List<Request> collect() {
    lock.lock();
    try {
      underWay = new ArrayList<>();
      while (pending.isEmpty() && !closed) {
        asked.awaitUninterruptibly();
      }
      Set<QueueId> queues = new HashSet<>();
      return take(queue -> queues.contains(queue) || queues.size() < MAX_QUEUES, queues::add);
    } finally {
      lock.unlock();
    }
  }

  /** Takes what has come in since for queues that are locked by now, while others waited for us. */
  private List<Request> collectMore(Set<QueueId> locked) {
    lock.lock();
    try {
      return take(locked::contains, _ -> {});
    } finally {
      lock.unlock();
    }
  }

  private List<Request> take(Predicate<QueueId> isWanted, Consumer<QueueId> note) {
    Set<QueueId> admitted = new HashSet<>();
    underWay.stream()
        .filter(p -> p.request instanceof Request.Admit)
        .forEach(p -> admitted.add(p.request.queue()));
    List<Request> taken = new ArrayList<>();
    Iterator<Pending> all = pending.iterator();
    while (all.hasNext() && underWay.size() < MAX_BATCH) {
      Pending next = all.next();
      QueueId queue = next.request.queue();
      if (isWanted.test(queue)
          && !(next.request instanceof Request.Admit && !admitted.add(queue))) {
        note.accept(queue);
        underWay.add(next);
        taken.add(next.request);
        all.remove();
      }
    }
    return taken;
  }

  /**
   * @param requests more may be added while we wait for locks
   */
  private void write(List<Request> requests) throws SQLException {
    List<Outcome> outcomes;
    try {
      outcomes = commit(requests);
    } catch (SQLException e) {
      if (!Failures.isConnectionLost(e)) {
        throw e;
      }
      // Nothing was committed: the connection was dead before. Another one may work.
      log.debug("trying again on another connection", e);
      outcomes = commit(requests);
    }
    for (Outcome outcome : outcomes) {
      callbacks.committed(outcome);
    }
  }

  /** One transaction. An exception means that nothing was committed. */
  private List<Outcome> commit(List<Request> requests) throws SQLException {
    long number = ++batch;
    Connection current = connection.begin();
    var transaction =
        new Transaction(current, dialect, row -> callbacks.refusal(row, current), callbacks);
    SortedMap<QueueId, Work> works = Work.byQueue(requests);
    List<Outcome> outcomes;
    try {
      Set<QueueId> locked = transaction.lock(works);
      // Another server may have kept us waiting; those who came meanwhile need not wait again.
      requests.addAll(collectMore(locked));
      works = Work.byQueue(requests);
      outcomes = transaction.run(works);
      if (!transaction.isTouched() && current.equals(proven)) {
        // Nothing to keep, so nothing to wait for: an idle queue costs no disk.
        current.rollback();
        connection.end();
        return outcomes;
      }
      new Rows(current).mark(server, number, transaction.now());
    } catch (Throwable e) {
      giveUp(current);
      throw e;
    }
    try {
      commit(current);
    } catch (SQLException e) {
      giveUp(current);
      if (!Failures.isConnectionLost(e) && !Failures.isUnknown(e)) {
        throw e;
      }
      log.warn("a commit was not answered; looking up what became of it: {}", e.getMessage());
      if (!hasHappened(works.keySet(), number)) {
        throw new SQLException("the transaction was lost with its connection", "08007", e);
      }
      return outcomes;
    }
    endOrDrop();
    return outcomes;
  }

  private void commit(Connection current) throws SQLException {
    current.clearWarnings();
    current.commit();
    SQLWarning warning = current.getWarnings();
    if (warning != null) {
      throw new SQLException(
          "it was answered with a warning: " + warning.getMessage(), Failures.UNKNOWN, warning);
    }
    proven = current;
  }

  /** After a failure nothing is certain about a connection; making a new one costs little. */
  private void giveUp(Connection current) {
    try {
      current.rollback();
    } catch (SQLException e) {
      log.debug("the connection is gone, and the transaction with it", e);
    }
    connection.drop();
  }

  private void endOrDrop() {
    try {
      connection.end();
    } catch (SQLException e) {
      // What was committed stays so.
      connection.drop();
    }
  }

  private boolean hasHappened(Set<QueueId> queues, long number) throws SQLException {
    SQLException last = null;
    for (int attempt = 0; attempt < LOOK_UPS; attempt++) {
      try {
        Connection current = connection.begin();
        var rows = new Rows(current);
        for (QueueId queue : queues) {
          rows.lock(queue, dialect);
        }
        boolean happened = rows.isMarked(server, number);
        if (happened) {
          rows.mark(server, number, dialect.now(current));
          commit(current);
        } else {
          current.rollback();
        }
        connection.end();
        return happened;
      } catch (SQLException e) {
        last = e;
        connection.drop();
      }
    }
    throw new SQLException("whether it was committed is not known", Failures.UNKNOWN, last);
  }

  /** Those who collected behind a failed transaction fail with it, instead of one by one later. */
  private void fail(List<Request> requests, Throwable failure) {
    QueueUnavailable unavailable = Failures.unavailable("store this", failure);
    if (unavailable.kind() == Kind.REFUSED) {
      log.warn("a transaction failed: {}", unavailable.getMessage(), failure);
    }
    List<Pending> behind;
    lock.lock();
    try {
      behind = List.copyOf(pending);
      pending.clear();
    } finally {
      lock.unlock();
    }
    requests.forEach(request -> request.answer().completeExceptionally(unavailable));
    behind.forEach(waiting -> waiting.request.answer().completeExceptionally(unavailable));
  }

  /** Answers those who have waited too long. Whether their transaction happens is not known. */
  void answerTheImpatient() {
    long before = System.nanoTime() - PATIENCE.toNanos();
    List<Pending> late = new ArrayList<>();
    lock.lock();
    try {
      underWay.stream().filter(p -> p.since - before < 0).forEach(late::add);
      while (!pending.isEmpty() && pending.peek().since - before < 0) {
        late.add(pending.remove());
      }
    } finally {
      lock.unlock();
    }
    for (Pending waiting : late) {
      waiting
          .request
          .answer()
          .completeExceptionally(
              new QueueUnavailable(
                  Kind.TIMEOUT, "the ledger did not answer within " + PATIENCE.toMillis() + " ms"));
    }
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
      pending.forEach(waiting -> waiting.request.answer().completeExceptionally(closing()));
      pending.clear();
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
