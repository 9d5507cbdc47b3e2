package io.naru.server;

import io.naru.server.StoredServer.Store;
import org.junit.jupiter.api.extension.RegisterExtension;

class StreamOnMemoryTest extends StreamContract {

  @RegisterExtension static final StoredServer SERVER = StoredServer.on(Store.MEMORY);

  @Override
  StoredServer stored() {
    return SERVER;
  }
}
