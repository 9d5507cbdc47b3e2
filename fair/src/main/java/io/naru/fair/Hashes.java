package io.naru.fair;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** SHA-256, HMAC with it, and the two ways in which their bytes are written. */
final class Hashes {

  static final int LENGTH = 32;

  // Setting one up costs as much as using it.
  private static final ThreadLocal<MessageDigest> DIGESTS = ThreadLocal.withInitial(Hashes::sha256);

  private Hashes() {}

  /** A new one, of which nobody else knows. */
  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** The one of this thread, with nothing in it. */
  static MessageDigest digest() {
    MessageDigest digest = DIGESTS.get();
    digest.reset();
    return digest;
  }

  static byte[] sha256(byte[]... parts) {
    MessageDigest digest = digest();
    for (byte[] part : parts) {
      digest.update(part);
    }
    return digest.digest();
  }

  static Mac hmac(byte[] key) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HmacSHA256", e);
    }
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /**
   * @throws IllegalArgumentException if this is not lower-case hex of so many bytes
   */
  static byte[] ofHex(String what, String text, int length) {
    if (!isHex(text, length)) {
      throw new IllegalArgumentException(what + " is not " + 2 * length + " digits 0..9, a..f");
    }
    return HexFormat.of().parseHex(text);
  }

  static boolean isHex(String text, int length) {
    return text.length() == 2 * length
        && text.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
  }

  static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  /**
   * One text for the same bytes: the JDK also takes others, with bits at the end that mean nothing.
   *
   * @throws IllegalArgumentException if this is not how {@link #base64} writes them
   */
  static byte[] ofBase64(String what, String text) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(what + " is not base64", e);
    }
    if (!base64(bytes).equals(text)) {
      throw new IllegalArgumentException(what + " is not base64 as it is written");
    }
    return bytes;
  }
}
