package io.naru.server.people;

import io.naru.history.Past;
import io.naru.line.Score;
import io.naru.queue.EndReason;
import io.naru.queue.Entry;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.server.http.Json;
import io.naru.server.pass.Passes;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** One person as an operator sees them. */
final class PersonJson {

  private final Passes passes;

  PersonJson(Passes passes) {
    this.passes = passes;
  }

  /**
   * @param entries the latest first
   * @param place where the very latest stands, if the line knows it
   */
  Buffer of(
      String user,
      List<Past> entries,
      boolean hasMore,
      @Nullable Place place,
      List<Explained> explained) {
    return Json.object(
        json -> {
          json.writeStringProperty("user", user);
          json.writeArrayPropertyStart("entries");
          entries.forEach(past -> write(json, past, place));
          json.writeEndArray();
          if (hasMore) {
            json.writeStringProperty("next", Micros.iso(entries.getLast().entry().key().joined()));
          }
          json.writeArrayPropertyStart("explain");
          explained.forEach(why -> write(json, why));
          json.writeEndArray();
        });
  }

  private void write(JsonGenerator json, Past past, @Nullable Place latest) {
    Place place = latest != null && latest.entry().key().equals(past.entry().key()) ? latest : null;
    Entry entry = place == null ? past.entry() : place.entry();
    json.writeStartObject();
    json.writeStringProperty("status", entry.status().name());
    json.writeStringProperty("joinedAt", Micros.iso(entry.key().joined()));
    time(json, "enteredAt", entry.entered());
    time(json, "endedAt", past.ended());
    time(json, "passExpiresAt", entry.until());
    if (entry.entered() > 0) {
      json.writeStringProperty("passId", passes.idOf(entry));
    } else {
      json.writeNullProperty("passId");
    }
    if (place != null && entry.isWaiting() && !Score.isUnsettled(Score.lane(place.score()))) {
      json.writeNumberProperty("position", place.position());
      json.writeNumberProperty("ahead", place.ahead());
    }
    String reason = reason(past, entry);
    if (!reason.isEmpty()) {
      json.writeStringProperty("reason", reason);
    }
    writeHistory(json, past, entry, reason);
    json.writeEndObject();
  }

  private static String reason(Past past, Entry entry) {
    return entry.isEndedWithQueue() ? "ended" : past.reason().text();
  }

  /** What happened when, as far as times are kept. */
  private static void writeHistory(JsonGenerator json, Past past, Entry entry, String reason) {
    json.writeArrayPropertyStart("history");
    happened(json, entry.key().joined(), "joined");
    if (entry.entered() > 0) {
      happened(json, entry.entered(), "entered");
    }
    if (past.ended() > 0) {
      String what = past.reason() == EndReason.NONE ? word(entry) : reason;
      happened(json, past.ended(), what);
    }
    json.writeEndArray();
  }

  private static String word(Entry entry) {
    return entry.isEndedWithQueue() ? "ended" : entry.status().name().toLowerCase(Locale.ROOT);
  }

  private static void happened(JsonGenerator json, long at, String what) {
    json.writeStartObject();
    json.writeStringProperty("at", Micros.iso(at));
    json.writeStringProperty("what", what);
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, Explained why) {
    json.writeStartObject();
    json.writeStringProperty("code", why.code());
    json.writeStringProperty("text", why.text());
    json.writeObjectPropertyStart("values");
    why.values()
        .forEach(
            (name, value) -> {
              switch (value) {
                case Double rate -> Json.rate(json, name, rate);
                case Number number -> json.writeNumberProperty(name, number.longValue());
                default -> json.writeStringProperty(name, value.toString());
              }
            });
    json.writeEndObject();
    json.writeEndObject();
  }

  private static void time(JsonGenerator json, String field, long micros) {
    if (micros == 0) {
      json.writeNullProperty(field);
    } else {
      json.writeStringProperty(field, Micros.iso(micros));
    }
  }
}
