package io.naru.bench.load;

import io.naru.load.wire.ReplyParser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One keep-alive connection, which sends what is due as soon as it may. */
final class Connection extends ChannelInboundHandlerAdapter {

  private final Worker worker;
  // One buffer for all requests: the next is written only after the reply to the last has come.
  private final ByteBuf out;
  private final long[] dueAt;
  private byte[] in = new byte[8 * 1024];
  private int size;
  private int first;
  private int underWay;
  private boolean idle;
  private @Nullable ChannelHandlerContext context;

  Connection(Worker worker) {
    this.worker = worker;
    this.out = Unpooled.directBuffer(256 * worker.depth());
    this.dueAt = new long[worker.depth()];
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    worker.opened(this);
  }

  /** Sends until as many requests are under way as there may be. */
  void fill(long now) {
    if (context == null) {
      return;
    }
    ByteBuf buffer = writable(context.alloc());
    var schedule = worker.schedule();
    boolean more = true;
    while (underWay < dueAt.length && schedule.isDue(now)) {
      more = worker.traffic().next(buffer);
      if (!more) {
        break;
      }
      dueAt[(first + underWay++) % dueAt.length] = schedule.take(now);
    }
    if (buffer.isReadable()) {
      var _ = context.writeAndFlush(buffer, context.voidPromise());
    } else {
      buffer.release();
    }
    if (underWay > 0) {
      return;
    }
    if (more && !schedule.isOver(now)) {
      worker.resting(this);
    } else {
      idle = true;
      worker.idle();
    }
  }

  private ByteBuf writable(ByteBufAllocator allocator) {
    // With several requests under way the last write may still be in the socket's queue.
    return dueAt.length == 1 && out.refCnt() == 1
        ? out.clear().retain()
        : allocator.directBuffer(out.capacity());
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    var now = System.nanoTime();
    append((ByteBuf) message);
    var parser = worker.parser();
    int from = 0;
    boolean closes = false;
    while (from < size && underWay > 0) {
      int end = parser.end(in, from, size);
      if (end == ReplyParser.INCOMPLETE) {
        break;
      }
      worker.answered(in, from, end, dueAt[first], now);
      first = (first + 1) % dueAt.length;
      underWay--;
      closes |= parser.closes();
      from = end;
    }
    if (from == 0) {
      return;
    }
    System.arraycopy(in, from, in, 0, size - from);
    size -= from;
    if (closes) {
      var _ = ctx.close();
    } else {
      fill(now);
    }
  }

  private void append(ByteBuf bytes) {
    int count = bytes.readableBytes();
    if (size + count > in.length) {
      in = Arrays.copyOf(in, Integer.highestOneBit(size + count) * 2);
    }
    bytes.readBytes(in, size, count);
    size += count;
    bytes.release();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    out.release();
    worker.closed(this, idle, underWay);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      var _ = ctx.close();
    } else {
      worker.broken(cause);
    }
  }

  void close() {
    if (context != null) {
      var _ = context.close();
    }
  }
}
