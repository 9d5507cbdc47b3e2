package io.naru.server.http;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Puts ready text and numbers together, without making strings of the numbers. */
public final class Ascii {

  /** As much as a {@code long} can need: 19 digits and a sign. */
  private static final int MAX_NUMBER = 20;

  private byte[] bytes;
  private int length;

  public Ascii(int size) {
    bytes = new byte[size];
  }

  public static byte[] text(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  public Ascii add(byte[] text) {
    makeRoom(text.length);
    System.arraycopy(text, 0, bytes, length, text.length);
    length += text.length;
    return this;
  }

  public Ascii add(long number) {
    makeRoom(MAX_NUMBER);
    if (number < 0) {
      bytes[length++] = '-';
    }
    // Below zero there is one number more than above, so that all of them have a place there.
    long rest = number < 0 ? number : -number;
    int end = length + digits(rest);
    for (int i = end - 1; i >= length; i--) {
      bytes[i] = (byte) ('0' - rest % 10);
      rest /= 10;
    }
    length = end;
    return this;
  }

  private static int digits(long negative) {
    int digits = 1;
    for (long rest = negative; rest <= -10; rest /= 10) {
      digits++;
    }
    return digits;
  }

  private void makeRoom(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * (length + more));
    }
  }

  public Buffer buffer() {
    return Buffer.buffer(length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
  }
}
