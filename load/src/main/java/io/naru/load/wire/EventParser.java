package io.naru.load.wire;

import io.netty.buffer.ByteBuf;

/** Reads the messages of one visitor as their bytes come, however they are cut. */
public interface EventParser {

  void read(ByteBuf in);

  /** Whether the server has ended it as it should. */
  boolean isOver();
}
