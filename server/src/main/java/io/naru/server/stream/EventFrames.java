package io.naru.server.stream;

import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Messages as {@code text/event-stream} writes them. The data is JSON on one line, so nothing in it
 * can end a message.
 */
final class EventFrames implements Frames {

  static final EventFrames INSTANCE = new EventFrames();

  private static final Around STATUS = new Around("event: queue-status\nid: ", "\ndata: ", "\n\n");

  private EventFrames() {}

  @Override
  public Buffer retry(int millis) {
    return Buffer.buffer("retry: " + millis + "\n\n");
  }

  @Override
  public Around aroundStatus() {
    return STATUS;
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
        "event: reconnect\nretry: %s\ndata: {\"reason\":\"%s\"}\n\n"
            .formatted(why.retry(), why.word()));
  }
}
