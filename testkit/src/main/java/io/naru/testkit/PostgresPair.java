package io.naru.testkit;

import io.naru.testkit.FaultProxy.Way;
import java.time.Duration;

/**
 * A primary and its standby behind one address. What the primary sends to the standby can be
 * swallowed; what is committed then is lost with the primary.
 */
public final class PostgresPair implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final PostgresServer first;
  private final FaultProxy replication;
  private final PostgresServer second;
  private final FaultProxy front;
  private volatile PostgresServer primary;

  private PostgresPair(PostgresServer first, FaultProxy replication, PostgresServer second) {
    this.first = first;
    this.replication = replication;
    this.second = second;
    this.primary = first;
    this.front = FaultProxy.to(first.port());
  }

  /**
   * Starts both and returns once commits wait for the standby: one is answered when both have it.
   */
  public static PostgresPair start() {
    return start(true);
  }

  /** Starts both and returns once the standby follows, for which nobody waits. */
  public static PostgresPair startAsynchronous() {
    return start(false);
  }

  private static PostgresPair start(boolean isAwaited) {
    var first = PostgresServer.start();
    var replication = FaultProxy.to(first.port());
    PostgresPair pair;
    try {
      pair =
          new PostgresPair(first, replication, first.startStandby(replication.port(), isAwaited));
    } catch (RuntimeException e) {
      replication.close();
      first.close();
      throw e;
    }
    try {
      pair.first.awaitStandby(isAwaited ? "sync" : "async");
      return pair;
    } catch (RuntimeException e) {
      pair.close();
      throw e;
    }
  }

  /** The JDBC address of whichever is the primary. */
  public String url() {
    return primary.url().replace(":" + primary.port(), ":" + front.port());
  }

  /** Both in one JDBC address, the first of them first. */
  public String urlOfBoth() {
    return "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres?targetServerType=primary"
        .formatted(first.port(), second.port());
  }

  /** The network between whoever uses {@link #url()} and the primary. */
  public FaultProxy front() {
    return front;
  }

  /** Whichever is the primary. */
  public PostgresServer primary() {
    return primary;
  }

  public PostgresServer first() {
    return first;
  }

  public PostgresServer second() {
    return second;
  }

  /** From now on the standby hears nothing, and does not notice. */
  public void swallowReplication() {
    replication.swallow(Way.TO_CLIENT);
  }

  /** The standby gets what it missed. */
  public void healReplication() {
    replication.heal();
  }

  /** Waits until somebody's commit waits for the standby. */
  public void awaitWaitingCommit() {
    Poll.until(
        PATIENCE,
        () -> "no commit waits:\n" + primary.log(),
        () ->
            primary.asks("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") > 0);
  }

  /** Cancels what waits for the standby; says how many commits that were. */
  public long cancelWaitingCommits() {
    return primary.asks(
        "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
  }

  /** Kills the primary and makes the standby the primary. */
  public void failOver() {
    first.kill();
    second.promote();
    primary = second;
    front.retarget(second.port());
  }

  /**
   * The old primary is back as it was, and takes whatever it is told: nobody has told it of its
   * standby, or that this is the primary now.
   */
  public void firstIsBack() {
    first.restartAlone();
  }

  @Override
  public void close() {
    front.close();
    second.close();
    replication.close();
    first.close();
  }
}
