package io.naru.e2e.crash;

import io.naru.testkit.DatabaseServer;
import io.naru.testkit.MariaDbServer;
import io.naru.testkit.PostgresServer;
import java.util.function.Supplier;

/**
 * Which database has the ledger.
 *
 * @param options behind its address
 * @param inTransaction selects names of transactions with which nobody goes on
 * @param hasStandbys whether a standby can take over here
 */
record Database(
    Supplier<DatabaseServer> starter, String options, String inTransaction, boolean hasStandbys) {

  /**
   * Unnamed statements are a little slower, but then a commit is the word COMMIT on the wire, and a
   * fault can be placed right behind it.
   */
  static final Database POSTGRES =
      new Database(
          PostgresServer::start,
          "?prepareThreshold=0",
          """
          SELECT pid || ' ' || state_change FROM pg_stat_activity
          WHERE application_name LIKE 'naru%' AND state = 'idle in transaction'
          """,
          true);

  static final Database MARIADB =
      new Database(
          MariaDbServer::start,
          "",
          """
          SELECT trx_id FROM information_schema.innodb_trx t
          JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
          WHERE p.command = 'Sleep' AND p.time_ms >= 100
          """,
          false);

  DatabaseServer start() {
    return starter.get();
  }
}
