package io.naru.fair;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers in bytes, the highest first. */
final class Bytes {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private Bytes() {}

  static long getLong(byte[] bytes, int at) {
    return (long) LONGS.get(bytes, at);
  }

  static byte[] ofLong(long value) {
    byte[] bytes = new byte[Long.BYTES];
    LONGS.set(bytes, 0, value);
    return bytes;
  }
}
