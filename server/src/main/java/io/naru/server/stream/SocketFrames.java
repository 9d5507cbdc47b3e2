package io.naru.server.stream;

import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Messages as a WebSocket carries them: each one JSON object, {@code {"event", "id"?, "data"}}, and
 * {@code retry} in milliseconds where an event stream would have it.
 */
final class SocketFrames implements Frames {

  static final SocketFrames INSTANCE = new SocketFrames();

  private static final Around STATUS =
      new Around("{\"event\":\"queue-status\",\"id\":\"", "\",\"data\":", "}");

  private SocketFrames() {}

  @Override
  public Buffer retry(int millis) {
    return Buffer.buffer("{\"event\":\"retry\",\"retry\":" + millis + "}");
  }

  @Override
  public Around aroundStatus() {
    return STATUS;
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
        "{\"event\":\"reconnect\",\"retry\":%s,\"data\":{\"reason\":\"%s\"}}"
            .formatted(why.retry(), why.word()));
  }
}
