package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.flywaydb.core.api.resource.LoadableResource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A script that is not in the list would never run. */
class MigrationsTest {

  @ParameterizedTest
  @ValueSource(strings = {"sqlite", "postgresql", "mariadb"})
  void list_hasAllScriptsThatAreThere(String database) throws IOException {
    var folder = Path.of("src", "main", "resources", "io", "naru", "ledger", database);
    var listed = new Migrations(database).getResources("V", new String[] {".sql"});

    try (var files = Files.list(folder)) {
      assertThat(listed)
          .extracting(LoadableResource::getFilename)
          .containsExactlyInAnyOrderElementsOf(
              files.map(file -> file.getFileName() + "").filter(it -> it.endsWith(".sql")).toList())
          .anyMatch(name -> name.startsWith("V" + Schema.VERSION + "__"));
    }
    for (LoadableResource script : listed) {
      try (var read = new BufferedReader(script.read())) {
        assertThat(String.join("\n", read.lines().toList()))
            .isEqualTo(Files.readString(folder.resolve(script.getFilename())).stripTrailing());
      }
    }
  }
}
