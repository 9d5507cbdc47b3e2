package io.naru.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Naru is told of how an application answers. */
class SignalsTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final FakeNaru naru = new FakeNaru();
  private final List<Boolean> heard = new ArrayList<>();
  private final Signals signals =
      new Signals(
          new NaruClient(naru.url(), null), "the-key", FakeNaru.QUEUE, "shop-1", heard::add);

  @AfterEach
  void close() {
    naru.close();
  }

  private static long sum(List<Map<String, Object>> windows, String field) {
    return windows.stream().mapToLong(window -> (Long) window.get(field)).sum();
  }

  @Test
  void window_hasCountErrorsAndThe95thPercentile() {
    for (int millis = 1; millis <= 100; millis++) {
      signals.served(Duration.ofMillis(millis).toNanos(), millis > 97);
    }

    signals.send();

    Map<String, Object> window = naru.signals().get(0);
    assertThat(window)
        .containsEntry("eventType", "TIMEDEAL")
        .containsEntry("eventId", "123")
        .containsEntry("source", "shop-1")
        .containsEntry("count", 100L)
        .containsEntry("errors", 3L);
    assertThat((Long) window.get("p95Millis")).isBetween(95L, 97L);
    assertThat(naru.signalKey).isEqualTo("Bearer the-key");
  }

  @Test
  void listener_isToldWhetherNaruTookIt() {
    signals.send();
    naru.goAway();
    signals.send();

    assertThat(heard).containsExactly(true, false);
  }

  /** The gate lives in the JVM of others, whose locale may write other digits. */
  @Test
  void window_whereDigitsLookDifferent_isRead() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("fa-IR"));
    try {
      signals.served(SECOND.toNanos(), true);
      signals.send();
    } finally {
      Locale.setDefault(before);
    }

    assertThat(naru.signals().get(0)).containsEntry("count", 1L).containsEntry("errors", 1L);
  }

  @Test
  void window_isToldOnce_andAlsoThatNobodyCame() {
    signals.served(SECOND.toNanos(), true);
    signals.send();
    signals.send();

    assertThat(naru.signals())
        .extracting(window -> List.of(window.get("count"), window.get("errors")))
        .containsExactly(List.of(1L, 1L), List.of(0L, 0L));
  }

  @Test
  void naruAway_windowIsForgotten_andTheNextOneIsTold() {
    signals.served(SECOND.toNanos(), false);
    naru.goAway();
    signals.send();
    naru.comeBack();
    signals.served(SECOND.toNanos(), false);
    signals.served(SECOND.toNanos(), false);
    signals.send();

    assertThat(naru.signals()).extracting(window -> window.get("count")).containsExactly(2L);
  }

  @Test
  void queueThatFollowsNobody_isToldOnceAMinute() {
    naru.follows = false;
    for (int second = 0; second < 61; second++) {
      signals.served(SECOND.toNanos(), false);
      signals.send();
    }

    assertThat(naru.signals()).extracting(window -> window.get("count")).containsExactly(1L, 1L);
  }

  /** Naru slows down everybody at an address that wrong keys come from. */
  @ParameterizedTest
  @ValueSource(ints = {401, 403, 429})
  void refused_triesMoreAndMoreSeldom_andGoesOnOnceItIsTaken(int status) {
    naru.callStatus = status;
    for (int second = 0; second < 300; second++) {
      signals.send();
    }
    assertThat(naru.signals()).hasSizeBetween(5, 12);

    naru.callStatus = 200;
    naru.asked.clear();
    for (int second = 0; second < 120; second++) {
      signals.send();
    }
    assertThat(naru.signals()).as("within a minute, and each second then").hasSizeGreaterThan(60);
  }

  @Test
  void anyTime_canBeNoted() {
    signals.served(-1, false);
    signals.served(Long.MAX_VALUE, false);
    signals.send();

    assertThat(naru.signals().get(0)).containsEntry("count", 2L);
    assertThat((Long) naru.signals().get(0).get("p95Millis")).isBetween(300_000L, 303_000L);
  }

  @Test
  void filter_tellsOfThoseWhoWereLetIn_andOfNobodyElse(@TempDir Path folder) throws Exception {
    try (Gate gate = naru.gate().protect("/reservations/**").signalKey("the-key").open()) {
      var site = new Site(gate, "", folder);
      try {
        String pass = "Authorization: Bearer " + naru.token("p1");
        site.send("GET", "/reservations", pass);
        site.send("GET", "/reservations?then=forward:/reservations/2", pass);
        site.send("GET", "/reservations?then=async:/reservations/3", pass);
        site.send("GET", "/reservations?then=error:", pass);
        site.send("GET", "/reservations?then=fail:", pass);
        site.send("GET", "/reservations?then=throw:", pass);
        site.send("GET", "/reservations?then=stream:", pass);
        site.send("GET", "/reservations");
        site.send("GET", "/open");
      } finally {
        site.close();
      }
      await().untilAsserted(() -> assertThat(sum(naru.signals(), "count")).isEqualTo(6));
      assertThat(sum(naru.signals(), "errors")).as("503, and what was thrown").isEqualTo(2);
      assertThat((String) naru.signals().get(0).get("source")).matches("gate-[0-9a-f]{8}");
    }
  }

  @Test
  void gateWithoutAKey_tellsNothing() throws Exception {
    try (Gate gate = naru.gate().open()) {
      gate.served(SECOND, true);
      assertThat(gate.isTelling()).isFalse();
    }
    assertThat(naru.signals()).isEmpty();
  }

  @Test
  void wrongSettings_areNamed() {
    assertThatThrownBy(() -> naru.gate().signalKey("two words").open())
        .isInstanceOf(WrongSetting.class)
        .hasMessageContaining("signalKey")
        .hasMessageNotContaining("two words");
    assertThatThrownBy(() -> naru.gate().source("a/b").open())
        .isInstanceOf(WrongSetting.class)
        .hasMessageContaining("source");
  }
}
