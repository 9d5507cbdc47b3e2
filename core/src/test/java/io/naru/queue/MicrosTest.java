package io.naru.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.support.Seeded;
import io.naru.support.SettableClock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MicrosTest {

  private static final DateTimeFormatter SIX_DIGITS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static final long FROM = Micros.of(Instant.parse("1600-01-01T00:00:00Z"));
  private static final long TO = Micros.of(Instant.parse("9999-12-31T23:59:59.999999Z"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-01-01T00:00:00Z",
        "2026-11-15T12:00:00.123456Z",
        "2026-11-15T12:00:00.100000Z",
        "2026-11-15T12:00:00.000001Z",
        "2026-02-28T23:59:59.999999Z",
        "2028-02-29T00:00:00Z",
        "2100-02-28T23:59:59.999999Z",
        "2100-03-01T00:00:00Z",
        "2000-02-29T12:34:56Z",
        "2025-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z",
        "2399-12-31T23:59:59Z",
        "9999-12-31T23:59:59.999999Z"
      })
  void iso_dayThatIsEasyToGetWrong_isWhatInstantSays(String text) {
    assertIso(Micros.of(Instant.parse(text)));
  }

  @Test
  void iso_anyTime_isWhatInstantSays() {
    Seeded.histories(
        1,
        random -> {
          for (int i = 0; i < 100_000; i++) {
            assertIso(random.nextLong(FROM, TO + 1));
          }
        });
  }

  private static void assertIso(long micros) {
    String text = Micros.iso(micros);
    assertThat(text).isEqualTo(SIX_DIGITS.format(Micros.toInstant(micros)));
    assertThat(Micros.of(Instant.parse(text))).isEqualTo(micros);
  }

  @Test
  void iso_textOrder_isTimeOrder() {
    Seeded.histories(
        1,
        random -> {
          for (int i = 0; i < 10_000; i++) {
            long first = random.nextLong(FROM, TO);
            long second = first + 1 + random.nextLong(Math.min(TO - first, 10_000_000));
            assertThat(Micros.iso(first)).isLessThan(Micros.iso(second));
          }
        });
  }

  @Test
  void of_epoch_isZero() {
    assertThat(Micros.of(Micros.EPOCH)).isZero();
    assertThat(Micros.of(Micros.EPOCH.minusNanos(1))).isEqualTo(-1);
    assertThat(Micros.of(Micros.EPOCH.plusNanos(1_999))).isEqualTo(1);
    assertThat(Micros.now(new SettableClock(Micros.EPOCH.plusSeconds(1))))
        .isEqualTo(Micros.PER_SECOND);
  }

  @Test
  void of_whatDoesNotFit_isNoOtherTime() {
    for (String text :
        List.of(
            "-300000-01-01T00:00:00Z", "+300000-01-01T00:00:00Z", "+999999999-12-31T23:59:59Z")) {
      assertThatThrownBy(() -> Micros.of(Instant.parse(text)))
          .isInstanceOf(ArithmeticException.class);
    }
    for (long micros : new long[] {Long.MIN_VALUE + Micros.PER_SECOND, Long.MAX_VALUE}) {
      assertThat(Micros.of(Micros.toInstant(micros))).isEqualTo(micros);
    }
  }

  @Test
  void toInstant_anyTime_isTheInverse() {
    Seeded.histories(
        1,
        random -> {
          for (int i = 0; i < 10_000; i++) {
            long micros = random.nextLong(FROM, TO);
            assertThat(Micros.of(Micros.toInstant(micros))).isEqualTo(micros);
          }
        });
  }
}
