package io.naru.net;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a browser would like to get. */
public final class Accepted {

  /** Longer than browsers write it; reading takes the square of it. */
  private static final int MAX_LENGTH = 512;

  private Accepted() {}

  /**
   * Which of our languages {@code Accept-Language} asks for; empty if it is none of them.
   *
   * @param tags ours
   */
  public static Optional<String> language(@Nullable String header, List<String> tags) {
    if (header == null || header.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(Locale.lookupTag(Locale.LanguageRange.parse(header), tags));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
