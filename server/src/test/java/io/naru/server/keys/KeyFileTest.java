package io.naru.server.keys;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.keys.KeyStore;
import io.naru.keys.KeyStore.Text;
import io.naru.keys.KeyStoreContract;
import io.naru.memory.MemoryTrail;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyFileTest extends KeyStoreContract {

  @TempDir private Path data;
  private KeyStore store;

  @BeforeEach
  void open() {
    store = new KeyFile(new SecretFiles(data), new MemoryTrail(InstantSource.system()));
  }

  @Override
  protected KeyStore store() {
    return store;
  }

  @Override
  protected void empty() throws IOException {
    Files.deleteIfExists(data.resolve("signing-keys"));
  }

  @Test
  void replace_file_isItsOwnersOnlyAndSurvivesARestart() throws IOException {
    store.replace(Text.NONE, new Text(1, "a\nb\n"));

    assertThat(Files.getPosixFilePermissions(data.resolve("signing-keys")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(new KeyFile(new SecretFiles(data), new MemoryTrail(InstantSource.system())).read())
        .isEqualTo(new Text(1, "a\nb\n"));
    try (var files = Files.list(data)) {
      assertThat(files).hasSize(1);
    }
  }
}
