package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdmissionTest {

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void byHand_ofNobody_isRefused(int count) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Admission.ByHand(count, Actor.SYSTEM));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100_000})
  void byHand_ofSomebody_isTaken(int count) {
    assertThat(new Admission.ByHand(count, Actor.SYSTEM).count()).isEqualTo(count);
  }
}
