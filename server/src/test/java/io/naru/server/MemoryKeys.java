package io.naru.server;

import io.naru.keys.KeyStore;

/** A store of keys for tests of what stands on one. */
public final class MemoryKeys implements KeyStore {

  private Kept kept = Kept.NONE;

  @Override
  public synchronized Kept read() {
    return kept;
  }

  @Override
  public synchronized boolean replace(Kept read, Kept next) {
    if (kept.version() != read.version()) {
      return false;
    }
    kept = next;
    return true;
  }

  /** As a store that was emptied. */
  public synchronized void forget() {
    kept = Kept.NONE;
  }
}
