package io.naru.server;

import io.naru.access.AccessKeys;
import io.naru.audit.AuditTrail;
import io.naru.history.History;
import io.naru.journal.Feed;
import io.naru.journal.LogStore;
import io.naru.keys.KeyStore;
import io.naru.ledger.Ledger;
import io.naru.ledger.LedgerRefused;
import io.naru.ledger.copies.Auditor;
import io.naru.line.Line;
import io.naru.line.LineCopy;
import io.naru.memory.MemoryAccess;
import io.naru.memory.MemoryCopy;
import io.naru.memory.MemoryQueues;
import io.naru.memory.MemoryWebhooks;
import io.naru.queue.Draws;
import io.naru.queue.QueueId;
import io.naru.queue.Queues;
import io.naru.redis.Redis;
import io.naru.redis.copy.RedisCopy;
import io.naru.redis.plain.RedisQueues;
import io.naru.server.admin.CheckHandler;
import io.naru.server.keys.KeyFile;
import io.naru.server.keys.SecretFiles;
import io.naru.server.metrics.Metrics;
import io.naru.transfer.Transfers;
import io.naru.webhook.Webhooks;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What decides and what keeps the line, as configured.
 *
 * @param history null where nothing keeps it
 * @param logs null where no queue can be logged
 * @param feed what happens, for systems behind; null where nothing keeps it
 * @param draws null where there are none
 * @param secret what all servers of this line sign with
 * @param keys what all servers of this line sign passes with
 * @param access who may act as an operator; null where nobody keeps more than the admin key
 * @param audit what operators did; null where only the log has it
 * @param webhooks who outside is told; null where nobody can be
 * @param lineDescription for people: where the line is
 * @param ledgerDescription for people: where the truth is and what it survives
 * @param warnings what an operator should know
 */
record Stores(
    Queues queues,
    Line line,
    @Nullable History history,
    @Nullable LogStore logs,
    @Nullable Feed feed,
    @Nullable Draws draws,
    String secret,
    KeyStore keys,
    @Nullable AccessKeys access,
    @Nullable AuditTrail audit,
    @Nullable Webhooks webhooks,
    String lineDescription,
    String ledgerDescription,
    List<String> warnings,
    @Nullable Redis redis,
    @Nullable Ledger ledger)
    implements AutoCloseable {

  private static final String SECRET = SecretFiles.SECRET;
  private static final String NO_LEDGER = "none: the line is as durable as where it lives";

  /**
   * @param clock of what is in this process; Redis and databases have their own
   */
  static Stores open(
      Naru.Config config,
      InstantSource clock,
      Metrics metrics,
      SecretFiles kept,
      Wrapping wrapping) {
    Redis redis = config.redis() == null ? null : connect(config.redis());
    try {
      if (config.ledger() != null) {
        return withLedger(config.ledger(), redis, clock, metrics, wrapping);
      }
      return redis == null ? memory(clock, kept) : redisAlone(redis, metrics);
    } catch (RuntimeException e) {
      if (redis != null) {
        redis.close();
      }
      throw e;
    }
  }

  private static Stores memory(InstantSource clock, SecretFiles kept) {
    var queues = new MemoryQueues(clock);
    return new Stores(
        queues,
        queues,
        queues,
        queues,
        queues.feed(),
        queues,
        kept.get(SECRET),
        new KeyFile(kept, queues.audit()),
        new MemoryAccess(queues.audit()),
        queues.audit(),
        new MemoryWebhooks(queues.audit(), queues.feed(), clock),
        "in memory, for this one server; a restart empties it",
        NO_LEDGER,
        List.of(),
        null,
        null);
  }

  private static Redis connect(String uri) {
    try {
      return Redis.connect(uri);
    } catch (RuntimeException e) {
      throw new StartFailure("--redis: cannot connect: " + innermost(e).getMessage(), e);
    }
  }

  private static Stores redisAlone(Redis redis, Metrics metrics) {
    try {
      String owner = redis.ledger();
      if (owner != null) {
        throw new StartFailure(
            "--ledger: this Redis holds the lines of ledger "
                + owner
                + ", which decides them; name that ledger, or another Redis",
            new IllegalStateException(owner));
      }
      var queues = new RedisQueues(redis, metrics.of("redis"));
      String secret = redis.shared(SECRET, SecretFiles.random());
      Redis.Facts facts = redis.facts();
      List<String> warnings = new ArrayList<>(facts.warnings());
      facts.losesRestarts().ifPresent(warnings::add);
      return new Stores(
          queues,
          queues,
          null,
          null,
          null,
          null,
          secret,
          redis.keys(),
          null,
          null,
          null,
          facts.description(),
          NO_LEDGER,
          warnings,
          redis,
          null);
    } catch (StartFailure e) {
      throw e;
    } catch (RuntimeException e) {
      throw new StartFailure("--redis: " + innermost(e).getMessage(), e);
    }
  }

  private static Stores withLedger(
      Ledger.Config config,
      @Nullable Redis redis,
      InstantSource clock,
      Metrics metrics,
      Wrapping wrapping) {
    Ledger ledger;
    try {
      ledger = Ledger.open(config, clock);
    } catch (LedgerRefused e) {
      throw new StartFailure("--ledger: " + e.getMessage(), e);
    }
    try {
      List<String> warnings = new ArrayList<>();
      if (!ledger.unsafe().isEmpty()) {
        warnings.add("this ledger may lose what it has committed: " + ledger.unsafe());
      }
      LineCopy copy;
      String lineDescription;
      if (redis == null) {
        copy = new MemoryCopy();
        lineDescription =
            ledger.isShared()
                ? "in memory of each server, copies of the ledger"
                : "in memory, a copy of the ledger";
      } else {
        String refusal = redis.claimFor(ledger.id());
        if (refusal != null) {
          throw new StartFailure("--redis: " + refusal, new IllegalStateException(refusal));
        }
        copy = new RedisCopy(redis, metrics.of("redis"));
        Redis.Facts facts = redis.facts();
        warnings.addAll(facts.warnings());
        lineDescription = facts.description() + ", a copy of the ledger";
      }
      String secret = ledger.shared(SECRET, SecretFiles.random());
      ledger.start(wrapping.copy().apply(copy), metrics.of("ledger"));
      return new Stores(
          wrapping.queues().apply(ledger.queues()),
          wrapping.line().apply(ledger.line()),
          ledger.history(),
          ledger.logs(),
          ledger.feed(),
          ledger.draws(),
          secret,
          ledger.keys(),
          ledger.access(),
          ledger.audit(),
          ledger.webhooks(),
          lineDescription,
          ledger.description() + ": a place is acknowledged when it is stored",
          warnings,
          redis,
          ledger);
    } catch (SQLException e) {
      ledger.close();
      throw new StartFailure("--ledger: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      ledger.close();
      throw e;
    }
  }

  /** A key that all servers share; without a ledger, that of this server's directory. */
  String key(SecretFiles kept, String name) {
    String key = kept.get(name);
    if (ledger == null) {
      return key;
    }
    try {
      String shared = ledger.shared(name, key);
      kept.set(name, shared);
      return shared;
    } catch (SQLException e) {
      throw new StartFailure("--ledger: " + e.getMessage(), e);
    }
  }

  /**
   * Redis may have been emptied while we were running: servers that start later must sign as we do,
   * and know whose lines these are.
   */
  void keepShared() {
    if (redis != null && ledger != null) {
      redis.offerTo(ledger.id());
    } else if (redis != null) {
      redis.offer(SECRET, secret);
    }
  }

  /**
   * The clock by which is decided: what visitors are told of times goes by the same.
   *
   * @param own of this process, which decides where there is no ledger
   */
  InstantSource clock(InstantSource own) {
    return ledger == null ? own : ledger.clock();
  }

  /** All that a start reads is read. */
  void serve() {
    if (ledger != null) {
      ledger.serve();
    }
  }

  /** How much is kept of what happens for systems behind that stay away. */
  void bound(Feed.Bounds kept) {
    if (ledger != null) {
      ledger.bound(kept);
    } else if (queues instanceof MemoryQueues inMemory) {
      inMemory.bound(kept);
    }
  }

  /** Names where everything is kept; of a memory, until it is gone. */
  String name() {
    return ledger == null ? "memory-" + UUID.randomUUID() : ledger.id();
  }

  void watch(Metrics metrics) {
    if (ledger != null) {
      metrics.copies(ledger::frozen, ledger::behind);
      Auditor auditor = ledger.auditor();
      metrics.checks(auditor::entries, auditor::differences, auditor::repairs);
    }
  }

  /** What compares lines with their ledger; null without one. */
  CheckHandler.@Nullable Checks checks() {
    return ledger == null ? null : ledger::check;
  }

  /** What moves whole queues; null where nothing can. */
  @Nullable Transfers transfers() {
    if (ledger != null) {
      return ledger.transfers();
    }
    return queues instanceof Transfers inMemory ? inMemory : null;
  }

  /** The queues whose ledger lost commits, as this server knows. */
  List<QueueId> frozen() {
    return ledger == null ? List.of() : ledger.frozenQueues();
  }

  /** Whether several servers can be at this line. */
  boolean isForSeveral() {
    return redis != null || (ledger != null && ledger.isShared());
  }

  /** Whether a newer Naru has taken over the ledger. */
  boolean isOutdated() {
    return ledger != null && ledger.isOutdated();
  }

  /** What is not as it should be right now; empty if all is well. */
  List<String> troubles() {
    return ledger == null ? List.of() : ledger.troubles();
  }

  private static Throwable innermost(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  @Override
  public void close() {
    if (ledger != null) {
      ledger.close();
    }
    if (redis != null) {
      redis.close();
    }
  }
}
