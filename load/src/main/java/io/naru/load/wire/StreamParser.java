package io.naru.load.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Reads a stream of server-sent events over chunked HTTP/1.1 as its bytes come, however they are
 * cut. Events mostly come whole, so between two reads it keeps nothing but a few numbers.
 */
public final class StreamParser {

  /** What the server said. */
  public interface Events {

    void status(int position, long change);

    /**
     * @param pass empty if the server gave none
     */
    void entered(String pass);

    /** An event after which nothing more is to be expected, by its name. */
    void ended(String event);

    /** An answer other than a stream. */
    void refused(String head);
  }

  private enum Phase {
    HEAD,
    SIZE,
    DATA,
    AFTER_DATA,
    OVER
  }

  private static final int LONGEST_LINE = 16 * 1024;
  private static final byte[] NOTHING = {};
  private static final byte[] HEAD_END = "\r\n\r\n".getBytes(US_ASCII);
  private static final byte[] OK = " 200".getBytes(US_ASCII);
  private static final byte[] EVENT = "event:".getBytes(US_ASCII);
  private static final byte[] DATA = "data:".getBytes(US_ASCII);
  private static final byte[] STATUS_NAME = "queue-status".getBytes(US_ASCII);
  private static final byte[] ENTERED_NAME = "queue-entered".getBytes(US_ASCII);
  private static final byte[] POSITION = "\"position\":".getBytes(US_ASCII);
  private static final byte[] CHANGE = "\"change\":".getBytes(US_ASCII);
  private static final byte[] PASS = "\"pass\":\"".getBytes(US_ASCII);
  private static final byte[] IS_ENTERED = "\"status\":\"ENTERED\"".getBytes(US_ASCII);

  /** A line in the making; all parsers of a thread share it, since none keeps anything there. */
  public static final class Scratch {
    private final byte[] bytes = new byte[LONGEST_LINE];
  }

  private final Events events;
  private final Scratch scratch;
  private Phase phase = Phase.HEAD;
  private int chunkLeft;
  private byte[] carried = NOTHING;
  private String name = "";
  private boolean hasData;
  private boolean isEntered;
  private String pass = "";
  private int position;
  private long change;

  public StreamParser(Events events, Scratch scratch) {
    this.events = events;
    this.scratch = scratch;
  }

  public void read(ByteBuf in) {
    while (in.isReadable()) {
      switch (phase) {
        case HEAD -> head(in);
        case SIZE -> size(in.readByte());
        case DATA -> data(in);
        case AFTER_DATA -> {
          if (in.readByte() == '\n') {
            phase = Phase.SIZE;
          }
        }
        case OVER -> in.skipBytes(in.readableBytes());
      }
    }
  }

  /** Whether the server has ended the stream as it should: with the last chunk. */
  public boolean isOver() {
    return phase == Phase.OVER;
  }

  private void head(ByteBuf in) {
    carry(in, in.readableBytes());
    int end = indexOf(carried, carried.length, HEAD_END);
    if (end < 0) {
      return;
    }
    if (indexOf(carried, Math.min(carried.length, 13), OK) < 0) {
      phase = Phase.OVER;
      events.refused(new String(carried, UTF_8));
    } else {
      phase = Phase.SIZE;
      // What follows the head is still in the buffer.
      in.readerIndex(in.readerIndex() - (carried.length - end - HEAD_END.length));
    }
    carried = NOTHING;
  }

  private void size(byte b) {
    if (b == '\n') {
      phase = chunkLeft == 0 ? Phase.OVER : Phase.DATA;
    } else if (b != '\r') {
      chunkLeft = chunkLeft * 16 + Character.digit(b, 16);
    }
  }

  private void data(ByteBuf in) {
    int available = Math.min(chunkLeft, in.readableBytes());
    int length = in.bytesBefore(available, (byte) '\n');
    if (length < 0) {
      carry(in, available);
      chunkLeft -= available;
    } else {
      int size = carried.length + length;
      if (size > LONGEST_LINE) {
        throw new IllegalStateException("a line of " + size + " bytes");
      }
      System.arraycopy(carried, 0, scratch.bytes, 0, carried.length);
      in.readBytes(scratch.bytes, carried.length, length).skipBytes(1);
      carried = NOTHING;
      chunkLeft -= length + 1;
      line(scratch.bytes, size);
    }
    if (chunkLeft == 0) {
      phase = Phase.AFTER_DATA;
    }
  }

  private void carry(ByteBuf in, int count) {
    int before = carried.length;
    if (before + count > LONGEST_LINE) {
      throw new IllegalStateException("no end after " + (before + count) + " bytes");
    }
    carried = Arrays.copyOf(carried, before + count);
    in.readBytes(carried, before, count);
  }

  private void line(byte[] line, int length) {
    if (length == 0) {
      dispatch();
    } else if (startsWith(line, length, DATA)) {
      hasData = true;
      position = (int) number(line, length, POSITION);
      change = number(line, length, CHANGE);
      isEntered = indexOf(line, length, IS_ENTERED) >= 0;
      pass = isEntered ? text(line, length, PASS) : "";
    } else if (startsWith(line, length, EVENT)) {
      name = name(line, length);
    }
  }

  private static String name(byte[] line, int length) {
    // The two that come all the time make no new text.
    if (indexOf(line, length, STATUS_NAME) > 0) {
      return "queue-status";
    }
    return indexOf(line, length, ENTERED_NAME) > 0
        ? "queue-entered"
        : new String(line, EVENT.length, length - EVENT.length, UTF_8).strip();
  }

  private void dispatch() {
    if (!hasData) {
      return;
    }
    hasData = false;
    // Some servers have no event of its own for being let in.
    if (isEntered) {
      events.entered(pass);
    } else if (name.equals("queue-status")) {
      events.status(position, change);
    } else if (!name.equals("queue-board")) {
      events.ended(name);
    }
    name = "";
  }

  private static long number(byte[] line, int length, byte[] key) {
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

  private static String text(byte[] line, int length, byte[] key) {
    int at = indexOf(line, length, key);
    int from = at + key.length;
    int end = from;
    while (at >= 0 && end < length && line[end] != '"') {
      end++;
    }
    return at < 0 ? "" : new String(line, from, end - from, US_ASCII);
  }

  private static boolean startsWith(byte[] line, int length, byte[] start) {
    return length >= start.length && Arrays.equals(line, 0, start.length, start, 0, start.length);
  }

  private static int indexOf(byte[] bytes, int length, byte[] word) {
    for (int i = 0; i <= length - word.length; i++) {
      if (bytes[i] == word[0] && Arrays.equals(bytes, i, i + word.length, word, 0, word.length)) {
        return i;
      }
    }
    return -1;
  }
}
