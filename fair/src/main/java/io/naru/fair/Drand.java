package io.naru.fair;

import io.naru.queue.Micros;
import java.util.HexFormat;
import supranational.blst.BLST_ERROR;
import supranational.blst.P1_Affine;
import supranational.blst.P2_Affine;

/**
 * A public coin: a chain of drand. Every few seconds a group of organisations signs the number of
 * the round together; nobody can know a signature before its time, and anybody can check it after.
 * Scheme {@code bls-unchained-g1-rfc9380}: BLS12-381, signatures on G1.
 *
 * <pre>
 * message    = SHA-256(round as 8 bytes, the highest first)
 * randomness = SHA-256(signature)
 * </pre>
 */
public final class Drand {

  /** The chain that decides draws: a round every three seconds. */
  public static final Drand QUICKNET =
      new Drand(
          "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
          "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
              + "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
          1_692_803_367,
          3);

  public static final int SIGNATURE_BYTES = 48;

  private static final int KEY_BYTES = 96;
  private static final String DOMAIN = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";

  /** So long after a list is sealed its coin may be made, at least. */
  private static final long AFTER_SEAL = 10 * Micros.PER_SECOND;

  private final String chain;
  private final byte[] publicKey;

  /** In microseconds since 2026-01-01; of quicknet it is before it. */
  private final long genesis;

  private final long period;

  /**
   * @param chain its hash, which is its name
   * @param publicKey in hex
   * @param genesisSecond when the first round was made, in seconds since 1970
   */
  public Drand(String chain, String publicKey, long genesisSecond, long periodSeconds) {
    this.chain = chain;
    this.publicKey = Hashes.ofHex("the key of a chain", publicKey, KEY_BYTES);
    this.genesis = (genesisSecond - Micros.EPOCH.getEpochSecond()) * Micros.PER_SECOND;
    this.period = periodSeconds * Micros.PER_SECOND;
  }

  public String chain() {
    return chain;
  }

  /** When a round is made, in microseconds since 2026-01-01; the first one is 1. */
  public long startOf(long round) {
    if (round < 1) {
      throw new IllegalArgumentException("no round " + round);
    }
    return genesis + (round - 1) * period;
  }

  /** The last round that was made by then; 0 if none was. */
  public long roundAt(long micros) {
    return micros < genesis ? 0 : (micros - genesis) / period + 1;
  }

  /** The first round that is made then or later. */
  public long firstFrom(long micros) {
    return micros <= genesis ? 1 : Math.ceilDiv(micros - genesis, period) + 1;
  }

  /** The round that decides about a list that is sealed then: it does not exist yet. */
  public long roundFor(long sealedAt) {
    return firstFrom(sealedAt + AFTER_SEAL);
  }

  /** Whether this is the signature of a round. Whatever else it is, is not. */
  public boolean verifies(long round, byte[] signature) {
    if (round < 1 || signature.length != SIGNATURE_BYTES) {
      return false;
    }
    try {
      var point = new P1_Affine(signature);
      // A point outside the group would let others be made of it.
      if (point.is_inf() || !point.in_group()) {
        return false;
      }
      var key = new P2_Affine(publicKey);
      return point.core_verify(key, true, message(round), DOMAIN) == BLST_ERROR.BLST_SUCCESS;
    } catch (RuntimeException e) {
      // No point on the curve, or not compressed as it must be.
      return false;
    }
  }

  /** The same in hex, as relays and people send it. */
  public boolean verifies(long round, String signature) {
    return Hashes.isHex(signature, SIGNATURE_BYTES)
        && verifies(round, HexFormat.of().parseHex(signature));
  }

  static byte[] message(long round) {
    return Hashes.sha256(Bytes.ofLong(round));
  }

  /** The coin that is in a signature. */
  public static byte[] randomness(byte[] signature) {
    return Hashes.sha256(signature);
  }
}
