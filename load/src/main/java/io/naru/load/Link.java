package io.naru.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.naru.load.wire.HttpParser;
import io.naru.load.wire.ReplyParser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A connection that many visitors use, one request after the other. */
final class Link extends ChannelInboundHandlerAdapter {

  private static final int LARGEST = 1 << 20;

  private final Worker worker;
  private final HttpParser parser = new HttpParser();
  private byte[] in = new byte[2_048];
  private int size;
  private @Nullable ChannelHandlerContext context;
  private Worker.@Nullable Plan plan;
  private long since;

  Link(Worker worker) {
    this.worker = worker;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    worker.free(this);
  }

  void send(Worker.Plan due, byte[] request, long now) {
    if (context == null) {
      throw new IllegalStateException("not connected");
    }
    plan = due;
    since = now;
    var _ = context.writeAndFlush(Unpooled.wrappedBuffer(request), context.voidPromise());
  }

  /** Gives up if it has had its request, or nothing to do, for longer than that. */
  void sweep(long now, long patience, long rest) {
    if (now - since > (plan == null ? rest : patience)) {
      if (plan != null) {
        failed("no answer within " + patience / 1_000_000_000 + " s");
      }
      close();
    }
  }

  void rested(long now) {
    since = now;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    append((ByteBuf) message);
    Worker.Plan due = plan;
    int end = due == null ? ReplyParser.INCOMPLETE : parser.end(in, 0, size);
    if (due == null || end == ReplyParser.INCOMPLETE) {
      return;
    }
    var reply = new Reply(parser.status(), new String(in, 0, end, ISO_8859_1));
    plan = null;
    size = 0;
    if (parser.closes()) {
      close();
    } else {
      worker.free(this);
    }
    worker.answered(due, reply);
  }

  private void append(ByteBuf bytes) {
    int count = bytes.readableBytes();
    if (size + count > LARGEST) {
      bytes.release();
      throw new IllegalStateException("an answer of more than " + LARGEST + " bytes");
    }
    if (size + count > in.length) {
      in = Arrays.copyOf(in, 2 * Integer.highestOneBit(size + count));
    }
    bytes.readBytes(in, size, count);
    size += count;
    bytes.release();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    worker.gone(this);
    failed("connection closed");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    failed("connection broken");
    close();
  }

  private void failed(String what) {
    Worker.Plan due = plan;
    plan = null;
    if (due != null) {
      worker.failed(due, due.visitor().next.word() + ": " + what, 0);
    }
  }

  void close() {
    if (context != null) {
      var _ = context.close();
    }
  }
}
