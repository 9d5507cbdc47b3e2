package io.naru.server.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Whom one server has seen. */
class LookoutTest {

  private static final QueueId SALE = new QueueId("SALE", "1");
  private static final LineState LINE =
      new LineState(
          1, 100, 1, State.OPEN, Settings.DEFAULT.with(Map.of("absenceGraceSeconds", 30)));

  private final SeenPeople people = new SeenPeople();
  private final Lookout lookout = new Lookout(() -> 0);

  private void see(long joined) {
    lookout.see(new EntryKey(SALE, "user-" + joined, joined), joined, 1, LINE);
  }

  /** The race: somebody shows themselves while it is being said who was seen before. */
  @Test
  void see_whileItIsSaidWhoWasSeen_losesNobody() throws InterruptedException {
    List<Long> all = LongStream.rangeClosed(1, 20_000).boxed().toList();
    var seeing = Thread.ofPlatform().start(() -> all.forEach(this::see));
    while (seeing.isAlive()) {
      lookout.beat(people.store());
    }
    seeing.join();
    lookout.beat(people.store());

    assertThat(people.joined()).containsExactlyInAnyOrderElementsOf(all);
  }
}
