package io.naru.server.wait;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;

/** The files of the module {@code web}. */
final class Resource {

  private static final String FOLDER = "/io/naru/web/";

  private Resource() {}

  static byte[] bytes(String name) {
    try (var in = Resource.class.getResourceAsStream(FOLDER + name)) {
      if (in == null) {
        throw new IllegalStateException("no file " + name + " in this build");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }

  static String text(String name) {
    return new String(bytes(name), UTF_8);
  }
}
