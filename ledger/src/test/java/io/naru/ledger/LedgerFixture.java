package io.naru.ledger;

import static java.util.Objects.requireNonNull;

import io.naru.batch.BatchObserver;
import io.naru.line.LineCopy;
import io.naru.memory.MemoryCopy;
import io.naru.redis.Redis;
import io.naru.redis.copy.RedisCopy;
import io.naru.testkit.MariaDbServer;
import io.naru.testkit.PostgresServer;
import io.naru.testkit.RedisBinary;
import io.naru.testkit.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A started ledger whose clock can be moved; as an extension it lives as long as its test class.
 */
final class LedgerFixture implements BeforeAllCallback, AfterAllCallback, AutoCloseable {

  private final Supplier<Ledger.Config> database;
  private final boolean isOnRedis;
  private @Nullable RedisServer redisServer;
  private @Nullable Redis redis;
  private @Nullable Started started;

  private record Started(Ledger ledger, Shifted shifted, Ledger.Config config, LineCopy copy) {}

  private LedgerFixture(Supplier<Ledger.Config> database, boolean isOnRedis) {
    this.database = database;
    this.isOnRedis = isOnRedis;
  }

  /** Started at once, for a test that looks after it. */
  LedgerFixture(Ledger.Config config, LineCopy copy) {
    this(config, copy, BatchObserver.NONE);
  }

  LedgerFixture(Ledger.Config config, LineCopy copy, BatchObserver observer) {
    this(() -> config, false);
    start(copy, observer);
  }

  static LedgerFixture sqliteAndMemory() {
    return new LedgerFixture(LedgerFixture::sqlite, false);
  }

  static LedgerFixture sqliteAndRedis() {
    return new LedgerFixture(LedgerFixture::sqlite, true);
  }

  static LedgerFixture postgresAndRedis() {
    return new LedgerFixture(LedgerFixture::postgres, true);
  }

  static LedgerFixture mariaDbAndRedis() {
    return new LedgerFixture(LedgerFixture::mariaDb, true);
  }

  static Ledger.Config mariaDb() {
    MariaDbServer server = MariaDbServer.shared();
    return new Ledger.Config(server.fresh(), server.user(), server.password(), false);
  }

  static Ledger.Config postgres() {
    PostgresServer server = PostgresServer.shared();
    return new Ledger.Config(server.fresh(), server.user(), server.password(), false);
  }

  static Ledger.Config sqlite() {
    try {
      Path directory = Files.createTempDirectory("naru-ledger-");
      directory.toFile().deleteOnExit();
      return new Ledger.Config("jdbc:sqlite:" + directory.resolve("ledger.db"), null, null, false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    if (!isOnRedis) {
      start(new MemoryCopy(), BatchObserver.NONE);
      return;
    }
    redisServer = RedisServer.start(RedisBinary.embedded());
    redis = Redis.connect(redisServer.uri());
    start(new RedisCopy(redis, BatchObserver.NONE), BatchObserver.NONE);
  }

  private void start(LineCopy copy, BatchObserver observer) {
    Ledger.Config config = database.get();
    var shifted = new Shifted(Dialect.of(config.url(), InstantSource.system()));
    Ledger ledger = Ledger.open(config, shifted.dialect());
    ledger.start(copy, observer);
    ledger.serve();
    started = new Started(ledger, shifted, config, copy);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    close();
  }

  @Override
  public void close() {
    ledger().close();
    if (redis != null) {
      redis.close();
    }
    if (redisServer != null) {
      redisServer.close();
    }
  }

  Ledger ledger() {
    return requireNonNull(started).ledger;
  }

  LineCopy copy() {
    return requireNonNull(started).copy;
  }

  /** Beside the ledger, to look at its tables. */
  Connection connect() throws SQLException {
    Ledger.Config config = requireNonNull(started).config;
    return DriverManager.getConnection(config.url(), config.user(), config.password());
  }

  /** Where the copies are, if they are there. */
  Optional<RedisServer> redis() {
    return Optional.ofNullable(redisServer);
  }

  void advance(Duration by) {
    requireNonNull(started).shifted.shift.addAndGet(by.toNanos() / 1_000);
  }

  /** The same database, at another time. */
  private static final class Shifted {
    private final Dialect real;
    private final AtomicLong shift = new AtomicLong();

    Shifted(Dialect real) {
      this.real = real;
    }

    Dialect dialect() {
      return (Dialect)
          Proxy.newProxyInstance(
              Dialect.class.getClassLoader(),
              new Class<?>[] {Dialect.class},
              (_, method, args) -> ask(method, args));
    }

    private Object ask(Method method, Object... args) throws Throwable {
      try {
        Object answer = method.invoke(real, args);
        boolean isTime = List.of("now", "noticed", "nowHere").contains(method.getName());
        return isTime ? (long) answer + shift.get() : answer;
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }
}
