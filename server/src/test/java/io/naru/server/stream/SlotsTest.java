package io.naru.server.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How many streams one subscriber may have. */
class SlotsTest {

  private final Slots slots = new Slots(10, 2);

  private Optional<Slots.Slot> take(String address) {
    return slots.take(Optional.of(address));
  }

  @Test
  void take_addressesOfOneSubscriber_countAsOne() {
    var first = take("2001:db8:1:2::1").orElseThrow();
    assertThat(take("2001:db8:1:2:ffff:ffff:ffff:ffff")).isPresent();
    assertThat(take("2001:db8:1:2:3::4")).isEmpty();
    assertThat(take("2001:db8:1:3::1")).as("of another subscriber").isPresent();

    first.giveBack();
    first.giveBack();
    assertThat(take("2001:db8:1:2:3::4")).isPresent();
    assertThat(take("2001:db8:1:2:3::5")).isEmpty();
    assertThat(slots.open()).isEqualTo(3);
  }

  @Test
  void take_ofIpv4_eachAddressCounts_andProxiesDoNot() {
    for (String address : List.of("192.0.2.1", "192.0.2.1", "192.0.2.2")) {
      assertThat(take(address)).isPresent();
    }
    assertThat(take("192.0.2.1")).isEmpty();
    for (int i = 0; i < 7; i++) {
      assertThat(slots.take(Optional.empty())).isPresent();
    }
    assertThat(slots.take(Optional.empty())).as("all are taken").isEmpty();
  }
}
