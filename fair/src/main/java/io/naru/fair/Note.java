package io.naru.fair;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.NamedParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Text with signatures below it, as C2SP's signed-note has it: the text, which ends with a line
 * break; an empty line; and per signature {@code — name base64(4 bytes of the key's hash ‖
 * signature)}. Keys are Ed25519.
 *
 * @param text what is signed
 * @param signatures of whoever signed it, the lines as they are
 */
public record Note(String text, List<Line> signatures) {

  private static final String PREFIX = "— ";
  private static final byte ED25519 = 1;
  private static final int KEY = 32;
  private static final int SIGNATURE = 64;
  private static final int HASH = 4;
  private static final int MAX_CHARS = 64 * 1024;
  private static final int MAX_SIGNATURES = 16;

  /** What stands before an Ed25519 key in the encoding that the JDK reads. */
  private static final byte[] X509 = HexFormat.of().parseHex("302a300506032b6570032100");

  /** A signature as it stands below a note: whose, the hash of the key, what it is. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares lines
  public record Line(String name, int hash, byte[] signature) {}

  public Note {
    signatures = List.copyOf(signatures);
  }

  /**
   * @throws IllegalArgumentException if this is no signed note; says nothing about who signed it
   */
  public static Note read(String note) {
    int end = note.lastIndexOf("\n\n");
    if (end < 0 || note.length() > MAX_CHARS || !note.endsWith("\n") || end + 2 == note.length()) {
      throw new IllegalArgumentException("not a signed note");
    }
    String text = note.substring(0, end + 1);
    if (!text.chars().allMatch(c -> c >= ' ' || c == '\n') || hasHalves(note)) {
      throw new IllegalArgumentException("not the text of a note");
    }
    List<Line> lines = new ArrayList<>();
    for (String line : note.substring(end + 2, note.length() - 1).split("\n", -1)) {
      lines.add(readLine(line));
    }
    if (lines.size() > MAX_SIGNATURES) {
      throw new IllegalArgumentException("a note with " + lines.size() + " signatures");
    }
    return new Note(text, lines);
  }

  private static boolean hasHalves(String text) {
    return text.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE);
  }

  private static Line readLine(String line) {
    int space = line.indexOf(' ', PREFIX.length());
    if (!line.startsWith(PREFIX) || space < 0) {
      throw new IllegalArgumentException("not a line of a signature: " + line);
    }
    byte[] bytes = Hashes.ofBase64("signature", line.substring(space + 1));
    String name = line.substring(PREFIX.length(), space);
    if (bytes.length <= HASH || !isName(name)) {
      throw new IllegalArgumentException("not a line of a signature: " + line);
    }
    return new Line(name, intOf(bytes), Arrays.copyOfRange(bytes, HASH, bytes.length));
  }

  private static int intOf(byte[] bytes) {
    return (int) (Bytes.getLong(Arrays.copyOf(bytes, Long.BYTES), 0) >>> Integer.SIZE);
  }

  static boolean isName(String name) {
    return !name.isEmpty()
        && name.codePoints().noneMatch(c -> c == '+' || c < ' ' || Character.isWhitespace(c))
        && name.codePoints().noneMatch(Character::isSpaceChar);
  }

  /** The inverse of {@link #read}. */
  @Override
  public String toString() {
    var note = new StringBuilder(text).append('\n');
    for (Line line : signatures) {
      byte[] bytes = Arrays.copyOf(hashBytes(line.hash), HASH + line.signature.length);
      System.arraycopy(line.signature, 0, bytes, HASH, line.signature.length);
      note.append(PREFIX).append(line.name).append(' ').append(Hashes.base64(bytes)).append('\n');
    }
    return note.toString();
  }

  private static byte[] hashBytes(int hash) {
    return Arrays.copyOfRange(Bytes.ofLong(hash), Integer.BYTES, Long.BYTES);
  }

  /** Whether this one signed it, and nobody signed it wrongly in their name. */
  public boolean isSignedBy(Verifier verifier) {
    boolean isSigned = false;
    for (Line line : signatures) {
      if (line.name.equals(verifier.name) && line.hash == verifier.hash()) {
        if (!verifier.verifies(text, line.signature)) {
          return false;
        }
        isSigned = true;
      }
    }
    return isSigned;
  }

  private static int hash(String name, byte[] key) {
    return intOf(Hashes.sha256(Hashes.utf8(name + "\n"), new byte[] {ED25519}, key));
  }

  /**
   * Knows whether somebody signed a note.
   *
   * @param name whose key it is, for those who read notes
   * @param key 32 bytes
   */
  @SuppressWarnings("ArrayRecordComponent") // copied, and compared by what is in them
  public record Verifier(String name, byte[] key) {

    public Verifier {
      if (!isName(name) || key.length != KEY) {
        throw new IllegalArgumentException("not a key of notes");
      }
      key = key.clone();
    }

    /**
     * The inverse of {@link #toString()}.
     *
     * @throws IllegalArgumentException if this is no such text, or its hash is of another key
     */
    public static Verifier of(String text) {
      String[] parts = text.split("\\+", 3);
      if (parts.length < 3) {
        throw new IllegalArgumentException("a key of notes is name+hash+key");
      }
      byte[] key = Hashes.ofBase64("key", parts[2]);
      if (key.length != 1 + KEY || key[0] != ED25519) {
        throw new IllegalArgumentException("not an Ed25519 key of notes");
      }
      var verifier = new Verifier(parts[0], Arrays.copyOfRange(key, 1, key.length));
      if (!verifier.toString().equals(text)) {
        throw new IllegalArgumentException("the hash of a key of notes is of another key");
      }
      return verifier;
    }

    int hash() {
      return Note.hash(name, key);
    }

    @Override
    public byte[] key() {
      return key.clone();
    }

    /** {@code name+hash+base64(1 ‖ key)}. */
    @Override
    public String toString() {
      byte[] typed = new byte[1 + KEY];
      typed[0] = ED25519;
      System.arraycopy(key, 0, typed, 1, KEY);
      return name + "+" + Hashes.hex(hashBytes(hash())) + "+" + Hashes.base64(typed);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Verifier(String otherName, byte[] otherKey)
          && otherName.equals(name)
          && MessageDigest.isEqual(otherKey, key);
    }

    @Override
    public int hashCode() {
      return hash();
    }

    boolean verifies(String text, byte[] signature) {
      if (signature.length != SIGNATURE) {
        return false;
      }
      try {
        byte[] encoded = Arrays.copyOf(X509, X509.length + KEY);
        System.arraycopy(key, 0, encoded, X509.length, KEY);
        PublicKey publicKey =
            KeyFactory.getInstance("Ed25519", "SunEC")
                .generatePublic(new X509EncodedKeySpec(encoded));
        Signature ed25519 = Signature.getInstance("Ed25519", "SunEC");
        ed25519.initVerify(publicKey);
        ed25519.update(Hashes.utf8(text));
        return ed25519.verify(signature);
      } catch (GeneralSecurityException e) {
        // No point on the curve, or no signature at all: whatever it is, nobody signed this.
        return false;
      }
    }
  }

  /** Signs notes; its key is made of a seed that only our servers know. */
  public static final class Signer {

    private final Verifier verifier;
    private final PrivateKey key;

    /**
     * @param seed 32 bytes: the private key as RFC 8032 has it
     */
    public Signer(String name, byte[] seed) {
      if (seed.length != KEY) {
        throw new IllegalArgumentException("a seed has 32 bytes, not " + seed.length);
      }
      try {
        // The JDK makes no public key of a private one. What it makes of chance it makes of this.
        KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519", "SunEC");
        generator.initialize(NamedParameterSpec.ED25519, new Seed(seed));
        KeyPair pair = generator.generateKeyPair();
        byte[] encoded = pair.getPublic().getEncoded();
        this.key = pair.getPrivate();
        this.verifier =
            new Verifier(name, Arrays.copyOfRange(encoded, encoded.length - KEY, encoded.length));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("every JDK has Ed25519", e);
      }
    }

    public Verifier verifier() {
      return verifier;
    }

    /**
     * @param text ends with a line break
     */
    public Note sign(String text) {
      if (!text.endsWith("\n")) {
        throw new IllegalArgumentException("a note ends with a line break");
      }
      try {
        Signature ed25519 = Signature.getInstance("Ed25519", "SunEC");
        ed25519.initSign(key);
        ed25519.update(Hashes.utf8(text));
        var line = new Line(verifier.name, verifier.hash(), ed25519.sign());
        return new Note(text, List.of(line));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("the key of " + verifier + " does not sign", e);
      }
    }
  }

  /** Chance that was had before. */
  @SuppressWarnings("serial")
  private static final class Seed extends SecureRandom {
    private final byte[] seed;

    Seed(byte[] seed) {
      this.seed = seed;
    }

    @Override
    public void nextBytes(byte[] bytes) {
      if (bytes.length != seed.length) {
        throw new IllegalStateException("a key of " + bytes.length + " bytes");
      }
      System.arraycopy(seed, 0, bytes, 0, seed.length);
    }
  }
}
