package io.naru.server.keys;

import io.naru.files.OwnerOnly;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Random values made at the first start and kept in files that only their owner can read. */
public final class SecretFiles {

  private static final Logger log = LoggerFactory.getLogger(SecretFiles.class);

  public static final String ADMIN_KEY = "admin-key";
  public static final String SITE_KEY = "site-key";
  public static final String SECRET = "secret";
  static final String SIGNING_KEYS = "signing-keys";
  private static final List<String> NAMES = List.of(ADMIN_KEY, SITE_KEY, SECRET, SIGNING_KEYS);

  private final Path directory;

  public SecretFiles(Path directory) {
    this.directory = directory;
  }

  /** Closes to others what an older version, or somebody, left open; and says so. */
  public void closeToOthers() {
    Stream.concat(Stream.of(directory), NAMES.stream().map(this::file))
        .map(OwnerOnly::tighten)
        .flatMap(Optional::stream)
        .forEach(log::warn);
  }

  public Path file(String name) {
    return directory.resolve(name);
  }

  /**
   * The kept value of that name; a new one if there is none yet.
   *
   * @throws UncheckedIOException which names the option and what is wrong with it
   */
  public String get(String name) {
    Path file = file(name);
    try {
      if (!Files.exists(file)) {
        keep(file, random());
      }
      String value = Files.readString(file).strip();
      if (value.isEmpty()) {
        throw new IOException("it is empty; delete it to get a new one");
      }
      return value;
    } catch (IOException e) {
      throw new UncheckedIOException("--data: cannot keep " + file + ": " + e.getMessage(), e);
    }
  }

  /** Keeps this value instead of the one that is kept. */
  public void set(String name, String value) {
    Path file = file(name);
    try {
      if (!get(name).equals(value)) {
        Files.delete(file);
        keep(file, value);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("--data: cannot keep " + file + ": " + e.getMessage(), e);
    }
  }

  /** Complete or not at all, and never over one that another server has just made. */
  private void keep(Path file, String value) throws IOException {
    Path draft = draft(value + "\n");
    try {
      Files.createLink(file, draft);
    } catch (FileAlreadyExistsException e) {
      // Another server on the same directory was first; its value is ours.
    } catch (UnsupportedOperationException e) {
      // A file system without links, where two servers that start at once are not told apart.
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  /** A file beside, that only its owner can read, to take its place as one step. */
  Path draft(String content) throws IOException {
    OwnerOnly.createDirectories(directory);
    // Its rights are the owner's alone from the beginning.
    return Files.writeString(Files.createTempFile(directory, ".", ".new"), content);
  }

  public static String random() {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
