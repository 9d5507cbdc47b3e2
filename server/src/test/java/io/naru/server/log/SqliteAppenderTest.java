package io.naru.server.log;

import io.naru.ledger.Ledger;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.RegisterExtension;

class SqliteAppenderTest extends LedgerAppenderContract {

  @RegisterExtension
  private static final OpenLedger opened = new OpenLedger(SqliteAppenderTest::sqlite);

  private static Ledger.Config sqlite() {
    try {
      Path directory = Files.createTempDirectory("naru-log-");
      directory.toFile().deleteOnExit();
      return new Ledger.Config("jdbc:sqlite:" + directory.resolve("ledger.db"), null, null, false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  OpenLedger opened() {
    return opened;
  }
}
