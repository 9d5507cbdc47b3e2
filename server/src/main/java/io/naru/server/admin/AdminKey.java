package io.naru.server.admin;

import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import io.naru.server.limits.AddressLimits;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** The operator's credential: {@code Authorization: Bearer <admin key>}. */
public final class AdminKey {

  private static final Problem UNAUTHORIZED =
      Problem.of(
          401,
          "unauthorized",
          "Unauthorized",
          "this call needs the admin key: Authorization: Bearer <admin key>");

  private final byte[] digest;
  private final AddressLimits limits;

  public AdminKey(String key, AddressLimits limits) {
    this.digest = digest(key);
    this.limits = limits;
  }

  /** Why this request may not act as the operator; null if it may. */
  public @Nullable Problem refuse(Exchange exchange) {
    String bearer = exchange.bearer();
    Problem wait = bearer == null ? null : limits.beforeKey(exchange);
    if (wait != null) {
      return wait;
    }
    // Digests have one length, so the comparison takes the same time for every wrong key.
    if (bearer != null && MessageDigest.isEqual(digest, digest(bearer))) {
      limits.rightKey(exchange);
      return null;
    }
    if (bearer != null) {
      limits.wrongKey(exchange);
    }
    exchange.response().putHeader("WWW-Authenticate", "Bearer");
    return UNAUTHORIZED;
  }

  private static byte[] digest(String key) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
