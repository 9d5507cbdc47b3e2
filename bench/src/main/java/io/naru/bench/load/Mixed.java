package io.naru.bench.load;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicLong;

/** One request of the first kind, then nine of the second, and again. */
public final class Mixed implements Traffic {

  private static final int CYCLE = 10;

  private final Traffic one;
  private final Traffic nine;
  private final AtomicLong turn = new AtomicLong();

  public Mixed(Traffic one, Traffic nine) {
    this.one = one;
    this.nine = nine;
  }

  @Override
  public boolean next(ByteBuf out) {
    return turn.getAndIncrement() % CYCLE == 0 ? one.next(out) : nine.next(out);
  }
}
