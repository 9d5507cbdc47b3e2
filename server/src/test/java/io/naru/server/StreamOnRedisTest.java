package io.naru.server;

import io.naru.server.StoredServer.Store;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class StreamOnRedisTest extends StreamContract {

  @RegisterExtension static final StoredServer SERVER = StoredServer.on(Store.REDIS);

  @Override
  StoredServer stored() {
    return SERVER;
  }
}
