package io.naru.server.webhooks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signatures as Standard Webhooks has them: {@code v1}, HMAC-SHA256. */
final class Signing {

  private static final String PREFIX = "whsec_";
  private static final int SECRET_BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private Signing() {}

  /** A new secret, as its receiver gets it. */
  static String secret() {
    byte[] bytes = new byte[SECRET_BYTES];
    RANDOM.nextBytes(bytes);
    return PREFIX + Base64.getEncoder().encodeToString(bytes);
  }

  /**
   * The signatures of a message, one for each secret, with blanks between: a receiver takes it who
   * knows any of them.
   *
   * @param seconds since 1970, of this try
   */
  static String sign(List<String> secrets, String id, long seconds, String body) {
    byte[] content = (id + "." + seconds + "." + body).getBytes(UTF_8);
    return String.join(" ", secrets.stream().map(secret -> "v1," + mac(secret, content)).toList());
  }

  private static String mac(String secret, byte[] content) {
    byte[] key = Base64.getDecoder().decode(secret.substring(PREFIX.length()));
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return Base64.getEncoder().encodeToString(mac.doFinal(content));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HmacSHA256", e);
    }
  }
}
