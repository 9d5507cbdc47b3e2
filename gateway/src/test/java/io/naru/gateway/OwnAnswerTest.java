package io.naru.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.testkit.MachineLocale;
import io.naru.testkit.StrictJson;
import org.junit.jupiter.api.Test;

/** What the gateway answers by itself. */
class OwnAnswerTest {

  @Test
  void problem_whereDigitsLookDifferent_isJson() {
    try (var _ = new MachineLocale("fa-IR")) {
      OwnAnswer answer = OwnAnswer.noPass("CONCERT/1", "https://shop.example");

      assertThat(StrictJson.object(answer.body()))
          .containsEntry("status", 429)
          .containsEntry("waitUrl", "https://shop.example/wait/CONCERT/1");
    }
  }
}
