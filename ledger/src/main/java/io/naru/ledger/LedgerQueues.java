package io.naru.ledger;

import static java.util.concurrent.CompletableFuture.completedStage;
import static java.util.concurrent.CompletableFuture.failedStage;

import io.naru.batch.BatchObserver;
import io.naru.decision.JoinOutcome;
import io.naru.decision.Outcome;
import io.naru.decision.Request;
import io.naru.ledger.Transaction.Decided;
import io.naru.ledger.copies.Keeper;
import io.naru.line.Line;
import io.naru.line.LineCopy;
import io.naru.line.Original;
import io.naru.line.Standing;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.Coded;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.EndReason;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.Erased;
import io.naru.queue.HandedOff;
import io.naru.queue.Joined;
import io.naru.queue.Overview;
import io.naru.queue.Owed;
import io.naru.queue.Proved;
import io.naru.queue.Pushed;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import io.naru.queue.Queues;
import io.naru.queue.Redeemed;
import io.naru.queue.Removed;
import io.naru.queue.Returned;
import io.naru.queue.Seen;
import io.naru.queue.Shifted;
import io.naru.queue.Sightings;
import io.naru.queue.Signal;
import io.naru.queue.Signaled;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stock;
import io.naru.queue.Summary;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Queues that a ledger decides. Every change is part of a transaction of the one {@link Writer};
 * people are told after the commit, when the copy has it too, so that whoever asks for their place
 * next finds it there.
 */
final class LedgerQueues implements Queues, Writer.Callbacks, AutoCloseable {

  /** Whoever is in line already has waited for the transaction before. */
  private static final int PLACE_MILLIS = 1_000;

  /** Others are deleted and made; comparing one more often does no harm. */
  private static final int MAX_COMPARED = 100_000;

  private final Writer writer;
  private final Reader reader;
  private final Keeper keeper;
  private final LineCopy copy;
  private final Line line;
  private final Background background;
  private final LedgerFeed feed;
  private final Tables tables;
  private final LookUps lookUps;
  private final Asides.Kind<QueueId, Overview> overviews;
  private final Asides.Kind<EntryKey, Owed> debts;
  private volatile Consumer<QueueId> roomListener = _ -> {};

  /** The writer's connection, and the queues that were compared over it. Only its thread asks. */
  private @Nullable Connection comparedOver;

  private final Set<Original> compared = new HashSet<>();

  LedgerQueues(
      WriterConnection connection,
      Dialect dialect,
      Reader reader,
      Keeper keeper,
      LineCopy copy,
      Line line,
      Background background,
      Asides asides,
      BatchObserver observer,
      LedgerFeed feed,
      Tables tables,
      String server) {
    this.reader = reader;
    this.keeper = keeper;
    this.copy = copy;
    this.line = line;
    this.background = background;
    this.feed = feed;
    this.tables = tables;
    this.writer = new Writer(connection, dialect, this, observer, server);
    this.lookUps =
        new LookUps(
            "lookup", reader, keeper, observer, look -> background.call(LookUps.WHAT, look));
    this.overviews = asides.kind("overview", "find a queue", reader::find);
    this.debts = asides.kind("owed", "find what is owed", reader::owed);
  }

  void start() {
    writer.start();
  }

  Writer writer() {
    return writer;
  }

  Reader reader() {
    return reader;
  }

  /** Anybody can ask for queues that do not exist; the writer has no time for those. */
  @Override
  public CompletionStage<Joined> join(QueueId queue, String user, Claim claim) {
    if (keeper.original(queue) != null) {
      return submitJoin(queue, user, claim);
    }
    return lookUps
        .find(queue)
        .thenCompose(
            found ->
                found.isPresent()
                    ? submitJoin(queue, user, claim)
                    : completedStage(new Joined.Refused(Joined.Reason.NO_QUEUE, 0)));
  }

  private CompletionStage<Joined> submitJoin(QueueId queue, String user, Claim claim) {
    return writer
        .submit(new Request.Join(queue, user, claim))
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case JoinOutcome.Final(Joined joined) -> completedStage(joined);
                  case JoinOutcome.InLine _ -> alreadyIn(queue, user, claim);
                });
  }

  /**
   * The place of somebody who is in line already: it may have moved on since. In the rare case that
   * it has ended by now, they get a new one.
   */
  private CompletionStage<Joined> alreadyIn(QueueId queue, String user, Claim claim) {
    return line.locate(queue, user)
        .thenCompose(
            standing ->
                switch (standing) {
                  case Standing.Found(var place) when place.entry().isLive() ->
                      completedStage(new Joined.AlreadyIn(place));
                  case Standing.Found _, Standing.Unknown _ -> submitJoin(queue, user, claim);
                  case Standing.NoQueue _ ->
                      failedStage(new QueueUnavailable(Kind.REFUSED, queue + " is being deleted"));
                })
        .toCompletableFuture()
        .orTimeout(PLACE_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionallyCompose(
            e -> failedStage(background.failures().unavailable("find a place", e)));
  }

  @Override
  public CompletionStage<Owed> owed(EntryKey entry) {
    return debts.find(entry).thenApply(owed -> owed.orElse(Owed.NOTHING));
  }

  @Override
  public CompletionStage<Proved> prove(EntryKey entry) {
    return writer.submit(new Request.Prove(entry));
  }

  @Override
  public CompletionStage<Ended> leave(EntryKey entry) {
    return writer.submit(new Request.Leave(entry));
  }

  @Override
  public CompletionStage<Ended> complete(EntryKey entry, CompletedBy by) {
    return writer.submit(new Request.Complete(entry, by));
  }

  @Override
  public CompletionStage<HandedOff> handOff(EntryKey entry, String to) {
    return writer.submit(new Request.HandOff(entry, to));
  }

  @Override
  public CompletionStage<Returned> giveBack(EntryKey entry, boolean givesUp, CompletedBy by) {
    return writer.submit(new Request.Return(entry, givesUp, by));
  }

  @Override
  public CompletionStage<Redeemed> redeem(EntryKey entry, String session) {
    return writer.submit(new Request.Redeem(entry, session));
  }

  @Override
  public CompletionStage<Removed> remove(QueueId queue, String user, EndReason reason, Actor by) {
    return writer.submit(new Request.Remove(queue, user, reason, by));
  }

  @Override
  public CompletionStage<Shifted> move(QueueId queue, String user, String lane, Actor by) {
    return writer.submit(new Request.Move(queue, user, lane, by));
  }

  @Override
  public CompletionStage<Coded> makeCodes(
      QueueId queue, String lane, Set<String> hashes, Actor by) {
    return writer.submit(new Request.MakeCodes(queue, lane, hashes, by));
  }

  @Override
  public CompletionStage<Erased> erase(QueueId queue, String user, String name, Actor by) {
    return writer.submit(new Request.Erase(queue, user, name, by));
  }

  @Override
  public CompletionStage<Admitted> admit(QueueId queue, Admission admission) {
    return writer.submit(new Request.Admit(queue, admission));
  }

  @Override
  public CompletionStage<Signaled> signal(QueueId queue, Signal signal) {
    return writer.submit(new Request.Tell(queue, signal));
  }

  @Override
  public CompletionStage<Seen> see(QueueId queue, Sightings sightings) {
    return writer.submit(new Request.See(queue, sightings));
  }

  @Override
  public CompletionStage<Pushed> push(QueueId queue, Stock stock) {
    return writer.submit(new Request.Push(queue, stock));
  }

  @Override
  public CompletionStage<Edited> edit(QueueId queue, Edit edit) {
    return writer.submit(new Request.Alter(queue, edit));
  }

  @Override
  public CompletionStage<Boolean> delete(QueueId queue, Actor by) {
    return writer.submit(new Request.Delete(queue, by));
  }

  @Override
  public CompletionStage<Optional<Overview>> find(QueueId queue) {
    return overviews.find(queue);
  }

  @Override
  public CompletionStage<List<Overview>> findAll(Set<QueueId> queues) {
    return background.call("find queues", () -> reader.overviews(queues));
  }

  /** With those that are in doubt: whoever waits there is told so only if somebody tries. */
  @Override
  public CompletionStage<List<QueueId>> due() {
    return background
        .call("find queues that open or close", reader::turning)
        .thenCompose(turning -> due(null, new LinkedHashSet<>(turning)))
        .thenApply(
            due -> {
              due.addAll(keeper.inDoubt());
              return List.copyOf(due);
            });
  }

  /**
   * Page by page, and each has as much time as any answer: however many queues there are, a
   * database that answers is not taken for one that does not.
   */
  private CompletionStage<Set<QueueId>> due(@Nullable QueueId after, Set<QueueId> before) {
    return background
        .call("find due queues", () -> reader.due(after))
        .thenCompose(
            some -> {
              before.addAll(some);
              return some.size() < Reader.PAGE
                  ? completedStage(before)
                  : due(some.getLast(), before);
            });
  }

  @Override
  public CompletionStage<List<Overview>> list(@Nullable QueueId after, int limit) {
    return background.call("list queues", () -> reader.overviews(after, limit));
  }

  @Override
  public CompletionStage<Summary> summary(int busiest) {
    return background.call("add queues up", () -> reader.summary(busiest));
  }

  @Override
  public void onRoom(Consumer<QueueId> listener) {
    roomListener = listener;
  }

  // What the writer asks and tells.

  @Override
  public void checkTables(QueueRow locked, Connection connection) throws SQLException {
    tables.check(locked.tablesRank, connection);
  }

  @Override
  public Transaction.@Nullable Refusal refusal(QueueRow locked, Connection connection) {
    Original of = reader.originalOf(locked);
    keeper.compareWithSeen(of, locked.change);
    if (isFirstOver(connection, of)) {
      keeper.compareWithCopy(of, locked.change);
    }
    String frozen = keeper.frozen(of);
    String lost = frozen == null ? keeper.lost(of) : frozen;
    return lost == null
        ? null
        : new Transaction.Refusal(new QueueUnavailable(Kind.REFUSED, lost), frozen == null);
  }

  /** Behind a new connection there may be another database, which took over and knows less. */
  private boolean isFirstOver(Connection connection, Original of) {
    if (!connection.equals(comparedOver) || compared.size() >= MAX_COMPARED) {
      comparedOver = connection;
      compared.clear();
    }
    return compared.add(of);
  }

  @Override
  public void lost(QueueId queue) {
    Original of = keeper.original(queue);
    if (of != null) {
      keeper.hasLostOwn(of);
    }
  }

  @Override
  public boolean hasReaders() {
    return feed.hasReaders();
  }

  @Override
  public void committed(Decided decided) {
    Outcome outcome = decided.outcome();
    if (outcome == null || decided.row() == null) {
      if (decided.row() != null) {
        keeper.proven(reader.originalOf(decided.row()));
      }
      decided.answer();
      return;
    }
    Original of = reader.originalOf(decided.row());
    if (outcome.isDeleted()) {
      keeper.forget(of);
      copy.drop(decided.queue()).whenComplete((_, _) -> decided.answer());
      return;
    }
    if (!outcome.isTouched()) {
      // Others made this change; who is told of it here must not be shown an older one afterwards.
      long change = outcome.queue().change;
      tell(decided, keeper.has(of, change).thenApply(has -> has && isNoted(of, change)));
    } else {
      tell(decided, keeper.committed(of, outcome.change()));
    }
    if (outcome.hasRoom()) {
      roomListener.accept(decided.queue());
    }
  }

  private boolean isNoted(Original of, long change) {
    keeper.mayShow(of, change);
    return true;
  }

  /**
   * Answers, if the copy is where it was decided. Else nobody is told for now: it is stored, and
   * whoever asks again finds it.
   */
  private static void tell(Decided decided, CompletionStage<Boolean> isThere) {
    isThere.whenComplete(
        (is, _) -> {
          if (Boolean.TRUE.equals(is)) {
            decided.answer();
          } else {
            decided.fail(
                new QueueUnavailable(
                    Kind.TIMEOUT,
                    "the line of " + decided.queue() + " does not follow its ledger now"));
          }
        });
  }

  @Override
  public void close() {
    writer.close();
  }
}
