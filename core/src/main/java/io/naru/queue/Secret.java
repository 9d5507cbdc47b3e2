package io.naru.queue;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key that only our servers know. Each use has a key of its own, derived by name, so that what is
 * signed for one can never pass as the other.
 */
public final class Secret {

  private static final String ALGORITHM = "HmacSHA256";

  // Setting a Mac up costs more than using it, and it is not thread-safe.
  private final ThreadLocal<Mac> macs;

  /**
   * @param key at least 32 bytes
   */
  public Secret(byte[] key) {
    if (key.length < 32) {
      throw new IllegalArgumentException("a secret needs at least 32 bytes, has " + key.length);
    }
    var spec = new SecretKeySpec(key, ALGORITHM);
    this.macs = ThreadLocal.withInitial(() -> newMac(spec));
  }

  public Secret derive(String use) {
    byte[] name = use.getBytes(StandardCharsets.UTF_8);
    return new Secret(mac(name, name.length));
  }

  /** The MAC over the first {@code length} bytes, 32 bytes long. */
  public byte[] mac(byte[] bytes, int length) {
    Mac mac = macs.get();
    mac.update(bytes, 0, length);
    return mac.doFinal();
  }

  private static Mac newMac(SecretKeySpec key) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }
}
