package io.naru.load.wire;

import static io.naru.load.wire.Bytes.indexOf;
import static io.naru.load.wire.Bytes.text;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Reads a WebSocket (RFC 6455) with the messages of a stream, as much of it as a Naru sends: whole
 * text messages, pings, and the end.
 */
public final class SocketParser implements EventParser {

  /**
   * Asks for one, behind the first line of a request and its host. The key is the same each time:
   * it guards against caches that answer by mistake, and those do not answer 101.
   */
  public static final String UPGRADE =
      """
      Upgrade: websocket\r
      Connection: Upgrade\r
      Sec-WebSocket-Version: 13\r
      Sec-WebSocket-Key: bmFydS1sb2FkLXBlb3BsZQ==\r
      \r
      """;

  private enum Phase {
    HEAD,
    FRAMES,
    OVER
  }

  private static final int LONGEST = 16 * 1024;
  private static final int WHOLE = 0x80;
  private static final int TEXT = 1;
  private static final int CLOSE = 8;
  private static final int PING = 9;
  private static final int PONG = 10;
  private static final int MASKED = 0x80;
  private static final int TWO_BYTES = 126;
  private static final byte[] NOTHING = {};
  private static final byte[] HEAD_END = "\r\n\r\n".getBytes(US_ASCII);
  private static final byte[] SWITCHED = " 101".getBytes(US_ASCII);
  private static final byte[] EVENT = "\"event\":\"".getBytes(US_ASCII);

  private final StreamParser.Events events;
  private final Consumer<byte[]> answer;
  private final Message message = new Message();
  private Phase phase = Phase.HEAD;
  private byte[] carried = NOTHING;

  /**
   * @param answer sends bytes to the server
   */
  public SocketParser(StreamParser.Events events, Consumer<byte[]> answer) {
    this.events = events;
    this.answer = answer;
  }

  @Override
  public void read(ByteBuf in) {
    int before = carried.length;
    carried = Arrays.copyOf(carried, before + in.readableBytes());
    in.readBytes(carried, before, carried.length - before);
    if (phase == Phase.HEAD) {
      head();
    }
    if (phase == Phase.FRAMES) {
      frames();
    }
    if (phase == Phase.OVER) {
      carried = NOTHING;
    } else if (carried.length > LONGEST) {
      throw new IllegalStateException("no end after " + carried.length + " bytes");
    }
  }

  /** With a close frame. */
  @Override
  public boolean isOver() {
    return phase == Phase.OVER;
  }

  private void head() {
    int end = indexOf(carried, carried.length, HEAD_END);
    if (end < 0) {
      return;
    }
    if (indexOf(carried, Math.min(carried.length, 13), SWITCHED) < 0) {
      phase = Phase.OVER;
      events.refused(new String(carried, UTF_8));
      return;
    }
    phase = Phase.FRAMES;
    carried = Arrays.copyOfRange(carried, end + HEAD_END.length, carried.length);
  }

  /** Those that are there in full; what is left over is the begin of the next. */
  private void frames() {
    int at = 0;
    while (phase == Phase.FRAMES && at + 2 <= carried.length) {
      int length = carried[at + 1] & 0xff;
      int from = at + 2;
      if (length == TWO_BYTES) {
        if (at + 4 > carried.length) {
          break;
        }
        length = ((carried[at + 2] & 0xff) << 8) | (carried[at + 3] & 0xff);
        from = at + 4;
      }
      // Also what is masked, which a server must not do, or takes eight bytes to say how long it
      // is.
      if (length > LONGEST || (carried[at + 1] & 0xff) > TWO_BYTES) {
        throw new IllegalStateException("no such frame is expected: " + (carried[at + 1] & 0xff));
      }
      if (from + length > carried.length) {
        break;
      }
      frame(carried[at] & 0xff, Arrays.copyOfRange(carried, from, from + length));
      at = from + length;
    }
    carried = at == carried.length ? NOTHING : Arrays.copyOfRange(carried, at, carried.length);
  }

  private void frame(int head, byte[] payload) {
    switch (head) {
      case WHOLE | TEXT -> {
        String event = text(payload, payload.length, EVENT);
        // It says when to come back, which the crowd knows anyway.
        if (!event.equals("retry")) {
          message.read(payload, payload.length);
          message.tell(event, events);
        }
      }
      case WHOLE | PING -> answer.accept(frameOf(PONG, payload));
      case WHOLE | CLOSE -> {
        answer.accept(frameOf(CLOSE, payload));
        phase = Phase.OVER;
      }
      case WHOLE | PONG -> {}
      default -> throw new IllegalStateException("no such frame is expected: " + head);
    }
  }

  /** A short frame of ours; with a mask of zeros, which leaves its bytes as they are. */
  private static byte[] frameOf(int kind, byte[] payload) {
    byte[] frame = new byte[6 + payload.length];
    frame[0] = (byte) (WHOLE | kind);
    frame[1] = (byte) (MASKED | payload.length);
    System.arraycopy(payload, 0, frame, 6, payload.length);
    return frame;
  }
}
