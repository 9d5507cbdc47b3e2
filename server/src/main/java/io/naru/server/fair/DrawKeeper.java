package io.naru.server.fair;

import io.naru.fair.Drand;
import io.naru.fair.Leaves;
import io.naru.fair.Lobby;
import io.naru.fair.Order;
import io.naru.queue.DrawStep;
import io.naru.queue.DrawView;
import io.naru.queue.Drawing.Phase;
import io.naru.queue.Draws;
import io.naru.queue.InvalidValue;
import io.naru.queue.LobbyEntry;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.Seal;
import io.naru.queue.Secret;
import io.naru.server.entry.Drawn;
import io.naru.server.keys.Beat;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings draws on. Twice a second the queues are found whose draw goes on only if somebody does
 * something: the list of a lobby that has closed is read, hashed and sealed; the coin is fetched;
 * the order is computed, and the line made of it in steps, with rests in which others have their
 * turn. Every server does this. Who begins does all of it, and the others watch: if nothing moves
 * for five seconds, somebody else goes on. What is decided is decided once, whoever asks and
 * however often, so nothing of this guards anything; and the order follows from what is published,
 * so whoever goes on goes on with the same.
 */
public final class DrawKeeper implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(DrawKeeper.class);

  private static final Duration BEAT = Duration.ofMillis(500);

  /** For so long somebody else may be at it. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Coins that are not there yet are asked for so often; later, less often. */
  private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final long ASK_LATE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** So long after its time a coin is late. */
  private static final long LATE = 15 * Micros.PER_SECOND;

  /** Of so many draws the order is known at the same time, at most: others wait for their turn. */
  private static final int MAX_ORDERS = 8;

  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** How often a part of a list is tried to be kept, with pauses that grow by this. */
  private static final int TRIES = 5;

  private static final Duration AGAIN = Duration.ofMillis(200);
  private static final long MIN_REST_MILLIS = 20;
  private static final long MAX_REST_MILLIS = 2_000;

  private static final SecureRandom RANDOM = new SecureRandom();

  private final Draws draws;
  private final Secret salts;
  private final Coins coins;
  private final CoinRelays relays;
  private final KnownDraws known;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final String name = random();
  private final Beat beat = new Beat("naru-draws", BEAT, this::beat);

  /** One for each draw, which mostly waits: for a store, a relay, its rest. */
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("naru-draw-", 0).factory());

  /** Hashing a million leaves takes seconds: no thread that others share waits for that. */
  private final ExecutorService computing =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().name("naru-draw-computing").daemon().factory());

  private final Map<QueueId, Hand> hands = new ConcurrentHashMap<>();
  private final AtomicBoolean isAway = new AtomicBoolean();
  private volatile boolean isClosed;

  /** What this server does about one draw. */
  private static final class Hand {

    private final AtomicBoolean isBusy = new AtomicBoolean();

    /** Whether it was this server that brought it on last. */
    private volatile boolean isOurs;

    private volatile String seen = "";
    private volatile long seenAt;
    private volatile long askedAt;
    private volatile boolean isToldLate;
    private volatile String trouble = "";

    /** Takes it as it stands; whenever it has moved, others may be at it. */
    void see(DrawView view, long now) {
      String state =
          view.number() + " " + view.drawing() + " " + view.isSealed() + " " + view.isDrawn();
      if (!state.equals(seen)) {
        seen = state;
        seenAt = now;
      }
    }

    boolean mayAct(long now) {
      return isOurs || now - seenAt >= PATIENCE_NANOS;
    }
  }

  /**
   * @param salts by which entries are hashed
   * @param nanos a clock that is never set
   */
  public DrawKeeper(
      Draws draws, Secret salts, Coins coins, InstantSource clock, LongSupplier nanos) {
    this.draws = draws;
    this.salts = salts;
    this.coins = coins;
    this.relays = new CoinRelays(coins);
    this.known = new KnownDraws(coins.chain());
    this.clock = clock;
    this.nanos = nanos;
  }

  public void start() {
    beat.start();
  }

  /** What is known here of draws. */
  public Drawn drawn() {
    return known;
  }

  Drand chain() {
    return coins.chain();
  }

  // --- what others ask

  /** How many draws are under way. */
  public int underWay() {
    return known.views().size();
  }

  /** How many of them wait for a coin. */
  public int waitingForCoin() {
    return (int) known.views().values().stream().filter(DrawView::isWaitingForCoin).count();
  }

  /** What is not as it should be, in words. */
  public List<String> troubles() {
    List<String> all = new ArrayList<>();
    hands.forEach(
        (queue, hand) -> {
          String trouble = hand.trouble;
          if (!trouble.isEmpty()) {
            all.add(queue + ": " + trouble);
          }
        });
    return all;
  }

  /** Brings a coin that was verified, and goes on at once if it is taken. */
  CompletionStage<DrawStep> bring(QueueId queue, DrawView view, long round, String signature) {
    return draws
        .coin(queue, view.commitment(), round, signature)
        .whenComplete(
            (step, _) -> {
              if (step instanceof DrawStep.Taken(var now) && now.isDrawn()) {
                hand(queue).isOurs = true;
                work(queue);
              }
            });
  }

  // --- the beat

  private void beat() {
    try {
      List<QueueId> underWay = await(draws.underWay());
      Set<QueueId> all = new HashSet<>(underWay);
      known.keepOnly(all);
      hands.keySet().removeIf(queue -> !all.contains(queue) && isIdle(queue));
      underWay.forEach(this::work);
      if (isAway.compareAndSet(true, false)) {
        log.info("draws go on");
      }
    } catch (QueueUnavailable | TimeoutException e) {
      if (isAway.compareAndSet(false, true)) {
        log.warn("draws stand still: {}", e.getMessage());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.error("the beat of draws failed for a reason that nobody expected", e);
    }
  }

  private boolean isIdle(QueueId queue) {
    Hand hand = hands.get(queue);
    return hand != null && !hand.isBusy.get();
  }

  private Hand hand(QueueId queue) {
    return hands.computeIfAbsent(queue, _ -> new Hand());
  }

  /** One at a time of each queue. */
  private void work(QueueId queue) {
    Hand hand = hand(queue);
    if (!isClosed && hand.isBusy.compareAndSet(false, true)) {
      try {
        threads.execute(() -> workNow(queue, hand));
      } catch (RejectedExecutionException e) {
        log.debug("closed while a draw was under way");
      }
    }
  }

  private void workNow(QueueId queue, Hand hand) {
    try {
      goOn(queue, hand);
    } catch (QueueUnavailable | TimeoutException e) {
      log.debug("the draw of {} stands still for now", queue, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (InvalidValue e) {
      // Somebody left while the list was read: the next one fits.
      log.debug("the list of {} was not taken", queue, e);
    } catch (RuntimeException e) {
      if (hand.trouble.isEmpty()) {
        log.error("the draw of {} does not go on", queue, e);
      }
      hand.trouble = "its draw does not go on: " + e.getMessage();
    } finally {
      hand.isBusy.set(false);
    }
  }

  private void goOn(QueueId queue, Hand hand) throws InterruptedException, TimeoutException {
    Optional<DrawView> found = await(draws.draw(queue));
    if (found.isEmpty()) {
      return;
    }
    DrawView view = found.get();
    see(queue, hand, view);
    if (view.drawing().phase() == Phase.CLOSED && !view.isSealed()) {
      view = seal(queue, hand, view);
    }
    if (view.isWaitingForCoin()) {
      view = fetch(queue, hand, view);
    }
    if (view.drawing().phase() == Phase.DRAWN) {
      settle(queue, hand, view);
    }
  }

  private void see(QueueId queue, Hand hand, DrawView view) {
    known.see(queue, view);
    hand.see(view, nanos.getAsLong());
  }

  // --- who is drawn

  private DrawView seal(QueueId queue, Hand hand, DrawView view)
      throws InterruptedException, TimeoutException {
    if (!isFirst(queue, hand, view)) {
      return view;
    }
    Lobby lobby = read(queue, view);
    List<Long> counts = new ArrayList<>();
    for (int lane = 0; lane < view.lanes().size(); lane++) {
      counts.add((long) lobby.count(lane));
    }
    String id = random();
    // As long as nobody has said what became of it, the list may be taken, perhaps later.
    boolean mayBeTaken = false;
    try {
      for (int part = 0; part < lobby.parts(); part++) {
        keep(queue, id, part, lobby.part(part));
      }
      String root = HexFormat.of().formatHex(computed(lobby::root));
      var seal = new Seal(view.commitment(), id, root, counts);
      mayBeTaken = true;
      DrawView now =
          switch (await(draws.seal(queue, seal))) {
            case DrawStep.Taken(var taken) -> taken;
            case DrawStep.NotTaken(var other) -> other;
            case DrawStep.NoDraw _ -> view;
          };
      mayBeTaken = now.sealId().equals(id);
      see(queue, hand, now);
      if (mayBeTaken) {
        log.info("the lobby of {} is sealed with {} people", queue, now.count());
        await(draws.forgetLeaves(queue, claim(view)));
      } else {
        hand.isOurs = false;
      }
      return now;
    } catch (InvalidValue e) {
      mayBeTaken = false;
      throw e;
    } finally {
      if (!mayBeTaken && !Thread.currentThread().isInterrupted()) {
        await(draws.forgetLeaves(queue, id));
      }
    }
  }

  /** Once more if it fails: to begin with all of it again would take longer, and may fail again. */
  private void keep(QueueId queue, String id, int part, byte[] leaves)
      throws InterruptedException, TimeoutException {
    for (int tries = 1; ; tries++) {
      try {
        await(draws.keepLeaves(queue, id, part, leaves));
        return;
      } catch (QueueUnavailable e) {
        if (tries == TRIES) {
          throw e;
        }
        Thread.sleep(AGAIN.multipliedBy(tries));
      }
    }
  }

  /**
   * Whether nobody else has begun. To read a million people twice would be a waste, no more: whose
   * list is first is taken.
   */
  private boolean isFirst(QueueId queue, Hand hand, DrawView view)
      throws InterruptedException, TimeoutException {
    byte[] us = HexFormat.of().parseHex(name);
    Optional<byte[]> claimed = await(draws.leaves(queue, claim(view), 0));
    boolean isOthers = claimed.isPresent() && !Arrays.equals(claimed.get(), us);
    if (isOthers && !hand.mayAct(nanos.getAsLong())) {
      return false;
    }
    if (claimed.isEmpty() || isOthers) {
      await(draws.keepLeaves(queue, claim(view), 0, us));
    }
    // Two may have looked at the same moment; then the later one goes on.
    hand.isOurs =
        await(draws.leaves(queue, claim(view), 0))
            .filter(now -> Arrays.equals(now, us))
            .isPresent();
    return hand.isOurs;
  }

  private static String claim(DrawView view) {
    return "claim-" + view.number();
  }

  private Lobby read(QueueId queue, DrawView view) throws InterruptedException, TimeoutException {
    long expected = view.lanes().stream().mapToLong(DrawView.OfLane::waiting).sum();
    var lobby = new Lobby((int) Math.min(Lobby.MOST, expected));
    for (int lane = 0; lane < view.lanes().size(); lane++) {
      long after = 0;
      List<LobbyEntry> some;
      do {
        some = await(draws.lobby(queue, lane, after, Draws.PART));
        for (LobbyEntry entry : some) {
          String salt = Leaves.salt(salts, queue, entry.user());
          lobby.add(entry.joined(), lane, Leaves.leaf(queue, entry.joined(), entry.user(), salt));
          after = entry.joined();
        }
      } while (some.size() == Draws.PART);
    }
    return lobby;
  }

  // --- the coin

  private DrawView fetch(QueueId queue, Hand hand, DrawView view)
      throws InterruptedException, TimeoutException {
    long round = view.round();
    long since = Micros.now(clock) - coins.chain().startOf(round);
    long now = nanos.getAsLong();
    boolean isLate = since >= LATE;
    tellLate(queue, hand, view, isLate || relays.isEmpty());
    boolean isDue = now - hand.askedAt >= (isLate ? ASK_LATE_NANOS : ASK_NANOS);
    if (since < 0 || relays.isEmpty() || (hand.askedAt != 0 && !isDue)) {
      return view;
    }
    hand.askedAt = now;
    Optional<String> signature = relays.fetch(round);
    if (signature.isEmpty()) {
      return view;
    }
    DrawView after =
        switch (await(draws.coin(queue, view.commitment(), round, signature.get()))) {
          case DrawStep.Taken(var taken) -> {
            hand.isOurs = true;
            yield taken;
          }
          case DrawStep.NotTaken(var other) -> other;
          case DrawStep.NoDraw _ -> view;
        };
    hand.trouble = "";
    see(queue, hand, after);
    return after;
  }

  /**
   * A late coin is waited for: whoever could go on without it could look at it first and choose.
   */
  private void tellLate(QueueId queue, Hand hand, DrawView view, boolean isLate) {
    if (!isLate) {
      return;
    }
    String at = Micros.iso(coins.chain().startOf(view.round()));
    hand.trouble =
        relays.isEmpty()
            ? "its draw waits for the coin of round %s (%s), which an operator brings: no --coin-relays"
                .formatted(view.round(), at)
            : "its draw waits for the coin of round %s, which was due at %s"
                .formatted(view.round(), at);
    if (!hand.isToldLate) {
      hand.isToldLate = true;
      log.warn("{}: {}", queue, hand.trouble);
    }
  }

  // --- the order, and the line

  private void settle(QueueId queue, Hand hand, DrawView drawn)
      throws InterruptedException, TimeoutException {
    DrawnOrder order = orderOf(queue, drawn);
    if (order == null) {
      return;
    }
    hand.trouble = "";
    DrawView view = drawn;
    while (!isClosed && hand.mayAct(nanos.getAsLong())) {
      long from = view.drawing().settled();
      long begun = System.nanoTime();
      DrawStep step =
          await(draws.settle(queue, view.commitment(), from, order.next(from, Draws.MAX_STEP)));
      if (!(step instanceof DrawStep.Taken(var now))) {
        // Somebody else is at it.
        hand.isOurs = false;
        if (step instanceof DrawStep.NotTaken(var other)) {
          see(queue, hand, other);
        }
        return;
      }
      hand.isOurs = true;
      view = now;
      see(queue, hand, view);
      if (view.drawing().phase() != Phase.DRAWN) {
        log.info("{} people are drawn into the line of {}", view.count(), queue);
        return;
      }
      // Others have as much of the time as this.
      long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
      Thread.sleep(Math.clamp(took, MIN_REST_MILLIS, MAX_REST_MILLIS));
    }
  }

  private @Nullable DrawnOrder orderOf(QueueId queue, DrawView view)
      throws InterruptedException, TimeoutException {
    DrawnOrder order = known.order(queue);
    if (order != null && order.isOf(view)) {
      return order;
    }
    if (known.orders() >= MAX_ORDERS) {
      return null;
    }
    var lobby = new Lobby((int) Math.min(Lobby.MOST, view.count()));
    for (int part = 0; part < Math.ceilDiv(view.count(), (long) Draws.PART); part++) {
      lobby.add(
          await(draws.leaves(queue, view.sealId(), part))
              .orElseThrow(() -> new IllegalStateException("a part of its list is missing")));
    }
    byte[] root = computed(lobby::root);
    byte[] seed = HexFormat.of().parseHex(view.seed());
    if (!HexFormat.of().formatHex(root).equals(view.root())) {
      throw new IllegalStateException("its list is not the one that was sealed");
    }
    if (!HexFormat.of().formatHex(sha256(seed)).equals(view.commitment())) {
      throw new IllegalStateException("its seed is not the one that was fixed beforehand");
    }
    byte[] coin =
        view.signature().isEmpty()
            ? new byte[0]
            : Drand.randomness(HexFormat.of().parseHex(view.signature()));
    byte[] key = Order.key(seed, root, coin);
    var drawn = new DrawnOrder(view, computed(() -> Order.of(lobby, key)));
    known.put(queue, drawn);
    return drawn;
  }

  /** However long it takes. */
  private <T> T computed(Supplier<T> sum) throws InterruptedException {
    try {
      return CompletableFuture.supplyAsync(sum, computing).get();
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static String random() {
    byte[] bytes = new byte[16];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** Nothing here is on the way of a request, so it may wait. */
  private static <T> T await(CompletionStage<T> stage)
      throws InterruptedException, TimeoutException {
    try {
      return stage.toCompletableFuture().get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw failure(e);
    }
  }

  private static RuntimeException failure(ExecutionException e) {
    return e.getCause() instanceof RuntimeException why
        ? why
        : new IllegalStateException(e.getCause());
  }

  @Override
  public void close() {
    isClosed = true;
    beat.close();
    threads.shutdownNow();
    computing.shutdownNow();
    relays.close();
  }
}
