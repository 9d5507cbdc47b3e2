package io.naru.server.doors;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.naru.queue.Secret;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Proofs of work as ALTCHA v2 has them: which number, written behind a nonce, gives a key that
 * begins so? Who asks has chosen the number, so all take about equally long, and an answer is
 * checked by a MAC over the whole key. Nothing is kept: what was asked comes back signed.
 */
final class Altcha {

  static final String ALGORITHM = "PBKDF2/SHA-256";

  private static final String HMAC = "HmacSHA256";
  private static final int KEY_BYTES = 32;
  private static final int PREFIX_BYTES = 16;
  private static final int RANDOM_BYTES = 16;
  private static final HexFormat HEX = HexFormat.of();
  private static final Pattern KEY = Pattern.compile("[0-9a-f]{" + 2 * KEY_BYTES + "}");
  private static final Pattern HEX_TEXT = Pattern.compile("[0-9a-f]{1,128}");
  private static final Set<String> PARAMETERS =
      Set.of(
          "algorithm",
          "cost",
          "data",
          "expiresAt",
          "keyLength",
          "keyPrefix",
          "keySignature",
          "nonce",
          "salt");

  private final Secret signatures;
  private final Secret keySignatures;
  private final SecureRandom random = new SecureRandom();

  /**
   * How much work it is.
   *
   * @param cost rounds for each number that is tried
   * @param least how many of those at least
   * @param most and at most
   */
  record Effort(int cost, int least, int most) {}

  /** What is asked. */
  record Challenge(Parameters parameters, String signature) {

    /** As JSON, in the order in which it is signed. */
    String json() {
      return "{\"parameters\":" + parameters.json() + ",\"signature\":\"" + signature + "\"}";
    }
  }

  /**
   * @param entry what it is for, in hexadecimal digits as all but the numbers
   * @param expiresAt in seconds
   */
  record Parameters(
      int cost,
      String entry,
      long expiresAt,
      String keyPrefix,
      String keySignature,
      String nonce,
      String salt) {

    /** Names in order and no spaces: this text is what is signed. */
    String json() {
      return """
      {"algorithm":"%s","cost":%s,"data":{"entry":"%s"},"expiresAt":%s,"keyLength":%s,\
      "keyPrefix":"%s","keySignature":"%s","nonce":"%s","salt":"%s"}"""
          .formatted(
              ALGORITHM, cost, entry, expiresAt, KEY_BYTES, keyPrefix, keySignature, nonce, salt);
    }
  }

  /** What came of an answer; why it is refused is nobody's business but the log's. */
  enum Verdict {
    GOOD,
    MALFORMED,
    FORGED,
    EXPIRED,
    FOREIGN,
    WRONG
  }

  /**
   * @param signatures with which challenges are signed
   * @param keySignatures with which their keys are
   */
  Altcha(Secret signatures, Secret keySignatures) {
    this.signatures = signatures;
    this.keySignatures = keySignatures;
  }

  /** Takes some tenths of a millisecond. */
  Challenge challenge(Effort effort, String entry, long expiresAt) {
    byte[] nonce = new byte[RANDOM_BYTES];
    byte[] salt = new byte[RANDOM_BYTES];
    random.nextBytes(nonce);
    random.nextBytes(salt);
    int counter = random.nextInt(effort.least(), effort.most() + 1);
    byte[] key = key(nonce, salt, counter, effort.cost());
    var parameters =
        new Parameters(
            effort.cost(),
            entry,
            expiresAt,
            HEX.formatHex(key, 0, PREFIX_BYTES),
            mac(keySignatures, key),
            HEX.formatHex(nonce),
            HEX.formatHex(salt));
    return new Challenge(parameters, sign(parameters));
  }

  private String sign(Parameters parameters) {
    return mac(signatures, parameters.json().getBytes(US_ASCII));
  }

  private static String mac(Secret secret, byte[] bytes) {
    return HEX.formatHex(secret.mac(bytes, bytes.length));
  }

  /**
   * Whether this is the solution of a challenge of ours. Costs two MACs at most.
   *
   * @param payload as JSON has it
   * @param now in seconds
   */
  Verdict verify(Map<?, ?> payload, String entry, long now) {
    if (!(payload.get("challenge") instanceof Map<?, ?> challenge)
        || !(challenge.get("parameters") instanceof Map<?, ?> given)
        || !(challenge.get("signature") instanceof String signature)
        || !(payload.get("solution") instanceof Map<?, ?> solution)) {
      return Verdict.MALFORMED;
    }
    Parameters parameters = read(given);
    if (parameters == null) {
      return Verdict.MALFORMED;
    }
    if (!isSame(signature, sign(parameters))) {
      return Verdict.FORGED;
    }
    if (parameters.expiresAt() < now) {
      return Verdict.EXPIRED;
    }
    if (!isSame(parameters.entry(), entry)) {
      return Verdict.FOREIGN;
    }
    return solution.get("derivedKey") instanceof String key
            && KEY.matcher(key).matches()
            && isSame(parameters.keySignature(), mac(keySignatures, HEX.parseHex(key)))
        ? Verdict.GOOD
        : Verdict.WRONG;
  }

  /** Null for what we cannot have asked. */
  private static @Nullable Parameters read(Map<?, ?> given) {
    return given.keySet().equals(PARAMETERS)
            && ALGORITHM.equals(given.get("algorithm"))
            && given.get("cost") instanceof Number cost
            && given.get("data") instanceof Map<?, ?> data
            && data.size() == 1
            && data.get("entry") instanceof String entry
            && given.get("expiresAt") instanceof Number expiresAt
            && given.get("keyLength") instanceof Number length
            && length.longValue() == KEY_BYTES
            && given.get("keyPrefix") instanceof String keyPrefix
            && given.get("keySignature") instanceof String keySignature
            && given.get("nonce") instanceof String nonce
            && given.get("salt") instanceof String salt
            && isHex(entry, keyPrefix, keySignature, nonce, salt)
        ? new Parameters(
            cost.intValue(), entry, expiresAt.longValue(), keyPrefix, keySignature, nonce, salt)
        : null;
  }

  private static boolean isHex(String... texts) {
    return Arrays.stream(texts).allMatch(text -> HEX_TEXT.matcher(text).matches());
  }

  private static boolean isSame(String one, String other) {
    return MessageDigest.isEqual(one.getBytes(ISO_8859_1), other.getBytes(ISO_8859_1));
  }

  /**
   * PBKDF2 with HMAC-SHA-256, its first block. The JDK's own takes passwords as text only, and this
   * one is any bytes: the nonce, and behind it the number.
   */
  static byte[] key(byte[] nonce, byte[] salt, int counter, int cost) {
    try {
      byte[] password = ByteBuffer.allocate(nonce.length + 4).put(nonce).putInt(counter).array();
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(password, HMAC));
      mac.update(salt);
      byte[] round = mac.doFinal(new byte[] {0, 0, 0, 1});
      byte[] key = round.clone();
      for (int i = 1; i < cost; i++) {
        mac.update(round);
        mac.doFinal(round, 0);
        for (int j = 0; j < key.length; j++) {
          key[j] ^= round[j];
        }
      }
      return key;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + HMAC, e);
    }
  }
}
