package io.naru.server;

import io.naru.audit.Act;
import io.naru.keys.KeyStore;
import org.jspecify.annotations.Nullable;

/** A store of keys for tests of what stands on one. */
public final class MemoryKeys implements KeyStore {

  private Text kept = Text.NONE;

  @Override
  public synchronized Text read() {
    return kept;
  }

  @Override
  public synchronized boolean replace(Text read, Text next, @Nullable Act act) {
    if (kept.version() != read.version()) {
      return false;
    }
    kept = next;
    return true;
  }

  /** As a store that was emptied. */
  public synchronized void forget() {
    kept = Text.NONE;
  }
}
