package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportingTest {

  @Test
  void events_notSet_areAllButThoseThatComeForEachWhoJoins() {
    assertThat(Settings.DEFAULT.reporting().kinds())
        .contains(EventKind.ENTERED, EventKind.SOLD_OUT, EventKind.DELETED)
        .doesNotContain(EventKind.JOINED, EventKind.PLACED)
        .hasSize(EventKind.values().length - 2);
  }

  @Test
  void events_listed_areThese_andComeBackAsTheyWere() {
    Settings some = Settings.DEFAULT.with(Map.of("events", List.of("sold-out", "joined")));

    assertThat(some.reporting().kinds())
        .containsExactlyInAnyOrder(EventKind.JOINED, EventKind.SOLD_OUT);
    assertThat(Settings.ofText(some.text())).isEqualTo(some);
    assertThat(some.needsLedger()).contains("events");
    assertThat(some.deciding()).isEqualTo(Settings.DEFAULT.deciding());
    Settings none = Settings.DEFAULT.with(Map.of("events", List.of()));
    assertThat(none.reporting().kinds()).isEmpty();
    assertThat(Settings.ofText(none.text())).isEqualTo(none);
  }

  @Test
  void events_anythingElse_isNamed() {
    for (Object wrong : List.of("joined", 1, true, List.of("JOINED"), List.of("moves"))) {
      assertThatThrownBy(() -> Settings.DEFAULT.with(Map.of("events", wrong)))
          .isInstanceOf(InvalidValue.class)
          .hasMessageContaining("events")
          .hasMessageContaining("sold-out");
    }
  }

  @Test
  void type_saysWhatItIsAbout() {
    assertThat(EventKind.ENTERED.type()).isEqualTo("io.naru.entry.entered");
    assertThat(EventKind.ERASED.type()).isEqualTo("io.naru.entry.erased");
    assertThat(EventKind.SOLD_OUT.type()).isEqualTo("io.naru.queue.sold-out");
  }
}
