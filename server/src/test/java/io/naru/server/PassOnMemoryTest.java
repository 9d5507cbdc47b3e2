package io.naru.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PassOnMemoryTest extends PassContract {

  @TempDir private static Path data;
  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.withPublicUrl(data, ISSUER + "/");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  TestServer one() {
    return server;
  }

  @Override
  TestServer two() {
    return server;
  }

  @Test
  void restart_hasTheSameKeys(@TempDir Path other) {
    String before;
    try (TestServer first = TestServer.onMemory(other)) {
      before = first.client().get("/.well-known/jwks.json").body();
    }
    try (TestServer second = TestServer.onMemory(other)) {
      assertThat(second.client().get("/.well-known/jwks.json").body()).isEqualTo(before);
    }
  }

  @Test
  void issuer_notGiven_isTheAddressBound(@TempDir Path other) {
    try (TestServer alone = TestServer.onMemory(other)) {
      String list = alone.client().get("/.well-known/naru-revocations").body();

      assertThat(new String(Base64.getUrlDecoder().decode(list.split("\\.", -1)[1]), UTF_8))
          .contains("\"http://127.0.0.1:" + alone.port() + "\"");
    }
  }

  @Test
  void file_atRest_showsNoPrivateKey() throws IOException {
    assertThat(Files.readString(data.resolve("signing-keys")))
        .contains("IN_USE")
        .doesNotContain("\"d\"", "\"kty\"");
  }
}
