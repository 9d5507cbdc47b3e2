package io.naru.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.ledger.Ledger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** That another user of the machine finds nothing to read in the data directory. */
@DisabledOnOs(OS.WINDOWS)
class DataRightsTest {

  @TempDir private Path temp;

  /** As a server starts without a key given: it has everything to keep. */
  private static TestServer start(Path data, Ledger.@Nullable Config ledger) {
    Naru.Config c = TestServer.config(data, null, ledger);
    return TestServer.start(
        new Naru.Config(
            0,
            c.bind(),
            data,
            null,
            ledger,
            null,
            null,
            c.visitors(),
            c.watching(),
            c.poll(),
            c.keys()));
  }

  private static Ledger.Config sqlite(Path file) {
    return new Ledger.Config("jdbc:sqlite:" + file, null, null, false);
  }

  /** What is there, and that nobody else may do anything with any of it. */
  private static Set<String> closed(Path data) throws IOException {
    var names = new TreeSet<String>();
    try (var files = Files.walk(data)) {
      for (Path file : files.toList()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .as(file.toString())
            .isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------");
        names.add(data.relativize(file).toString());
      }
    }
    return names;
  }

  private static void open(Path data) throws IOException {
    try (var files = Files.walk(data)) {
      for (Path file : files.toList()) {
        Files.setPosixFilePermissions(
            file,
            PosixFilePermissions.fromString(Files.isDirectory(file) ? "rwxr-xr-x" : "rw-r--r--"));
      }
    }
  }

  @Test
  void start_newDirectory_isItsOwnersAlone() throws IOException {
    Path data = temp.resolve("new/data");
    try (var _ = start(data, sqlite(data.resolve("ledger.db")))) {
      assertThat(closed(data))
          .contains("admin-key", "ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db.lock");
    }
    assertThat(closed(temp.resolve("new"))).contains("data");
  }

  @Test
  void start_withoutALedger_isItsOwnersAlone() throws IOException {
    Path data = temp.resolve("data");
    try (var _ = start(data, null)) {
      assertThat(closed(data)).contains("admin-key", "site-key", "secret", "signing-keys");
    }
  }

  @Test
  void start_directoryOfAnOlderVersion_isClosed() throws IOException {
    Path data = temp.resolve("data");
    start(data, null).close();
    // Killed, so that its log is still there.
    var _ = Files.writeString(data.resolve("ledger.db-wal"), "");
    start(data, sqlite(data.resolve("ledger.db"))).close();
    open(data);

    try (var _ = start(data, sqlite(data.resolve("ledger.db")))) {
      assertThat(closed(data)).contains("admin-key", "secret", "signing-keys", "ledger.db");
    }
  }

  @Test
  void start_ledgerElsewhere_isClosedAndItsDirectoryLeftAlone() throws IOException {
    Path shared = Files.createDirectory(temp.resolve("shared"));
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxr-xr-x"));

    try (var _ = start(temp.resolve("data"), sqlite(shared.resolve("queue.db")))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(shared)))
          .isEqualTo("rwxr-xr-x");
      for (String name : Set.of("queue.db", "queue.db-wal", "queue.db-shm", "queue.db.lock")) {
        assertThat(
                PosixFilePermissions.toString(Files.getPosixFilePermissions(shared.resolve(name))))
            .as(name)
            .isEqualTo("rw-------");
      }
    }
  }

  @Test
  void start_inADirectoryThatManyShare_leavesItToThem() throws IOException {
    Path shared = Files.createDirectory(temp.resolve("tmp"));
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.setAttribute(shared, "unix:mode", 01777);

    start(shared, null).close();

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(shared)))
        .isEqualTo("rwxrwxrwx");
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(shared.resolve("admin-key"))))
        .isEqualTo("rw-------");
  }
}
