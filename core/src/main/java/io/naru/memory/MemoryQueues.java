package io.naru.memory;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.naru.audit.AuditTrail;
import io.naru.decision.Answer;
import io.naru.decision.JoinOutcome;
import io.naru.decision.Outcome;
import io.naru.decision.Request;
import io.naru.history.Course;
import io.naru.history.History;
import io.naru.history.Minute;
import io.naru.history.Past;
import io.naru.history.Period;
import io.naru.history.Statistics;
import io.naru.journal.Addition;
import io.naru.journal.Behind;
import io.naru.journal.Bundle;
import io.naru.journal.Feed;
import io.naru.journal.HashTile;
import io.naru.journal.Journaled;
import io.naru.journal.Log;
import io.naru.journal.LogStore;
import io.naru.line.Line;
import io.naru.line.Moved;
import io.naru.line.OverTurn;
import io.naru.line.Standing;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.line.Told;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.Coded;
import io.naru.queue.DrawStep;
import io.naru.queue.DrawView;
import io.naru.queue.Draws;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.EndReason;
import io.naru.queue.Ended;
import io.naru.queue.EntryKey;
import io.naru.queue.Erased;
import io.naru.queue.HandedOff;
import io.naru.queue.Joined;
import io.naru.queue.LobbyEntry;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.Owed;
import io.naru.queue.Place;
import io.naru.queue.Proved;
import io.naru.queue.Pushed;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.queue.Redeemed;
import io.naru.queue.Removed;
import io.naru.queue.Returned;
import io.naru.queue.Seal;
import io.naru.queue.Seen;
import io.naru.queue.Shifted;
import io.naru.queue.Sightings;
import io.naru.queue.Signal;
import io.naru.queue.Signaled;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stock;
import io.naru.queue.Summary;
import io.naru.rate.RateView;
import io.naru.transfer.MovedEntry;
import io.naru.transfer.RestoreStep;
import io.naru.transfer.Restored;
import io.naru.transfer.Transfers;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Queues that live in this process and end with it: the one decision over maps. Exact and fast, for
 * one server; nothing is stored.
 */
public final class MemoryQueues implements Queues, Line, History, Draws, LogStore, Transfers {

  /** How many are read under a queue's lock at a time; a few microseconds. */
  private static final int PART = 1_000;

  private final Map<QueueId, MemoryBook> books = new ConcurrentHashMap<>();

  /** The number of the last queue that was made; from another start on, others than before. */
  private final AtomicLong lastNumber;

  private final InstantSource clock;
  private final AuditTrail trail;
  private final MemoryFeed feed;
  private volatile Consumer<QueueId> roomListener = _ -> {};

  public MemoryQueues(InstantSource clock) {
    this.clock = clock;
    this.lastNumber = new AtomicLong(Micros.now(clock));
    this.trail = new MemoryTrail(clock);
    this.feed = new MemoryFeed(this::now);
  }

  /** What happens, for systems behind. */
  public Feed feed() {
    return feed;
  }

  /** How much is kept for those of them that stay away. */
  public void bound(Feed.Bounds kept) {
    feed.bound(kept);
  }

  /** What operators did. */
  public AuditTrail audit() {
    return trail;
  }

  @Override
  public CompletionStage<Joined> join(QueueId queue, String user, Claim claim) {
    return decide(new Request.Join(queue, user, claim))
        .thenCompose(
            outcome ->
                switch (outcome) {
                  case JoinOutcome.Final(Joined joined) -> completedFuture(joined);
                  case JoinOutcome.InLine(EntryKey entry) -> alreadyIn(entry, claim);
                });
  }

  /** In the rare case that the place has ended by now, they get a new one. */
  private CompletionStage<Joined> alreadyIn(EntryKey entry, Claim claim) {
    return locate(entry.queue(), entry.user())
        .thenCompose(
            standing ->
                standing instanceof Standing.Found(Place place) && place.entry().isLive()
                    ? completedFuture(new Joined.AlreadyIn(place))
                    : join(entry.queue(), entry.user(), claim));
  }

  @Override
  public CompletionStage<Owed> owed(EntryKey entry) {
    return read(entry.queue(), Owed.NOTHING, book -> book.owed(entry));
  }

  @Override
  public CompletionStage<Proved> prove(EntryKey entry) {
    return decide(new Request.Prove(entry));
  }

  @Override
  public CompletionStage<Ended> leave(EntryKey entry) {
    return decide(new Request.Leave(entry));
  }

  @Override
  public CompletionStage<Ended> complete(EntryKey entry, CompletedBy by) {
    return decide(new Request.Complete(entry, by));
  }

  @Override
  public CompletionStage<HandedOff> handOff(EntryKey entry, String to) {
    return decide(new Request.HandOff(entry, to));
  }

  @Override
  public CompletionStage<Returned> giveBack(EntryKey entry, boolean givesUp, CompletedBy by) {
    return decide(new Request.Return(entry, givesUp, by));
  }

  @Override
  public CompletionStage<Redeemed> redeem(EntryKey entry, String session) {
    return decide(new Request.Redeem(entry, session));
  }

  @Override
  public CompletionStage<Removed> remove(QueueId queue, String user, EndReason reason, Actor by) {
    return decide(new Request.Remove(queue, user, reason, by));
  }

  @Override
  public CompletionStage<Shifted> move(QueueId queue, String user, String lane, Actor by) {
    return decide(new Request.Move(queue, user, lane, by));
  }

  @Override
  public CompletionStage<Coded> makeCodes(
      QueueId queue, String lane, Set<String> hashes, Actor by) {
    return decide(new Request.MakeCodes(queue, lane, hashes, by));
  }

  @Override
  public CompletionStage<Erased> erase(QueueId queue, String user, String name, Actor by) {
    return decide(new Request.Erase(queue, user, name, by));
  }

  @Override
  public CompletionStage<Admitted> admit(QueueId queue, Admission admission) {
    return decide(new Request.Admit(queue, admission));
  }

  @Override
  public CompletionStage<Seen> see(QueueId queue, Sightings sightings) {
    return decide(new Request.See(queue, sightings));
  }

  @Override
  public CompletionStage<Pushed> push(QueueId queue, Stock stock) {
    return decide(new Request.Push(queue, stock));
  }

  @Override
  public CompletionStage<Edited> edit(QueueId queue, Edit edit) {
    return decide(new Request.Alter(queue, edit));
  }

  @Override
  public CompletionStage<Signaled> signal(QueueId queue, Signal signal) {
    return decide(new Request.Tell(queue, signal));
  }

  @Override
  public CompletionStage<Boolean> delete(QueueId queue, Actor by) {
    return decide(new Request.Delete(queue, by));
  }

  @Override
  public CompletionStage<DrawStep> seal(QueueId queue, Seal seal) {
    return decide(new Request.Seal(queue, seal));
  }

  @Override
  public CompletionStage<DrawStep> coin(
      QueueId queue, String commitment, long round, String signature) {
    return decide(new Request.Coin(queue, commitment, round, signature));
  }

  @Override
  public CompletionStage<DrawStep> settle(
      QueueId queue, String commitment, long from, List<Long> joined) {
    return decide(new Request.Settle(queue, commitment, from, joined));
  }

  @Override
  public CompletionStage<List<QueueId>> underWay() {
    long now = now();
    return completedFuture(
        books.keySet().stream()
            .filter(queue -> ask(queue, false, book -> book.isDrawUnderWay(now)))
            .toList());
  }

  @Override
  public CompletionStage<Optional<DrawView>> draw(QueueId queue) {
    return read(queue, Optional.empty(), book -> book.draw(now()));
  }

  @Override
  public CompletionStage<List<LobbyEntry>> lobby(QueueId queue, int lane, long after, int limit) {
    return read(queue, List.of(), book -> book.lobby(lane, after, limit, now()));
  }

  @Override
  public CompletionStage<Boolean> keepLeaves(
      QueueId queue, String sealId, int part, byte[] leaves) {
    byte[] kept = leaves.clone();
    return read(
        queue,
        false,
        book -> {
          book.leaves(sealId).put(part, kept);
          return true;
        });
  }

  @Override
  public CompletionStage<Optional<byte[]>> leaves(QueueId queue, String sealId, int part) {
    return read(
        queue,
        Optional.empty(),
        book -> Optional.ofNullable(book.leaves(sealId).get(part)).map(byte[]::clone));
  }

  @Override
  public CompletionStage<?> forgetLeaves(QueueId queue, String sealId) {
    return read(
        queue,
        false,
        book -> {
          book.forgetLeaves(sealId);
          return true;
        });
  }

  @Override
  public CompletionStage<Restored> restore(QueueId queue, RestoreStep step, Actor by) {
    return decide(new Request.Restore(queue, step, by));
  }

  @Override
  public CompletionStage<Boolean> read(QueueId queue, Taker taker) {
    Optional<MemoryBook.Taken> found = ask(queue, Optional.empty(), MemoryBook::taken);
    var answer = new CompletableFuture<Boolean>();
    // Whoever takes it may block.
    Thread.ofVirtual().start(() -> give(found, taker, answer));
    return answer;
  }

  private static void give(
      Optional<MemoryBook.Taken> found, Taker taker, CompletableFuture<Boolean> answer) {
    try {
      if (found.isPresent()) {
        taker.queue(found.get().queue());
        List<MovedEntry> all = found.get().moved();
        for (int from = 0; from < all.size(); from += MAX_PART) {
          taker.entries(all.subList(from, Math.min(all.size(), from + MAX_PART)));
        }
      }
      answer.complete(found.isPresent());
    } catch (Throwable e) {
      answer.completeExceptionally(e);
    }
  }

  private <A> CompletionStage<A> decide(Request<A> request) {
    var answer = new CompletableFuture<A>();
    Outcome outcome = null;
    while (outcome == null) {
      MemoryBook book =
          request.makesQueue()
              ? books.computeIfAbsent(
                  request.queue(), id -> new MemoryBook(id, trail, feed, nextNumber()))
              : books.get(request.queue());
      if (book == null) {
        Answer.withoutQueue(request).complete(answer);
        return answer;
      }
      synchronized (book) {
        outcome = decide(book, request);
      }
    }
    outcome.answers().getFirst().to(request).complete(answer);
    if (outcome.hasRoom() && !outcome.isDeleted()) {
      roomListener.accept(request.queue());
    }
    return answer;
  }

  /** Null if the queue is another one by now. */
  private @Nullable Outcome decide(MemoryBook book, Request<?> request) {
    if (!book.exists() && (book.isDeleted() || !request.makesQueue())) {
      books.remove(request.queue(), book);
      return null;
    }
    Outcome outcome = book.decide(List.of(request), now());
    if (outcome.isDeleted()) {
      books.remove(request.queue(), book);
    }
    return outcome;
  }

  @Override
  public CompletionStage<Optional<Overview>> find(QueueId queue) {
    return read(queue, Optional.empty(), book -> Optional.of(book.overview(now())));
  }

  @Override
  public CompletionStage<List<Overview>> findAll(Set<QueueId> queues) {
    return completedFuture(queues.stream().flatMap(queue -> overview(queue).stream()).toList());
  }

  @Override
  public CompletionStage<List<QueueId>> due() {
    long now = now();
    List<QueueId> due = new ArrayList<>();
    books.forEach(
        (queue, book) -> {
          synchronized (book) {
            book.forget(now);
            if (book.isDue(now)) {
              due.add(queue);
            }
          }
        });
    return completedFuture(due);
  }

  @Override
  public CompletionStage<List<Overview>> list(@Nullable QueueId after, int limit) {
    return completedFuture(
        books.keySet().stream()
            .filter(queue -> after == null || queue.compareTo(after) > 0)
            .sorted()
            .flatMap(queue -> overview(queue).stream())
            .limit(limit)
            .toList());
  }

  @Override
  public CompletionStage<Summary> summary(int busiest) {
    var count = new Summary.Count(busiest);
    books.keySet().forEach(queue -> overview(queue).ifPresent(count::add));
    return completedFuture(count.sum());
  }

  private Optional<Overview> overview(QueueId queue) {
    return ask(queue, Optional.empty(), book -> Optional.of(book.overview(now())));
  }

  @Override
  public CompletionStage<Standing> locate(QueueId queue, String user) {
    return read(queue, new Standing.NoQueue(), book -> book.locate(user, now()));
  }

  @Override
  public CompletionStage<Standing> earlier(EntryKey entry) {
    return read(entry.queue(), new Standing.NoQueue(), book -> book.earlier(entry, now()));
  }

  @Override
  public CompletionStage<Moved> since(QueueId queue, long change) {
    return read(queue, new Moved.Gap(), book -> book.since(change));
  }

  @Override
  public CompletionStage<Optional<Tickets>> tickets(QueueId queue) {
    return read(queue, Optional.empty(), book -> Optional.of(book.tickets()));
  }

  @Override
  public CompletionStage<Optional<Tile>> tile(QueueId queue, Tile.Block block) {
    return read(queue, Optional.empty(), book -> Optional.of(book.tile(block)));
  }

  @Override
  public CompletionStage<Told> over(QueueId queue, long after, Consumer<OverTurn> each) {
    List<OverTurn> turns = new ArrayList<>();
    Told told = ask(queue, new Told.NoQueue(), book -> book.over(after, now(), turns));
    // Not under the queue's lock: nobody in it must wait for who is told.
    turns.forEach(each);
    return completedFuture(told);
  }

  @Override
  public CompletionStage<Optional<Statistics>> statistics(QueueId queue, Period period) {
    long now = now();
    Optional<Period.Range> time =
        ask(queue, Optional.empty(), book -> Optional.of(period.in(book.createdAt(), now)));
    return completedFuture(time.map(range -> count(queue, range, now)));
  }

  private Statistics count(QueueId queue, Period.Range time, long now) {
    var count = new Statistics.Count(time, now);
    long from = time.from();
    List<Course> part;
    do {
      long first = from;
      part = ask(queue, List.of(), book -> book.courses(first, time.to(), PART));
      part.forEach(count::add);
      from = part.isEmpty() ? from : part.getLast().joined() + 1;
    } while (part.size() == PART);
    return count.sum();
  }

  @Override
  public CompletionStage<Optional<List<Minute>>> timeline(QueueId queue, Period period) {
    return read(queue, Optional.empty(), book -> Optional.of(book.timeline(period, now())));
  }

  @Override
  public CompletionStage<Optional<RateView>> rate(QueueId queue, long micros) {
    return read(queue, Optional.empty(), book -> Optional.of(book.rate(now() - micros, now())));
  }

  @Override
  public CompletionStage<Optional<List<Past>>> entries(
      QueueId queue, String user, long before, int limit) {
    return read(
        queue, Optional.empty(), book -> Optional.of(book.entries(user, before, limit, now())));
  }

  @Override
  public CompletionStage<Optional<Past>> entry(QueueId queue, long joined) {
    return read(queue, Optional.empty(), book -> book.entry(joined, now()));
  }

  private long nextNumber() {
    return lastNumber.incrementAndGet();
  }

  @Override
  public List<Behind> behind(int limit) {
    long now = now();
    return books.keySet().stream()
        .sorted()
        .flatMap(queue -> ask(queue, Optional.<Behind>empty(), b -> b.log().behind(now)).stream())
        .limit(limit)
        .toList();
  }

  @Override
  public List<Journaled> journal(Log log, long after, int limit) {
    return ofLog(log, List.of(), found -> found.journal(after, limit));
  }

  @Override
  public boolean append(Log from, Addition addition) {
    return ofLog(from, false, found -> found.append(from, addition, now()));
  }

  @Override
  public CompletionStage<Optional<Log>> log(QueueId queue) {
    return read(queue, Optional.empty(), book -> book.log().log());
  }

  @Override
  public CompletionStage<Optional<HashTile>> tile(Log log, int level, long number) {
    return completedFuture(ofLog(log, Optional.empty(), found -> found.tile(level, number)));
  }

  @Override
  public CompletionStage<Optional<Bundle>> bundle(Log log, long number) {
    return completedFuture(ofLog(log, Optional.empty(), found -> found.bundle(number)));
  }

  @Override
  public CompletionStage<Optional<Bundle>> bundleOf(Log log, long joined) {
    return completedFuture(ofLog(log, Optional.empty(), found -> found.bundleOf(joined)));
  }

  /** Of a queue that was deleted meanwhile there is no log, also if there is another queue now. */
  private <T> T ofLog(Log log, T ifNone, Function<MemoryLog, T> asked) {
    return ask(
        log.queue(),
        ifNone,
        book -> book.log().id() == log.id() ? asked.apply(book.log()) : ifNone);
  }

  @Override
  public void onRoom(Consumer<QueueId> listener) {
    roomListener = listener;
  }

  private <T> CompletionStage<T> read(QueueId queue, T ifNone, Function<MemoryBook, T> reading) {
    return completedFuture(ask(queue, ifNone, reading));
  }

  private <T> T ask(QueueId queue, T ifNone, Function<MemoryBook, T> reading) {
    MemoryBook book = books.get(queue);
    if (book == null) {
      return ifNone;
    }
    synchronized (book) {
      return book.exists() ? reading.apply(book) : ifNone;
    }
  }

  private long now() {
    return Micros.now(clock);
  }
}
