package io.naru.load.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** As little of HTTP/1.1 as it takes to know the status and where the answer ends. */
public final class HttpParser implements ReplyParser {

  private static final byte[] VERSION = "HTTP/1.".getBytes(US_ASCII);
  private static final byte[] CONTENT_LENGTH = "content-length:".getBytes(US_ASCII);
  private static final byte[] CHUNKED = "transfer-encoding: chunked".getBytes(US_ASCII);
  private static final byte[] CLOSE = "connection: close".getBytes(US_ASCII);
  private static final int STATUS_AT = "HTTP/1.1 ".length();

  private int status;
  private boolean closes;

  @Override
  public int end(byte[] bytes, int from, int to) {
    int line = lineEnd(bytes, from, to);
    if (line < 0) {
      return INCOMPLETE;
    }
    if (!startsWith(bytes, from, line, VERSION)) {
      throw new IllegalStateException(
          "not HTTP/1.x: " + new String(bytes, from, Math.min(line - from, 80), US_ASCII));
    }
    status = number(bytes, from + STATUS_AT, line);
    closes = false;
    boolean chunked = false;
    int length = 0;
    for (int start = line; ; start = line) {
      line = lineEnd(bytes, start, to);
      if (line < 0) {
        return INCOMPLETE;
      }
      if (line == start + 2) {
        break;
      }
      // Only these letters begin a header that matters.
      switch (bytes[start] | 0x20) {
        case 'c' -> {
          if (startsWith(bytes, start, line, CONTENT_LENGTH)) {
            length = number(bytes, start + CONTENT_LENGTH.length, line);
          } else if (startsWith(bytes, start, line, CLOSE)) {
            closes = true;
          }
        }
        case 't' -> chunked |= startsWith(bytes, start, line, CHUNKED);
        default -> {}
      }
    }
    if (chunked) {
      return chunksEnd(bytes, line, to);
    }
    return line + length <= to ? line + length : INCOMPLETE;
  }

  @Override
  public boolean success() {
    return status / 100 == 2;
  }

  @Override
  public boolean closes() {
    return closes;
  }

  public int status() {
    return status;
  }

  private static int chunksEnd(byte[] bytes, int from, int to) {
    int at = from;
    while (true) {
      int line = lineEnd(bytes, at, to);
      if (line < 0) {
        return INCOMPLETE;
      }
      int size = hex(bytes, at, line);
      at = line + size + 2;
      if (at > to) {
        return INCOMPLETE;
      }
      if (size == 0) {
        return at;
      }
    }
  }

  /** The index behind the line's end, or -1. */
  private static int lineEnd(byte[] bytes, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      if (bytes[i] == '\n') {
        return i + 1;
      }
    }
    return INCOMPLETE;
  }

  private static boolean startsWith(byte[] bytes, int from, int to, byte[] lowerCase) {
    if (to - from < lowerCase.length) {
      return false;
    }
    for (int i = 0; i < lowerCase.length; i++) {
      int b = bytes[from + i];
      if (b != lowerCase[i] && (b | 0x20) != lowerCase[i]) {
        return false;
      }
    }
    return true;
  }

  private static int number(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && bytes[at] == ' ') {
      at++;
    }
    int number = 0;
    for (; at < to && bytes[at] >= '0' && bytes[at] <= '9'; at++) {
      number = number * 10 + bytes[at] - '0';
    }
    return number;
  }

  private static int hex(byte[] bytes, int from, int to) {
    int number = 0;
    for (int at = from; at < to; at++) {
      int digit = Character.digit(bytes[at], 16);
      if (digit < 0) {
        break;
      }
      number = number * 16 + digit;
    }
    return number;
  }
}
