package io.naru.server;

import io.naru.server.StoredServer.Store;
import org.junit.jupiter.api.extension.RegisterExtension;

class AdminApiOnSqliteTest extends AdminApiContract {

  @RegisterExtension static final StoredServer SERVER = StoredServer.on(Store.SQLITE);

  @Override
  StoredServer stored() {
    return SERVER;
  }
}
