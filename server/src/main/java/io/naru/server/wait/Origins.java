package io.naru.server.wait;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Origins, as headers have them. */
final class Origins {

  /** What a Content-Security-Policy can name. */
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9.-]+");

  private Origins() {}

  /** A space and the origin, for a list of sources; empty if it cannot be named there. */
  static String source(Site site) {
    return HOST.matcher(site.host()).matches() ? " " + site.origin() : "";
  }

  /** Whether an {@code Origin} header is that of the host that was asked. */
  static boolean isOf(String origin, @Nullable String host) {
    int slashes = origin.indexOf("://");
    return slashes > 0 && origin.substring(slashes + 3).equalsIgnoreCase(host);
  }
}
