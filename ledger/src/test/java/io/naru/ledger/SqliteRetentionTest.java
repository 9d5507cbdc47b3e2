package io.naru.ledger;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteRetentionTest extends RetentionContract {

  @TempDir private Path directory;

  @Override
  Ledger.Config database() {
    return new Ledger.Config("jdbc:sqlite:" + directory.resolve("ledger.db"), null, null, false);
  }
}
