package io.naru.server.stream;

import io.naru.server.http.RequestIds;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/** Server-sent events. */
final class EventOutlet implements Outlet {

  private final HttpServerResponse response;

  EventOutlet(HttpServerResponse response) {
    this.response = response;
  }

  @Override
  public Frames frames() {
    return EventFrames.INSTANCE;
  }

  @Override
  public void begin(Runnable whenGone) {
    response.setWriteQueueMaxSize(MAX_UNSENT);
    response.closeHandler(_ -> whenGone.run());
    response.exceptionHandler(_ -> whenGone.run());
  }

  @Override
  public boolean isFull() {
    return response.writeQueueFull();
  }

  @Override
  public void send(Buffer... messages) {
    var _ = response.write(together(messages));
  }

  @Override
  public void stillHere() {
    var _ = response.write(EventFrames.nothing());
  }

  @Override
  public boolean end(Buffer... messages) {
    if (response.ended() || response.closed()) {
      return false;
    }
    var _ = response.end(together(messages));
    return true;
  }

  private static Buffer together(Buffer... messages) {
    if (messages.length == 1) {
      return messages[0];
    }
    Buffer all = Buffer.buffer();
    for (Buffer message : messages) {
      all.appendBuffer(message);
    }
    return all;
  }

  @Override
  public void cut() {
    var _ = response.reset();
  }

  /** As the head of this stream has it, so that it is kept once. */
  @Override
  public String requestId() {
    return response.headers().get(RequestIds.HEADER);
  }
}
