package io.naru.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.QueueId;
import java.util.List;
import org.junit.jupiter.api.Test;

class OwnCommitsTest {

  private static final QueueId ONE = new QueueId("OWN", "1");
  private static final QueueId TWO = new QueueId("OWN", "2");

  private final OwnCommits own = new OwnCommits();

  @Test
  void lost_queuesChangedLaterThanWhatIsKnown_once() {
    own.committed(1, List.of(ONE, TWO));
    own.committed(2, List.of(ONE));

    assertThat(own.lost(1)).containsExactly(ONE);
    assertThat(own.lost(1)).isEmpty();
  }

  @Test
  void lost_allIsKnown_none() {
    own.committed(1, List.of(ONE));

    assertThat(own.lost(1)).isEmpty();
    assertThat(own.lost(2)).isEmpty();
  }

  /** Of its session nobody heard, and it went on after another one had left a later number. */
  @Test
  void lost_whatIsKnownCameLate_none() {
    own.unknown(1);
    own.committed(2, List.of(ONE));

    assertThat(own.lost(1)).isEmpty();
    assertThat(own.lost(0)).containsExactly(ONE);
  }
}
