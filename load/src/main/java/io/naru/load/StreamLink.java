package io.naru.load;

import io.naru.load.wire.EventParser;
import io.naru.load.wire.SocketParser;
import io.naru.load.wire.StreamParser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.jspecify.annotations.Nullable;

/** The open stream, or WebSocket, of one visitor. */
final class StreamLink extends ChannelInboundHandlerAdapter implements StreamParser.Events {

  private final Worker worker;
  private final Visitor visitor;
  private final long askedAt;
  private final EventParser parser;
  private byte[] request;
  private boolean hasBegun;
  private boolean isOver;
  private long heardAt;
  private @Nullable ChannelHandlerContext context;

  StreamLink(Worker worker, Visitor visitor, Errand.Follow follow, byte[] request, long now) {
    this.worker = worker;
    this.visitor = visitor;
    this.request = request;
    this.askedAt = now;
    this.heardAt = now;
    this.parser =
        follow == Errand.Follow.SOCKET
            ? new SocketParser(this, this::send)
            : new StreamParser(this, worker.scratch());
  }

  Visitor visitor() {
    return visitor;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    send(request);
    request = new byte[0];
    if (isOver) {
      close();
    }
  }

  private void send(byte[] bytes) {
    if (context != null) {
      var _ = context.writeAndFlush(Unpooled.wrappedBuffer(bytes), context.voidPromise());
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    heardAt = System.nanoTime();
    var bytes = (ByteBuf) message;
    try {
      parser.read(bytes);
    } finally {
      bytes.release();
    }
    if (isOver || parser.isOver()) {
      var _ = ctx.close();
    }
  }

  @Override
  public void status(int position, long change) {
    heard();
  }

  @Override
  public void entered(String pass) {
    heard();
    if (end()) {
      worker.told(visitor, pass);
    }
  }

  private void heard() {
    worker.heard(hasBegun ? 0 : heardAt - askedAt);
    hasBegun = true;
  }

  @Override
  public void ended(String event) {
    if (end()) {
      if (event.equals("reconnect")) {
        worker.again(visitor);
      } else {
        worker.lost(visitor, "stream: " + event);
      }
    }
  }

  @Override
  public void refused(String head) {
    broken("stream " + head.substring(9, Math.min(12, head.length())));
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    broken("stream: closed before its time");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    broken("stream: broken");
    var _ = ctx.close();
  }

  /** Dead without knowing it. */
  void sweep(long now, long silence) {
    if (now - heardAt > silence) {
      broken("stream: silent");
      close();
    }
  }

  void broken(String kind) {
    if (end()) {
      worker.withoutStream(visitor, kind);
    }
  }

  /** What happens from here on is not the visitor's any more. */
  boolean end() {
    if (isOver) {
      return false;
    }
    isOver = true;
    worker.ended(this);
    return true;
  }

  void close() {
    if (context != null) {
      var _ = context.close();
    }
  }
}
