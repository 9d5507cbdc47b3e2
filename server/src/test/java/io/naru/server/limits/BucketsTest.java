package io.naru.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BucketsTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  // A clock of any beginning, also one that is about to turn over.
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - SECOND);
  private final Buckets buckets = new Buckets(60, 3, now::get);

  @Test
  void take_moreThanABucketHolds_waitsForTheNext() {
    assertThat(buckets.take(1)).isZero();
    assertThat(buckets.take(1)).isZero();
    assertThat(buckets.take(1)).isZero();
    assertThat(buckets.take(1)).isEqualTo(SECOND);
    assertThat(buckets.take(1)).as("asking costs nothing").isEqualTo(SECOND);
    assertThat(buckets.take(2)).as("another address").isZero();

    now.addAndGet(SECOND / 4);
    assertThat(buckets.take(1)).isEqualTo(SECOND * 3 / 4);
    now.addAndGet(SECOND * 3 / 4);
    assertThat(buckets.take(1)).isZero();
    assertThat(buckets.take(1)).isEqualTo(SECOND);
  }

  @Test
  void take_afterALongTime_isAFullBucketAndNoMore() {
    for (int i = 0; i < 3; i++) {
      assertThat(buckets.take(1)).isZero();
    }
    now.addAndGet(1_000 * SECOND);

    for (int i = 0; i < 3; i++) {
      assertThat(buckets.take(1)).isZero();
    }
    assertThat(buckets.take(1)).isPositive();
  }

  @Test
  void take_anyNumberOfAddresses_keepsBoundedMemory() {
    for (long address = 0; address < 3L * Buckets.MAX_KEPT; address++) {
      assertThat(buckets.take(address)).isZero();
    }
    assertThat(buckets.kept()).isEqualTo(Buckets.MAX_KEPT);

    now.addAndGet(SECOND);
    assertThat(buckets.take(-1)).isZero();
    assertThat(buckets.kept()).as("full ones are forgotten").isEqualTo(1);
  }
}
