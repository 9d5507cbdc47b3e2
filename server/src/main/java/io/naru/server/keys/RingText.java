package io.naru.server.keys;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.pass.PassKey;
import io.naru.queue.Secret;
import io.naru.server.keys.RingKey.State;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A ring as it is kept. An operator can read which key is in which state since when; the keys
 * themselves are encrypted under the servers' secret (AES-GCM), each bound to its line.
 *
 * <pre>
 * key   id  state  created  since  base64url( nonce 12 bytes | encrypted JWK )
 * pass  id  revoked
 * </pre>
 */
final class RingText {

  private static final int NONCE_BYTES = 12;
  private static final int TAG_BITS = 128;

  private final SecretKeySpec key;
  private final SecureRandom random = new SecureRandom();

  /**
   * @param secret of this use alone
   */
  RingText(Secret secret) {
    byte[] use = "AES-GCM".getBytes(UTF_8);
    key = new SecretKeySpec(secret.mac(use, use.length), "AES");
  }

  String write(KeyRing ring) {
    var text = new StringBuilder();
    for (RingKey each : ring.keys()) {
      String line = "key %s %s".formatted(each.id(), times(each));
      text.append(line).append(' ').append(seal(line, each.key().toJwk())).append('\n');
    }
    ring.revokedPasses()
        .forEach(
            (id, at) -> text.append("pass %s %d".formatted(id, at.getEpochSecond())).append('\n'));
    return text.toString();
  }

  private static String times(RingKey key) {
    return "%s %d %d"
        .formatted(key.state(), key.createdAt().getEpochSecond(), key.since().getEpochSecond());
  }

  /**
   * @throws IllegalArgumentException if it was written with another secret, or changed since
   */
  KeyRing read(String text) {
    List<RingKey> keys = new ArrayList<>();
    Map<String, Instant> passes = new LinkedHashMap<>();
    for (String line : text.lines().toList()) {
      String[] fields = line.split(" ", -1);
      switch (fields[0]) {
        case "key" -> keys.add(readKey(line, fields));
        case "pass" -> passes.put(fields[1], instant(fields[2]));
        default -> throw new IllegalArgumentException("not a ring: " + fields[0]);
      }
    }
    return new KeyRing(keys, passes);
  }

  private RingKey readKey(String line, String[] fields) {
    PassKey unsealed = PassKey.parse(open(line.substring(0, line.lastIndexOf(' ')), fields[5]));
    return new RingKey(unsealed, State.valueOf(fields[2]), instant(fields[3]), instant(fields[4]));
  }

  private static Instant instant(String seconds) {
    return Instant.ofEpochSecond(Long.parseLong(seconds));
  }

  /** Encrypts {@code plain}; it opens only together with {@code line}. */
  private String seal(String line, String plain) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    try {
      byte[] encrypted = cipher(Cipher.ENCRYPT_MODE, nonce, line).doFinal(plain.getBytes(UTF_8));
      byte[] sealed = Arrays.copyOf(nonce, NONCE_BYTES + encrypted.length);
      System.arraycopy(encrypted, 0, sealed, NONCE_BYTES, encrypted.length);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has AES-GCM", e);
    }
  }

  private String open(String line, String sealed) {
    byte[] bytes = Base64.getUrlDecoder().decode(sealed);
    if (bytes.length < NONCE_BYTES) {
      throw new IllegalArgumentException("a key is cut short");
    }
    try {
      byte[] nonce = Arrays.copyOf(bytes, NONCE_BYTES);
      byte[] plain =
          cipher(Cipher.DECRYPT_MODE, nonce, line)
              .doFinal(bytes, NONCE_BYTES, bytes.length - NONCE_BYTES);
      return new String(plain, UTF_8);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(
          "the signing keys were encrypted with another secret, or changed by hand", e);
    }
  }

  private Cipher cipher(int mode, byte[] nonce, String line) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(line.getBytes(UTF_8));
    return cipher;
  }
}
