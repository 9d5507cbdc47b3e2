package io.naru.server.webhooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.queue.Secret;
import io.naru.server.keys.Sealing;
import org.junit.jupiter.api.Test;

class SecretsTest {

  private static final Sealing SEALING = Secrets.sealing(new Secret(new byte[32]));

  @Test
  void rotated_signsWithTheFormerUntilThen() {
    Secrets first = Secrets.of("one");
    Secrets second = first.rotated("two", 100, 10);
    Secrets third = second.rotated("three", 60, 20);

    assertThat(first.good(1_000)).containsExactly("one");
    assertThat(second.good(99)).containsExactly("two", "one");
    assertThat(second.good(100)).containsExactly("two");
    assertThat(third.good(50)).containsExactly("three", "two", "one");
    assertThat(third.good(60)).containsExactly("three", "one");
    assertThat(third.rotatingUntil()).isEqualTo(100);
    assertThat(third.rotated("four", 300, 200).all()).as("what is over is gone").hasSize(2);
  }

  @Test
  void text_isSealed_forItsWebhookAlone() {
    Secrets secrets = Secrets.of("whsec_one").rotated("whsec_two", 100, 10);

    String text = secrets.text(SEALING, "01");

    assertThat(text).doesNotContain("whsec").startsWith("0 ");
    assertThat(Secrets.read(SEALING, "01", text)).isEqualTo(secrets);
    assertThatThrownBy(() -> Secrets.read(SEALING, "02", text))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Secrets.read(SEALING, "01", text.replace("100 ", "999 ")))
        .as("nobody makes a former one live longer")
        .isInstanceOf(IllegalArgumentException.class);
  }
}
