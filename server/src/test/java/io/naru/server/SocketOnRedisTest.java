package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.server.StoredServer.Store;
import io.naru.testkit.EventStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The same over a WebSocket where the place is not known at once. */
@Tag("process")
class SocketOnRedisTest extends StreamContract {

  @RegisterExtension static final StoredServer SERVER = StoredServer.on(Store.REDIS);

  @Override
  StoredServer stored() {
    return SERVER;
  }

  @Override
  EventStream open(int port, String path, String... headers) {
    return EventStream.openSocket(port, path, headers);
  }

  @Override
  void assertOpen(EventStream stream) {
    assertThat(stream.status()).isEqualTo(101);
  }
}
