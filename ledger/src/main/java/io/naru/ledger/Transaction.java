package io.naru.ledger;

import io.naru.admission.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Edited;
import io.naru.queue.Ended;
import io.naru.queue.InvalidValue;
import io.naru.queue.Joined;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.queue.QueueId;
import io.naru.queue.Redeemed;
import io.naru.queue.Settings;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One transaction over all that was asked meanwhile: locks the queues in order, decides about each,
 * writes what was touched. Nothing is answered in here: {@link Outcome#answer} does, when the
 * commit is certain.
 */
final class Transaction {

  /** Finished entries are known for an hour. */
  static final long FINISHED_KNOWN = 3_600 * Micros.PER_SECOND;

  /** Whoever is in line already has waited for the transaction before. */
  private static final int PLACE_MILLIS = 1_000;

  private final Connection connection;
  private final Rows rows;
  private final Dialect dialect;
  private final Check check;
  private final Places places;
  private final Map<QueueId, QueueRow> locked = new HashMap<>();
  private boolean isTouched;
  private long now;

  /** Says of a queue that is locked whether it may be changed. */
  interface Check {
    /** Why not, or null. */
    @Nullable RuntimeException refusal(QueueRow locked);
  }

  /** Where somebody stands who was found in line. */
  interface Places {
    CompletionStage<Joined> alreadyIn(QueueId queue, String user);
  }

  Transaction(Connection connection, Dialect dialect, Check check, Places places) {
    this.connection = connection;
    this.rows = new Rows(connection, dialect);
    this.dialect = dialect;
    this.check = check;
    this.places = places;
  }

  /**
   * What was decided about one queue.
   *
   * @param decision null if there is no such queue
   * @param deleted whether the queue is gone now
   * @param answers to be run when the commit is certain
   */
  record Outcome(
      QueueId queue, @Nullable Decision decision, boolean deleted, List<Runnable> answers) {

    void answer() {
      answers.forEach(Runnable::run);
    }
  }

  /**
   * Keeps everybody else from changing these queues until the end, making those that are to be
   * made.
   *
   * @return the queues that there are
   */
  Set<QueueId> lock(SortedMap<QueueId, Work> works) throws SQLException {
    for (var entry : works.entrySet()) {
      lock(entry.getKey(), entry.getValue()).ifPresent(row -> locked.put(row.queue, row));
    }
    return locked.keySet();
  }

  /** Decides and writes; whether anything was written is said by {@link #isTouched}. */
  List<Outcome> run(SortedMap<QueueId, Work> works) throws SQLException {
    // After the locks: whoever had them before us saw an earlier time.
    long lockedAt = locked.values().stream().mapToLong(row -> row.lockedAt).max().orElse(0);
    now = lockedAt > 0 ? dialect.noticed(lockedAt) : dialect.now(connection);
    List<Outcome> outcomes = new ArrayList<>();
    for (var entry : works.entrySet()) {
      QueueRow row = locked.get(entry.getKey());
      outcomes.add(
          row == null ? noQueue(entry.getKey(), entry.getValue()) : decide(row, entry.getValue()));
    }
    return outcomes;
  }

  /** When it was decided. */
  long now() {
    return now;
  }

  boolean isTouched() {
    return isTouched;
  }

  private Optional<QueueRow> lock(QueueId queue, Work work) throws SQLException {
    Optional<QueueRow> row = rows.queues().lock(queue);
    if (row.isEmpty() && work.alters.stream().anyMatch(a -> a.makes() && isValid(a))) {
      rows.queues().insert(queue);
      return rows.queues().lock(queue);
    }
    return row;
  }

  private static boolean isValid(Request.Alter alter) {
    try {
      Settings.DEFAULT.with(alter.edit().changes());
      return true;
    } catch (InvalidValue e) {
      return false;
    }
  }

  private Outcome noQueue(QueueId queue, Work work) {
    List<Runnable> answers = new ArrayList<>();
    var refused = new Joined.Refused(Joined.Reason.NO_QUEUE, 0);
    work.joins.forEach(join -> answers.add(() -> join.answer().complete(refused)));
    work.leaves.forEach(leave -> answers.add(() -> leave.answer().complete(Ended.UNKNOWN)));
    work.completes.forEach(done -> answers.add(() -> done.answer().complete(Ended.UNKNOWN)));
    work.redeems.forEach(r -> answers.add(() -> r.answer().complete(Redeemed.UNKNOWN)));
    work.admits.forEach(
        admit -> answers.add(() -> admit.answer().complete(new Admitted.NoQueue())));
    work.deletes.forEach(delete -> answers.add(() -> delete.answer().complete(false)));
    work.sweeps.forEach(sweep -> answers.add(() -> sweep.answer().complete(false)));
    for (Request.Alter alter : work.alters) {
      if (alter.makes()) {
        answers.add(() -> refuse(alter));
      } else {
        answers.add(() -> alter.answer().complete(new Edited.NoQueue()));
      }
    }
    return new Outcome(queue, null, false, answers);
  }

  /** A queue was not made because none of those who wanted to had settings that are possible. */
  private static void refuse(Request.Alter alter) {
    try {
      Settings.DEFAULT.with(alter.edit().changes());
      throw new IllegalStateException("the settings of " + alter.queue() + " are possible");
    } catch (InvalidValue e) {
      alter.answer().completeExceptionally(e);
    }
  }

  private Outcome decide(QueueRow row, Work work) throws SQLException {
    RuntimeException refusal = check.refusal(row);
    if (refusal != null) {
      return new Outcome(row.queue, null, false, List.of(() -> fail(work, refusal)));
    }
    var decision = new Decision(row, now);
    read(decision, row, work);
    List<Runnable> answers = new ArrayList<>();
    for (Request.Alter alter : work.alters) {
      try {
        Edited edited =
            row.version > 0 || alter.makes() ? decision.edit(alter.edit()) : new Edited.NoQueue();
        answers.add(() -> alter.answer().complete(edited));
      } catch (InvalidValue e) {
        answers.add(() -> alter.answer().completeExceptionally(e));
      }
    }
    for (Request.Leave leave : work.leaves) {
      Ended ended = decision.leave(leave.entry());
      answers.add(() -> leave.answer().complete(ended));
    }
    for (Request.Complete complete : work.completes) {
      Ended ended = decision.complete(complete.entry(), complete.by());
      answers.add(() -> complete.answer().complete(ended));
    }
    for (Request.Redeem redeem : work.redeems) {
      Redeemed redeemed = decision.redeem(redeem.entry(), redeem.session());
      answers.add(() -> redeem.answer().complete(redeemed));
    }
    for (Request.Admit admit : work.admits) {
      Admitted admitted = decision.admit(admit.admission());
      answers.add(() -> admit.answer().complete(admitted));
    }
    // Behind the admission: a newcomer's place is then that of the state it is answered with.
    for (Request.Join join : work.joins) {
      answers.add(answerOf(join, decision, decision.join(join.user())));
    }
    for (Request.Sweep sweep : work.sweeps) {
      boolean isThis = sweep(row, sweep);
      answers.add(() -> sweep.answer().complete(isThis));
    }
    write(decision, row);
    boolean deleted = !work.deletes.isEmpty();
    if (deleted) {
      rows.queues().delete(row);
      isTouched = true;
      for (int i = 0; i < work.deletes.size(); i++) {
        CompletableFuture<Boolean> answer = work.deletes.get(i).answer();
        boolean isFirst = i == 0;
        answers.add(() -> answer.complete(isFirst));
      }
    }
    return new Outcome(row.queue, decision, deleted, answers);
  }

  private static void fail(Work work, RuntimeException refusal) {
    List<List<? extends Request>> all =
        List.of(
            work.alters,
            work.leaves,
            work.completes,
            work.redeems,
            work.admits,
            work.joins,
            work.deletes,
            work.sweeps);
    all.forEach(kind -> kind.forEach(r -> r.answer().completeExceptionally(refusal)));
  }

  private void read(Decision decision, QueueRow row, Work work) throws SQLException {
    long recent = now - FINISHED_KNOWN;
    // Whoever edits may be about to say that one may enter once only.
    boolean isOnce = row.settings.stay().once() || !work.alters.isEmpty();
    decision.readOfUsers(
        isOnce
            ? rows.entries().ofAndCompleted(row, work.users(), recent)
            : rows.entries().of(row, work.users(), recent),
        recent);
    if (!work.admits.isEmpty()) {
      if (row.inside > 0) {
        decision.read(rows.entries().overdue(row, now, Admission.MAX_STEP));
        if (Decision.mayCutStays(row, now)) {
          long furthest = Decision.furthestStay(row, now);
          decision.read(rows.entries().staying(row, furthest, Admission.MAX_STEP));
        }
      }
      if (row.waiting > 0) {
        int front = 0;
        for (Request.Admit admit : work.admits) {
          front +=
              work.alters.isEmpty()
                  ? Decision.frontNeeded(row, now, admit.admission())
                  : Admission.MAX_STEP + 1;
        }
        decision.read(rows.entries().front(row, front + work.leaves.size()));
      }
    } else if (!work.alters.isEmpty() && row.waiting > 0) {
      // For how long the first has been waiting.
      decision.read(rows.entries().front(row, 1 + work.leaves.size()));
    }
  }

  private Runnable answerOf(Request.Join join, Decision decision, Decision.JoinDecision decided) {
    return switch (decided) {
      case Decision.JoinDecision.Refused(var refused) -> () -> join.answer().complete(refused);
      case Decision.JoinDecision.New made ->
          () -> join.answer().complete(new Joined.Waiting(decision.placeOf(made)));
      case Decision.JoinDecision.Already(var row) when !row.isWaiting() -> {
        Place inside = decision.placeBeyond(row);
        yield () -> join.answer().complete(new Joined.AlreadyIn(inside));
      }
      case Decision.JoinDecision.Over(var row) ->
          () -> join.answer().complete(new Joined.Over(decision.placeBeyond(row)));
      case Decision.JoinDecision.Already _ -> () -> answerWithPlace(join);
    };
  }

  private void answerWithPlace(Request.Join join) {
    places
        .alreadyIn(join.queue(), join.user())
        .toCompletableFuture()
        .orTimeout(PLACE_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionallyCompose(
            e ->
                CompletableFuture.failedFuture(
                    new Failures(dialect).unavailable("find a place", e)))
        .whenComplete(
            (joined, failure) -> {
              if (failure != null) {
                join.answer().completeExceptionally(failure);
              } else {
                join.answer().complete(joined);
              }
            });
  }

  private boolean sweep(QueueRow row, Request.Sweep sweep) throws SQLException {
    if (row.id != sweep.id()) {
      return false;
    }
    if (row.keptFrom < sweep.keptFrom()) {
      row.keptFrom = sweep.keptFrom();
      rows.queues().update(row);
      isTouched = true;
    }
    return true;
  }

  private void write(Decision decision, QueueRow row) throws SQLException {
    if (!decision.isTouched()) {
      return;
    }
    isTouched = true;
    // In this order: somebody whose time is up may have a new place in the same breath.
    rows.entries().update(row, decision.touched());
    rows.entries().insert(row, decision.made());
    rows.queues().update(row);
  }
}
