package io.naru.server;

import io.naru.server.StoredServer.Store;
import io.naru.testkit.MariaDbServer;
import io.naru.testkit.Program;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("process")
class VisitorApiOnMariaDbAndRedisTest extends VisitorApiContract {

  @RegisterExtension static final Program MARIADB = MariaDbServer.program();

  @RegisterExtension static final StoredServer SERVER = StoredServer.on(Store.MARIADB_AND_REDIS);

  @Override
  StoredServer stored() {
    return SERVER;
  }
}
