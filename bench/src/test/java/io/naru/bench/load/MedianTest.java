package io.naru.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MedianTest {

  @Test
  void of_oddAndEvenCounts_isTheMiddle() {
    assertThat(Median.of(List.of(5, 1, 900), Integer::doubleValue)).isEqualTo(5);
    assertThat(Median.of(List.of(4, 1, 900, 6), Integer::doubleValue)).isEqualTo(5);
  }
}
