package io.naru.server.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Names every request, so that an answer, a problem that somebody shows and the lines in the logs
 * can be told to belong together. A proxy of ours may have named it already; what anybody else
 * sends is not believed, since it would stand in our logs.
 */
public final class RequestIds {

  /** Under which log lines have it. */
  public static final String KEY = "requestId";

  public static final CharSequence HEADER = HttpHeaders.createOptimized("X-Request-Id");

  private static final int MAX_LENGTH = 64;

  private final Predicate<String> isProxy;

  /**
   * @param isProxy whether this address is one of a proxy of ours
   */
  public RequestIds(Predicate<String> isProxy) {
    this.isProxy = isProxy;
  }

  /**
   * @param given the header, if there was just one
   */
  String of(HttpServerRequest request, @Nullable String given) {
    if (given != null && isUsable(given) && isProxy.test(request.remoteAddress().hostAddress())) {
      return given;
    }
    // Only to tell requests apart: nothing is decided by it, so it may be guessed.
    return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  }

  private static boolean isUsable(String id) {
    if (id.isEmpty() || id.length() > MAX_LENGTH) {
      return false;
    }
    for (int i = 0; i < id.length(); i++) {
      if (!isUsable(id.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isUsable(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == '-';
  }

  /**
   * Has what is logged during a step carry this id. A thread answers many requests, and one of them
   * may be answered in the middle of another's step: whose it was before, it is again afterwards.
   */
  static void within(String id, Runnable step) {
    String before = MDC.get(KEY);
    if (id.equals(before)) {
      step.run();
      return;
    }
    MDC.put(KEY, id);
    try {
      step.run();
    } finally {
      if (before == null) {
        MDC.remove(KEY);
      } else {
        MDC.put(KEY, before);
      }
    }
  }
}
