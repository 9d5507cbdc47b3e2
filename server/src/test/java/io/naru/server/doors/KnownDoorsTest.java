package io.naru.server.doors;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Doors;
import io.naru.queue.QueueId;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which doors are known. */
class KnownDoorsTest {

  private static final Doors SIGNED =
      new Doors(true, 0, Doors.When.NEVER, Doors.When.NEVER, Doors.Down.OPEN, 60, 60);

  private final KnownDoors known = new KnownDoors();

  @Test
  void learn_afterManyQueuesThatAreGone_stillLearns() {
    for (int i = 0; i < 12_000; i++) {
      known.learn(new QueueId("OLD", "q" + i), Optional.of(SIGNED));
    }
    var sale = new QueueId("SALE", "1");
    known.learn(sale, Optional.of(SIGNED));
    assertThat(known.of(sale)).isEqualTo(SIGNED);

    known.learn(sale, Optional.empty());
    assertThat(known.of(sale)).isNull();
  }
}
