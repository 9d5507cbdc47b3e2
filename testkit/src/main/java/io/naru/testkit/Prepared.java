package io.naru.testkit;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Folders that take the processor long to fill and are the same for everybody: the first JVM of a
 * user that needs one fills it, the others wait for that and share it. Nobody changes what is in
 * there.
 */
final class Prepared {

  private Prepared() {}

  /** Fills an empty folder. */
  interface Maker {
    void fill(Path folder) throws IOException;
  }

  /**
   * @param name says out of what, and how, it is made: another name, another folder
   */
  static Path folder(String name, Maker maker) throws IOException {
    var all = shared();
    var folder = all.resolve(name);
    try (var file =
            FileChannel.open(
                all.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var _ = file.lock()) {
      if (!Files.isDirectory(folder)) {
        // It gets its name once it is whole: whoever makes it may be killed.
        var own = open(Files.createTempDirectory(all, "making-"));
        try {
          maker.fill(own);
        } catch (IOException | RuntimeException e) {
          Folder.delete(own);
          throw e;
        }
        Files.move(own, folder, StandardCopyOption.ATOMIC_MOVE);
      }
    }
    return folder;
  }

  /** Copies a folder with all that is in it, which keeps its owners, into another one. */
  static void copy(Path folder, Path into) throws IOException {
    var cp = new ProcessBuilder("cp", "-a", folder.toString(), into.toString());
    var process = cp.redirectErrorStream(true).start();
    Signal.awaitEnd(process);
    if (process.exitValue() != 0) {
      throw new IOException("cp answers " + process.exitValue() + " for " + folder);
    }
  }

  private static Path shared() throws IOException {
    var user = System.getProperty("user.name").replaceAll("[^A-Za-z0-9]", "-");
    var dir = Path.of(System.getProperty("java.io.tmpdir"), "naru-prepared-of-" + user);
    try {
      return open(Files.createDirectory(dir));
    } catch (FileAlreadyExistsException e) {
      var me = Files.createTempFile("naru", "");
      boolean isOurs =
          Files.isDirectory(dir, LinkOption.NOFOLLOW_LINKS)
              && Files.getOwner(dir).equals(Files.getOwner(me));
      Files.delete(me);
      if (!isOurs) {
        throw new IOException(dir + " is somebody else's", e);
      }
      return dir;
    }
  }

  /**
   * Nobody, who runs PostgreSQL in place of root, must be able to read it, and only we to write.
   */
  private static Path open(Path folder) throws IOException {
    return Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
