package io.naru.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.tukaani.xz.XZInputStream;

/**
 * {@code initdb} and {@code postgres}, and how to run them as root.
 *
 * @param bin where they are
 */
record PostgresBinaries(Path bin) {

  private static final int NOBODY = 65_534;

  /** Those out of the Maven artifact, which has no others. */
  static PostgresBinaries embedded() {
    return new PostgresBinaries(Unpacked.DIR.resolve("bin"));
  }

  /** The command line of one of the programs, for the user who may run it. */
  List<String> command(String program, List<String> args) {
    var command = new ArrayList<>(AsOther.COMMAND);
    command.add(bin.resolve(program).toString());
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

    private static Path unpack() {
      var name = "postgres-%s-%s.txz".formatted(system(), architecture());
      try {
        return Prepared.folder("postgres-" + fingerprint(name), own -> extract(name, own));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot unpack " + name, e);
      }
    }

    /** Which archive it is, as its jar says: reading it all would take half a second. */
    private static String fingerprint(String name) throws IOException {
      if (resource(name).openConnection() instanceof JarURLConnection jar) {
        var entry = jar.getJarEntry();
        return "%08x-%d".formatted(entry.getCrc(), entry.getSize());
      }
      throw new IOException(name + " is in no jar");
    }

    private static URL resource(String name) {
      var resource = PostgresBinaries.class.getResource("/" + name);
      if (resource == null) {
        throw new IllegalStateException("no embedded PostgreSQL for this platform: " + name);
      }
      return resource;
    }

    private static void extract(String name, Path dir) throws IOException {
      var tar = new ProcessBuilder("tar", "-x", "-C", dir.toString());
      var process = tar.redirectErrorStream(true).start();
      try (var archive = new XZInputStream(resource(name).openStream());
          var out = process.getOutputStream()) {
        archive.transferTo(out);
      }
      Signal.awaitEnd(process);
      if (process.exitValue() != 0) {
        throw new IOException("tar answers " + process.exitValue());
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
        var ours = Files.createTempFile("naru", "");
        boolean isRoot = Files.getAttribute(ours, "unix:uid").equals(0);
        Files.delete(ours);
        if (!isRoot) {
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
