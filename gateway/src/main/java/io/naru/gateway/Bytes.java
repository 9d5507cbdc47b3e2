package io.naru.gateway;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** What has arrived over a connection and is not read yet. */
final class Bytes {

  private Bytes() {}

  /** Both as one. There is something left only within a head, so what is copied is little. */
  static ByteBuf joined(@Nullable ByteBuf before, ByteBuf more) {
    if (before == null) {
      return more;
    }
    ByteBuf joined = before.alloc().buffer(before.readableBytes() + more.readableBytes());
    joined.writeBytes(before).writeBytes(more);
    before.release();
    more.release();
    return joined;
  }

  /** The same, or null where all of it is read. */
  static @Nullable ByteBuf rest(@Nullable ByteBuf arrived) {
    return arrived != null && arrived.isReadable() ? arrived : dropped(arrived);
  }

  static @Nullable ByteBuf dropped(@Nullable ByteBuf arrived) {
    if (arrived != null) {
      arrived.release();
    }
    return null;
  }
}
