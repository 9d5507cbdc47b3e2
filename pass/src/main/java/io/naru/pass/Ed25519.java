package io.naru.pass;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Between the 32 bytes that a JWK has of an Ed25519 key and the JDK's own keys. Nimbus would want
 * Tink for this; both encodings of the JDK are a fixed prefix and those 32 bytes (RFC 8410).
 */
public final class Ed25519 {

  private static final int BYTES = 32;
  private static final byte[] PUBLIC = HexFormat.of().parseHex("302a300506032b6570032100");
  private static final byte[] PRIVATE = HexFormat.of().parseHex("302e020100300506032b657004220420");

  private Ed25519() {}

  static byte[] bytesOf(Key key) {
    byte[] encoded = key.getEncoded();
    return Arrays.copyOfRange(encoded, encoded.length - BYTES, encoded.length);
  }

  /** The key that these 32 bytes are. */
  public static PublicKey publicKey(byte[] bytes) throws GeneralSecurityException {
    return KeyFactory.getInstance("Ed25519")
        .generatePublic(new X509EncodedKeySpec(prefixed(PUBLIC, bytes)));
  }

  static PrivateKey privateKey(byte[] bytes) throws GeneralSecurityException {
    return KeyFactory.getInstance("Ed25519")
        .generatePrivate(new PKCS8EncodedKeySpec(prefixed(PRIVATE, bytes)));
  }

  private static byte[] prefixed(byte[] prefix, byte[] bytes) throws InvalidKeyException {
    if (bytes.length != BYTES) {
      throw new InvalidKeyException("an Ed25519 key has 32 bytes, not " + bytes.length);
    }
    byte[] encoded = Arrays.copyOf(prefix, prefix.length + BYTES);
    System.arraycopy(bytes, 0, encoded, prefix.length, BYTES);
    return encoded;
  }
}
