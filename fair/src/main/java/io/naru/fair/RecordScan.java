package io.naru.fair;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of which there are millions without making an object of each. It takes exactly
 * some of the texts that {@link Records} takes, and {@code RecordScanTest} holds both to the same
 * meaning; whatever it does not take goes there.
 */
final class RecordScan {

  /** Those of which there are millions. */
  enum Kind {
    JOIN,
    SETTLE,
    ENTER,
    END,
    PASS,
    BACK
  }

  private static final byte[] JOIN = Hashes.utf8("[\"join\",");
  private static final byte[] SETTLE = Hashes.utf8("[\"settle\",");
  private static final byte[] ENTER = Hashes.utf8("[\"enter\",");
  private static final byte[] END = Hashes.utf8("[\"end\",");
  private static final byte[] PASS = Hashes.utf8("[\"pass\",");
  private static final byte[] BACK = Hashes.utf8("[\"back\",");
  private static final byte[] NULL = Hashes.utf8("null");

  /** Long texts, or many different ones, are not for here. */
  private static final int MAX_WORD = 32;

  private static final int MAX_WORDS = 64;

  private final List<byte[]> known = new ArrayList<>();
  private final List<String> words = new ArrayList<>();

  private byte[] bytes = new byte[0];
  private int at;
  private int end;
  private boolean isWrong;

  // What was read last.
  Kind kind = Kind.JOIN;
  long change;
  long time;
  long joined;
  final byte[] leaf = new byte[Leaves.LENGTH];
  String lane = "";
  boolean hasScore;
  long score;
  long ticket;
  long until;
  String status = "";
  String reason = "";

  /** Whether it was one of these. */
  boolean read(byte[] text, int offset, int length) {
    bytes = text;
    at = offset;
    end = offset + length;
    isWrong = false;
    Kind found = kindOf();
    if (found == null) {
      return false;
    }
    kind = found;
    change = number();
    time = next(',').number();
    joined = next(',').number();
    switch (kind) {
      case JOIN -> {
        next(',').readLeaf();
        lane = next(',').word();
        next(',').readScore();
        ticket = next(',').number();
      }
      case SETTLE -> {
        lane = next(',').word();
        hasScore = true;
        score = next(',').number();
        ticket = next(',').number();
      }
      case ENTER -> until = next(',').number();
      case END -> {
        status = next(',').word();
        reason = next(',').word();
        isWrong |= !Records.isStatus(status);
      }
      case PASS, BACK -> {}
    }
    next(']');
    return !isWrong && at == end;
  }

  private @Nullable Kind kindOf() {
    if (end - at < 8) {
      return null;
    }
    return switch (bytes[at + 2]) {
      case 'j' -> starts(JOIN) ? Kind.JOIN : null;
      case 's' -> starts(SETTLE) ? Kind.SETTLE : null;
      case 'e' -> starts(ENTER) ? Kind.ENTER : starts(END) ? Kind.END : null;
      case 'p' -> starts(PASS) ? Kind.PASS : null;
      case 'b' -> starts(BACK) ? Kind.BACK : null;
      default -> null;
    };
  }

  private boolean starts(byte[] word) {
    if (end - at < word.length) {
      return false;
    }
    for (int i = 0; i < word.length; i++) {
      if (bytes[at + i] != word[i]) {
        return false;
      }
    }
    at += word.length;
    return true;
  }

  private int peek() {
    return at < end ? bytes[at] : -1;
  }

  private RecordScan next(char expected) {
    isWrong |= peek() != expected;
    at++;
    return this;
  }

  private long number() {
    boolean isNegative = peek() == '-';
    if (isNegative) {
      at++;
    }
    int first = at;
    long value = 0;
    while (at < end && bytes[at] >= '0' && bytes[at] <= '9') {
      value = value * 10 + (bytes[at++] - '0');
    }
    int digits = at - first;
    // More digits than a long surely has, or none, or a zero in front.
    isWrong |= digits == 0 || digits > 18 || (bytes[first] == '0' && (digits > 1 || isNegative));
    return isNegative ? -value : value;
  }

  private void readScore() {
    hasScore = peek() != 'n';
    if (hasScore) {
      score = number();
    } else {
      isWrong |= !starts(NULL);
    }
  }

  private void readLeaf() {
    next('"');
    if (end - at < 2 * Leaves.LENGTH) {
      isWrong = true;
      return;
    }
    for (int i = 0; i < Leaves.LENGTH; i++) {
      int high = digit(bytes[at++]);
      int low = digit(bytes[at++]);
      isWrong |= high < 0 || low < 0;
      leaf[i] = (byte) (high << 4 | low);
    }
    next('"');
  }

  private static int digit(byte hex) {
    if (hex >= '0' && hex <= '9') {
      return hex - '0';
    }
    return hex >= 'a' && hex <= 'f' ? hex - 'a' + 10 : -1;
  }

  /** One of few that come again and again. */
  private String word() {
    next('"');
    int first = at;
    while (at < end && isPlain(bytes[at])) {
      at++;
    }
    int length = at - first;
    next('"');
    if (isWrong || length > MAX_WORD) {
      isWrong = true;
      return "";
    }
    for (int i = 0; i < known.size(); i++) {
      if (Arrays.equals(known.get(i), 0, known.get(i).length, bytes, first, first + length)) {
        return words.get(i);
      }
    }
    String word = new String(bytes, first, length, StandardCharsets.US_ASCII);
    if (known.size() < MAX_WORDS) {
      known.add(Hashes.utf8(word));
      words.add(word);
    }
    return word;
  }

  private static boolean isPlain(byte c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  }

  /** The same as an object. */
  LogRecord event() {
    return switch (kind) {
      case JOIN ->
          new LogRecord.Join(
              change, time, joined, Hashes.hex(leaf), lane, hasScore ? (Long) score : null, ticket);
      case SETTLE -> new LogRecord.Settle(change, time, joined, lane, score, ticket);
      case ENTER -> new LogRecord.Enter(change, time, joined, until);
      case END -> new LogRecord.End(change, time, joined, status, reason);
      case PASS -> new LogRecord.Pass(change, time, joined);
      case BACK -> new LogRecord.Back(change, time, joined);
    };
  }
}
