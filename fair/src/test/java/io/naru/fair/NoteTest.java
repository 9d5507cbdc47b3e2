package io.naru.fair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The example of Go's package note, which C2SP's signed-note describes. */
class NoteTest {

  private static final String KEY =
      "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
  private static final byte[] SEED =
      Arrays.copyOfRange(
          Base64.getDecoder().decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"), 1, 33);
  private static final String TEXT =
      """
      If you think cryptography is the answer to your problem,
      then you don't know what your problem is.
      """;
  private static final String NOTE =
      TEXT
          + "\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdng"
          + "otpRZb6KE6RyyBwJnAM=\n";

  @Test
  void sign_theExample_givesItsVeryBytes() {
    var signer = new Note.Signer("PeterNeumann", SEED);

    assertThat(signer.verifier()).hasToString(KEY);
    assertThat(signer.sign(TEXT)).hasToString(NOTE);
  }

  @Test
  void read_theExample_isSignedByItsKeyAndByNobodyElse() {
    Note note = Note.read(NOTE);

    assertThat(note.text()).isEqualTo(TEXT);
    assertThat(note).hasToString(NOTE);
    assertThat(note.isSignedBy(Note.Verifier.of(KEY))).isTrue();
    assertThat(
            note.isSignedBy(
                Note.Verifier.of(
                    "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop")))
        .isFalse();
  }

  @Test
  void oneByteChanged_isNotSigned() {
    Note.Verifier verifier = Note.Verifier.of(KEY);
    byte[] bytes = NOTE.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < bytes.length; i++) {
      for (int bit = 0; bit < 8; bit++) {
        bytes[i] ^= (byte) (1 << bit);
        String changed = new String(bytes, StandardCharsets.UTF_8);
        assertThat(isSigned(changed, verifier)).as("byte %d, bit %d", i, bit).isFalse();
        bytes[i] ^= (byte) (1 << bit);
      }
    }
  }

  private static boolean isSigned(String note, Note.Verifier verifier) {
    try {
      return Note.read(note).isSignedBy(verifier);
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  @Test
  void read_whatIsNoNote_isRefused() {
    for (String wrong :
        List.of(
            "",
            "\n",
            "\n\n",
            TEXT,
            TEXT + "\n",
            NOTE.substring(0, NOTE.length() - 1),
            NOTE + "\n",
            NOTE.replace("—", "-"),
            NOTE.replace("— PeterNeumann", "—  PeterNeumann"),
            NOTE.replace("nAM=", "nAN="),
            NOTE.replace("nAM=\n", "nAM= \n"),
            NOTE.replace("crypto", "\tcrypto"),
            TEXT + "\n— PeterNeumann x08gow==\n")) {
      assertThatIllegalArgumentException().as(wrong).isThrownBy(() -> Note.read(wrong));
    }
  }

  @Test
  void verifier_whatIsNoKey_isRefused() {
    for (String wrong :
        List.of(
            "",
            "PeterNeumann",
            KEY.replace("c74f20a3", "c74f20a4"),
            KEY.replace("c74f20a3", "C74F20A3"),
            KEY.replace("Peter", "Pieter"),
            KEY.replace("+AR", "+Ah"),
            KEY.substring(0, KEY.length() - 4),
            "Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")) {
      assertThatIllegalArgumentException().as(wrong).isThrownBy(() -> Note.Verifier.of(wrong));
    }
  }

  @Test
  void isSignedBy_twoSignaturesOfOneKey_bothMustHold() {
    String good = NOTE.substring(TEXT.length() + 1);
    String other = Note.read(NOTE.replace("x08go/ZJ", "x08go/ZK")).toString();
    String forged = other.substring(TEXT.length() + 1);

    assertThat(Note.read(NOTE + forged).isSignedBy(Note.Verifier.of(KEY))).isFalse();
    assertThat(Note.read(NOTE + good).isSignedBy(Note.Verifier.of(KEY))).isTrue();
  }

  @Test
  void checkpoint_isReadAsItWasSigned() {
    var signer = new Note.Signer("wait.example.com/queue/SALE/1", SEED);
    var checkpoint =
        new Checkpoint(
            "wait.example.com/queue/SALE/1", 3, Merkle.leafHash(new byte[0]), 27_648_000_000_000L);

    String note = checkpoint.sign(signer);

    assertThat(note)
        .startsWith(
            "wait.example.com/queue/SALE/1\n3\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n"
                + "at 27648000000000\n\n— wait.example.com/queue/SALE/1 ");
    assertThat(Checkpoint.open(note, signer.verifier())).isEqualTo(checkpoint);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checkpoint.open(note, Note.Verifier.of(KEY)))
        .withMessageContaining("key of PeterNeumann");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Checkpoint.open(note.replace("\n3\n", "\n4\n"), signer.verifier()))
        .withMessageContaining("not signed");
    for (String wrong :
        List.of(
            "a\n03\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\nat 1\n",
            "a\n3\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n",
            "a\n3\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\nat -1\n",
            "a\n3\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoA==\nat 1\n",
            "a\n3\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\nat 1\nmore\n",
            "a b\n3\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\nat 1\n")) {
      assertThatIllegalArgumentException().as(wrong).isThrownBy(() -> Checkpoint.ofText(wrong));
    }
  }
}
