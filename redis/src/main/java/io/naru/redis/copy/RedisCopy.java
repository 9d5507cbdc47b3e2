package io.naru.redis.copy;

import io.naru.batch.BatchObserver;
import io.naru.batch.NaturalBatch;
import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.Fact;
import io.naru.line.Held;
import io.naru.line.LineCopy;
import io.naru.line.Moved;
import io.naru.line.Original;
import io.naru.line.Part;
import io.naru.line.Rules;
import io.naru.line.Score;
import io.naru.line.Standing;
import io.naru.line.Sum;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.queue.Entry.Status;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.queue.QueueId;
import io.naru.redis.Keys;
import io.naru.redis.Passed;
import io.naru.redis.Redis;
import io.naru.redis.Reply;
import io.naru.redis.Script;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The copy on Redis, under the same keys as a queue that Redis decides:
 *
 * <pre>
 * EVALSHA apply 11 queue:{T:1}:settings … queue:{T:1}:tickets  ledger 41 42 waiting inside …
 * EVALSHA sight 11 queue:{T:1}:settings … queue:{T:1}:tickets  ledger user user user …
 * </pre>
 */
public final class RedisCopy implements LineCopy {

  private static final int MAX_BATCH = 512;
  private static final int MAX_PENDING = 65_536;

  /** Longer than any pause between two parts, and no longer. */
  private static final String UNFINISHED_KEPT_SECONDS = "20";

  private static final String SHARED =
      Script.resource(RedisCopy.class, "copy") + "\n" + Script.resource(RedisCopy.class, "tickets");

  private final Redis redis;
  private final BatchObserver observer;
  private final Script apply = script("apply");
  private final Script sight = script("sight");
  private final Script since = Script.since(SHARED);
  private final Script state = script("state");
  private final Script board = script("board");
  private final Script tile = script("tile");
  private final Script part = script("part");
  private final Script stage = script("stage");
  private final Script swap = script("swap");
  private final Map<Original, NaturalBatch<String, Standing>> sights = new ConcurrentHashMap<>();

  /** What was begun here and is not known to be finished or removed: the next try removes it. */
  private final Map<QueueId, String[]> unfinished = new ConcurrentHashMap<>();

  public RedisCopy(Redis redis, BatchObserver observer) {
    this.redis = redis;
    this.observer = observer;
  }

  private static Script script(String name) {
    return Script.onQueue(RedisCopy.class, name, SHARED);
  }

  @Override
  public CompletionStage<Standing> locate(Original of, String user) {
    NaturalBatch<String, Standing> known = sights.get(of);
    return (known != null ? known : sights.computeIfAbsent(of, this::newSights)).submit(user);
  }

  private NaturalBatch<String, Standing> newSights(Original of) {
    return new NaturalBatch<>(
        "locate", MAX_BATCH, MAX_PENDING, observer, users -> locateAll(of, users));
  }

  private CompletionStage<List<Standing>> locateAll(Original of, List<String> users) {
    String[] args = new String[users.size() + 1];
    args[0] = of.ledger();
    for (int i = 0; i < users.size(); i++) {
      args[i + 1] = users.get(i);
    }
    return redis
        .run(sight, Keys.ofCopy(of.queue()), args)
        .thenApply(
            values -> {
              var reply = new Reply(values);
              if (reply.isEmpty()) {
                sights.remove(of);
                return Collections.nCopies(users.size(), new Standing.NoQueue());
              }
              LineState line = reply.line();
              List<Standing> answers = new ArrayList<>(users.size());
              for (String user : users) {
                answers.add(reply.standing(of.queue(), user, reply.smallNumber(), line));
              }
              return answers;
            });
  }

  @Override
  public CompletionStage<Moved> since(Original of, long change) {
    return timed(since, Keys.ofCopy(of.queue()), Long.toString(change), of.ledger())
        .thenApply(values -> new Reply(values).moved());
  }

  @Override
  public CompletionStage<CopyState> apply(Original of, Change change) {
    List<String> args = new ArrayList<>(16 + 4 * change.facts().size());
    args.add(of.ledger());
    args.add(Long.toString(change.from()));
    args.add(Long.toString(change.to()));
    args.add(Long.toString(change.waiting()));
    args.add(Long.toString(change.inside()));
    args.add(LaneCount.text(change.lanes()));
    List<String> settings = settings(change.rules());
    args.add(Integer.toString(settings.size() / 2));
    args.addAll(settings);
    addFacts(change.facts(), args);
    return run(apply, Keys.ofCopy(of.queue()), args);
  }

  private static boolean isOut(Fact fact) {
    return fact.status() != Status.WAITING && fact.status() != Status.ENTERED;
  }

  private static void addFacts(List<Fact> facts, List<String> args) {
    List<Fact> out = facts.stream().filter(RedisCopy::isOut).toList();
    args.add(Integer.toString(out.size()));
    out.forEach(fact -> args.add(fact.user()));
    List<Fact> inside = facts.stream().filter(f -> f.status() == Status.ENTERED).toList();
    args.add(Integer.toString(inside.size()));
    for (Fact fact : inside) {
      args.add(fact.user());
      args.add(Long.toString(fact.joined()));
      args.add(Long.toString(fact.entered()));
      args.add(Long.toString(fact.until()));
    }
    List<Fact> waiting =
        facts.stream()
            .filter(fact -> fact.status() == Status.WAITING)
            .sorted(Comparator.comparingLong(Fact::ticket))
            .toList();
    args.add(Integer.toString(waiting.size()));
    for (Fact fact : waiting) {
      args.add(fact.user());
      args.add(Long.toString(fact.score()));
      args.add(mayHaveMoved(fact) ? Long.toString(fact.joined()) : "");
      args.add(Long.toString(fact.ticket()));
    }
  }

  /** Others never stood anywhere else, and their score tells when they joined. */
  private static boolean mayHaveMoved(Fact waiting) {
    return waiting.isApart() || Score.isUnsettled(Score.lane(waiting.score()));
  }

  private static List<String> settings(@Nullable Rules rules) {
    List<String> args = new ArrayList<>();
    if (rules != null) {
      args.addAll(
          List.of(
              "version",
              Long.toString(rules.version()),
              "stands",
              rules.drawing().text()
                  + Passed.text(rules.passedOver())
                  + rules.units().text()
                  + rules.state().text(),
              "text",
              rules.settings().text()));
    }
    return args;
  }

  @Override
  public CompletionStage<CopyState> state(Original of) {
    return run(state, Keys.ofCopy(of.queue()), List.of(of.ledger()))
        .thenApply(
            known -> {
              if (known instanceof CopyState.Lost) {
                // Perhaps with its queue; else whoever looks for a place makes them anew.
                sights.remove(of);
              }
              return known;
            });
  }

  /** Of how many copies somebody has looked for a place. */
  int keptSights() {
    return sights.size();
  }

  @Override
  public CompletionStage<Optional<Tickets>> tickets(Original of) {
    return timed(
            board,
            Keys.ofCopy(of.queue()),
            of.ledger(),
            Integer.toString(Tickets.LEAST_BLOCK),
            Integer.toString(Tickets.MOST_BLOCKS))
        .thenApply(
            values -> Optional.of(new Reply(values)).filter(Reply::hasNext).map(Reply::tickets));
  }

  @Override
  public CompletionStage<Optional<Tile>> tile(Original of, Tile.Block block) {
    return timed(
            tile,
            Keys.ofCopy(of.queue()),
            of.ledger(),
            Integer.toString(block.band()),
            Long.toString(block.from()),
            Integer.toString(block.size()))
        .thenApply(
            values ->
                Optional.of(new Reply(values))
                    .filter(Reply::hasNext)
                    .map(reply -> reply.tile(block.band())));
  }

  @Override
  public CompletionStage<Optional<Held>> held(Original of, Part wanted, int limit) {
    return part(of, wanted, limit, "all")
        .thenApply(
            values -> Optional.of(values).filter(v -> !v.isEmpty()).map(v -> held(wanted, v)));
  }

  private static Held held(Part wanted, List<Object> values) {
    var reply = new Reply(values);
    long change = reply.number();
    List<Fact> facts = new ArrayList<>();
    while (reply.hasNext()) {
      String user = reply.text();
      long at = Long.parseLong(reply.text());
      long joined = Long.parseLong(reply.text());
      facts.add(
          wanted.isInside()
              ? new Fact(user, joined, 0, Status.ENTERED, Long.parseLong(reply.text()), at)
              : Fact.waiting(user, joined, at));
    }
    return new Held(change, facts);
  }

  @Override
  public CompletionStage<Optional<Sum>> sum(Original of, Part wanted, int limit) {
    return part(of, wanted, limit, "sum")
        .thenApply(
            values -> {
              var reply = new Reply(values);
              return reply.isEmpty()
                  ? Optional.empty()
                  : Optional.of(new Sum(reply.number(), reply.number(), reply.text()));
            });
  }

  private CompletionStage<List<Object>> part(Original of, Part wanted, int limit, String what) {
    return timed(
        part,
        Keys.ofCopy(of.queue()),
        of.ledger(),
        wanted.isInside() ? "inside" : "waiting",
        wanted.after() == Part.BEGINNING ? "-inf" : Long.toString(wanted.after()),
        wanted.upTo() == Part.END ? "+inf" : Long.toString(wanted.upTo()),
        Integer.toString(limit),
        what);
  }

  @Override
  public Rebuild rebuild(Original of) {
    // A name of its own each time: what comes late of an earlier try must not get into this one.
    var begun = new Staged(of, Keys.staged(of.queue(), UUID.randomUUID().toString()));
    String[] before = unfinished.put(of.queue(), begun.keys);
    if (before != null) {
      redis.commands().unlink(before);
    }
    return begun;
  }

  private final class Staged implements Rebuild {
    private final Original of;
    private final String[] staged;

    /** Those of {@link #staged} that are the builder's own. */
    private final String[] keys;

    Staged(Original of, String[] staged) {
      this.of = of;
      this.staged = staged;
      this.keys = Keys.ofBuilder(staged);
    }

    @Override
    public CompletionStage<?> add(int number, List<Fact> some) {
      List<String> args = new ArrayList<>();
      args.add(Integer.toString(number));
      args.add(UNFINISHED_KEPT_SECONDS);
      addFacts(some, args);
      return redis
          .run(stage, staged, args.toArray(String[]::new))
          .thenAccept(
              values -> {
                if (values.isEmpty()) {
                  throw new IllegalStateException(
                      "part " + number + " of a new copy of " + of.queue() + " is not the next");
                }
              });
    }

    @Override
    public CompletionStage<CopyState> finish(
        long change, long waiting, List<LaneCount> lanes, long inside, Rules rules) {
      String[] live = Keys.ofCopy(of.queue());
      String[] all = Arrays.copyOf(live, live.length + keys.length);
      System.arraycopy(keys, 0, all, live.length, keys.length);
      List<String> args = new ArrayList<>();
      args.add(of.ledger());
      args.add(Long.toString(change));
      args.add(Long.toString(waiting));
      args.add(Long.toString(inside));
      args.add(LaneCount.text(lanes));
      args.addAll(settings(rules));
      return run(swap, all, args).thenApply(this::gone);
    }

    @Override
    public CompletionStage<?> abandon() {
      return redis.commands().unlink(keys).thenApply(this::gone);
    }

    private <T> T gone(T answer) {
      unfinished.remove(of.queue(), keys);
      return answer;
    }
  }

  @Override
  public CompletionStage<?> drop(QueueId queue) {
    sights.keySet().removeIf(of -> of.queue().equals(queue));
    return redis.commands().unlink(Keys.ofCopy(queue));
  }

  private CompletionStage<CopyState> run(Script script, String[] keys, List<String> args) {
    return timed(script, keys, args.toArray(String[]::new))
        .thenApply(
            values ->
                values.isEmpty()
                    ? new CopyState.Lost()
                    : new CopyState.At(new Reply(values).number()));
  }

  private CompletionStage<List<Object>> timed(Script script, String[] keys, String... args) {
    long start = System.nanoTime();
    return redis
        .run(script, keys, args)
        .whenComplete(
            (_, failure) ->
                observer.answered(script.name(), 1, System.nanoTime() - start, failure));
  }
}
