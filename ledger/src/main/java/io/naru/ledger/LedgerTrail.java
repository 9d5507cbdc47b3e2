package io.naru.ledger;

import io.naru.audit.Act;
import io.naru.audit.AuditRow;
import io.naru.audit.AuditTrail;
import io.naru.queue.QueueId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Acts in the ledger. */
final class LedgerTrail implements AuditTrail {

  private final Pool pool;
  private final Dialect dialect;

  LedgerTrail(Pool pool, Dialect dialect) {
    this.pool = pool;
    this.dialect = dialect;
  }

  @Override
  public List<AuditRow> list(@Nullable QueueId queue, long below, int limit) {
    try (Connection connection = pool.getConnection()) {
      return new Rows(connection, dialect).audit().list(queue, below, limit);
    } catch (SQLException e) {
      throw new Failures(dialect).unavailable("read the audit", e);
    }
  }

  @Override
  public void note(Act act) {
    try (Connection connection = pool.getConnection()) {
      new Rows(connection, dialect).audit().insert(act, dialect.now(connection));
    } catch (SQLException e) {
      throw new Failures(dialect).unavailable("keep an act", e);
    }
  }
}
