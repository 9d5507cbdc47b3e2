package io.naru.ledger;

import io.naru.audit.Act;
import io.naru.keys.KeyStore;
import org.jspecify.annotations.Nullable;

/** Signing keys in the ledger: one row, replaced only at the version that was read. */
final class LedgerKeys implements KeyStore {

  private static final String NAME = "passes";

  private static final Sql SELECT =
      Sql.of("SELECT version, content FROM signing_keys WHERE name = ?");

  private static final Sql INSERT =
      dialect ->
          dialect.ifAbsent("INSERT INTO signing_keys (version, content, name) VALUES (?, ?, ?)");

  private static final Sql UPDATE =
      Sql.of("UPDATE signing_keys SET version = ?, content = ? WHERE name = ? AND version = ?");

  private final Acting acting;

  LedgerKeys(Acting acting) {
    this.acting = acting;
  }

  @Override
  public Text read() {
    return acting.read(
        "read the signing keys",
        rows ->
            rows
                .list(result -> new Text(result.getLong(1), result.getString(2)), SELECT, NAME)
                .stream()
                .findFirst()
                .orElse(Text.NONE));
  }

  @Override
  public boolean replace(Text read, Text next, @Nullable Act act) {
    return acting.run(
        "keep the signing keys",
        (rows, trail) -> {
          int replaced =
              read.version() == 0
                  ? rows.update(INSERT, next.version(), next.content(), NAME)
                  : rows.update(UPDATE, next.version(), next.content(), NAME, read.version());
          trail.note(replaced == 1 ? act : null);
          return replaced == 1;
        });
  }
}
