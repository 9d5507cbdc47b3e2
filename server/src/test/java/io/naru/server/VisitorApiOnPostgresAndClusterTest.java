package io.naru.server;

import io.naru.server.StoredServer.Store;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** As a Redis cluster copies the lines, each queue on one of its nodes. */
@Tag("process")
class VisitorApiOnPostgresAndClusterTest extends VisitorApiContract {

  @RegisterExtension static final StoredServer SERVER = StoredServer.on(Store.POSTGRES_AND_CLUSTER);

  @Override
  StoredServer stored() {
    return SERVER;
  }
}
