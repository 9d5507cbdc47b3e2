package io.naru.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** A {@code redis-server} that can be started here, and where it comes from. */
public record RedisBinary(Path path, String origin) {

  private static final String EMBEDDED_VERSION = "7.0.15";
  private static final Pattern VERSION = Pattern.compile("v=(\\S+).*malloc=(\\S+)");

  /** The static binary that comes with the Maven artifact: the same everywhere, but slower. */
  public static RedisBinary embedded() {
    return Embedded.BINARY;
  }

  /** The machine's own {@code redis-server}, which has the better allocator, else the embedded. */
  public static RedisBinary preferInstalled() {
    return installed().orElseGet(RedisBinary::embedded);
  }

  private static Optional<RedisBinary> installed() {
    var path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    for (var folder : path.split(File.pathSeparator, -1)) {
      var candidate = Path.of(folder, "redis-server");
      if (!folder.isEmpty() && Files.isExecutable(candidate)) {
        return Optional.of(new RedisBinary(candidate, "from PATH"));
      }
    }
    return Optional.empty();
  }

  /** Which version with which allocator, and where it comes from. */
  public String describe() {
    try {
      var process = new ProcessBuilder(path.toString(), "--version").start();
      var line = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
      var version = VERSION.matcher(line);
      return version.find()
          ? "redis-server %s (%s) %s".formatted(version.group(1), version.group(2), origin)
          : "%s %s".formatted(line, origin);
    } catch (IOException e) {
      throw new UncheckedIOException(path + " does not run", e);
    }
  }

  private static final class Embedded {
    static final RedisBinary BINARY = extract();

    private static RedisBinary extract() {
      var name = "redis-server-%s-%s-%s".formatted(EMBEDDED_VERSION, system(), architecture());
      try (var resource = RedisBinary.class.getResourceAsStream("/" + name)) {
        if (resource == null) {
          throw new IllegalStateException("no embedded Redis for this platform: " + name);
        }
        var file = Files.createTempFile("naru-redis-server-", "");
        file.toFile().deleteOnExit();
        Files.copy(resource, file, StandardCopyOption.REPLACE_EXISTING);
        if (!file.toFile().setExecutable(true)) {
          throw new IOException("cannot make " + file + " executable");
        }
        return new RedisBinary(file, "out of embedded-redis");
      } catch (IOException e) {
        throw new UncheckedIOException("cannot unpack " + name, e);
      }
    }

    private static String system() {
      var name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
      return name.contains("mac") ? "darwin" : name;
    }

    private static String architecture() {
      var name = System.getProperty("os.arch", "");
      return switch (name) {
        case "x86_64" -> "amd64";
        case "aarch64" -> "arm64";
        default -> name;
      };
    }
  }
}
