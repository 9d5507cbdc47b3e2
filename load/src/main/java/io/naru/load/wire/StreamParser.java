package io.naru.load.wire;

import static io.naru.load.wire.Bytes.indexOf;
import static io.naru.load.wire.Bytes.startsWith;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Reads a stream of server-sent events over chunked HTTP/1.1 as its bytes come, however they are
 * cut. Events mostly come whole, so between two reads it keeps nothing but a few numbers.
 */
public final class StreamParser implements EventParser {

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
  private final Message message = new Message();

  public StreamParser(Events events, Scratch scratch) {
    this.events = events;
    this.scratch = scratch;
  }

  @Override
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

  /** With the last chunk. */
  @Override
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
      message.read(line, length);
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
    message.tell(name, events);
    name = "";
  }
}
