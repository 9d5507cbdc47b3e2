package io.naru.server.entry;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.vertx.core.buffer.Buffer;
import java.util.function.BooleanSupplier;

/**
 * The JSON of somebody who waits. This is what nearly everybody is told nearly always, and only its
 * numbers change, so it is put together by hand; nothing in it needs escaping.
 */
public final class WaitingJson {

  private static final byte[] AHEAD = bytes(",\"ahead\":");
  private static final byte[] WAITING = bytes(",\"totalWaiting\":");
  private static final byte[] ESTIMATE = bytes(",\"estimatedWaitSeconds\":");
  private static final byte[] PAUSED = bytes(",\"paused\":true}");

  private final byte[] head;
  private final byte[] tail;
  private final BooleanSupplier isPaused;

  WaitingJson(EntryKey key, String token, BooleanSupplier isPaused) {
    this.isPaused = isPaused;
    head =
        bytes(
            "{\"eventType\":\""
                + key.queue().type()
                + "\",\"eventId\":\""
                + key.queue().id()
                + "\",\"status\":\"WAITING\",\"entryToken\":\""
                + token
                + "\",\"position\":");
    tail = bytes(",\"joinedAt\":\"" + Micros.iso(key.joined()) + "\",\"change\":");
  }

  /**
   * @param line as it is now, or a little later than at {@code change}
   * @param change the change that the place belongs to
   */
  public Buffer appendTo(Buffer out, long ahead, LineState line, long change) {
    long position = ahead + 1;
    out.appendBytes(head);
    number(out, position).appendBytes(AHEAD);
    number(out, ahead).appendBytes(WAITING);
    number(out, Math.max(position, line.waiting())).appendBytes(ESTIMATE);
    number(out, line.pacing().estimatedWaitSeconds(position)).appendBytes(tail);
    number(out, change);
    return isPaused.getAsBoolean() ? out.appendBytes(PAUSED) : out.appendByte((byte) '}');
  }

  private static Buffer number(Buffer out, long number) {
    return out.appendBytes(bytes(Long.toString(number)));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(ISO_8859_1);
  }
}
