package io.naru.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.tukaani.xz.XZInputStream;

/** {@code initdb} and {@code postgres} out of the Maven artifact, and how to run them as root. */
final class PostgresBinaries {

  private static final int NOBODY = 65_534;

  private PostgresBinaries() {}

  /** The command line of one of the programs, for the user who may run it. */
  static List<String> command(String program, List<String> args) {
    var command = new ArrayList<>(AsOther.COMMAND);
    command.add(Unpacked.DIR.resolve("bin").resolve(program).toString());
    command.addAll(args);
    return command;
  }

  /** Hands a folder to the user who runs the programs. */
  static void handOver(Path folder) throws IOException {
    if (AsOther.COMMAND.contains("setpriv")) {
      Files.setAttribute(folder, "unix:uid", NOBODY);
      Files.setAttribute(folder, "unix:gid", NOBODY);
    }
  }

  private static final class Unpacked {
    static final Path DIR = unpack();

    /**
     * Unpacking takes seconds of the processor, so all JVMs of a user share what one of them has
     * unpacked. Its name says out of which archive; it gets that name once it is whole, and whoever
     * is second leaves it as it is.
     */
    private static Path unpack() {
      var name = "postgres-%s-%s.txz".formatted(system(), architecture());
      try {
        var dir = shared().resolve(digest(name));
        if (!Files.isDirectory(dir)) {
          var own = Files.createTempDirectory(shared(), "unpacking-");
          extract(name, own);
          takeName(own, dir);
        }
        return dir;
      } catch (IOException e) {
        throw new UncheckedIOException("cannot unpack " + name, e);
      }
    }

    /** Nobody, who runs it in place of root, must be able to read it, and only we to write. */
    private static Path shared() throws IOException {
      var user = System.getProperty("user.name").replaceAll("[^A-Za-z0-9]", "-");
      var dir = Path.of(System.getProperty("java.io.tmpdir"), "naru-postgres-of-" + user);
      var mode = PosixFilePermissions.fromString("rwxr-xr-x");
      try {
        Files.createDirectory(dir);
        Files.setPosixFilePermissions(dir, mode);
      } catch (FileAlreadyExistsException e) {
        var me = Files.createTempFile("naru", "");
        boolean isOurs =
            Files.isDirectory(dir, LinkOption.NOFOLLOW_LINKS)
                && Files.getOwner(dir).equals(Files.getOwner(me));
        Files.delete(me);
        if (!isOurs) {
          throw new IOException(dir + " is somebody else's", e);
        }
      }
      return dir;
    }

    private static String digest(String name) throws IOException {
      try (var archive = open(name)) {
        var sha = MessageDigest.getInstance("SHA-256");
        archive.transferTo(new DigestOutputStream(OutputStream.nullOutputStream(), sha));
        return HexFormat.of().formatHex(sha.digest(), 0, 16);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }

    private static InputStream open(String name) {
      var resource = PostgresBinaries.class.getResourceAsStream("/" + name);
      if (resource == null) {
        throw new IllegalStateException("no embedded PostgreSQL for this platform: " + name);
      }
      return resource;
    }

    private static void extract(String name, Path dir) throws IOException {
      Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
      var tar = new ProcessBuilder("tar", "-x", "-C", dir.toString());
      var process = tar.redirectErrorStream(true).start();
      try (var archive = new XZInputStream(open(name));
          var out = process.getOutputStream()) {
        archive.transferTo(out);
      }
      Signal.awaitEnd(process);
      if (process.exitValue() != 0) {
        throw new IOException("tar answers " + process.exitValue());
      }
    }

    private static void takeName(Path own, Path dir) throws IOException {
      try {
        Files.move(own, dir, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileSystemException e) {
        Folder.delete(own);
        if (!Files.isDirectory(dir)) {
          throw e;
        }
      }
    }

    private static String system() {
      var name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
      return name.contains("mac") ? "darwin" : name;
    }

    private static String architecture() {
      return switch (System.getProperty("os.arch", "")) {
        case "amd64", "x86_64" -> "x86_64";
        case "aarch64" -> "arm_64";
        default -> System.getProperty("os.arch", "");
      };
    }
  }

  /** PostgreSQL refuses to run as root, which is who runs the tests in many a container. */
  private static final class AsOther {
    static final List<String> COMMAND = choose();

    private static List<String> choose() {
      try {
        if (!Files.getAttribute(Unpacked.DIR, "unix:uid").equals(0)) {
          return List.of();
        }
        // A user namespace of its own is enough to be someone else, and leaves the files as they
        // are; where the kernel forbids it, root can still become nobody. Both keep the process id.
        var unshare = List.of("unshare", "--user");
        var setpriv =
            List.of("setpriv", "--reuid", "" + NOBODY, "--regid", "" + NOBODY, "--clear-groups");
        return works(unshare) ? unshare : setpriv;
      } catch (IOException e) {
        throw new UncheckedIOException("cannot tell who runs the tests", e);
      }
    }

    private static boolean works(List<String> prefix) {
      var command = new ArrayList<>(prefix);
      command.add("true");
      try {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Signal.awaitEnd(process);
        return process.exitValue() == 0;
      } catch (IOException e) {
        return false;
      }
    }
  }
}
