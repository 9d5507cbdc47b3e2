package io.naru.server.identity;

import io.naru.queue.InvalidValue;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The header in which a listed proxy names the visitor. That is more than to be believed what
 * address somebody has: whoever may send it is anybody they like.
 */
public record UserHeader(String name) {

  /** In which the same proxies give the visitor a lane. */
  public static final String LANE = "User-Lane";

  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9-]{1,64}");
  private static final Set<String> TAKEN = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

  static {
    TAKEN.addAll(
        Set.of(
            "Accept",
            "Accept-Language",
            "Authorization",
            "Connection",
            "Content-Length",
            "Content-Type",
            "Cookie",
            "Forwarded",
            "Host",
            "Origin",
            "Referer",
            "Transfer-Encoding",
            "User-Agent",
            LANE,
            OneAddress.HEADER,
            "X-Forwarded-For"));
  }

  public UserHeader {
    // An underscore would do in HTTP, but nginx drops such headers unless told otherwise.
    if (!TOKEN.matcher(name).matches()) {
      throw new InvalidValue(
          "user-header",
          "1 to 64 letters, digits and hyphens",
          "must be a header's name, like User-Id");
    }
    if (TAKEN.contains(name)) {
      throw new InvalidValue(
          "user-header",
          "a header of its own",
          "must not be " + name + ", which says other things");
    }
  }
}
