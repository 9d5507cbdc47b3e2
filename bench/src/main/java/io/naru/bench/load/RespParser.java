package io.naru.bench.load;

import io.naru.load.wire.ReplyParser;

/** The replies of Redis that are one line long: status, error, number, nil. */
public final class RespParser implements ReplyParser {

  private boolean success;

  @Override
  public int end(byte[] bytes, int from, int to) {
    for (int i = from + 2; i < to; i++) {
      if (bytes[i] == '\n') {
        success = bytes[from] == ':' || bytes[from] == '+';
        return i + 1;
      }
    }
    return INCOMPLETE;
  }

  @Override
  public boolean success() {
    return success;
  }

  @Override
  public boolean closes() {
    return false;
  }
}
