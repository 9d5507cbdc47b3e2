package io.naru.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.queue.InvalidValue;
import io.naru.queue.QueueId;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReachTest {

  @Test
  void includes_whatIsNamed_andNothingElse() {
    var reach = Reach.of(List.of("SALE/1", "CONCERT/*"));

    assertThat(reach.includes(new QueueId("SALE", "1"))).isTrue();
    assertThat(reach.includes(new QueueId("CONCERT", "any"))).isTrue();
    assertThat(reach.includes(new QueueId("SALE", "10"))).isFalse();
    assertThat(reach.includes(new QueueId("CONCERTS", "1"))).isFalse();
    assertThat(reach.includes(new QueueId("OTHER", "1"))).isFalse();
    assertThat(Reach.ALL.includes(new QueueId("OTHER", "1"))).isTrue();
  }

  @Test
  void names_areInOrder_withoutThoseOfAWholeType() {
    var reach = Reach.of(List.of("SALE/2", "SALE/1", "SALE/2", "CONCERT/7", "CONCERT/*"));

    assertThat(reach.names()).containsExactly("CONCERT/*", "SALE/1", "SALE/2");
    assertThat(Reach.ofText(reach.text())).isEqualTo(reach);
    assertThat(Reach.ofText(Reach.ALL.text())).isEqualTo(Reach.ALL);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "*", "/", "*/*", "SALE", "SALE/", "/1", "sale/1", "SALE/**", "A/b c"})
  void of_noName_isRefused(String name) {
    assertThatThrownBy(() -> Reach.of(List.of("SALE/1", name))).isInstanceOf(InvalidValue.class);
  }

  @Test
  void of_noneOrTooMany_isRefused() {
    assertThatThrownBy(() -> Reach.of(List.of())).isInstanceOf(InvalidValue.class);
    assertThatThrownBy(() -> Reach.of(Collections.nCopies(51, "SALE/1")))
        .isInstanceOf(InvalidValue.class);
  }
}
