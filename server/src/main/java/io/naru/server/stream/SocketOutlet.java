package io.naru.server.stream;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import java.time.Duration;

/** A WebSocket. Nothing is read from it: whoever sends something is told so and sent away. */
final class SocketOutlet implements Outlet {

  private static final short DONE = 1_000;
  private static final short UNREAD = 1_003;
  private static final short TOO_SLOW = 1_008;

  private final ServerWebSocket socket;
  private final String requestId;

  SocketOutlet(ServerWebSocket socket, String requestId) {
    this.socket = socket;
    this.requestId = requestId;
  }

  @Override
  public Frames frames() {
    return SocketFrames.INSTANCE;
  }

  @Override
  public void begin(Runnable whenGone) {
    socket.setWriteQueueMaxSize(MAX_UNSENT);
    socket.closeHandler(_ -> whenGone.run());
    socket.exceptionHandler(_ -> whenGone.run());
    socket.frameHandler(
        frame -> {
          if (frame.isText() || frame.isBinary()) {
            var _ = socket.close(UNREAD, "nothing is read here");
          }
        });
  }

  @Override
  public boolean isFull() {
    return socket.writeQueueFull();
  }

  @Override
  public void send(Buffer... messages) {
    for (Buffer message : messages) {
      var _ = socket.writeTextMessage(message.toString());
    }
  }

  @Override
  public void stillHere() {
    var _ = socket.writePing(Buffer.buffer());
  }

  @Override
  public boolean end(Buffer... messages) {
    if (socket.isClosed()) {
      return false;
    }
    send(messages);
    var _ = socket.close(DONE);
    return true;
  }

  @Override
  public void cut() {
    var _ = socket.shutdown(Duration.ZERO, TOO_SLOW, "");
  }

  @Override
  public String requestId() {
    return requestId;
  }
}
