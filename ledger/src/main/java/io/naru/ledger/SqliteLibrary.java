package io.naru.ledger;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

/**
 * SQLite itself, which the driver brings along in its jar. Left to itself the driver unpacks it
 * into the folder that is everybody's, and then reads it twice more, byte by byte, to see whether
 * somebody has changed it there; at every start. In a folder that is nobody else's that is not
 * needed.
 */
final class SqliteLibrary {

  private static final Logger log = LoggerFactory.getLogger(SqliteLibrary.class);

  /** Where the driver looks first. */
  private static final String PATH = "org.sqlite.lib.path";

  private static boolean isTried;

  private SqliteLibrary() {}

  /** Loads it, once. What goes wrong here is left to the driver, which has its own ways. */
  static synchronized void load() {
    if (isTried || System.getProperty(PATH) != null) {
      return;
    }
    isTried = true;
    try {
      Path folder = Files.createTempDirectory(temporary(), "naru-sqlite-");
      // Where what is loaded cannot be deleted, it goes when we end.
      folder.toFile().deleteOnExit();
      try {
        load(folder);
      } finally {
        Files.deleteIfExists(folder);
      }
    } catch (Exception e) {
      log.debug("SQLite is unpacked by its driver", e);
    }
  }

  private static Path temporary() {
    return Path.of(System.getProperty("org.sqlite.tmpdir", System.getProperty("java.io.tmpdir")));
  }

  private static void load(Path folder) throws Exception {
    String name = LibraryLoaderUtil.getNativeLibName();
    String packed = LibraryLoaderUtil.getNativeLibResourcePath() + "/" + name;
    Path library = folder.resolve(name);
    try (InputStream in = SQLiteJDBCLoader.class.getResourceAsStream(packed)) {
      if (in == null) {
        throw new IOException("no " + packed);
      }
      Files.copy(in, library);
    }
    library.toFile().deleteOnExit();
    System.setProperty(PATH, folder.toString());
    try {
      SQLiteJDBCLoader.initialize();
    } finally {
      System.clearProperty(PATH);
      Files.deleteIfExists(library);
    }
  }
}
