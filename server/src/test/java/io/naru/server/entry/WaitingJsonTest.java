package io.naru.server.entry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.naru.admission.Estimate;
import io.naru.line.InLane;
import io.naru.line.Score;
import io.naru.queue.Door;
import io.naru.queue.Drawing;
import io.naru.queue.EntryKey;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.Secret;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Units;
import io.naru.server.http.Ascii;
import io.naru.server.http.Json;
import io.naru.server.presence.Lookout;
import io.naru.support.Seeded;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonGenerator;

/** What is put together by hand is, byte for byte, what Jackson would have written. */
class WaitingJsonTest {

  private static final String TYPE = "ABCXYZ019_";
  private static final String ID = TYPE + "abcxyz.-";

  private record Told(
      EntryKey key,
      String token,
      long score,
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
          .addTo(new Ascii(16), score, ahead, ahead % 3, line, change)
          .buffer()
          .toString();
    }

    String byJackson() {
      boolean byOperator = line.state().admissionPaused();
      // To nine and half past eight.
      boolean isDrawn = line.drawing().phase() != Drawing.Phase.NONE;
      long until = line.settings().times().notBefore().isPresent() ? 3_593 : isDrawn ? 1_793 : 0;
      boolean paused = isAway || byOperator || until > 0;
      boolean hasPlace = !Score.isUnsettled(Score.lane(score));
      boolean isInLobby =
          !hasPlace
              && switch (line.drawing().phase()) {
                case NONE, DONE -> false;
                case LOBBY -> true;
                case CLOSED, DRAWN -> key.joined() <= line.drawing().lastJoined();
              };
      Door door = line.settings().door();
      return Json.object(
              json -> {
                json.writeStringProperty("eventType", key.queue().type());
                json.writeStringProperty("eventId", key.queue().id());
                json.writeStringProperty("status", isInLobby ? "LOBBY" : "WAITING");
                json.writeStringProperty("entryToken", token);
                if (hasPlace) {
                  place(json, paused, byOperator, until);
                } else {
                  noPlace(json);
                }
                json.writeNumberProperty("turnSeconds", line.settings().stay().passTtlSeconds());
                json.writeNumberProperty("board", line.version());
                if (door.doors().isPresent()) {
                  json.writeBooleanProperty("proof", true);
                }
                if (door.absenceGraceSeconds() > 0) {
                  json.writeNumberProperty("absenceGraceSeconds", door.absenceGraceSeconds());
                }
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

    private void place(JsonGenerator json, boolean paused, boolean byOperator, long until) {
      InLane lane = InLane.of(line, score, ahead);
      long position = ahead + 1;
      long waiting = Math.max(position, lane.waiting());
      json.writeNumberProperty("position", position);
      json.writeNumberProperty("ahead", ahead);
      json.writeNumberProperty("behind", waiting - position);
      json.writeNumberProperty("totalWaiting", waiting);
      if (ahead % 3 > 0) {
        json.writeNumberProperty("ticket", ahead % 3);
      }
      if (!lane.name().isEmpty()) {
        json.writeStringProperty("lane", lane.name());
      }
      if (lane.atMostBefore().isPresent()) {
        json.writeNumberProperty("atMostBefore", lane.atMostBefore().getAsLong());
      }
      if (!paused) {
        json.writeNumberProperty(
            "estimatedWaitSeconds",
            line.settings().pacing().estimatedWaitSeconds(lane.aheadOfAll() + 1));
      }
      if (estimate != null && !byOperator && !isAway) {
        json.writeObjectPropertyStart("wait");
        json.writeNumberProperty("lowSeconds", until + estimate.lowSeconds());
        json.writeNumberProperty("highSeconds", until + estimate.highSeconds());
        json.writeStringProperty("at", "2026-12-24T20:00:07.000000Z");
        json.writeEndObject();
      }
    }

    private void noPlace(JsonGenerator json) {
      json.writeNumberProperty("ticket", 0);
      String lane = InLane.of(line, Score.inBand(Score.settled(Score.lane(score)), 0), 0).name();
      if (!lane.isEmpty()) {
        json.writeStringProperty("lane", lane);
      }
      DrawInfo draw = DrawInfo.of(key.queue(), line, Drawn.NONE);
      if (draw != null) {
        if (draw.opensAt() > 0) {
          json.writeStringProperty("opensAt", Micros.iso(draw.opensAt()));
        }
        draw.write(json);
      }
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
    if (random.nextInt(4) == 0) {
      settings = settings.with(Map.of("absenceGraceSeconds", 10 + random.nextInt(600)));
    }
    if (random.nextInt(4) == 0) {
      settings = settings.with(Map.of("doors", Map.of("proofSeconds", 60)));
    }
    int lanes = random.nextInt(4);
    if (lanes > 0) {
      settings = settings.with(lanes(lanes, random));
    }
    Drawing.Phase[] phases = Drawing.Phase.values();
    Drawing drawing =
        random.nextBoolean()
            ? Drawing.NONE
            : new Drawing(phases[random.nextInt(phases.length)], random.nextLong(1L << 50), 0);
    if (drawing.phase() != Drawing.Phase.NONE) {
      settings =
          settings.with(
              Map.of("lobbyOpensAt", "2026-12-24T20:00:00Z", "opensAt", "2026-12-24T20:30:00Z"));
    }
    int band = random.nextInt(Math.max(1, lanes));
    var line =
        new LineState(
            number(random),
            number(random),
            counts(lanes, random),
            number(random),
            state(random),
            settings,
            Units.NONE,
            0,
            drawing);
    long joined = random.nextLong(1L << 50);
    boolean isUnsettled = drawing.phase() != Drawing.Phase.NONE && random.nextBoolean();
    return new Told(
        new EntryKey(queue, "ann", joined),
        some(ID, 400, random),
        Score.inBand(isUnsettled ? Score.unsettled(band) : band, 1_000),
        // With lanes it is multiplied by shares, and nobody has so many before them.
        lanes > 0 ? random.nextLong(1L << 40) : number(random) >>> 1,
        line,
        number(random),
        random.nextInt(4) == 0,
        random.nextBoolean() ? null : new Estimate(random.nextInt(99), random.nextInt(9_999)));
  }

  private static Map<String, Object> lanes(int count, Random random) {
    List<Object> lanes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      lanes.add(Map.of("name", "lane" + i, "share", 1 + random.nextInt(9)));
    }
    return Map.of("lanes", lanes, "laneOrder", random.nextInt(4) == 0 ? "STRICT" : "SHARES");
  }

  private static List<LaneCount> counts(int lanes, Random random) {
    List<LaneCount> counts = new ArrayList<>();
    for (int band = 0; band < lanes; band++) {
      counts.add(
          new LaneCount(band, "lane" + band, random.nextLong(1L << 40), random.nextInt(100)));
    }
    return counts;
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
      assertThatThrownBy(() -> new Told(key, "t", 1_000, ahead, line, 1, false, null).byHand())
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
