package io.naru.server.http;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.impl.buffer.VertxByteBufAllocator;

/**
 * Buffers with room to spare, so that a small answer goes out in one piece. Netty puts a body
 * behind its head where there is room, but makes that only for one of at most 128 bytes. A place in
 * line takes some 400: sent apart it costs a second buffer, two more promises and a dearer system
 * call.
 *
 * <p>Only for what reads and writes HTTP. Elsewhere Netty relies on a buffer that is no larger than
 * was asked for: {@code ByteBufUtil.readBytes} fills the one that it has made to the brim, and
 * whoever reads frames of WebSockets would find too few bytes for that.
 */
final class RoomyBuffers extends AbstractByteBufAllocator {

  /** A head of ours takes about 200 bytes. */
  private static final int LEAST = 1_024;

  /** What connections of Vert.x have: it takes back into a pool what came out of this one. */
  private static final ByteBufAllocator PLAIN = VertxByteBufAllocator.POOLED_ALLOCATOR;

  static final RoomyBuffers ROOMY = new RoomyBuffers();

  private RoomyBuffers() {
    super(true);
  }

  /**
   * Has a connection use them. Vert.x has no option for it, hence the look behind its interface.
   */
  static void give(HttpConnection connection) {
    allocate(connection, ROOMY);
  }

  /** Before it becomes a WebSocket. */
  static void takeBack(HttpConnection connection) {
    allocate(connection, PLAIN);
  }

  private static void allocate(HttpConnection connection, ByteBufAllocator buffers) {
    var channel = ((HttpServerConnection) connection).channelHandlerContext().channel();
    channel.config().setAllocator(buffers);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    return PLAIN.directBuffer(Math.clamp(LEAST, initialCapacity, maxCapacity), maxCapacity);
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return PLAIN.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return PLAIN.isDirectBufferPooled();
  }
}
