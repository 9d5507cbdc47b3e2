package io.naru.server.wait;

import java.util.regex.Pattern;

/** Origins, as headers have them. */
final class Origins {

  /** What a Content-Security-Policy can name. */
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9.-]+");

  private Origins() {}

  /** A space and the origin, for a list of sources; empty if it cannot be named there. */
  static String source(Site site) {
    return HOST.matcher(site.host()).matches() ? " " + site.origin() : "";
  }
}
