package io.naru.server.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.admission.Estimate;
import io.naru.queue.EntryKey;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.Secret;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.server.http.Ascii;
import io.naru.server.http.Json;
import io.naru.server.presence.Lookout;
import io.naru.support.Seeded;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is put together by hand is, byte for byte, what Jackson would have written. */
class WaitingJsonTest {

  private static final String TYPE = "ABCXYZ019_";
  private static final String ID = TYPE + "abcxyz.-";

  private record Told(
      EntryKey key,
      String token,
      long ahead,
      LineState line,
      long change,
      boolean isAway,
      @Nullable Estimate estimate) {

    private static final InstantSource CLOCK =
        InstantSource.fixed(Instant.parse("2026-12-24T20:00:07.654321Z"));

    private static final Salts SALTS = new Salts(new Secret(new byte[32]));

    String byHand() {
      var pauses = new Pauses(_ -> isAway, CLOCK);
      return new WaitingJson(
              key, token, new Outlook(pauses, (_, _, _) -> estimate, Lookout.NONE, CLOCK), SALTS)
          .addTo(new Ascii(16), 1_000, ahead, ahead % 3, line, change)
          .buffer()
          .toString();
    }

    String byJackson() {
      long position = ahead + 1;
      boolean byOperator = line.state().admissionPaused();
      boolean isEarly = line.settings().times().notBefore().isPresent();
      boolean paused = isAway || byOperator || isEarly;
      long until = isEarly ? 3_593 : 0;
      long waiting = Math.max(position, line.waiting());
      return Json.object(
              json -> {
                json.writeStringProperty("eventType", key.queue().type());
                json.writeStringProperty("eventId", key.queue().id());
                json.writeStringProperty("status", "WAITING");
                json.writeStringProperty("entryToken", token);
                json.writeNumberProperty("position", position);
                json.writeNumberProperty("ahead", ahead);
                json.writeNumberProperty("behind", waiting - position);
                json.writeNumberProperty("totalWaiting", waiting);
                if (ahead % 3 > 0) {
                  json.writeNumberProperty("ticket", ahead % 3);
                }
                if (!paused) {
                  json.writeNumberProperty(
                      "estimatedWaitSeconds",
                      line.settings().pacing().estimatedWaitSeconds(position));
                }
                if (estimate != null && !byOperator && !isAway) {
                  json.writeObjectPropertyStart("wait");
                  json.writeNumberProperty("lowSeconds", until + estimate.lowSeconds());
                  json.writeNumberProperty("highSeconds", until + estimate.highSeconds());
                  json.writeStringProperty("at", "2026-12-24T20:00:07.000000Z");
                  json.writeEndObject();
                }
                json.writeNumberProperty("turnSeconds", line.settings().stay().passTtlSeconds());
                json.writeNumberProperty("board", line.version());
                if (line.settings().isLogged()) {
                  json.writeStringProperty("salt", SALTS.of(key.queue(), key.user()));
                }
                json.writeStringProperty("joinedAt", Micros.iso(key.joined()));
                json.writeNumberProperty("change", change);
                if (paused) {
                  json.writeBooleanProperty("paused", true);
                  json.writeStringProperty(
                      "pausedBy", byOperator ? "operator" : isAway ? "store" : "schedule");
                  if (byOperator && !line.state().reason().isEmpty()) {
                    json.writeStringProperty("reason", line.state().reason());
                  }
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
    if (random.nextInt(4) == 0) {
      settings = settings.with(Map.of("notBefore", "2026-12-24T21:00:00Z"));
    }
    if (random.nextInt(4) == 0) {
      settings = settings.with(Map.of("log", true));
    }
    var line =
        new LineState(number(random), number(random), number(random), state(random), settings);
    return new Told(
        new EntryKey(queue, "ann", random.nextLong(1L << 50)),
        some(ID, 400, random),
        number(random) >>> 1,
        line,
        number(random),
        random.nextInt(4) == 0,
        random.nextBoolean() ? null : new Estimate(random.nextInt(99), random.nextInt(9_999)));
  }

  private static String some(String alphabet, int most, Random random) {
    return random
        .ints(random.nextInt(most + 1), 0, alphabet.length())
        .mapToObj(i -> alphabet.substring(i, i + 1))
        .reduce("", String::concat);
  }

  /** Of any length, and now and then one from the very edge. */
  private static State state(Random random) {
    String reason =
        random.nextBoolean() ? "" : "Zurück \"um\" 9 \\ <곧> \ud83c\udf9f" + random.nextInt();
    boolean isPaused = random.nextInt(4) == 0;
    return new State(random.nextBoolean(), isPaused, isPaused ? reason : "", 0);
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
      assertThatThrownBy(() -> new Told(key, "t", ahead, line, 1, false, null).byHand())
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
