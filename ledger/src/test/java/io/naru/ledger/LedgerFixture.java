package io.naru.ledger;

import io.naru.batch.BatchObserver;
import io.naru.line.LineCopy;
import java.io.Closeable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;

/** A started ledger whose clock can be moved. */
final class LedgerFixture implements AutoCloseable {

  final Ledger ledger;
  final LineCopy copy;
  private final Shifted dialect;

  LedgerFixture(Ledger.Config config, LineCopy copy) {
    this.copy = copy;
    dialect = new Shifted(Dialect.of(config.url(), InstantSource.system()));
    ledger = Ledger.open(config, dialect);
    ledger.start(copy, BatchObserver.NONE);
  }

  void advance(Duration by) {
    dialect.shift.addAndGet(by.toNanos() / 1_000);
  }

  @Override
  public void close() {
    ledger.close();
  }

  /** The same database, at another time. */
  private static final class Shifted implements Dialect {
    private final Dialect real;
    private final AtomicLong shift = new AtomicLong();

    Shifted(Dialect real) {
      this.real = real;
    }

    @Override
    public long now(Connection connection) throws SQLException {
      return real.now(connection) + shift.get();
    }

    @Override
    public long noticed(long now) {
      return real.noticed(now) + shift.get();
    }

    @Override
    public long nowHere() {
      return real.nowHere() + shift.get();
    }

    @Override
    public String describe(Connection connection) throws SQLException {
      return real.describe(connection);
    }

    @Override
    public Closeable claim(String url) {
      return real.claim(url);
    }

    @Override
    public String migrations() {
      return real.migrations();
    }

    @Override
    public String locking(String select) {
      return real.locking(select);
    }

    @Override
    public Properties properties(Use use) {
      return real.properties(use);
    }

    @Override
    public String unsafe(Connection connection) throws SQLException {
      return real.unsafe(connection);
    }

    @Override
    public void beginSnapshot(Connection connection) throws SQLException {
      real.beginSnapshot(connection);
    }
  }
}
