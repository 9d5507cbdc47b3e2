package io.naru.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PreparedTest {

  private final String name = "of-the-tests-" + UUID.randomUUID();
  private final AtomicInteger made = new AtomicInteger();

  private void make(Path folder) throws IOException {
    made.incrementAndGet();
    Files.writeString(folder.resolve("file"), "there");
  }

  @AfterEach
  void clear() throws IOException {
    var folder = Prepared.folder(name, this::make);
    Folder.delete(folder);
    Files.delete(folder.resolveSibling(name + ".lock"));
  }

  @Test
  void folder_neededTwice_isMadeOnce() throws IOException {
    var first = Prepared.folder(name, this::make);
    var second = Prepared.folder(name, this::make);

    assertThat(second).isEqualTo(first);
    assertThat(second.resolve("file")).hasContent("there");
    assertThat(made).hasValue(1);
  }

  @Test
  void folder_halfMade_isNotUsed() throws IOException {
    assertThatThrownBy(
            () ->
                Prepared.folder(
                    name,
                    folder -> {
                      Files.writeString(folder.resolve("half"), "");
                      throw new IOException("full");
                    }))
        .hasMessage("full");

    assertThat(Prepared.folder(name, this::make).resolve("half")).doesNotExist();
    assertThat(made).hasValue(1);
  }
}
