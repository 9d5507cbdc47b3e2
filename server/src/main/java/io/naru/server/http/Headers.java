package io.naru.server.http;

import io.vertx.core.MultiMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one look over a request's headers tells.
 *
 * @param size as they came over the wire
 * @param userId the first {@code User-Id}
 * @param userIds how many there were
 * @param forwarded whether some proxy says it passed the request on
 */
public record Headers(int size, @Nullable String userId, int userIds, boolean forwarded) {

  private static final String USER_ID = "User-Id";
  private static final String X_FORWARDED = "X-Forwarded-";

  static Headers of(MultiMap headers) {
    int size = 0;
    String userId = null;
    int userIds = 0;
    boolean forwarded = false;
    for (Map.Entry<String, String> header : headers) {
      String name = header.getKey();
      size += name.length() + header.getValue().length() + 4;
      if (name.length() == USER_ID.length() && name.equalsIgnoreCase(USER_ID)) {
        userId = userIds == 0 ? header.getValue() : userId;
        userIds++;
      } else if (name.regionMatches(true, 0, X_FORWARDED, 0, X_FORWARDED.length())
          || name.equalsIgnoreCase("Forwarded")) {
        forwarded = true;
      }
    }
    return new Headers(size, userId, userIds, forwarded);
  }
}
