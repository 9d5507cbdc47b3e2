package io.naru.server;

import java.nio.file.Path;

class WebhookOnSqliteTest extends WebhookContract {

  @Override
  Naru.Config store(Path folder) {
    return TestServer.onSqlite(folder);
  }
}
