package io.naru.server.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.server.http.Ascii;
import io.naru.server.http.Json;
import io.naru.support.Seeded;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is put together by hand is, byte for byte, what Jackson would have written. */
class WaitingJsonTest {

  private static final String TYPE = "ABCXYZ019_";
  private static final String ID = TYPE + "abcxyz.-";

  private record Told(
      EntryKey key, String token, long ahead, LineState line, long change, boolean isPaused) {

    String byHand() {
      return new WaitingJson(key, token, () -> isPaused)
          .addTo(new Ascii(16), ahead, line, change)
          .buffer()
          .toString();
    }

    String byJackson() {
      long position = ahead + 1;
      boolean paused = isPaused || line.state().admissionPaused();
      return Json.object(
              json -> {
                json.writeStringProperty("eventType", key.queue().type());
                json.writeStringProperty("eventId", key.queue().id());
                json.writeStringProperty("status", "WAITING");
                json.writeStringProperty("entryToken", token);
                json.writeNumberProperty("position", position);
                json.writeNumberProperty("ahead", ahead);
                json.writeNumberProperty("totalWaiting", Math.max(position, line.waiting()));
                if (!paused) {
                  json.writeNumberProperty(
                      "estimatedWaitSeconds",
                      line.settings().pacing().estimatedWaitSeconds(position));
                }
                json.writeStringProperty("joinedAt", Micros.iso(key.joined()));
                json.writeNumberProperty("change", change);
                if (paused) {
                  json.writeBooleanProperty("paused", true);
                }
              })
          .toString();
    }
  }

  @Test
  void addTo_anyPlace_isWhatJacksonWrites() {
    Seeded.histories(
        2_000,
        random -> {
          Told told = told(random);
          assertThat(told.byHand()).isEqualTo(told.byJackson());
        });
  }

  private static Told told(Random random) {
    var queue = new QueueId("T" + some(TYPE, 31, random), "1" + some(ID, 63, random));
    var settings =
        Settings.DEFAULT.with(
            Map.of(
                "entryBatchSize", 1 + random.nextInt(100_000),
                "entryIntervalSeconds", 1 + random.nextInt(3_600)));
    var line =
        new LineState(number(random), number(random), number(random), state(random), settings);
    return new Told(
        new EntryKey(queue, "ann", random.nextLong(1L << 50)),
        some(ID, 400, random),
        number(random) >>> 1,
        line,
        number(random),
        random.nextInt(4) == 0);
  }

  private static String some(String alphabet, int most, Random random) {
    return random
        .ints(random.nextInt(most + 1), 0, alphabet.length())
        .mapToObj(i -> alphabet.substring(i, i + 1))
        .reduce("", String::concat);
  }

  /** Of any length, and now and then one from the very edge. */
  private static State state(Random random) {
    return new State(random.nextBoolean(), random.nextInt(4) == 0, "", 0);
  }

  private static long number(Random random) {
    return switch (random.nextInt(10)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE;
      case 2 -> -1;
      case 3 -> 0;
      default -> random.nextLong() >> random.nextInt(64);
    };
  }

  @Test
  void addTo_placeThatIsNotKnown_isRefused() {
    var key = new EntryKey(new QueueId("SALE", "1"), "ann", 5_000);
    var line = new LineState(1, 1, 1, State.OPEN, Settings.DEFAULT);
    for (long ahead : new long[] {-1, Long.MIN_VALUE}) {
      assertThatThrownBy(() -> new Told(key, "t", ahead, line, 1, false).byHand())
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
