package io.naru.server.stream;

import io.naru.line.Spot;
import io.naru.queue.LineState;
import io.naru.server.entry.WaitingJson;
import io.naru.server.http.Ascii;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Messages as {@code text/event-stream} writes them. The data is JSON on one line, so nothing in it
 * can end a message.
 */
final class EventFrames implements Frames {

  static final EventFrames INSTANCE = new EventFrames();

  private static final int STATUS_SIZE = 576;
  private static final byte[] STATUS = Ascii.text("event: queue-status\nid: ");
  private static final byte[] DATA = Ascii.text("\ndata: ");
  private static final byte[] END = Ascii.text("\n\n");

  private EventFrames() {}

  @Override
  public Buffer retry(int millis) {
    return Buffer.buffer("retry: " + millis + "\n\n");
  }

  @Override
  public Buffer waiting(WaitingJson json, Spot spot, long ticket, LineState line) {
    Ascii out = new Ascii(STATUS_SIZE).add(STATUS).add(spot.change()).add(DATA);
    return json.addTo(out, spot.score(), spot.ahead(), ticket, line, spot.change())
        .add(END)
        .buffer();
  }

  @Override
  public Buffer message(String event, @Nullable String id, Buffer json) {
    return Buffer.buffer()
        .appendString("event: " + event + (id == null ? "" : "\nid: " + id) + "\ndata: ")
        .appendBuffer(json)
        .appendString("\n\n");
  }

  /** Keeps a connection alive that has nothing to say. */
  static Buffer nothing() {
    return Buffer.buffer(":\n\n");
  }

  @Override
  public Buffer farewell(Farewell why) {
    return Buffer.buffer(
        "event: reconnect\nretry: %d\ndata: {\"reason\":\"%s\"}\n\n"
            .formatted(why.retry(), why.word()));
  }
}
