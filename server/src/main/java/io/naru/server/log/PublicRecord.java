package io.naru.server.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.naru.journal.Journaled;
import io.naru.queue.Json;
import io.naru.queue.QueueId;
import io.naru.server.entry.Salts;
import java.util.Objects;

/**
 * An event as everybody may see it: the line of the journal with the change and its time behind the
 * kind, and a leaf in place of a name.
 *
 * @param joined when somebody joined whose own record this is; 0 if it is nobody's
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and nobody changes it
record PublicRecord(byte[] bytes, long joined) {

  private static final String JOIN = "[\"join\",";
  private static final String HANDOFF = "[\"handoff\",";

  static PublicRecord of(QueueId queue, Journaled change, String line, Salts salts) {
    int kind = line.indexOf('"', 2) + 1;
    String head = line.substring(0, kind) + "," + change.change() + "," + change.at();
    if (line.startsWith(JOIN)) {
      int comma = line.indexOf(',', JOIN.length());
      long joined = number(line, JOIN.length(), comma);
      int end = endOfText(line, comma + 1);
      String leaf = salts.leaf(queue, joined, text(line.substring(comma + 1, end)));
      return new PublicRecord(
          (head + "," + joined + ",\"" + leaf + "\"" + line.substring(end)).getBytes(UTF_8),
          joined);
    }
    if (line.startsWith(HANDOFF)) {
      int comma = line.indexOf(',', HANDOFF.length());
      int next = line.indexOf(',', comma + 1);
      long joined = number(line, comma + 1, next);
      int end = endOfText(line, next + 1);
      String leaf = salts.leaf(queue, joined, text(line.substring(next + 1, end)));
      return new PublicRecord(
          (head + line.substring(kind, next) + ",\"" + leaf + "\"" + line.substring(end))
              .getBytes(UTF_8),
          joined);
    }
    return new PublicRecord((head + line.substring(kind)).getBytes(UTF_8), 0);
  }

  private static long number(String line, int from, int to) {
    return Long.parseLong(line, from, to, 10);
  }

  /** Where the text ends whose quote is there. */
  private static int endOfText(String line, int from) {
    int at = from + 1;
    while (line.charAt(at) != '"') {
      at += line.charAt(at) == '\\' ? 2 : 1;
    }
    return at + 1;
  }

  private static String text(String quoted) {
    return quoted.indexOf('\\') < 0
        ? quoted.substring(1, quoted.length() - 1)
        : (String) Objects.requireNonNull(Json.readList("[" + quoted + "]").getFirst());
  }

  /** When somebody joined whose own this public record is; 0 if it is nobody's. */
  static long joined(String record) {
    int field = record.startsWith(JOIN) ? 3 : record.startsWith(HANDOFF) ? 4 : 0;
    return field == 0 ? 0 : Long.parseLong(record.split(",", field + 2)[field]);
  }
}
