package io.naru.line;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.queue.Entry.Status;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * How many are in a part, and a checksum over who they are and where they stand.
 *
 * @param change at which that is so
 */
public record Sum(long change, long count, String checksum) {

  /**
   * Over one line for each: {@code user score joined}, or {@code user until joined entered} of
   * those inside. SHA-1, because Redis has no other; nobody is kept from making two parts look
   * alike who may write into the copy anyway.
   */
  public static String checksum(List<Fact> facts) {
    var text = new StringBuilder(48 * facts.size());
    for (Fact fact : facts) {
      text.append(fact.user()).append(' ').append(Part.at(fact)).append(' ').append(fact.joined());
      if (fact.status() == Status.ENTERED) {
        text.append(' ').append(fact.entered());
      }
      text.append('\n');
    }
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.toString().getBytes(UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }
}
