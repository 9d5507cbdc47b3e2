package io.naru.server.wait;

import io.naru.pass.Pass;
import java.util.Optional;

/** What an operator should know about where they send people. */
public final class TargetAdvice {

  private TargetAdvice() {}

  /**
   * Why the admitted would arrive without their pass; empty if they bring it.
   *
   * @param targetUrl the queue's, or empty
   * @param publicUrl where visitors' browsers know Naru
   */
  public static Optional<String> of(String targetUrl, String publicUrl) {
    if (targetUrl.isEmpty()) {
      return Optional.empty();
    }
    Site target = Site.of(targetUrl);
    Site naru = Site.of(publicUrl);
    if (target.cookie(Pass.COOKIE, "", naru).isEmpty()) {
      return Optional.of(
          "targetUrl: browsers give %s no cookie that %s sets, so people arrive there without their pass; use one host for both, or a domain that they share"
              .formatted(target.host(), naru.host()));
    }
    if (target.isHttps() && !naru.isHttps()) {
      return Optional.of(
          "targetUrl: browsers take a cookie for https from https alone, so people arrive there without their pass; give Naru an https --public-url");
    }
    return Optional.empty();
  }
}
