package io.naru.fair;

import io.naru.queue.QueueId;
import io.naru.queue.Secret;
import java.util.Arrays;

/**
 * An entry as the public sees it: a hash that only its visitor can open, with the salt that they
 * were given. So the log names nobody, and whoever forgets the salt has forgotten the person.
 *
 * <pre>
 * salt = first 16 bytes of HMAC(servers' key, TYPE/id ‖ 0 ‖ user), in hex
 * leaf = SHA-256(0x00 ‖ "naru-entry/1\n" TYPE/id "\n" joined "\n" user "\n" salt "\n")
 * </pre>
 */
public final class Leaves {

  /** Of a leaf, in bytes. */
  public static final int LENGTH = Hashes.LENGTH;

  private static final int SALT_BYTES = 16;
  private static final String FORMAT = "naru-entry/1\n";

  private Leaves() {}

  /**
   * What a visitor is given with their entry.
   *
   * @param secret that of all servers, derived by the name {@code salt}
   */
  public static String salt(Secret secret, QueueId queue, String user) {
    byte[] named = Hashes.utf8(queue + "\0" + user);
    return Hashes.hex(Arrays.copyOf(secret.mac(named, named.length), SALT_BYTES));
  }

  public static boolean isSalt(String salt) {
    return Hashes.isHex(salt, SALT_BYTES);
  }

  public static byte[] leaf(QueueId queue, long joined, String user, String salt) {
    String text = FORMAT + queue + "\n" + joined + "\n" + user + "\n" + salt + "\n";
    return Merkle.leafHash(Hashes.utf8(text));
  }

  /** As records have it. */
  public static String text(byte[] leaf) {
    return Hashes.hex(leaf);
  }

  /** The inverse of {@link #text}. */
  public static byte[] ofText(String text) {
    return Hashes.ofHex("leaf", text, LENGTH);
  }
}
