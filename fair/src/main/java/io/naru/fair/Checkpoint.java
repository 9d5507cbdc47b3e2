package io.naru.fair;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a log was at a moment, as C2SP's tlog-checkpoint has it: whoever holds a signed one can show
 * later if the log is not what it was.
 *
 * <pre>
 * wait.example.com/queue/CONCERT/1
 * 1234
 * base64(root)
 * at 27648000000000
 *
 * — wait.example.com/queue/CONCERT/1 base64(…)
 * </pre>
 *
 * @param origin which log it is of
 * @param size how many records it had
 * @param root of their tree
 * @param at when, in microseconds since 2026-01-01, by the clock of who signed it
 */
@SuppressWarnings("ArrayRecordComponent") // copied, and compared by what is in them
public record Checkpoint(String origin, long size, byte[] root, long at) {

  private static final String AT = "at ";
  private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,17}");

  public Checkpoint {
    if (!Note.isName(origin) || size < 0 || at < 0 || root.length != Hashes.LENGTH) {
      throw new IllegalArgumentException("not a checkpoint of " + origin + " with " + size);
    }
    root = root.clone();
  }

  @Override
  public byte[] root() {
    return root.clone();
  }

  /** What is signed. */
  public String text() {
    return origin + "\n" + size + "\n" + Hashes.base64(root) + "\n" + AT + at + "\n";
  }

  /**
   * The inverse of {@link #text()}.
   *
   * @throws IllegalArgumentException if it is not exactly such a text
   */
  public static Checkpoint ofText(String text) {
    List<String> lines = Arrays.asList(text.split("\n", -1));
    if (lines.size() != 5
        || !NUMBER.matcher(lines.get(1)).matches()
        || !lines.get(3).startsWith(AT)
        || !NUMBER.matcher(lines.get(3).substring(AT.length())).matches()
        || !lines.get(4).isEmpty()) {
      throw new IllegalArgumentException("not a checkpoint");
    }
    return new Checkpoint(
        lines.get(0),
        Long.parseLong(lines.get(1)),
        Hashes.ofBase64("root", lines.get(2)),
        Long.parseLong(lines.get(3).substring(AT.length())));
  }

  public String sign(Note.Signer signer) {
    return signer.sign(text()).toString();
  }

  /**
   * The checkpoint in a signed note.
   *
   * @throws IllegalArgumentException if it is none, or of another log, or not signed by its key
   */
  public static Checkpoint open(String note, Note.Verifier verifier) {
    Note signed = Note.read(note);
    Checkpoint checkpoint = ofText(signed.text());
    if (!checkpoint.origin.equals(verifier.name())) {
      throw new IllegalArgumentException(
          "the checkpoint is of " + checkpoint.origin + ", the key of " + verifier.name());
    }
    if (!signed.isSignedBy(verifier)) {
      throw new IllegalArgumentException("the checkpoint is not signed by the key of its log");
    }
    return checkpoint;
  }

  /** Whether both can be of the same log: those of the same size must be the same. */
  public boolean agreesWith(Checkpoint other) {
    return origin.equals(other.origin) && (size != other.size || Arrays.equals(root, other.root));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Checkpoint that && that.text().equals(text());
  }

  @Override
  public int hashCode() {
    return text().hashCode();
  }
}
