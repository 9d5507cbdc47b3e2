package io.naru.server.people;

import io.naru.history.Counts;
import io.naru.history.Minute;
import io.naru.history.Spread;
import io.naru.history.Statistics;
import io.naru.queue.Micros;
import io.naru.server.http.Json;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import tools.jackson.core.JsonGenerator;

/** What has been, as an operator or a spreadsheet reads it. */
final class HistoryJson {

  private HistoryJson() {}

  static Buffer of(Statistics statistics) {
    return Json.object(
        json -> {
          json.writeStringProperty("from", Micros.iso(statistics.time().from()));
          json.writeStringProperty("to", Micros.iso(statistics.time().to()));
          Counts counts = statistics.counts();
          json.writeNumberProperty("joined", counts.joined());
          json.writeNumberProperty("entered", counts.admitted());
          json.writeNumberProperty("completed", counts.completed());
          json.writeNumberProperty("left", counts.left());
          json.writeNumberProperty("expired", counts.expired());
          number(json, "gotInShare", statistics.gotInShare());
          json.writeNumberProperty("noShows", statistics.noShows());
          write(json, "waitSeconds", statistics.waited());
          write(json, "insideSeconds", statistics.inside());
          json.writeArrayPropertyStart("abandonment");
          statistics.abandonment().forEach(band -> write(json, band));
          json.writeEndArray();
        });
  }

  private static void write(JsonGenerator json, String name, Spread spread) {
    json.writeObjectPropertyStart(name);
    json.writeNumberProperty("count", spread.count());
    number(json, "average", spread.average());
    for (int percent : new int[] {50, 90, 95, 99}) {
      number(json, "p" + percent, spread.percentile(percent));
    }
    number(json, "max", spread.max());
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, Statistics.Band band) {
    json.writeStartObject();
    json.writeNumberProperty("waitedFromSeconds", band.fromSeconds());
    number(json, "waitedToSeconds", band.toSeconds());
    json.writeNumberProperty("people", band.people());
    json.writeNumberProperty("left", band.left());
    json.writeEndObject();
  }

  private static void number(JsonGenerator json, String name, OptionalLong value) {
    if (value.isPresent()) {
      json.writeNumberProperty(name, value.getAsLong());
    } else {
      json.writeNullProperty(name);
    }
  }

  /** To four digits, which is more than anybody reads. */
  private static void number(JsonGenerator json, String name, OptionalDouble value) {
    if (value.isPresent()) {
      json.writeNumberProperty(name, Math.round(value.getAsDouble() * 10_000) / 10_000.0);
    } else {
      json.writeNullProperty(name);
    }
  }

  static Buffer of(List<Minute> minutes) {
    return Json.object(
        json -> {
          json.writeArrayPropertyStart("minutes");
          for (Minute minute : minutes) {
            json.writeStartObject();
            json.writeStringProperty("at", Micros.iso(minute.from()));
            json.writeNumberProperty("joined", minute.counts().joined());
            json.writeNumberProperty("admitted", minute.counts().admitted());
            json.writeNumberProperty("completed", minute.counts().completed());
            json.writeNumberProperty("left", minute.counts().left());
            json.writeNumberProperty("expired", minute.counts().expired());
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  /**
   * A row per minute. Times and numbers alone: nothing that somebody has typed, so no cell is a
   * formula to a spreadsheet.
   */
  static Buffer csv(List<Minute> minutes) {
    Buffer csv = Buffer.buffer("minute,joined,admitted,completed,left,expired\r\n");
    for (Minute minute : minutes) {
      Counts counts = minute.counts();
      csv.appendString(Micros.iso(minute.from()))
          .appendString("," + counts.joined())
          .appendString("," + counts.admitted())
          .appendString("," + counts.completed())
          .appendString("," + counts.left())
          .appendString("," + counts.expired() + "\r\n");
    }
    return csv;
  }
}
