package io.naru.bench.viewers;

import io.naru.load.wire.StreamParser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** One open stream. */
final class Viewer extends ChannelInboundHandlerAdapter implements StreamParser.Events {

  private final Audience audience;
  private final int number;
  private final StreamParser parser;
  private byte[] request;
  private boolean hasBegun;
  private boolean isDone;

  Viewer(Audience audience, int number, byte[] request) {
    this.audience = audience;
    this.number = number;
    this.request = request;
    this.parser = new StreamParser(this, audience.scratch());
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    audience.joined(ctx.channel());
    var _ = ctx.writeAndFlush(Unpooled.wrappedBuffer(request), ctx.voidPromise());
    request = new byte[0];
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    var bytes = (ByteBuf) message;
    try {
      parser.read(bytes);
    } finally {
      bytes.release();
    }
    if (isDone || parser.isOver()) {
      var _ = ctx.close();
    }
  }

  @Override
  public void status(int position, long change) {
    audience.record().shown(number, position, change, System.nanoTime());
    begin(/* well= */ true);
  }

  @Override
  public void entered(String pass) {
    isDone = true;
    audience.letIn(number, pass);
    audience.record().entered(number, System.nanoTime());
    begin(/* well= */ true);
  }

  @Override
  public void ended(String event) {
    fail("the server sent " + event);
  }

  @Override
  public void refused(String head) {
    fail(head.substring(0, Math.min(head.length(), 400)).replaceAll("\\s+", " "));
  }

  private void begin(boolean well) {
    if (!hasBegun) {
      hasBegun = true;
      audience.began(well);
    }
  }

  private void fail(String what) {
    if (!isDone) {
      isDone = true;
      audience.record().failed(what);
      begin(/* well= */ false);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    audience.left(ctx.channel());
    fail("the server closed a stream before its time");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail("broken: " + cause);
    var _ = ctx.close();
  }
}
