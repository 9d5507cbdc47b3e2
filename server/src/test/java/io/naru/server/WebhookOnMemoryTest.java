package io.naru.server;

import java.nio.file.Path;

class WebhookOnMemoryTest extends WebhookContract {

  @Override
  Naru.Config store(Path folder) {
    return TestServer.config(folder, null);
  }
}
