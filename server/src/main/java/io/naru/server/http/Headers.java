package io.naru.server.http;

import io.vertx.core.MultiMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one look over a request's headers tells.
 *
 * @param size as they came over the wire
 * @param userId the first header in which a proxy may name the visitor
 * @param userIds how many there were
 * @param origin of the page whose script asks, as its browser says
 * @param requestId what the request is called already; null also if several say so
 * @param bodyLength as announced; {@link #NO_BODY}, {@link #CHUNKED} or {@link #UNCLEAR}
 */
public record Headers(
    int size,
    @Nullable String userId,
    int userIds,
    @Nullable String origin,
    @Nullable String requestId,
    long bodyLength) {

  static final long NO_BODY = 0;
  static final long CHUNKED = -1;

  /** Another server on the way here could see the request end somewhere else. */
  static final long UNCLEAR = -2;

  static final Headers NONE = new Headers(0, null, 0, null, null, NO_BODY);

  /**
   * @param userHeader in which a proxy may name the visitor; null if none may
   */
  static Headers of(MultiMap headers, @Nullable String userHeader) {
    int size = 0;
    String userId = null;
    int userIds = 0;
    String origin = null;
    String requestId = null;
    int requestIds = 0;
    long bodyLength = NO_BODY;
    for (Map.Entry<String, String> header : headers) {
      String name = header.getKey();
      String value = header.getValue();
      size += name.length() + value.length() + 4;
      if (userHeader != null && name.equalsIgnoreCase(userHeader)) {
        userId = userIds == 0 ? value : userId;
        userIds++;
      } else if (name.equalsIgnoreCase("Origin")) {
        origin = value;
      } else if (name.equalsIgnoreCase("X-Request-Id")) {
        requestId = requestIds++ == 0 ? value : null;
      } else if (name.equalsIgnoreCase("Content-Length")) {
        bodyLength = bodyLength == NO_BODY ? length(value) : UNCLEAR;
      } else if (name.equalsIgnoreCase("Transfer-Encoding")) {
        // The decoder also takes "gzip, chunked", and leaves the gzip to us.
        bodyLength = bodyLength == NO_BODY && value.equalsIgnoreCase("chunked") ? CHUNKED : UNCLEAR;
      } else if (name.isEmpty()) {
        bodyLength = UNCLEAR;
      }
    }
    return new Headers(size, userId, userIds, origin, requestId, bodyLength);
  }

  private static long length(String value) {
    if (value.isEmpty() || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return UNCLEAR;
    }
    return value.length() > 18 ? Long.MAX_VALUE : Long.parseLong(value);
  }
}
