package io.naru.server.stream;

import io.naru.line.Spot;
import io.naru.queue.LineState;
import io.naru.server.entry.WaitingJson;
import io.naru.server.http.Ascii;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Messages as a WebSocket carries them: each one JSON object, {@code {"event", "id"?, "data"}}, and
 * {@code retry} in milliseconds where an event stream would have it.
 */
final class SocketFrames implements Frames {

  static final SocketFrames INSTANCE = new SocketFrames();

  private static final int STATUS_SIZE = 576;
  private static final byte[] STATUS = Ascii.text("{\"event\":\"queue-status\",\"id\":\"");
  private static final byte[] DATA = Ascii.text("\",\"data\":");
  private static final byte[] END = Ascii.text("}");

  private SocketFrames() {}

  @Override
  public Buffer retry(int millis) {
    return Buffer.buffer("{\"event\":\"retry\",\"retry\":" + millis + "}");
  }

  @Override
  public Buffer waiting(WaitingJson json, Spot spot, long ticket, LineState line) {
    Ascii out = new Ascii(STATUS_SIZE).add(STATUS).add(spot.change()).add(DATA);
    return json.addTo(out, spot.score(), spot.ahead(), ticket, line, spot.change())
        .add(END)
        .buffer();
  }

  /** Neither an event nor an id has anything in it that JSON would escape. */
  @Override
  public Buffer message(String event, @Nullable String id, Buffer json) {
    return Buffer.buffer()
        .appendString("{\"event\":\"" + event)
        .appendString(id == null ? "" : "\",\"id\":\"" + id)
        .appendString("\",\"data\":")
        .appendBuffer(json)
        .appendString("}");
  }

  @Override
  public Buffer farewell(Farewell why) {
    return Buffer.buffer(
        "{\"event\":\"reconnect\",\"retry\":%d,\"data\":{\"reason\":\"%s\"}}"
            .formatted(why.retry(), why.word()));
  }
}
