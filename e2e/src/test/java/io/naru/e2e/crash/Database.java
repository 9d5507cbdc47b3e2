package io.naru.e2e.crash;

import io.naru.testkit.DatabaseServer;
import io.naru.testkit.MariaDbServer;
import io.naru.testkit.PostgresServer;
import java.util.function.Supplier;

/** Which database has the ledger. */
enum Database {
  // Unnamed statements are a little slower, but then a commit is the word COMMIT on the wire, and
  // a fault can be placed right behind it.
  POSTGRES(
      PostgresServer::start,
      "?prepareThreshold=0",
      """
      SELECT pid || ' ' || state_change FROM pg_stat_activity
      WHERE application_name LIKE 'naru%' AND state = 'idle in transaction'
      """),

  MARIADB(
      MariaDbServer::start,
      "",
      """
      SELECT trx_id FROM information_schema.innodb_trx t
      JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
      WHERE p.command = 'Sleep' AND p.time_ms >= 100
      """);

  private final Supplier<DatabaseServer> starter;

  /** Behind its address. */
  final String options;

  /** Selects names of transactions with which nobody goes on. */
  final String inTransaction;

  Database(Supplier<DatabaseServer> starter, String options, String inTransaction) {
    this.starter = starter;
    this.options = options;
    this.inTransaction = inTransaction;
  }

  DatabaseServer start() {
    return starter.get();
  }
}
