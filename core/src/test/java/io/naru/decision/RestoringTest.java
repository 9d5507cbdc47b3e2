package io.naru.decision;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.EndReason;
import io.naru.queue.Entry.Status;
import io.naru.queue.Owed;
import io.naru.transfer.MovedEntry;
import org.junit.jupiter.api.Test;

class RestoringTest {

  private static final long CREATED = 90_000_123_456L;

  private static Restoring of(long... joined) {
    Restoring restoring = Restoring.begin("5a".repeat(32), joined.length);
    for (long each : joined) {
      restoring = restoring.with(waiting(each));
    }
    return restoring;
  }

  private static MovedEntry waiting(long joined) {
    return new MovedEntry(
        "user" + joined,
        joined,
        joined,
        0,
        Status.WAITING,
        0,
        0,
        0,
        "",
        EndReason.NONE,
        Owed.NOTHING);
  }

  @Test
  void born_peopleCameAlong_isInTheSecondBeforeTheFirstOfThem() {
    Restoring restoring = of(7_000_000_000L, 5_000_000_000L, 6_000_000_000L);

    assertThat(restoring.born(CREATED)).isBetween(4_999_000_000L, 4_999_999_999L);
    assertThat(restoring.born(CREATED)).isNotEqualTo(restoring.born(CREATED + 1));
    assertThat(of(3).born(CREATED)).isEqualTo(1);
  }

  @Test
  void born_nobodyCameAlong_isWhenItWasMade() {
    assertThat(of().born(CREATED)).isEqualTo(CREATED);
  }

  @Test
  void text_isReadAgain_alsoThatOfBefore() {
    Restoring restoring = of(5, 6).whole();
    String text = restoring.text();

    assertThat(Restoring.ofText(text)).isEqualTo(restoring);
    String before = text.substring(0, text.lastIndexOf(' '));
    assertThat(requireNonNull(Restoring.ofText(before)).born(CREATED)).isEqualTo(CREATED);
  }
}
