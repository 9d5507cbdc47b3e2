package io.naru.server.keys;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.queue.Secret;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keeps secrets where others can read: encrypted under the servers' secret (AES-GCM), each bound to
 * what stands beside it. {@code base64url( nonce 12 bytes | encrypted )}.
 */
public final class Sealing {

  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final SecretKeySpec key;
  private final String what;
  private final SecureRandom random = new SecureRandom();

  /**
   * @param secret of this use alone
   * @param what is sealed, in words, several
   */
  public Sealing(Secret secret, String what) {
    byte[] use = "AES-GCM".getBytes(UTF_8);
    this.key = new SecretKeySpec(secret.mac(use, use.length), "AES");
    this.what = what;
  }

  /** Encrypts {@code plain}; it opens only together with {@code beside}. */
  public String seal(String beside, String plain) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    try {
      byte[] encrypted = cipher(Cipher.ENCRYPT_MODE, nonce, beside).doFinal(plain.getBytes(UTF_8));
      byte[] sealed = Arrays.copyOf(nonce, NONCE_BYTES + encrypted.length);
      System.arraycopy(encrypted, 0, sealed, NONCE_BYTES, encrypted.length);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has AES-GCM", e);
    }
  }

  /**
   * @throws IllegalArgumentException if it was sealed with another secret, or changed since
   */
  public String open(String beside, String sealed) {
    byte[] bytes = Base64.getUrlDecoder().decode(sealed);
    if (bytes.length < NONCE_BYTES) {
      throw new IllegalArgumentException("one of " + what + " is cut short");
    }
    try {
      byte[] nonce = Arrays.copyOf(bytes, NONCE_BYTES);
      byte[] plain =
          cipher(Cipher.DECRYPT_MODE, nonce, beside)
              .doFinal(bytes, NONCE_BYTES, bytes.length - NONCE_BYTES);
      return new String(plain, UTF_8);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          what + " were encrypted with another secret, or changed by hand", e);
    }
  }

  private Cipher cipher(int mode, byte[] nonce, String beside) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(beside.getBytes(UTF_8));
    return cipher;
  }
}
