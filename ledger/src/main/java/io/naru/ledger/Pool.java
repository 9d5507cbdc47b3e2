package io.naru.ledger;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.pool.HikariPool;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Some connections to the database, for whoever needs one for a moment.
 *
 * <p>Hikari keeps them. Two things it does not do as visitors need it. It tries to connect more and
 * more seldom, in the end every five seconds, so a database that was away would stay away for
 * seconds longer; here a try ends with a connection ({@link Maker}). And it takes over another
 * patience within half a minute only; here each wait is told its own.
 */
final class Pool implements AutoCloseable {

  private static final Duration VALIDATION = Duration.ofMillis(500);

  private final Dialect dialect;
  private final Maker maker;
  private final HikariPool connections;
  private final AtomicInteger era = new AtomicInteger();
  private volatile Duration patience;
  private volatile Tables.@Nullable Outdated outdated;

  /**
   * @param kept how many connections are kept though nobody needs them. With none at all the first
   *     one is made when it is needed; otherwise one is made here
   * @throws HikariPool.PoolInitializationException if that is not possible: it is tried once
   */
  Pool(
      Dialect dialect,
      String name,
      String url,
      Properties properties,
      int kept,
      int most,
      Duration patience) {
    this.dialect = dialect;
    maker = new Maker(dialect, url, properties);
    var settings = new HikariConfig();
    settings.setPoolName(name);
    settings.setDataSource(maker);
    settings.setMinimumIdle(kept);
    settings.setMaximumPoolSize(most);
    settings.setValidationTimeout(VALIDATION.toMillis());
    settings.setInitializationFailTimeout(kept > 0 ? 1 : -1);
    settings.validate();
    connections = new HikariPool(settings);
    maker.isPersistent = true;
    this.patience = patience;
  }

  /** How long one waits for a connection from now on. */
  void setPatience(Duration patience) {
    this.patience = patience;
  }

  /** From now on nobody gets one. */
  void end(Tables.Outdated why) {
    outdated = why;
  }

  /**
   * @throws SQLTransientConnectionException if there is none in time
   * @throws Tables.Outdated if there will be none any more
   */
  Connection getConnection() throws SQLException {
    Tables.Outdated why = outdated;
    if (why != null) {
      throw why.again();
    }
    int now = dialect.era();
    if (era.getAndSet(now) != now) {
      // They lead to where the ledger was.
      connections.softEvictConnections();
    }
    try {
      return connections.getConnection(patience.toMillis());
    } catch (SQLTransientConnectionException e) {
      // It does not hear of tries that fail.
      throw new SQLTransientConnectionException(e.getMessage(), e.getSQLState(), maker.failure);
    }
  }

  @Override
  public void close() {
    try {
      connections.shutdown();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Makes one connection at a time, in a thread of the pool that does nothing else. */
  static final class Maker implements DataSource {

    /** Short beside what a visitor waits for a connection; nothing to a database that is away. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Dialect dialect;
    private final String url;
    private final Properties properties;

    /** Before that, whoever starts wants to know at once what is wrong. */
    volatile boolean isPersistent;

    /** Why the last try failed; null if it did not. */
    volatile @Nullable SQLException failure;

    Maker(Dialect dialect, String url, Properties properties) {
      this.dialect = dialect;
      this.url = url;
      this.properties = properties;
    }

    @Override
    public Connection getConnection() throws SQLException {
      while (true) {
        try {
          Connection made = dialect.connect(url, properties);
          failure = null;
          return made;
        } catch (SQLException e) {
          failure = e;
          if (!isPersistent) {
            throw e;
          }
          pause(e);
        }
      }
    }

    private static void pause(SQLException failure) throws SQLException {
      try {
        Thread.sleep(PAUSE);
      } catch (InterruptedException e) {
        // The pool is closed.
        Thread.currentThread().interrupt();
        throw failure;
      }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
      throw new SQLFeatureNotSupportedException("the user is among the properties");
    }

    /** For this long a pool that is closed waits for a try that is under way. */
    @Override
    public int getLoginTimeout() {
      return 5;
    }

    @Override
    public void setLoginTimeout(int seconds) {
      // The driver has its limits from the properties.
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
      return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {
      // Drivers log on their own.
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
      throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
      throw new SQLFeatureNotSupportedException();
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
      return false;
    }
  }
}
