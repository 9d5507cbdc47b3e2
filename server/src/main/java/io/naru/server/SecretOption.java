package io.naru.server;

import io.naru.files.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A secret that is given as itself or as the file it is in. What is on the command line, every user
 * of the machine can read.
 *
 * @param name of the option for the secret itself; with {@code -file} it is the one for the file
 */
record SecretOption(String name, @Nullable String given, @Nullable Path file) {

  /** The command line comes first, then the environment. */
  static SecretOption given(String name, @Nullable String given, @Nullable Path file) {
    if (given != null || file != null) {
      return new SecretOption(name, given, file);
    }
    String variable = variable(name);
    String named = System.getenv(variable + "_FILE");
    return new SecretOption(name, System.getenv(variable), named == null ? null : Path.of(named));
  }

  /**
   * @throws IllegalArgumentException which names the option and what is wrong with it
   */
  @Nullable String value() {
    if (file == null) {
      return given;
    }
    if (given != null) {
      throw new IllegalArgumentException(fileOption() + ": give this or " + name + ", not both");
    }
    String read;
    try {
      read = Files.readString(file).strip();
    } catch (NoSuchFileException e) {
      throw new IllegalArgumentException(fileOption() + ": there is no file " + file, e);
    } catch (IOException e) {
      throw new IllegalArgumentException(fileOption() + ": cannot read " + file + ": " + e, e);
    }
    if (read.isEmpty() || read.indexOf('\n') >= 0) {
      throw new IllegalArgumentException(
          fileOption() + ": " + file + (read.isEmpty() ? " is empty" : " has more than one line"));
    }
    return read;
  }

  /** The option that was used. */
  String used() {
    return file == null ? name : fileOption();
  }

  private String fileOption() {
    return name + "-file";
  }

  /**
   * What is careless about how it was given.
   *
   * @param isTyped whether it was on the command line
   */
  Optional<String> warning(boolean isTyped) {
    if (file == null) {
      return isTyped
          ? Optional.of(typed(name, fileOption() + ", or " + variable(name)))
          : Optional.empty();
    }
    return openTo(fileOption(), file);
  }

  /** The same of a file with something else that is secret. */
  static Optional<String> openTo(String option, Path file) {
    try {
      return OwnerOnly.isOpen(file)
          ? Optional.of(option + ": others than its owner may read " + file + " (chmod 600)")
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  static String typed(String what, String instead) {
    return what
        + " on the command line is shown to every user of this machine (ps); use "
        + instead;
  }

  private static String variable(String name) {
    return "NARU_" + name.substring(2).toUpperCase(Locale.ROOT).replace('-', '_');
  }
}
