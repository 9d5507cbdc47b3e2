package io.naru.ledger.copies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.line.Change;
import io.naru.line.CopyState;
import io.naru.line.Fact;
import io.naru.line.Held;
import io.naru.line.LineCopy;
import io.naru.line.Moved;
import io.naru.line.Original;
import io.naru.line.Part;
import io.naru.line.Rules;
import io.naru.line.Standing;
import io.naru.line.Tickets;
import io.naru.line.Tile;
import io.naru.memory.MemoryCopy;
import io.naru.queue.LaneCount;
import io.naru.queue.QueueId;
import io.naru.support.Seeded;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Servers, their ledger and their copy, or copies, in one thread, with a seed for all that goes
 * wrong: replies that are lost, commands that run later or twice, a copy that is emptied, or
 * replaced by an older one, servers that die between any two steps. Whatever a server would show
 * from the copy must be what the ledger said at that very change, and when things are quiet, the
 * copy is the ledger.
 */
class KeeperSimulationTest {

  private static final int STEPS = 150;

  /** Longer than any pause after a failure. */
  private static final long BEAT = 60_000_000_000L;

  @Test
  void anyFault_copyNeverLiesAndHealsWhenQuiet() {
    Seeded.histories(400, random -> new World(random, new MemoryCopy()).live());
  }

  /** The copies of servers that have no Redis: each follows the ledger by itself. */
  @Test
  void copyOfEachServer_neverLiesAndFollows() {
    Seeded.histories(400, random -> new World(random, null).live());
  }

  @Test
  void copyOfEachServer_othersCommitAllTheTime_nobodyIsSentToTheLedger() {
    Seeded.histories(
        80,
        random -> {
          var world = new World(random, null, 1_000);
          world.commitSome(10);
          world.settle();
          for (int i = 0; i < 50; i++) {
            Server server = world.servers.get(i % 2);
            world.commit(server);
            World.runAll(server.tasks);
            assertThat(world.servers)
                .as("after commit %d", i)
                .allMatch(each -> each.keeper.isFollowing(ModelLedger.OF));
            assertThat(server.change()).as("told when it has it").isEqualTo(world.ledger.change());
          }
        });
  }

  @Test
  void copyOfEachServer_ledgerThatLostCommits_freezesAtEachThatRemembers() {
    Seeded.histories(
        50,
        random -> {
          var world = new World(random, null);
          world.commitSome(20);
          world.settle();
          long before = world.ledger.change();
          world.ledger.lose(1 + random.nextInt(10));
          for (Server server : world.servers) {
            server.keeper.beat(ModelLedger.OF, world.ledger.change());
            assertThat(server.keeper.inDoubt()).contains(ModelLedger.OF.queue());
            server.keeper.compareWithSeen(ModelLedger.OF, world.ledger.change());
            server.keeper.proven(ModelLedger.OF);
          }
          world.settle();

          for (Server server : world.servers) {
            assertThat(server.keeper.frozen(ModelLedger.OF)).contains("lost commits");
            assertThat(server.change()).isEqualTo(before);
            assertThat(server.keeper.isFollowing(ModelLedger.OF)).as("places are shown").isTrue();
          }
        });
  }

  @Test
  void copyThatIgnoresNumbers_isCaught() {
    assertThatThrownBy(
            () -> Seeded.histories(80, random -> new World(random, new LooseCopy()).live()))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void commitsThatOutrunEveryJump_copyHealsAllTheSame() {
    Seeded.histories(
        80,
        random -> {
          var world = new World(random, new MemoryCopy());
          Server server = world.servers.getFirst();
          var _ = server.keeper.committed(ModelLedger.OF, world.ledger.fill(400));
          var _ = server.real.drop(ModelLedger.OF.queue());
          // At every look at the ledger, and for every few people read, there is one more change.
          world.ledger.whileReading =
              () -> server.keeper.committed(ModelLedger.OF, world.ledger.commit(random));

          world.beat(server);
          World.runAll(server.tasks);

          assertThat(server.keeper.isFollowing(ModelLedger.OF)).as("healed").isTrue();
          world.ledger.whileReading = () -> {};
          world.assertCopyIsLedger(server);
        });
  }

  @Test
  void ledgerThatLostCommits_freezesAndKeepsTheLine() {
    Seeded.histories(
        50,
        random -> {
          var copy = new MemoryCopy();
          var world = new World(random, copy);
          world.commitSome(20);
          world.settle();
          long before = world.ledger.change();
          world.ledger.lose(1 + random.nextInt(10));
          Server server = random.nextBoolean() ? world.servers.getFirst() : world.restarted();

          server.keeper.compareWithSeen(ModelLedger.OF, world.ledger.change());
          server.keeper.compareWithCopy(ModelLedger.OF, world.ledger.change());
          server.keeper.proven(ModelLedger.OF);
          server.keeper.beat(ModelLedger.OF, world.ledger.change());
          world.settle();

          assertThat(server.keeper.frozen(ModelLedger.OF)).contains("lost commits");
          assertThat(server.change()).isEqualTo(before);
          assertThat(server.keeper.isFollowing(ModelLedger.OF)).as("places are shown").isTrue();
        });
  }

  /** A server as far as it keeps the copy: what it has still to do dies with it. */
  private static final class Server {
    final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    final Keeper keeper;
    final Auditor auditor;

    /** Its own copy, or everybody's. */
    final LineCopy real;

    long shown;

    Server(World world) {
      Network shared = world.network;
      real = shared == null ? new MemoryCopy() : shared.real;
      LineCopy reached = shared == null ? real : shared;
      Source source = shared == null ? new Link(world) : world.ledger;
      keeper = new Keeper(reached, source, tasks::add, () -> world.nanos, world.maxJump);
      auditor = new Auditor(keeper, reached, source, world::pass, 1 + world.maxJump);
    }

    long change() {
      return real.state(ModelLedger.OF).toCompletableFuture().join()
              instanceof CopyState.At(long at)
          ? at
          : -1;
    }
  }

  private static final class World {
    final Random random;

    /** The way to the one copy of all; null if each server has its own. */
    final @Nullable Network network;

    final ModelLedger ledger;
    boolean faults;

    /** The last change that somebody saw who asks now this server, now that one. */
    long seen;

    final List<Server> servers = new ArrayList<>();

    /** Some ledgers change by more than one jump whenever they are read. */
    final int maxJump;

    long nanos;

    World(Random random, @Nullable LineCopy shared) {
      this(random, shared, random.nextBoolean() ? 6 : 1_000);
    }

    World(Random random, @Nullable LineCopy shared, int maxJump) {
      this.random = random;
      this.network = shared == null ? null : new Network(random, shared);
      this.ledger = new ModelLedger(random.nextBoolean());
      this.maxJump = maxJump;
      IntStream.range(0, 2 + random.nextInt(3)).forEach(_ -> restarted());
    }

    Server restarted() {
      var server = new Server(this);
      servers.add(server);
      return server;
    }

    void live() {
      fail(true);
      if (random.nextBoolean()) {
        ledger.whileReading = () -> commitAtOnce(servers.get(random.nextInt(servers.size())));
      }
      for (int step = 0; step < STEPS; step++) {
        Server server = servers.get(random.nextInt(servers.size()));
        switch (random.nextInt(20)) {
          case 0, 1, 2, 3, 4, 5 -> commit(server);
          case 6, 7, 8, 9, 10, 11 -> runOne(server.tasks);
          case 12 -> ghost(server);
          case 13 -> server.tasks.add(() -> beat(server));
          case 14 -> servers.set(servers.indexOf(server), new Server(this));
          case 15 -> disaster(server);
          case 16 -> audit(server);
          case 17 -> ask(server);
          default -> look(server);
        }
      }
      settle();
      servers.forEach(this::assertCopyIsLedger);
      audit(servers.getFirst());
      assertThat(servers)
          .allMatch(server -> ledger.change() == 0 || server.keeper.isFollowing(ModelLedger.OF));
    }

    private void fail(boolean fails) {
      faults = fails;
      if (network != null) {
        network.faults = fails;
      }
    }

    /** What was sent long ago arrives; or a server looks what the others have committed. */
    private void ghost(Server server) {
      if (network == null) {
        server.tasks.add(() -> server.keeper.look(ModelLedger.OF, ledger.change()));
      } else {
        runOne(network.ghosts);
      }
    }

    /** Somebody who has seen something elsewhere. */
    private void ask(Server server) {
      if (!server.keeper.isFollowing(ModelLedger.OF)) {
        return;
      }
      CompletableFuture<Boolean> has =
          server.keeper.has(ModelLedger.OF, seen).toCompletableFuture();
      runAll(server.tasks);
      if (network == null && has.getNow(false) && server.keeper.isFollowing(ModelLedger.OF)) {
        assertThat(server.change()).as("not older than what was seen").isGreaterThanOrEqualTo(seen);
        seen = server.change();
        server.keeper.mayShow(ModelLedger.OF, seen);
        server.shown = Math.max(server.shown, seen);
      }
    }

    void commitSome(int count) {
      IntStream.range(0, count).forEach(_ -> commit(servers.getFirst()));
    }

    /** The commit is the ledger's; that its server tells the copy comes later, or never. */
    private void commit(Server server) {
      Change change = ledger.commit(random);
      server.tasks.add(
          () ->
              server
                  .keeper
                  .committed(ModelLedger.OF, change)
                  .thenAccept(
                      has -> {
                        if (network == null && has) {
                          server.shown = Math.max(server.shown, change.to());
                        }
                      }));
    }

    /** While somebody reads: its server tells the copy at once, or never. */
    private void commitAtOnce(Server server) {
      Change change = ledger.commit(random);
      if (random.nextInt(10) > 0) {
        var _ = server.keeper.committed(ModelLedger.OF, change);
      }
    }

    /** Whatever is under way, lost or late: nobody wrote into the copy, so nothing differs. */
    private void audit(Server server) {
      nanos += BEAT;
      try {
        server.auditor.beat(() -> List.of(ModelLedger.OF));
      } catch (Exception e) {
        assertThat(e).as("a reply that was lost").hasRootCauseInstanceOf(IOException.class);
      }
      assertThat(server.auditor.differences()).as("false alarms").isZero();
    }

    /** Time passes whenever somebody looks at the clock. */
    private long pass() {
      nanos += 20_000_000;
      return nanos;
    }

    void beat(Server server) {
      nanos += BEAT;
      server.keeper.beat(ModelLedger.OF, ledger.change());
    }

    private static void runOne(ArrayDeque<Runnable> tasks) {
      if (!tasks.isEmpty()) {
        tasks.remove().run();
      }
    }

    static void runAll(ArrayDeque<Runnable> tasks) {
      while (!tasks.isEmpty()) {
        runOne(tasks);
      }
    }

    /** The copy is emptied, or an older one takes its place, as after a stale fail-over. */
    private void disaster(Server server) {
      var _ = server.real.drop(ModelLedger.OF.queue());
      if (random.nextBoolean() && ledger.change() > 0) {
        ledger.copyAt(random.nextLong(ledger.change() + 1), server.real.rebuild(ModelLedger.OF));
      }
    }

    /** What a visitor would be shown from the copy. */
    private void look(Server server) {
      if (ledger.users() == 0 || !server.keeper.isFollowing(ModelLedger.OF)) {
        return;
      }
      String user = "u" + random.nextInt(ledger.users());
      Standing standing = server.real.locate(ModelLedger.OF, user).toCompletableFuture().join();
      if (standing instanceof Standing.Found(var place)
          && server.keeper.mayShow(ModelLedger.OF, place.line().change())) {
        long change = place.line().change();
        assertThat(change).as("never an older state").isGreaterThanOrEqualTo(server.shown);
        server.shown = change;
        if (place.entry().isWaiting()) {
          assertThat(place.ahead())
              .as("place of %s at change %d", user, change)
              .isEqualTo(ledger.aheadAt(change, user));
          assertThat(place.ticket())
              .as("ticket of %s at change %d", user, change)
              .isEqualTo(ledger.ticketAt(change, user));
        } else {
          assertThat(ledger.insideAt(change, user))
              .as("%s is inside by this entry", user)
              .isEqualTo(place.entry().key().joined());
        }
      }
    }

    /** No more faults; what is under way arrives, and hearts go on beating. */
    void settle() {
      fail(false);
      ledger.whileReading = () -> {};
      while (network != null && !network.ghosts.isEmpty()) {
        runOne(network.ghosts);
      }
      for (int beat = 0; beat < 4; beat++) {
        for (Server server : servers) {
          server.tasks.add(() -> beat(server));
          runAll(server.tasks);
        }
      }
    }

    void assertCopyIsLedger(Server server) {
      if (ledger.change() == 0) {
        return;
      }
      assertThat(server.change()).isEqualTo(ledger.change());
      for (int i = 0; i < ledger.users(); i++) {
        String user = "u" + i;
        Standing standing = server.real.locate(ModelLedger.OF, user).toCompletableFuture().join();
        long ahead = ledger.aheadAt(ledger.change(), user);
        if (standing instanceof Standing.Found(var place) && place.entry().isWaiting()) {
          assertThat(place.ahead()).as("place of %s", user).isEqualTo(ahead);
        } else {
          assertThat(ahead).as("%s is not in line", user).isEqualTo(-1);
        }
      }
    }
  }

  /** The way to the ledger, on which a question is lost now and then. */
  private record Link(World world) implements Source {

    private void pass() throws ExecutionException {
      if (world.faults && world.random.nextInt(8) == 0) {
        throw new ExecutionException(new IOException("no reply"));
      }
    }

    @Override
    public Optional<Reached> reached(Original of) throws ExecutionException {
      pass();
      return world.ledger.reached(of);
    }

    @Override
    public Optional<Extent> part(Original of, boolean isInside, long after, int limit)
        throws ExecutionException {
      pass();
      return world.ledger.part(of, isInside, after, limit);
    }

    @Override
    public Optional<Change> since(Original of, long change, int maxFacts)
        throws ExecutionException {
      pass();
      return world.ledger.since(of, change, maxFacts);
    }

    @Override
    public Reached everybody(Original of, Taker taker) throws Exception {
      pass();
      return world.ledger.everybody(of, taker);
    }

    @Override
    public Reached touched(Original of, long change, Taker taker) throws Exception {
      pass();
      return world.ledger.touched(of, change, taker);
    }
  }

  /** The way to the copy, on which things go wrong. */
  private static final class Network implements LineCopy {
    private final Random random;
    private final LineCopy real;
    final ArrayDeque<Runnable> ghosts = new ArrayDeque<>();
    boolean faults;

    Network(Random random, LineCopy real) {
      this.random = random;
      this.real = real;
    }

    private <T> CompletionStage<T> send(Supplier<CompletionStage<T>> command) {
      int fate = faults ? random.nextInt(12) : 12;
      if (fate == 0 || fate == 1) {
        // It arrives, and runs later or twice.
        ghosts.add(() -> arrive(command));
      }
      if (fate == 2) {
        // It runs, and nobody hears of it.
        arrive(command);
      }
      return fate == 0 || fate == 2 || fate == 3 ? lost() : command.get();
    }

    private static void arrive(Supplier<? extends CompletionStage<?>> command) {
      var _ = command.get();
    }

    private static <T> CompletionStage<T> lost() {
      return CompletableFuture.failedStage(new IOException("no reply"));
    }

    @Override
    public CompletionStage<Standing> locate(Original of, String user) {
      return send(() -> real.locate(of, user));
    }

    @Override
    public CompletionStage<Moved> since(Original of, long change) {
      return send(() -> real.since(of, change));
    }

    @Override
    public CompletionStage<Optional<Tickets>> tickets(Original of) {
      return send(() -> real.tickets(of));
    }

    @Override
    public CompletionStage<Optional<Tile>> tile(Original of, Tile.Block block) {
      return send(() -> real.tile(of, block));
    }

    @Override
    public CompletionStage<CopyState> apply(Original of, Change change) {
      return send(() -> real.apply(of, change));
    }

    @Override
    public CompletionStage<CopyState> state(Original of) {
      return send(() -> real.state(of));
    }

    @Override
    public CompletionStage<Optional<Held>> held(Original of, Part part, int limit) {
      return send(() -> real.held(of, part, limit));
    }

    @Override
    public Rebuild rebuild(Original of) {
      Rebuild begun = real.rebuild(of);
      return new Rebuild() {
        @Override
        public CompletionStage<?> add(int number, List<Fact> some) {
          return send(() -> begun.add(number, some).thenApply(_ -> true));
        }

        @Override
        public CompletionStage<CopyState> finish(
            long change, long waiting, List<LaneCount> lanes, long inside, Rules rules) {
          return send(() -> begun.finish(change, waiting, lanes, inside, rules));
        }

        @Override
        public CompletionStage<?> abandon() {
          return send(() -> begun.abandon().thenApply(_ -> true));
        }
      };
    }

    @Override
    public CompletionStage<?> drop(QueueId queue) {
      return send(() -> real.drop(queue).thenApply(_ -> true));
    }
  }
}
