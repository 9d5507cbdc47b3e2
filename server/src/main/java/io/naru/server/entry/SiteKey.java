package io.naru.server.entry;

import io.naru.queue.Stay.CompletedBy;
import io.naru.server.http.Exchange;
import io.naru.server.http.Problem;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The credential of the site behind, {@code Naru-Site-Key}, beside the pass of one of its visitors.
 * It makes nobody an operator: it says who completes, and nothing else.
 */
public final class SiteKey {

  /** In which it comes; {@code Authorization} has the pass. */
  static final String HEADER = "Naru-Site-Key";

  private static final Problem WRONG =
      Problem.of(
          401,
          "site-key",
          "Wrong site key",
          "this is not the site key of this Naru; leave Naru-Site-Key out to act as the visitor");

  private final byte[] digest;

  public SiteKey(String key) {
    this.digest = digest(key);
  }

  /** Who asks; a key that is wrong is somebody's mistake, and not taken for none. */
  CompletedBy of(Exchange exchange) {
    String given = exchange.request().getHeader(HEADER);
    if (given == null) {
      return CompletedBy.VISITOR;
    }
    // Digests have one length, so the comparison takes the same time for every wrong key.
    if (MessageDigest.isEqual(digest, digest(given))) {
      return CompletedBy.SITE;
    }
    throw new Problem.Found(WRONG);
  }

  private static byte[] digest(String key) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
