package io.naru.example.concert;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class SeatTest {

  @Test
  void all_isTheWholeHallOnce() {
    assertThat(Seat.ALL)
        .hasSize(200)
        .doesNotHaveDuplicates()
        .startsWith(new Seat("A1"))
        .endsWith(new Seat("J20"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"A1", "A20", "C7", "J20"})
  void of_seatOfTheHall_isIt(String name) {
    assertThat(Seat.of(name)).contains(new Seat(name));
  }

  @ParameterizedTest
  @NullAndEmptySource
  @ValueSource(strings = {"A0", "A21", "K1", "a1", "A01", " A1", "A1' OR '1'='1", "<b>"})
  void of_anythingElse_isNone(@Nullable String name) {
    assertThat(Seat.of(name)).isEmpty();
  }
}
