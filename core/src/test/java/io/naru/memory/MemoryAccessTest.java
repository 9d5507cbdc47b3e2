package io.naru.memory;

import io.naru.access.AccessKeys;
import io.naru.access.AccessKeysContract;

class MemoryAccessTest extends AccessKeysContract {

  private AccessKeys store = new MemoryAccess();

  @Override
  protected AccessKeys store() {
    return store;
  }

  @Override
  protected void empty() {
    store = new MemoryAccess();
  }
}
