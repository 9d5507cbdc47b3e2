package io.naru.files;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/**
 * Files that only their owner can read, from the moment they are there. Where a file system has no
 * such rights they are files like any other.
 */
public final class OwnerOnly {

  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");

  /** In a directory with this bit, such as /tmp, everybody keeps their own files. */
  private static final int STICKY = 0b001_000_000_000;

  private OwnerOnly() {}

  /** Makes what is missing of the directory and those above it; what is there stays as it is. */
  public static void createDirectories(Path directory) throws IOException {
    Files.createDirectories(directory, rights(directory, DIRECTORY));
  }

  /** Makes an empty file, if there is none, for a library to open that knows no rights. */
  public static void createFile(Path file) throws IOException {
    try {
      Files.createFile(file, rights(file, FILE));
    } catch (FileAlreadyExistsException e) {
      // Whatever is in it stays.
    }
  }

  /** Makes a file and opens it for writing; one that is there already may be somebody else's. */
  public static OutputStream create(Path file) throws IOException {
    var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    return Channels.newOutputStream(Files.newByteChannel(file, options, rights(file, FILE)));
  }

  /**
   * Takes from others what they may do with something that is there already.
   *
   * @return for people: what was changed, or could not be; empty if all was well
   */
  public static Optional<String> tighten(Path path) {
    try {
      if (!Files.exists(path) || !knowsRights(path)) {
        return Optional.empty();
      }
      Set<PosixFilePermission> rights = Files.getPosixFilePermissions(path);
      if (DIRECTORY.containsAll(rights)) {
        return Optional.empty();
      }
      String open = path + " was open to others (" + PosixFilePermissions.toString(rights) + ")";
      if (isShared(path)) {
        return Optional.of(open + " and is left so: a shared directory; give Naru one of its own");
      }
      rights.retainAll(Files.isDirectory(path) ? DIRECTORY : FILE);
      Files.setPosixFilePermissions(path, rights);
      return Optional.of(open + " and is now its owner's alone");
    } catch (IOException e) {
      return Optional.of(path + " may be open to others, and that cannot be changed: " + e);
    }
  }

  /** Whether others than its owner may read a file; false where there are no such rights. */
  public static boolean isOpen(Path file) throws IOException {
    return knowsRights(file) && !DIRECTORY.containsAll(Files.getPosixFilePermissions(file));
  }

  private static boolean isShared(Path path) throws IOException {
    return path.getFileSystem().supportedFileAttributeViews().contains("unix")
        && ((int) Files.getAttribute(path, "unix:mode") & STICKY) != 0;
  }

  private static FileAttribute<?>[] rights(Path path, Set<PosixFilePermission> rights) {
    return knowsRights(path)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(rights)}
        : new FileAttribute<?>[0];
  }

  private static boolean knowsRights(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
