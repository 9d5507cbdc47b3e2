package io.naru.server.entry;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.naru.queue.InvalidValue;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Codes that give a place in a lane, once. Eighty bits at random, written so that people can type
 * them: no letter looks like another one. Nobody keeps a code, only its hash.
 */
public final class LaneCodes {

  private static final String ALLOWED = "a code as 7K3M-9QXW-2F5T-8HJN";
  private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  private static final int LENGTH = 16;
  private static final int GROUP = 4;
  private static final int MAX_TYPED = 64;
  private static final Pattern CODE = Pattern.compile("[" + ALPHABET + "]{" + LENGTH + "}");
  private static final SecureRandom RANDOM = new SecureRandom();

  private LaneCodes() {}

  public static String newCode() {
    var code = new StringBuilder();
    for (int i = 0; i < LENGTH; i++) {
      code.append(i > 0 && i % GROUP == 0 ? "-" : "");
      code.append(ALPHABET.charAt(RANDOM.nextInt(ALPHABET.length())));
    }
    return code.toString();
  }

  /**
   * The hash of a code as somebody typed it; of something that no code looks like, of that.
   *
   * @throws InvalidValue if it is no text, or too long for one
   */
  static String typed(@Nullable Object given) {
    if (!(given instanceof String text) || text.isEmpty() || text.length() > MAX_TYPED) {
      throw new InvalidValue("code", ALLOWED, "is not a code");
    }
    return hash(text);
  }

  /** Of something that no code looks like, of that. */
  public static String hash(String code) {
    String plain = code.toUpperCase(Locale.ROOT).replaceAll("[ -]", "");
    // What is no code is nobody's; but it must not be mistaken for none.
    String known = CODE.matcher(plain).matches() ? plain : "-";
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(known.getBytes(US_ASCII));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
