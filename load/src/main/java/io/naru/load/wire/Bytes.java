package io.naru.load.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;

/** Finds in JSON what visitors need of it, without reading all of it. */
final class Bytes {

  private Bytes() {}

  static long number(byte[] line, int length, byte[] key) {
    int at = indexOf(line, length, key);
    if (at < 0) {
      return 0;
    }
    long number = 0;
    for (int i = at + key.length; i < length && line[i] >= '0' && line[i] <= '9'; i++) {
      number = number * 10 + line[i] - '0';
    }
    return number;
  }

  static String text(byte[] line, int length, byte[] key) {
    int at = indexOf(line, length, key);
    int from = at + key.length;
    int end = from;
    while (at >= 0 && end < length && line[end] != '"') {
      end++;
    }
    return at < 0 ? "" : new String(line, from, end - from, US_ASCII);
  }

  static boolean startsWith(byte[] line, int length, byte[] start) {
    return length >= start.length && Arrays.equals(line, 0, start.length, start, 0, start.length);
  }

  static int indexOf(byte[] bytes, int length, byte[] word) {
    for (int i = 0; i <= length - word.length; i++) {
      if (bytes[i] == word[0] && Arrays.equals(bytes, i, i + word.length, word, 0, word.length)) {
        return i;
      }
    }
    return -1;
  }
}
