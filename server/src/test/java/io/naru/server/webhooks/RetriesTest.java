package io.naru.server.webhooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.naru.webhook.Delivery.State;
import io.naru.webhook.Tried;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class RetriesTest {

  private static final Answer BUSY = new Answer(503, "answered 503", 0);

  private static Duration of(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  @Test
  void failed_isTriedAgainForADay_withPausesThatGrow() {
    Duration all = Duration.ZERO;
    int tries = 0;
    Tried tried = Retries.failed(BUSY, tries, 0, 1);
    while (tried.state() == State.PENDING) {
      all = all.plus(of(tried.againMicros()));
      tried = Retries.failed(BUSY, ++tries, 0, 1);
    }

    assertThat(tried.state()).isEqualTo(State.FAILED);
    assertThat(tries + 1).isEqualTo(Retries.MAX_TRIES);
    assertThat(all).isBetween(Duration.ofHours(23), Duration.ofHours(24));
    assertThat(of(Retries.failed(BUSY, 0, 0, 1).againMicros())).hasSeconds(5);
    assertThat(of(Retries.failed(BUSY, 1, 0, 1).againMicros())).hasMinutes(5);
    assertThat(of(Retries.failed(BUSY, 0, 0, 0).againMicros())).hasSeconds(4);
  }

  @Test
  void failed_leavesTheReceiverAlone_longerEachTime_butNeverForLong() {
    assertThat(of(Retries.failed(BUSY, 0, 0, 1).restMicros())).hasSeconds(1);
    assertThat(of(Retries.failed(BUSY, 0, 1, 1).restMicros())).hasSeconds(2);
    assertThat(of(Retries.failed(BUSY, 0, 5, 1).restMicros())).hasSeconds(32);
    assertThat(of(Retries.failed(BUSY, 0, 6, 1).restMicros())).hasSeconds(60);
    assertThat(of(Retries.failed(BUSY, 0, 1_000_000, 1).restMicros())).hasSeconds(60);
  }

  @Test
  void retryAfter_isRespected_withinBounds() {
    Tried asked = Retries.failed(new Answer(429, "x", 120), 0, 0, 0);
    Tried forever = Retries.failed(new Answer(429, "x", 999_999_999), 0, 0, 0);
    Tried never = Retries.failed(new Answer(429, "x", Long.MIN_VALUE / 2_000_000), 0, 0, 1);

    assertThat(of(asked.againMicros())).hasSeconds(120);
    assertThat(of(asked.restMicros())).hasSeconds(120);
    assertThat(of(forever.againMicros())).hasHours(1);
    assertThat(of(forever.restMicros())).hasHours(1);
    assertThat(of(never.againMicros())).hasSeconds(5);
  }
}
