package io.naru.redis.plain;

import static java.util.concurrent.CompletableFuture.completedStage;
import static java.util.concurrent.CompletableFuture.failedStage;

import io.naru.batch.BatchObserver;
import io.naru.batch.NaturalBatch;
import io.naru.line.Line;
import io.naru.line.Moved;
import io.naru.line.OverTurn;
import io.naru.line.Standing;
import io.naru.line.Told;
import io.naru.queue.Actor;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.Coded;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.EndReason;
import io.naru.queue.Ended;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.Erased;
import io.naru.queue.Figures;
import io.naru.queue.HandedOff;
import io.naru.queue.InvalidValue;
import io.naru.queue.Joined;
import io.naru.queue.LineState;
import io.naru.queue.Overview;
import io.naru.queue.Owed;
import io.naru.queue.Proved;
import io.naru.queue.Pushed;
import io.naru.queue.Queue;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Queues;
import io.naru.queue.Redeemed;
import io.naru.queue.Removed;
import io.naru.queue.Returned;
import io.naru.queue.Seen;
import io.naru.queue.Settings;
import io.naru.queue.Shifted;
import io.naru.queue.Sightings;
import io.naru.queue.Signal;
import io.naru.queue.Signaled;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stock;
import io.naru.queue.Summary;
import io.naru.redis.Keys;
import io.naru.redis.Redis;
import io.naru.redis.Reply;
import io.naru.redis.Script;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Queues that Redis alone decides. Each call is one atomic script ({@code join.lua}, {@code
 * admit.lua}, …); joins and look-ups of a queue travel in natural batches:
 *
 * <pre>
 * EVALSHA join   8 queue:{T:1}:settings … queue:{T:1}:over  user user user …
 * EVALSHA locate 8 queue:{T:1}:settings … queue:{T:1}:over  user user user …
 * </pre>
 */
public final class RedisQueues implements Queues, Line {

  /** The settings that scripts ask for, by name; of the others they know one text. */
  private static final List<String> DECIDED_BY =
      List.of(
          "maxCapacity",
          "entryBatchSize",
          "entryIntervalSeconds",
          "pacing",
          "burst",
          "passTtlSeconds",
          "onExpiry",
          "once",
          "completedBy",
          "maxWaiting",
          "newPlacesPerMinute");

  private static final int MAX_BATCH = 512;
  private static final int MAX_PENDING = 65_536;
  private static final int MAX_FINISHED = 1_000_000;
  private static final int MAX_EDIT_TRIES = 8;
  private static final int OVER_PART = 2_000;

  /** About how many questions about all queues are under way at once. */
  private static final int PART = 512;

  /** Every so many looks for what is due are for those to be forgotten as well. */
  private static final int TIDYING = 60;

  private final Redis redis;
  private final Scripts scripts;
  private final BatchObserver observer;
  private final Map<QueueId, Batches> batches = new ConcurrentHashMap<>();
  private final AtomicInteger looks = new AtomicInteger();
  private volatile Consumer<QueueId> roomListener = _ -> {};

  private record Batches(
      NaturalBatch<String, Joined> join, NaturalBatch<String, Standing> locate) {}

  public RedisQueues(Redis redis, BatchObserver observer) {
    this(redis, observer, Scripts.standard());
  }

  RedisQueues(Redis redis, BatchObserver observer, Scripts scripts) {
    this.redis = redis;
    this.observer = observer;
    this.scripts = scripts;
  }

  /** There are no lanes here. */
  @Override
  public CompletionStage<Joined> join(QueueId queue, String user, Claim claim) {
    return batches(queue).join.submit(user);
  }

  @Override
  public CompletionStage<Standing> locate(QueueId queue, String user) {
    return batches(queue).locate.submit(user);
  }

  @Override
  public CompletionStage<Moved> since(QueueId queue, long change) {
    return run(scripts.since(), queue, Long.toString(change)).thenApply(Reply::moved);
  }

  @Override
  public CompletionStage<Told> over(QueueId queue, long after, Consumer<OverTurn> each) {
    List<OverTurn> read = new ArrayList<>();
    return over(queue, after, Integer.MAX_VALUE, null, 0, read)
        .thenApply(
            told -> {
              read.reversed().forEach(each);
              return told;
            });
  }

  @Override
  public CompletionStage<Told> latestOver(QueueId queue, int most, Consumer<OverTurn> each) {
    List<OverTurn> read = new ArrayList<>();
    return over(queue, 0, most, null, 0, read)
        .thenApply(
            told -> {
              long after = told instanceof Told.Latest latest ? latest.after() : 0;
              read.reversed().stream().filter(turn -> turn.change() > after).forEach(each);
              return told;
            });
  }

  /**
   * Backwards, part by part: those that are added meanwhile push what was not read yet further from
   * the end, so one may be read twice but none is passed over.
   *
   * @param most after how many it is enough
   * @param first what was said with the first part, since later parts are not of later changes
   */
  private CompletionStage<Told> over(
      QueueId queue,
      long after,
      int most,
      Told.@Nullable UpTo first,
      int passed,
      List<OverTurn> read) {
    String from = Long.toString(after);
    return run(scripts.over(), queue, from, Integer.toString(passed), Integer.toString(OVER_PART))
        .thenCompose(
            reply -> {
              if (reply.isEmpty()) {
                return completedStage(new Told.NoQueue());
              }
              var now = new Told.UpTo(reply.number(), reply.number());
              Told.UpTo told = first == null ? now : first;
              boolean more = reply.number() == 1;
              while (reply.hasNext()) {
                read.add(reply.overTurn(queue));
              }
              int seen = passed + OVER_PART;
              if (more && seen < most) {
                return over(queue, after, most, told, seen, read);
              }
              return completedStage(more ? latest(told, read) : told);
            });
  }

  /** Of the change that was read last there may be more. */
  private static Told latest(Told.UpTo told, List<OverTurn> read) {
    long after = read.isEmpty() ? told.change() : read.getLast().change();
    return new Told.Latest(told.born(), after, told.change());
  }

  private Batches batches(QueueId queue) {
    Batches known = batches.get(queue);
    return known != null ? known : batches.computeIfAbsent(queue, this::newBatches);
  }

  private Batches newBatches(QueueId queue) {
    return new Batches(
        new NaturalBatch<>(
            "join", MAX_BATCH, MAX_PENDING, observer, users -> joinAll(queue, users)),
        new NaturalBatch<>(
            "locate", MAX_BATCH, MAX_PENDING, observer, users -> locateAll(queue, users)));
  }

  private CompletionStage<List<Joined>> joinAll(QueueId queue, List<String> users) {
    Joined ifNoQueue = new Joined.Refused(Joined.Reason.NO_QUEUE, 0);
    return perUser(
        scripts.join(),
        queue,
        users,
        ifNoQueue,
        (user, outcome, reply, line) ->
            switch (outcome) {
              case 1 -> new Joined.Waiting(reply.waiting(queue, user, line));
              case 2 -> new Joined.AlreadyIn(reply.waiting(queue, user, line));
              case 3 -> new Joined.AlreadyIn(reply.beyond(queue, user, Status.ENTERED, line));
              case 4 -> new Joined.Over(reply.beyond(queue, user, Status.COMPLETED, line));
              case -1 -> new Joined.Refused(Joined.Reason.NOT_ACTIVE, 0);
              case -2 -> new Joined.Refused(Joined.Reason.LINE_FULL, 0);
              case -3 -> new Joined.Refused(Joined.Reason.TOO_OFTEN, reply.number());
              default -> throw new IllegalStateException("join.lua answered " + outcome);
            });
  }

  private CompletionStage<List<Standing>> locateAll(QueueId queue, List<String> users) {
    Standing ifNoQueue = new Standing.NoQueue();
    return perUser(
        scripts.locate(),
        queue,
        users,
        ifNoQueue,
        (user, status, reply, line) -> reply.standing(queue, user, status, line));
  }

  @Override
  public CompletionStage<Standing> earlier(EntryKey entry) {
    QueueId queue = entry.queue();
    return run(scripts.earlier(), queue, entry.user(), Long.toString(entry.joined()))
        .thenApply(
            reply -> {
              if (reply.isEmpty()) {
                return new Standing.NoQueue();
              }
              LineState line = reply.line();
              return reply.standing(queue, entry.user(), reply.smallNumber(), line);
            });
  }

  /** Makes an answer of what a script says about one user. */
  private interface AnswerReader<A> {
    A read(String user, int code, Reply reply, LineState line);
  }

  private <A> CompletionStage<List<A>> perUser(
      Script script, QueueId queue, List<String> users, A ifNoQueue, AnswerReader<A> reader) {
    return runBatch(script, queue, users)
        .thenApply(
            reply -> {
              if (reply.isEmpty()) {
                return Collections.nCopies(users.size(), ifNoQueue);
              }
              LineState line = reply.line();
              List<A> answers = new ArrayList<>(users.size());
              for (String user : users) {
                answers.add(reader.read(user, reply.smallNumber(), reply, line));
              }
              if (reply.hasNext()) {
                tellRoom(queue, reply.number());
              }
              return answers;
            });
  }

  /**
   * Anybody can ask for queues that do not exist, also while Redis is away and cannot tell; nothing
   * is kept for them.
   */
  private CompletionStage<Reply> runBatch(Script script, QueueId queue, List<String> users) {
    return redis
        .run(script, Keys.of(queue), users.toArray(String[]::new))
        .whenComplete(
            (values, failure) -> {
              if (failure != null || values.isEmpty()) {
                batches.remove(queue);
              }
            })
        .thenApply(Reply::new);
  }

  /** How many queues there are batches for. */
  int keptQueues() {
    return batches.size();
  }

  private void tellRoom(QueueId queue, long room) {
    if (room == 1) {
      roomListener.accept(queue);
    }
  }

  @Override
  public CompletionStage<Ended> leave(EntryKey entry) {
    return end(scripts.leave(), entry, "");
  }

  @Override
  public CompletionStage<Ended> complete(EntryKey entry, CompletedBy by) {
    return end(scripts.complete(), entry, by.name());
  }

  @Override
  public CompletionStage<Redeemed> redeem(EntryKey entry, String session) {
    return run(
            scripts.redeem(), entry.queue(), entry.user(), Long.toString(entry.joined()), session)
        .thenApply(
            reply -> {
              int outcome = reply.smallNumber();
              return switch (outcome) {
                case 0 -> Redeemed.UNKNOWN;
                case 1 -> Redeemed.DONE;
                case 2 -> Redeemed.NOT_INSIDE;
                case 3 -> Redeemed.OTHER_SESSION;
                default -> throw new IllegalStateException("redeem.lua answered " + outcome);
              };
            });
  }

  private CompletionStage<Ended> end(Script script, EntryKey entry, String by) {
    String kept = Integer.toString(MAX_FINISHED);
    return run(script, entry.queue(), entry.user(), Long.toString(entry.joined()), kept, by)
        .thenApply(
            reply -> {
              int outcome = reply.smallNumber();
              tellRoom(entry.queue(), reply.number());
              return switch (outcome) {
                case 0 -> Ended.UNKNOWN;
                case 1 -> Ended.DONE;
                case 2 -> Ended.NOT_INSIDE;
                case 3 -> Ended.SITE_ONLY;
                default -> throw new IllegalStateException(script.name() + " answered " + outcome);
              };
            });
  }

  @Override
  public CompletionStage<Removed> remove(QueueId queue, String user, EndReason reason, Actor by) {
    return CompletableFuture.completedStage(new Removed.NeedsLedger());
  }

  @Override
  public CompletionStage<Signaled> signal(QueueId queue, Signal signal) {
    return CompletableFuture.completedStage(Signaled.NEEDS_LEDGER);
  }

  @Override
  public CompletionStage<Shifted> move(QueueId queue, String user, String lane, Actor by) {
    return CompletableFuture.completedStage(new Shifted.NeedsLedger());
  }

  @Override
  public CompletionStage<Coded> makeCodes(
      QueueId queue, String lane, Set<String> hashes, Actor by) {
    return CompletableFuture.completedStage(Coded.NEEDS_LEDGER);
  }

  @Override
  public CompletionStage<Erased> erase(QueueId queue, String user, String name, Actor by) {
    return CompletableFuture.completedStage(Erased.NEEDS_LEDGER);
  }

  @Override
  public CompletionStage<Admitted> admit(QueueId queue, Admission admission) {
    int byHand = admission instanceof Admission.ByHand(int count, _) ? count : 0;
    String step = Integer.toString(Admission.MAX_STEP);
    String kept = Integer.toString(MAX_FINISHED);
    return run(scripts.admit(), queue, Integer.toString(byHand), step, kept)
        .thenApply(reply -> admitted(queue, reply));
  }

  private static Admitted admitted(QueueId queue, Reply reply) {
    if (reply.isEmpty()) {
      return new Admitted.NoQueue();
    }
    Figures figures = figures(reply);
    return switch (reply.text()) {
      case "inactive" -> new Admitted.NotActive(reply.smallNumber(), false, figures);
      default -> {
        int expired = reply.smallNumber();
        boolean more = reply.number() == 1;
        long nextRefill = reply.number();
        long entered = reply.number();
        long until = reply.number();
        List<Entry> entries = new ArrayList<>();
        while (reply.hasNext()) {
          var key = new EntryKey(queue, reply.text(), reply.number());
          entries.add(new Entry(key, Status.ENTERED, entered, until));
        }
        yield new Admitted.Done(entries, expired, more, nextRefill, figures);
      }
    };
  }

  private static Figures figures(Reply reply) {
    return new Figures(
        reply.number(),
        reply.number(),
        List.of(),
        reply.number(),
        0,
        reply.number(),
        reply.number(),
        reply.number(),
        reply.number(),
        reply.number(),
        reply.number(),
        Figures.Proofs.NONE);
  }

  /** No queue here has doors. */
  @Override
  public CompletionStage<Owed> owed(EntryKey entry) {
    return completedStage(Owed.NOTHING);
  }

  @Override
  public CompletionStage<Proved> prove(EntryKey entry) {
    return completedStage(Proved.UNKNOWN);
  }

  @Override
  public CompletionStage<HandedOff> handOff(EntryKey entry, String to) {
    return completedStage(new HandedOff.NeedsLedger());
  }

  /** Nobody comes back here: there is one line, and one end of it. */
  @Override
  public CompletionStage<Returned> giveBack(EntryKey entry, boolean givesUp, CompletedBy by) {
    return completedStage(new Returned.NeedsLedger());
  }

  /** No queue here goes by who is there. */
  @Override
  public CompletionStage<Seen> see(QueueId queue, Sightings sightings) {
    return completedStage(Seen.IN_VAIN);
  }

  /** No queue here can go by stock. */
  @Override
  public CompletionStage<Pushed> push(QueueId queue, Stock stock) {
    return find(queue)
        .thenApply(found -> found.isPresent() ? new Pushed.NeedsLedger() : new Pushed.NoQueue());
  }

  @Override
  public CompletionStage<Edited> edit(QueueId queue, Edit edit) {
    return edit(queue, edit, MAX_EDIT_TRIES);
  }

  /** Reads, checks, and writes if nobody else did in between; else once more. */
  private CompletionStage<Edited> edit(QueueId queue, Edit edit, int tries) {
    return find(queue)
        .thenCompose(
            found -> {
              Optional<Queue> before = found.map(Overview::queue);
              if (before.isEmpty() && !edit.create()) {
                return completedStage(new Edited.NoQueue());
              }
              long version = before.map(Queue::version).orElse(0L);
              if (edit.ifVersion().isPresent() && edit.ifVersion().getAsLong() != version) {
                return completedStage(new Edited.Conflict(version));
              }
              Settings old = before.map(Queue::settings).orElse(Settings.DEFAULT);
              Settings changed;
              try {
                changed = old.with(edit.changes());
              } catch (InvalidValue e) {
                return failedStage(e);
              }
              if (edit.act().needsLedger()) {
                return completedStage(
                    new Edited.NeedsLedger(edit.act().name().toLowerCase(Locale.ROOT)));
              }
              Optional<String> beyond = changed.needsLedger();
              if (beyond.isPresent()) {
                return completedStage(new Edited.NeedsLedger(beyond.get()));
              }
              boolean isEdited =
                  before.isEmpty() || !changed.equals(old) || changesState(edit, before.get());
              return write(queue, edit, version, isEdited ? version + 1 : version, changed)
                  .thenCompose(
                      written -> written ? edited(queue, version == 0) : again(queue, edit, tries));
            });
  }

  private static boolean changesState(Edit edit, Queue before) {
    return !before.state().after(edit.act(), "", 0).equals(before.state());
  }

  private CompletionStage<Boolean> write(
      QueueId queue, Edit edit, long readVersion, long newVersion, Settings settings) {
    List<String> args = new ArrayList<>();
    args.add(Long.toString(readVersion));
    args.add(Long.toString(newVersion));
    args.add(edit.act().name());
    args.add("text");
    args.add(settings.text());
    Map<String, @Nullable Object> values = settings.asMap();
    for (String name : DECIDED_BY) {
      args.add(name);
      args.add(String.valueOf(values.get(name)));
    }
    // A queue that is not listed would never be admitted, and a cluster keeps the list elsewhere,
    // so this cannot be one step. The name goes in before, in case we do not come back, and again
    // when the queue is made, in case somebody took it out meanwhile (see delete).
    return enlist(queue)
        .thenCompose(_ -> run(scripts.edit(), queue, args.toArray(String[]::new)))
        .thenCompose(
            reply -> {
              if (reply.number() != 1) {
                return completedStage(false);
              }
              tellRoom(queue, reply.number());
              return readVersion > 0 ? completedStage(true) : enlist(queue).thenApply(_ -> true);
            });
  }

  private CompletionStage<Long> enlist(QueueId queue) {
    return commands("list", redis.commands().sadd(Keys.QUEUES, Keys.name(queue)));
  }

  private CompletionStage<Edited> again(QueueId queue, Edit edit, int tries) {
    if (tries > 1) {
      return edit(queue, edit, tries - 1);
    }
    return failedStage(
        new QueueUnavailable(
            QueueUnavailable.Kind.OVERLOADED, "too many editors of " + queue + " at once"));
  }

  private CompletionStage<Edited> edited(QueueId queue, boolean isNew) {
    return find(queue)
        .thenApply(
            found ->
                found
                    .<Edited>map(o -> isNew ? new Edited.Created(o) : new Edited.Updated(o))
                    .orElseGet(Edited.NoQueue::new));
  }

  @Override
  public CompletionStage<Optional<Overview>> find(QueueId queue) {
    return run(scripts.find(), queue)
        .thenApply(
            reply -> {
              if (reply.isEmpty()) {
                return Optional.empty();
              }
              Figures figures = figures(reply);
              Map<String, String> stored = new HashMap<>();
              while (reply.hasNext()) {
                stored.put(reply.text(), reply.text());
              }
              return Optional.of(new Overview(queue(queue, stored), figures));
            });
  }

  @Override
  public CompletionStage<List<Overview>> findAll(Set<QueueId> queues) {
    return inParts(List.copyOf(queues), PART, some -> each(some, this::find))
        .thenApply(found -> found.stream().flatMap(Optional::stream).toList());
  }

  private static Queue queue(QueueId id, Map<String, String> stored) {
    return new Queue(
        id,
        // What has a field of its own is what counts, whichever version wrote it.
        Settings.ofText(stored.getOrDefault("text", "{}")).withStored(stored),
        Reply.stateOf(stored.getOrDefault("active", "0")),
        number(stored, "version"),
        number(stored, "createdAt"),
        number(stored, "activatedAt"),
        number(stored, "deactivatedAt"));
  }

  private static long number(Map<String, String> stored, String field) {
    return Long.parseLong(stored.getOrDefault(field, "0"));
  }

  /**
   * Asks of every queue whether anybody is in it: two keys, without a script, some hundred
   * questions at a time. A queue that cannot be asked about, because its node is away, is its own
   * trouble and none of the others'.
   */
  @Override
  public CompletionStage<List<QueueId>> due() {
    // Those who have finished are forgotten by the step, too; that can wait for a minute.
    int kinds = looks.incrementAndGet() % TIDYING == 0 ? 3 : 2;
    return names()
        .thenCompose(names -> inParts(names, PART, some -> each(some, name -> isIn(name, kinds))))
        .thenApply(found -> found.stream().flatMap(Optional::stream).toList());
  }

  private CompletionStage<Optional<QueueId>> isIn(QueueId queue, int kinds) {
    String[] keys = Arrays.copyOf(Keys.people(queue), kinds);
    return redis
        .commands()
        .exists(keys)
        .handle((count, failure) -> failure != null || count > 0)
        .thenApply(isIn -> isIn ? Optional.of(queue) : Optional.empty());
  }

  @Override
  public CompletionStage<List<Overview>> list(@Nullable QueueId after, int limit) {
    return names()
        .thenCompose(
            names -> {
              List<QueueId> behind =
                  names.stream()
                      .filter(name -> after == null || name.compareTo(after) > 0)
                      .sorted()
                      .toList();
              return list(behind, limit, new ArrayList<>());
            });
  }

  /** A name may be listed whose queue is not there (any more), so a page may need several looks. */
  private CompletionStage<List<Overview>> list(
      List<QueueId> names, int limit, List<Overview> found) {
    int wanted = Math.min(names.size(), limit - found.size());
    if (wanted == 0) {
      return completedStage(found);
    }
    return inParts(names.subList(0, wanted), PART, some -> each(some, this::find))
        .thenCompose(
            some -> {
              some.forEach(one -> one.ifPresent(found::add));
              return list(names.subList(wanted, names.size()), limit, found);
            });
  }

  @Override
  public CompletionStage<Summary> summary(int busiest) {
    var count = new Summary.Count(busiest);
    return names()
        .thenCompose(
            names ->
                inParts(
                    names,
                    PART,
                    some ->
                        each(some, this::find)
                            .thenApply(
                                found -> {
                                  found.forEach(one -> one.ifPresent(count::add));
                                  return List.<QueueId>of();
                                })))
        .thenApply(_ -> count.sum());
  }

  /** The names of all queues, in no particular order. */
  CompletionStage<List<QueueId>> names() {
    return commands("list", redis.commands().smembers(Keys.QUEUES))
        .thenApply(names -> names.stream().map(Keys::queue).toList());
  }

  /** One part after the other, so that those who join find their way between them. */
  private static <T> CompletionStage<List<T>> inParts(
      List<QueueId> all, int size, Function<List<QueueId>, CompletionStage<List<T>>> step) {
    CompletionStage<List<T>> done = completedStage(new ArrayList<>());
    for (int from = 0; from < all.size(); from += size) {
      List<QueueId> part = all.subList(from, Math.min(all.size(), from + size));
      done =
          done.thenCompose(
              before ->
                  step.apply(part)
                      .thenApply(
                          more -> {
                            before.addAll(more);
                            return before;
                          }));
    }
    return done;
  }

  private static <T> CompletionStage<List<T>> each(
      List<QueueId> queues, Function<QueueId, CompletionStage<T>> question) {
    List<CompletableFuture<T>> answers =
        queues.stream().map(queue -> question.apply(queue).toCompletableFuture()).toList();
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(_ -> answers.stream().map(CompletableFuture::join).toList());
  }

  /** Looks again after the name is gone: somebody may have made the queue anew meanwhile. */
  @Override
  public CompletionStage<Boolean> delete(QueueId queue, Actor by) {
    return run(scripts.delete(), queue)
        .whenComplete((_, _) -> batches.remove(queue))
        .thenCompose(
            reply ->
                commands("delete", redis.commands().srem(Keys.QUEUES, Keys.name(queue)))
                    .thenCompose(_ -> find(queue))
                    .thenCompose(made -> made.isPresent() ? enlist(queue) : completedStage(0L))
                    .thenApply(_ -> reply.number() == 1));
  }

  @Override
  public void onRoom(Consumer<QueueId> listener) {
    roomListener = listener;
  }

  private CompletionStage<Reply> run(Script script, QueueId queue, String... args) {
    long start = System.nanoTime();
    return redis
        .run(script, Keys.of(queue), args)
        .whenComplete(
            (_, failure) -> observer.answered(script.name(), 1, System.nanoTime() - start, failure))
        .thenApply(Reply::new);
  }

  private static <T> CompletionStage<T> commands(String operation, CompletionStage<T> reply) {
    return reply.exceptionallyCompose(
        failure -> failedStage(Redis.unavailable(operation, failure)));
  }
}
