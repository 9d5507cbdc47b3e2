package io.naru.ledger;

import io.naru.access.AccessKey;
import io.naru.access.AccessKeys.Kept;
import io.naru.access.Reach;
import io.naru.access.Role;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Access keys. */
final class AccessRows {

  private static final String COLUMNS =
      "id, name, role, queues, created_at, created_by, expires_at, last_used_at, revoked_at, digest";

  private static final String SELECT = "SELECT " + COLUMNS + " FROM access_keys ";

  static final Sql KEPT = Sql.of(SELECT + "WHERE live_name IS NOT NULL");

  static final Sql COUNT = Sql.of("SELECT count(*) FROM access_keys WHERE live_name IS NOT NULL");

  private static final Sql FIND = Sql.of(SELECT + "WHERE id = ?");

  static final Sql LIST = Sql.of(SELECT + "WHERE id > ? ORDER BY id LIMIT ?");

  private static final Sql INSERT =
      dialect ->
          dialect.ifAbsent(
              "INSERT INTO access_keys ("
                  + COLUMNS
                  + ", live_name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");

  private static final Sql REVOKE =
      Sql.of(
          "UPDATE access_keys SET revoked_at = ?, live_name = NULL"
              + " WHERE id = ? AND live_name IS NOT NULL");

  private static final Sql USED =
      Sql.of("UPDATE access_keys SET last_used_at = ? WHERE id = ? AND last_used_at < ?");

  private static final Sql FORGET =
      Sql.of("DELETE FROM access_keys WHERE live_name IS NULL AND revoked_at < ?");

  private final Rows rows;

  AccessRows(Rows rows) {
    this.rows = rows;
  }

  /** All that are not revoked. */
  List<Kept> kept() throws SQLException {
    return rows.list(AccessRows::kept, KEPT);
  }

  int count() throws SQLException {
    return rows.one(result -> result.getInt(1), COUNT);
  }

  Optional<AccessKey> find(String id) throws SQLException {
    return rows.list(AccessRows::key, FIND, id).stream().findFirst();
  }

  List<AccessKey> list(@Nullable String after, int limit) throws SQLException {
    return rows.list(AccessRows::key, LIST, after == null ? "" : after, limit);
  }

  /** Whether it could be: another one may have the name. */
  boolean insert(Kept kept) throws SQLException {
    AccessKey key = kept.key();
    return rows.update(
            INSERT,
            key.id(),
            key.name(),
            key.role().word(),
            key.reach().text(),
            key.createdAt(),
            key.createdBy(),
            key.expiresAt(),
            key.lastUsedAt(),
            key.revokedAt(),
            kept.digest(),
            key.name())
        == 1;
  }

  /** Whether there was one that was not revoked. */
  boolean revoke(String id, long now) throws SQLException {
    return rows.update(REVOKE, now, id) == 1;
  }

  void used(String id, long at) throws SQLException {
    rows.update(USED, at, id, at);
  }

  /** Forgets those that were revoked before that. */
  void forget(long before) throws SQLException {
    rows.update(FORGET, before);
  }

  private static Kept kept(ResultSet result) throws SQLException {
    return new Kept(key(result), result.getString("digest"));
  }

  private static AccessKey key(ResultSet result) throws SQLException {
    return new AccessKey(
        result.getString("id"),
        result.getString("name"),
        Role.of(result.getString("role")),
        Reach.ofText(result.getString("queues")),
        result.getLong("created_at"),
        result.getString("created_by"),
        result.getLong("expires_at"),
        result.getLong("last_used_at"),
        result.getLong("revoked_at"));
  }
}
