package io.naru.server.log;

import io.naru.journal.LogStore;
import io.naru.memory.MemoryQueues;
import io.naru.queue.Queues;
import java.time.InstantSource;

class MemoryAppenderTest extends AppenderContract {

  private final MemoryQueues memory = new MemoryQueues(InstantSource.system());

  @Override
  Queues queues() {
    return memory;
  }

  @Override
  LogStore logs() {
    return memory;
  }
}
