package io.naru.server;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class DrawOnSqliteTest extends DrawContract {

  @TempDir private Path data;

  @Override
  Naru.Config store() {
    return TestServer.onSqlite(data);
  }
}
