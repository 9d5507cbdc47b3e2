package io.naru.ledger;

import io.naru.audit.Act;
import io.naru.decision.Book;
import io.naru.decision.Decision;
import io.naru.decision.EntryState;
import io.naru.decision.Needs;
import io.naru.decision.Outcome;
import io.naru.decision.QueueState;
import io.naru.decision.Request;
import io.naru.queue.QueueId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One transaction over all that was asked meanwhile: locks the queues in order, has each decided,
 * writes what was touched. Nothing is answered in here: {@link Decided#answer} does, when the
 * commit is certain.
 */
final class Transaction {

  private final Rows rows;
  private final Check check;
  private final boolean hasReaders;
  private final Map<QueueId, LockedQueue> locked = new HashMap<>();
  private boolean isTouched;
  private long now;

  /** Says of a queue that is locked whether it may be changed. */
  interface Check {

    /**
     * @throws Tables.Outdated if it could be decided only by the rules of a past version
     */
    void tables(QueueRow locked) throws SQLException;

    /** Why not, or null. */
    @Nullable Refusal refusal(QueueRow locked);
  }

  /**
   * Why a queue may not be changed.
   *
   * @param isToProve whether that counts only once a commit was answered: an old primary, whose
   *     standby has taken over, finds the same
   */
  record Refusal(RuntimeException why, boolean isToProve) {}

  /**
   * @param hasReaders whether anybody reads what happens
   */
  Transaction(Rows rows, Check check, boolean hasReaders) {
    this.rows = rows;
    this.check = check;
    this.hasReaders = hasReaders;
  }

  /** What the tables have of a queue, under its lock. */
  private final class LockedQueue implements Book<SQLException> {
    private final QueueRow row;

    LockedQueue(QueueRow row) {
      this.row = row;
    }

    @Override
    public QueueState queue() {
      return row;
    }

    @Override
    public List<EntryState> fetch(Needs needs) throws SQLException {
      return rows.entries().fetch(row, needs);
    }

    @Override
    public List<EntryState> passed(Needs.Passed needs) throws SQLException {
      return rows.presence().passed(row, needs);
    }

    @Override
    public Map<Long, Long> seen(Collection<Long> joined) throws SQLException {
      return rows.presence().seen(row.id, joined);
    }

    @Override
    public Map<Long, Debt> owed(Collection<Long> joined) throws SQLException {
      return rows.owed().of(row.id, joined);
    }

    @Override
    public Map<String, String> codes(Set<String> hashes) throws SQLException {
      return rows.codes().find(row.id, hashes);
    }

    @Override
    public void write(Outcome outcome) throws SQLException {
      isTouched = true;
      for (Act act : outcome.acts()) {
        rows.audit().insert(act, now);
      }
      if (!outcome.told().isEmpty()) {
        rows.events().insert(row, outcome.toldAs(), now, outcome.told());
      }
      if (outcome.isDeleted()) {
        rows.queues().delete(row);
        return;
      }
      // In this order: somebody whose time is up may have a new place in the same breath.
      rows.entries().update(row, outcome.touched());
      for (Map.Entry<String, String> erased : outcome.erased().entrySet()) {
        long over = rows.people().erase(row, erased.getKey(), erased.getValue());
        // A copy from before that knows the old name, and would not be told to forget it.
        row.keptFrom = Math.max(row.keptFrom, over);
      }
      rows.entries().insert(row, outcome.made());
      rows.codes().insert(row.id, outcome.newCodes());
      rows.codes().delete(row.id, outcome.usedCodes());
      if (outcome.noted() != null) {
        rows.presence().note(row.id, outcome.noted());
      }
      rows.queues().update(row);
      if (outcome.closed() != null) {
        rows.minutes().put(row.id, outcome.closed());
      }
      if (outcome.point() != null) {
        rows.rates().put(row.id, outcome.point());
      }
      if (!outcome.events().isEmpty()) {
        rows.journal().insert(row.id, row.change, now, outcome.events());
      }
    }
  }

  /**
   * What was decided about one queue; nobody has been told yet.
   *
   * @param row null if there is no such queue
   * @param outcome null if nothing was decided
   * @param refusal why not, though there is such a queue; or null
   */
  record Decided(
      QueueId queue,
      List<Pending<?>> asked,
      @Nullable QueueRow row,
      @Nullable Outcome outcome,
      @Nullable RuntimeException refusal) {

    /** Whether it has changed the queue. */
    boolean isTouched() {
      return outcome != null && outcome.isTouched();
    }

    /** Nobody can be told now what was decided. */
    void fail(RuntimeException failure) {
      asked.forEach(pending -> pending.fail(failure));
    }

    void answer() {
      for (int i = 0; i < asked.size(); i++) {
        if (outcome != null) {
          asked.get(i).answer(outcome.answers().get(i));
        } else if (refusal != null) {
          asked.get(i).fail(refusal);
        } else {
          asked.get(i).answerWithoutQueue();
        }
      }
    }
  }

  /** All servers lock queues in this order, so that they never wait for each other in a circle. */
  static SortedMap<QueueId, List<Pending<?>>> byQueue(List<Pending<?>> all) {
    SortedMap<QueueId, List<Pending<?>>> byQueue = new TreeMap<>();
    for (Pending<?> pending : all) {
      byQueue.computeIfAbsent(pending.queue(), _ -> new ArrayList<>()).add(pending);
    }
    return byQueue;
  }

  /**
   * Keeps everybody else from changing these queues until the end, making those that are to be
   * made.
   *
   * @return the queues that there are
   */
  Set<QueueId> lock(SortedMap<QueueId, List<Pending<?>>> asked) throws SQLException {
    for (var entry : asked.entrySet()) {
      lock(entry.getKey(), entry.getValue())
          .ifPresent(row -> locked.put(row.queue, new LockedQueue(row)));
    }
    return locked.keySet();
  }

  private Optional<QueueRow> lock(QueueId queue, List<Pending<?>> asked) throws SQLException {
    Optional<QueueRow> row = rows.queues().lock(queue);
    if (row.isEmpty() && asked.stream().anyMatch(p -> p.request().makesQueue())) {
      rows.queues().insert(queue);
      row = rows.queues().lock(queue);
    }
    if (row.isPresent()) {
      check.tables(row.get());
    }
    return row;
  }

  /** Decides and writes; whether anything was written is said by {@link #isTouched}. */
  List<Decided> run(SortedMap<QueueId, List<Pending<?>>> asked) throws SQLException {
    // After the locks: whoever had them before us saw an earlier time.
    long lockedAt = locked.values().stream().mapToLong(q -> q.row.lockedAt).max().orElse(0);
    now = lockedAt > 0 ? rows.dialect().noticed(lockedAt) : rows.now();
    List<Decided> all = new ArrayList<>();
    for (var entry : asked.entrySet()) {
      all.add(decide(entry.getKey(), entry.getValue()));
    }
    return all;
  }

  private Decided decide(QueueId queue, List<Pending<?>> asked) throws SQLException {
    LockedQueue book = locked.get(queue);
    if (book == null) {
      return new Decided(queue, asked, null, null, null);
    }
    Refusal refusal = check.refusal(book.row);
    if (refusal != null) {
      isTouched |= refusal.isToProve;
      return new Decided(queue, asked, book.row, null, refusal.why);
    }
    List<Request<?>> requests = new ArrayList<>(asked.size());
    asked.forEach(pending -> requests.add(pending.request()));
    Outcome outcome = Decision.make(book, requests, now, hasReaders);
    return new Decided(queue, asked, book.row, outcome, null);
  }

  /** When it was decided. */
  long now() {
    return now;
  }

  boolean isTouched() {
    return isTouched;
  }
}
