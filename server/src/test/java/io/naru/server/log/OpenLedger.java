package io.naru.server.log;

import static java.util.Objects.requireNonNull;

import io.naru.batch.BatchObserver;
import io.naru.ledger.Ledger;
import io.naru.memory.MemoryCopy;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A ledger that is open as long as its test class. */
final class OpenLedger implements BeforeAllCallback, AfterAllCallback {

  private final Supplier<Ledger.Config> database;
  private @Nullable Ledger ledger;

  OpenLedger(Supplier<Ledger.Config> database) {
    this.database = database;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    Ledger opened = Ledger.open(database.get(), InstantSource.system());
    opened.start(new MemoryCopy(), BatchObserver.NONE);
    opened.serve();
    ledger = opened;
  }

  @Override
  public void afterAll(ExtensionContext context) {
    if (ledger != null) {
      ledger.close();
    }
  }

  Ledger ledger() {
    return requireNonNull(ledger);
  }
}
