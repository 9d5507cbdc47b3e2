package io.naru.ledger;

import io.naru.access.AccessKey;
import io.naru.access.AccessKeys;
import io.naru.queue.Actor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Access keys in the ledger. */
final class LedgerAccess implements AccessKeys {

  private final DataSource pool;
  private final Dialect dialect;

  LedgerAccess(DataSource pool, Dialect dialect) {
    this.pool = pool;
    this.dialect = dialect;
  }

  private interface Question<T> {
    T ask(Rows rows) throws SQLException;
  }

  @Override
  public List<Kept> kept() {
    return ask("read the access keys", rows -> rows.access().kept());
  }

  @Override
  public Added add(Kept kept, Actor by) {
    return ask(
        "keep an access key",
        rows -> {
          if (rows.access().count() >= MAX_KEPT) {
            return Added.TOO_MANY;
          }
          return rows.access().insert(kept) ? Added.DONE : Added.NAME_TAKEN;
        });
  }

  @Override
  public Optional<AccessKey> revoke(String id, long now, Actor by) {
    return ask(
        "revoke an access key",
        rows -> {
          rows.access().revoke(id, now);
          return rows.access().find(id);
        });
  }

  @Override
  public List<AccessKey> list(@Nullable String after, int limit) {
    return ask("list the access keys", rows -> rows.access().list(after, limit));
  }

  @Override
  public void used(Map<String, Long> at) {
    ask(
        "note who used an access key",
        rows -> {
          for (Map.Entry<String, Long> use : at.entrySet()) {
            rows.access().used(use.getKey(), use.getValue());
          }
          return at;
        });
  }

  private <T> T ask(String operation, Question<T> question) {
    try (Connection connection = pool.getConnection()) {
      return question.ask(new Rows(connection, dialect));
    } catch (SQLException e) {
      throw new Failures(dialect).unavailable(operation, e);
    }
  }
}
