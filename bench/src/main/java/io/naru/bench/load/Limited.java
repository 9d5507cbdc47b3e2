package io.naru.bench.load;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicLong;

/** Traffic that ends. */
final class Limited implements Traffic {

  private final Traffic traffic;
  private final AtomicLong left;

  Limited(Traffic traffic, long requests) {
    this.traffic = traffic;
    this.left = new AtomicLong(requests);
  }

  @Override
  public boolean next(ByteBuf out) {
    return left.getAndDecrement() > 0 && traffic.next(out);
  }
}
