package io.naru.ledger;

import com.zaxxer.hikari.pool.HikariPool;
import io.naru.access.AccessKeys;
import io.naru.audit.AuditTrail;
import io.naru.batch.BatchObserver;
import io.naru.history.History;
import io.naru.journal.Feed;
import io.naru.journal.LogStore;
import io.naru.keys.KeyStore;
import io.naru.ledger.copies.Auditor;
import io.naru.ledger.copies.Keeper;
import io.naru.line.Checked;
import io.naru.line.Line;
import io.naru.line.LineCopy;
import io.naru.line.Original;
import io.naru.queue.Draws;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.QueueUnavailable;
import io.naru.queue.QueueUnavailable.Kind;
import io.naru.queue.Queues;
import io.naru.transfer.Transfers;
import io.naru.webhook.Webhooks;
import java.io.Closeable;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An open ledger: the durable record of all queues, and the last word about them. */
public final class Ledger implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Ledger.class);

  private static final Duration HEARTBEAT = Duration.ofSeconds(1);

  /** How often a copy of one's own is brought what other servers committed. */
  private static final Duration LOOK = Duration.ofMillis(100);

  /** So many queues that nobody is in are looked for in a heartbeat. */
  private static final int MISSING_AT_ONCE = 64;

  private static final Duration IMPATIENCE = Duration.ofMillis(250);

  /** How long one waits for a connection: at a start, and to build a copy; and to answer. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration READ_PATIENCE = Duration.ofMillis(500);

  /** So long a comparison may take for which somebody waits; the rest of it is another one. */
  private static final Duration CHECKING = Duration.ofSeconds(1);

  private static final Duration HOUSEKEEPING = Duration.ofMinutes(1);

  /** With the writer's and one beside the pools as many connections as the manual says. */
  private static final int READERS = 3;

  private final Dialect dialect;
  private final Closeable claim;
  private final Config config;
  private final Pool pool;
  private final Pool copyPool;
  private final String id;
  private final String description;
  private final String unsafe;
  private final Background background;
  private final Tables tables = new Tables(this::end);
  private final String server = UUID.randomUUID().toString();
  private @Nullable Keeper keeper;
  private @Nullable Auditor auditor;
  private @Nullable LedgerQueues queues;
  private @Nullable LedgerLine line;
  private @Nullable LedgerHistory history;
  private @Nullable LedgerDraws draws;
  private @Nullable LedgerTransfers transfers;
  private @Nullable Retention retention;
  private @Nullable LedgerFeed feed;
  private @Nullable Asides asides;
  private volatile Feed.Bounds bounds = Feed.Bounds.DEFAULT;

  /** Only the heartbeat asks. */
  private boolean isAllCompared;

  /**
   * Where a ledger is.
   *
   * @param url {@code jdbc:sqlite:FILE}, {@code jdbc:postgresql://HOST/DATABASE} or {@code
   *     jdbc:mariadb://HOST/DATABASE}
   * @param unsafe whether a database that may lose commits is taken all the same
   */
  public record Config(
      String url, @Nullable String user, @Nullable String password, boolean unsafe) {

    /** Who opens it. */
    Properties credentials() {
      var properties = new Properties();
      if (user != null) {
        properties.setProperty("user", user);
      }
      if (password != null) {
        properties.setProperty("password", password);
      }
      return properties;
    }

    private Config at(String address) {
      return new Config(address, user, password, unsafe);
    }
  }

  private Ledger(Config config, Dialect dialect) {
    this.config = config.at(dialect.address(config.url()));
    this.dialect = dialect;
    background = new Background(new Failures(dialect));
    claim = dialect.claim(config.url());
    pool = firstPool();
    copyPool = pool(Dialect.Use.COPY, Keeper.HEALED_AT_ONCE);
    try {
      try (Connection connection = pool.getConnection()) {
        unsafe = dialect.unsafe(connection);
        if (!unsafe.isEmpty() && !config.unsafe()) {
          throw new LedgerRefused(
              "this database may lose what it has committed: "
                  + unsafe
                  + ". Switch that on, or start with --unsafe if losing places is acceptable");
        }
        description = dialect.describe(connection);
      }
      Schema.prepare(pool, this.config, dialect);
      try (Connection connection = pool.getConnection()) {
        // From here on its time is known here as well.
        dialect.now(connection);
      }
      id = shared("ledger", UUID.randomUUID().toString());
    } catch (SQLException e) {
      closePools();
      throw new LedgerRefused(reason(e), e);
    } catch (RuntimeException e) {
      closePools();
      throw e;
    }
  }

  /**
   * Opens a ledger, and makes its tables where they are missing.
   *
   * @param clock of an embedded database; others have their own
   * @throws LedgerRefused if that is not possible or not safe; nothing is overwritten
   */
  public static Ledger open(Config config, InstantSource clock) {
    return new Ledger(config, Dialect.of(config.url(), clock));
  }

  /** For tests, which set the time of a database instead of waiting for it. */
  static Ledger open(Config config, Dialect dialect) {
    return new Ledger(config, dialect);
  }

  /**
   * From here on visitors ask: whoever gets no connection at once is told so. Before that, a
   * database that takes its time is no reason not to start.
   */
  public void serve() {
    pool.setPatience(READ_PATIENCE);
  }

  private Pool firstPool() {
    try {
      return pool(Dialect.Use.READ, READERS);
    } catch (HikariPool.PoolInitializationException e) {
      close(claim);
      throw new LedgerRefused(reason(e), e);
    }
  }

  private Pool pool(Dialect.Use use, int size) {
    int kept = use == Dialect.Use.COPY ? 0 : 1;
    return new Pool(dialect, "naru-" + use, config.url(), properties(use), kept, size, PATIENCE);
  }

  private Properties properties(Dialect.Use use) {
    Properties properties = dialect.properties(use);
    properties.putAll(config.credentials());
    return properties;
  }

  private static String firstLine(Throwable e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  private static String reason(Exception e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return "cannot be opened: " + firstLine(cause);
  }

  /** Begins to decide and to keep this copy. */
  public void start(LineCopy copy, BatchObserver observer) {
    Properties direct = properties(Dialect.Use.READ);
    var reader =
        new Reader(pool, copyPool, () -> dialect.connect(config.url(), direct), dialect, id);
    var startedKeeper = new Keeper(copy, reader, background, observer);
    keeper = startedKeeper;
    var startedAsides = new Asides(background, observer);
    asides = startedAsides;
    var tallies = new Tallies(reader, background, observer);
    var startedLine =
        new LedgerLine(
            copy,
            startedKeeper,
            reader,
            tallies,
            dialect,
            tables,
            background,
            startedAsides,
            observer);
    var startedFeed = new LedgerFeed(pool, dialect, background, id);
    feed = startedFeed;
    // Before anything is decided: who reads must not miss what happens first.
    startedFeed.look();
    var startedQueues =
        new LedgerQueues(
            new WriterConnection(dialect, config, properties(Dialect.Use.WRITE)),
            dialect,
            reader,
            keeper,
            copy,
            startedLine,
            background,
            startedAsides,
            observer,
            startedFeed,
            tables,
            server);
    line = startedLine;
    history = new LedgerHistory(reader, dialect, background);
    queues = startedQueues;
    draws =
        new LedgerDraws(
            startedQueues.writer(),
            reader,
            new Acting(pool, dialect, tables),
            dialect,
            background,
            startedAsides);
    transfers = new LedgerTransfers(startedQueues.writer(), reader, background);
    startedQueues.start();
    background.repeat(HEARTBEAT, this::checkTables);
    background.repeat(IMPATIENCE, startedQueues.writer()::answerTheImpatient);
    background.repeat(HEARTBEAT, () -> beat(reader, startedKeeper));
    if (copy.isOwn() && dialect.isShared()) {
      background.repeat(LOOK, new Look(reader, startedKeeper));
    }
    background.repeat(HEARTBEAT, tallies::forgetIdle);
    background.repeat(HEARTBEAT, startedFeed::look);
    var startedAuditor = new Auditor(startedKeeper, copy, reader);
    auditor = startedAuditor;
    background.repeat(HEARTBEAT, () -> audit(startedAuditor, reader));
    var startedRetention = new Retention(pool, dialect, () -> bounds);
    retention = startedRetention;
    background.repeat(HOUSEKEEPING, () -> tidy(startedRetention));
  }

  /** Also a server with nothing to decide notices that it is outdated. */
  private void checkTables() {
    try (Connection connection = pool.getConnection()) {
      tables.check(connection);
    } catch (SQLException e) {
      // If it is outdated, that is said; otherwise the next heartbeat tries again.
      log.debug("the version of the tables is not known now", e);
    }
  }

  private void end(Tables.Outdated why) {
    pool.end(why);
    copyPool.end(why);
  }

  /**
   * Compares the copies of all queues after a start or an outage; then of those that may change.
   */
  private void beat(Reader reader, Keeper of) {
    Set<Original> seen = new HashSet<>();
    Consumer<QueueLists.Head> compare =
        head -> {
          // One that empties meanwhile is read twice; a beat later is later.
          if (seen.add(head.of())) {
            of.beat(head.of(), head.change(), head.waiting() + head.inside() > 0);
          }
        };
    try {
      if (isAllCompared) {
        reader.heads(compare);
      } else {
        reader.allHeads(compare);
        isAllCompared = true;
      }
      of.healRest();
      if (dialect.isShared()) {
        forgetDeleted(reader, of, seen);
      }
    } catch (Exception e) {
      // Behind a connection that comes back there may be another database.
      isAllCompared = false;
      log.debug("no heartbeat from the ledger", e);
    }
  }

  /** What is known here of a queue, and a copy of one's own, does not vanish with it elsewhere. */
  private static void forgetDeleted(Reader reader, Keeper of, Set<Original> seen) throws Exception {
    List<Original> missing = of.missing(seen, MISSING_AT_ONCE);
    if (!missing.isEmpty()) {
      Set<Original> there = reader.existing(missing.stream().map(Original::queue).toList());
      missing.stream().filter(each -> !there.contains(each)).forEach(of::missed);
    }
  }

  /**
   * What other servers committed: one question for all queues that changed lately. Where the
   * database does not answer, only every second, so that visitors find a way to it.
   */
  private static final class Look implements Runnable {
    private final Reader reader;
    private final Keeper keeper;
    private long retryAt = System.nanoTime();

    Look(Reader reader, Keeper keeper) {
      this.reader = reader;
      this.keeper = keeper;
    }

    @Override
    public void run() {
      if (System.nanoTime() - retryAt < 0) {
        return;
      }
      try {
        reader.lately(head -> keeper.look(head.of(), head.change()));
      } catch (Exception e) {
        retryAt = System.nanoTime() + HEARTBEAT.toNanos();
        log.debug("what others committed cannot be seen now", e);
      }
    }
  }

  private static void audit(Auditor auditor, Reader reader) {
    try {
      auditor.beat(reader::busy);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      log.debug("comparing has to wait", e);
    }
  }

  private static void tidy(Retention retention) {
    try {
      retention.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  public Queues queues() {
    return started(queues);
  }

  public Line line() {
    return started(line);
  }

  /** What compares the copies with this ledger. */
  public Auditor auditor() {
    return started(auditor);
  }

  /**
   * Compares the copy of a queue with this ledger, all of it or as much as there is time for; see
   * {@link Auditor#check}. Empty if there is no such queue.
   */
  public CompletionStage<Optional<Checked>> check(QueueId queue, String after) {
    return background.callAtLeisure(
        "compare a copy",
        () -> {
          Reader reader = started(queues).reader();
          Original of = reader.existing(List.of(queue)).stream().findFirst().orElse(null);
          if (of == null) {
            return Optional.<Checked>empty();
          }
          return Optional.of(
              auditor()
                  .check(of, after, CHECKING)
                  .orElseThrow(
                      () ->
                          new QueueUnavailable(
                              Kind.REFUSED, "the copy of " + queue + " is being healed")));
        });
  }

  public History history() {
    return started(history);
  }

  /** What draws need of somebody outside. */
  public Draws draws() {
    return started(draws);
  }

  /** Whole queues, to here and from here. */
  public Transfers transfers() {
    return started(transfers);
  }

  /** What happens, for systems behind. */
  public Feed feed() {
    return started(feed);
  }

  /** For tests: as another server has it, which has to look who reads. */
  LedgerFeed anotherFeed() {
    return new LedgerFeed(pool, dialect, background, id);
  }

  /** How much is kept for those of them that stay away. */
  public void bound(Feed.Bounds kept) {
    bounds = kept;
  }

  /** For tests, which do not wait until it runs by itself. */
  Retention retention() {
    return started(retention);
  }

  private static <T> T started(@Nullable T part) {
    if (part == null) {
      throw new IllegalStateException("start(copy) comes first");
    }
    return part;
  }

  /** Whether several servers can use it at once. */
  public boolean isShared() {
    return dialect.isShared();
  }

  /** The clock that decides, as far as it is known here without asking. */
  public InstantSource clock() {
    return () -> Micros.toInstant(dialect.nowHere());
  }

  /** Names this ledger; its copies remember it. */
  public String id() {
    return id;
  }

  /** For people: what it is. */
  public String description() {
    return description;
  }

  /** Why what is committed could be lost; empty if it is safe. */
  public String unsafe() {
    return unsafe;
  }

  /** What is not as it should be right now; empty if all is well. */
  public List<String> troubles() {
    List<String> all = new ArrayList<>();
    Tables.Outdated outdated = tables.outdated();
    if (outdated != null) {
      all.add(String.valueOf(outdated.getMessage()));
    }
    if (keeper != null) {
      all.addAll(keeper.troubles());
    }
    if (retention != null) {
      all.addAll(retention.troubles());
    }
    return all;
  }

  /** Whether a newer Naru has taken over, so that nothing is decided here any more. */
  public boolean isOutdated() {
    return tables.outdated() != null;
  }

  /** How many queues are frozen. */
  public int frozen() {
    return keeper == null ? 0 : keeper.frozen();
  }

  /** Which queues are frozen. */
  public List<QueueId> frozenQueues() {
    return keeper == null ? List.of() : keeper.frozenQueues();
  }

  /** How many copies are not where this ledger is. */
  public int behind() {
    return keeper == null ? 0 : keeper.behind();
  }

  /** A value that all servers of this ledger share: the first one's candidate. Blocks. */
  public String shared(String name, String candidate) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return new Rows(connection, dialect).shared().share(name, candidate);
    }
  }

  /** What is published of what was decided. */
  public LogStore logs() {
    return new LedgerLogs(pool, dialect, tables, background, started(asides), id);
  }

  /** The keys that all servers of this ledger sign with. */
  public KeyStore keys() {
    return new LedgerKeys(new Acting(pool, dialect, tables));
  }

  /** Who may act as an operator of this ledger's queues. */
  public AccessKeys access() {
    return new LedgerAccess(new Acting(pool, dialect, tables));
  }

  /** Who outside is told of what happens in this ledger's queues. */
  public Webhooks webhooks() {
    return new LedgerWebhooks(new Acting(pool, dialect, tables));
  }

  /** What operators did. */
  public AuditTrail audit() {
    return new LedgerTrail(pool, dialect);
  }

  @Override
  public void close() {
    if (queues != null) {
      queues.close();
    }
    background.close();
    closePools();
  }

  private void closePools() {
    pool.close();
    copyPool.close();
    close(claim);
  }

  private static void close(Closeable claim) {
    try {
      claim.close();
    } catch (IOException e) {
      log.warn("the ledger's lock is not given back", e);
    }
  }
}
