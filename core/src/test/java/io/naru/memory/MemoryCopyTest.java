package io.naru.memory;

import io.naru.line.LineCopy;
import io.naru.line.LineCopyContract;

class MemoryCopyTest extends LineCopyContract {

  private final LineCopy copy = new MemoryCopy();

  @Override
  protected LineCopy copy() {
    return copy;
  }
}
