package io.naru.server.content;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;

/** The files of the module {@code web}. */
public final class WebFile {

  private static final String FOLDER = "/io/naru/web/";

  private WebFile() {}

  /**
   * @param name with its folder, if it is in one
   */
  public static byte[] bytes(String name) {
    try (var in = WebFile.class.getResourceAsStream(FOLDER + name)) {
      if (in == null) {
        throw new IllegalStateException("no file " + name + " in this build");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }

  public static String text(String name) {
    return new String(bytes(name), UTF_8);
  }
}
