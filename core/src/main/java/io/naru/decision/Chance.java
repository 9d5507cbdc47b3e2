package io.naru.decision;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Chance that can be checked afterwards: numbers that nobody can foresee without a seed, and
 * anybody can recompute with it. Seeds and hashes are in hexadecimal digits.
 */
final class Chance {

  private static final String HMAC = "HmacSHA256";

  private final Mac mac;

  Chance(String seed) {
    try {
      mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(HexFormat.of().parseHex(seed), HMAC));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + HMAC, e);
    }
  }

  /** A seed of its own for each purpose. */
  static String derive(String entropy, String purpose) {
    return HexFormat.of().formatHex(new Chance(entropy).mac.doFinal(purpose.getBytes(US_ASCII)));
  }

  /** SHA-256 of a seed, which says nothing about it and fixes it. */
  static String commitment(String seed) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(HexFormat.of().parseHex(seed));
      return HexFormat.of().formatHex(hash);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** The number of an entry, without a sign: any is as likely as any other. */
  long number(long joined) {
    return ByteBuffer.wrap(mac.doFinal(Long.toString(joined).getBytes(US_ASCII))).getLong();
  }
}
