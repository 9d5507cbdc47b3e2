package io.naru.server.wait;

import java.net.URI;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Origins of addresses that were checked when they were set. */
final class Origins {

  /** What a Content-Security-Policy can name. */
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9.-]+");

  private Origins() {}

  /** A space and the origin, for a list of sources; empty if there is none to name. */
  static String of(String url) {
    if (url.isEmpty()) {
      return "";
    }
    URI uri = URI.create(url);
    if (!HOST.matcher(uri.getHost()).matches()) {
      return "";
    }
    return " "
        + uri.getScheme()
        + "://"
        + uri.getHost()
        + (uri.getPort() < 0 ? "" : ":" + uri.getPort());
  }

  /** Whether an {@code Origin} header is that of the host that was asked. */
  static boolean isOf(String origin, @Nullable String host) {
    int slashes = origin.indexOf("://");
    return slashes > 0 && origin.substring(slashes + 3).equalsIgnoreCase(host);
  }
}
