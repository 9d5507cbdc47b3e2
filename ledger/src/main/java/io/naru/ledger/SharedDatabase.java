package io.naru.ledger;

import java.io.Closeable;
import java.sql.Connection;
import java.sql.SQLException;

/** A database that any number of servers share, and whose clock is theirs. */
abstract class SharedDatabase implements Dialect {

  /** By how much its clock is ahead of our monotonic one, when it was last asked. */
  private volatile long ahead;

  /** Its time, read when a statement gets there, in microseconds since 2026-01-01. */
  abstract String clock();

  @Override
  public final Closeable claim(String url) {
    return () -> {};
  }

  @Override
  public final boolean isShared() {
    return true;
  }

  @Override
  public final long now(Connection connection) throws SQLException {
    return noticed(Long.parseLong(Dialect.value(connection, "SELECT " + clock())));
  }

  @Override
  public final long noticed(long now) {
    ahead = now - System.nanoTime() / 1_000;
    return now;
  }

  @Override
  public final long nowHere() {
    return System.nanoTime() / 1_000 + ahead;
  }
}
