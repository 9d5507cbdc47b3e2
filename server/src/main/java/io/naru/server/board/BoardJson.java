package io.naru.server.board;

import io.naru.admission.Estimate;
import io.naru.line.InLane;
import io.naru.line.Score;
import io.naru.line.Tickets;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.queue.Look;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.State;
import io.naru.queue.Times;
import io.naru.queue.Units;
import io.naru.queue.Words;
import io.naru.server.entry.DrawInfo;
import io.naru.server.entry.Outlook;
import io.naru.server.entry.PausedBy;
import io.naru.server.entry.Pauses;
import io.naru.server.http.Json;
import io.vertx.core.buffer.Buffer;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/** The board of a queue: what is the same for everybody in it. */
public final class BoardJson {

  /** From so many places and one of each lane it is told how long it takes. */
  private static final int WAITS = 3;

  private BoardJson() {}

  public static Buffer of(QueueId queue, LineState line, Outlook outlook) {
    return Json.object(json -> common(json, queue, line, outlook));
  }

  /** The same with all from which those who have a ticket work out where they stand. */
  static Buffer of(QueueId queue, Tickets tickets, Outlook outlook) {
    Pauses pauses = outlook.pauses();
    LineState line = tickets.line().asOf(pauses.now());
    return Json.object(
        json -> {
          common(json, queue, line, outlook);
          json.writeNumberProperty("change", line.change());
          json.writeNumberProperty("askWithin", line.near());
          Json.rate(json, "ratePerSecond", outlook.ratePerSecond(queue, line));
          json.writeNumberProperty("block", tickets.block());
          json.writeArrayPropertyStart("lanes");
          for (Tickets.OfLane lane : tickets.lanes()) {
            // How those stand whose place is not decided means nothing.
            if (!Score.isUnsettled(lane.range().band())) {
              write(json, queue, line, lane, outlook);
            }
          }
          json.writeEndArray();
        });
  }

  private static void common(JsonGenerator json, QueueId queue, LineState line, Outlook outlook) {
    write(json, queue, line, outlook.pauses());
    DrawInfo draw = DrawInfo.of(queue, line, outlook.drawn());
    if (draw != null) {
      draw.write(json);
    }
    write(json, line.state(), line.settings().times(), outlook.pauses().now());
  }

  private static void write(
      JsonGenerator json, QueueId queue, LineState line, Tickets.OfLane lane, Outlook outlook) {
    Tickets.Range range = lane.range();
    LaneCount count =
        line.lanes().stream()
            .filter(each -> each.band() == range.band())
            .findFirst()
            .orElseGet(() -> new LaneCount(range.band(), "", line.waiting(), 0));
    json.writeStartObject();
    json.writeNumberProperty("id", range.band());
    if (!count.name().isEmpty()) {
      json.writeStringProperty("name", count.name());
    }
    json.writeNumberProperty("waiting", count.waiting());
    json.writeNumberProperty("front", range.front());
    json.writeNumberProperty("next", range.last() + 1);
    json.writeArrayPropertyStart("gone");
    lane.gone().forEach(json::writeNumber);
    json.writeEndArray();
    waits(json, queue, line, count, outlook);
    json.writeEndObject();
  }

  /** How long it takes from some places of a lane; between them, as far as one is from each. */
  private static void waits(
      JsonGenerator json, QueueId queue, LineState line, LaneCount lane, Outlook outlook) {
    PausedBy paused = outlook.pauses().by(queue, line);
    Map<Long, Estimate> waits = new LinkedHashMap<>();
    for (int part = 0; part <= WAITS && lane.waiting() > 0; part++) {
      long ahead = (lane.waiting() - 1) * part / WAITS;
      InLane place = InLane.of(line, lane.band() * Score.BAND_MICROS, ahead);
      Estimate wait = outlook.wait(queue, place.aheadOfAll(), line, paused);
      if (wait != null) {
        waits.put(ahead, wait);
      }
    }
    if (waits.isEmpty()) {
      return;
    }
    json.writeArrayPropertyStart("waits");
    waits.forEach(
        (ahead, wait) -> {
          json.writeStartArray();
          json.writeNumber(ahead);
          json.writeNumber(wait.lowSeconds());
          json.writeNumber(wait.highSeconds());
          json.writeEndArray();
        });
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, QueueId queue, LineState line, Pauses pauses) {
    State state = pauses.stateOf(line);
    PausedBy paused = pauses.by(queue, line);
    Look look = line.settings().look();
    json.writeStringProperty("eventType", queue.type());
    json.writeStringProperty("eventId", queue.id());
    json.writeNumberProperty("board", line.version());
    json.writeStringProperty("state", state.word().name());
    json.writeBooleanProperty("entryOpen", state.entryOpen());
    json.writeBooleanProperty("admissionPaused", state.admissionPaused());
    if (paused != null) {
      json.writeStringProperty("pausedBy", paused.word());
    }
    if (!state.reason().isEmpty()) {
      json.writeStringProperty("reason", state.reason());
    }
    words(json, "title", look.title());
    words(json, "message", look.message());
    if (state.isEnded()) {
      words(json, "endText", look.endText());
      if (!look.endUrl().isEmpty()) {
        json.writeStringProperty("endUrl", look.endUrl());
      }
    }
    if (line.settings().supply().stock().isPresent()) {
      write(json, line.units(), StockWord.of(line, pauses.now()));
    }
    json.writeNumberProperty("turnSeconds", line.settings().stay().passTtlSeconds());
    json.writeNumberProperty("waiting", line.waiting());
  }

  private static void write(JsonGenerator json, Units units, StockWord word) {
    json.writeObjectPropertyStart("stock");
    if (units.isKnown()) {
      json.writeNumberProperty("remaining", units.remaining());
      json.writeNumberProperty("held", units.held());
    }
    json.writeStringProperty("state", word.word());
    json.writeEndObject();
  }

  /** The times, and what time it is: the clocks of visitors are wrong by minutes. */
  private static void write(JsonGenerator json, State state, Times times, long now) {
    if (times.equals(Times.DEFAULT) || state.isEnded()) {
      return;
    }
    // A time does not undo what the operator did: then it is nothing to count down to.
    if (state.entryOpen()) {
      // Of the lobby, if there is one, as long as that is not open.
      time(json, "opensAt", now < times.entryFrom() ? times.entryFrom() : times.opening(), now);
      time(json, "closesAt", times.entryUntil(), now);
    }
    if (!state.admissionPaused()) {
      time(json, "admitsFrom", times.admissionFrom(), now);
    }
    time(json, "endsAt", times.end(), now);
    json.writeStringProperty("at", Micros.iso(now));
  }

  /** What is over, or never comes, is nothing to wait for. */
  private static void time(JsonGenerator json, String name, long time, long now) {
    if (time > now && time != Times.NEVER) {
      json.writeStringProperty(name, Micros.iso(time));
    }
  }

  private static void words(JsonGenerator json, String name, Words words) {
    json.writeObjectPropertyStart(name);
    words.texts().forEach(json::writeStringProperty);
    json.writeEndObject();
  }
}
