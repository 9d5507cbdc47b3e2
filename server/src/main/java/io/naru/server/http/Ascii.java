package io.naru.server.http;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Puts ready text and numbers together, without making strings of the numbers. */
public final class Ascii {

  /** As many as a {@code long} can have. */
  private static final int MAX_DIGITS = 19;

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

  /**
   * @param number 0 or more
   */
  public Ascii add(long number) {
    makeRoom(MAX_DIGITS);
    int end = length + digits(number);
    long rest = number;
    for (int i = end - 1; i >= length; i--) {
      bytes[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length = end;
    return this;
  }

  private static int digits(long number) {
    int digits = 1;
    for (long rest = number; rest >= 10; rest /= 10) {
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
