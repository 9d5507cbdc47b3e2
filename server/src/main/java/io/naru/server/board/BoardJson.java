package io.naru.server.board;

import io.naru.queue.LineState;
import io.naru.queue.Look;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.queue.State;
import io.naru.queue.Times;
import io.naru.queue.Units;
import io.naru.queue.Words;
import io.naru.server.entry.PausedBy;
import io.naru.server.entry.Pauses;
import io.naru.server.http.Json;
import io.vertx.core.buffer.Buffer;
import tools.jackson.core.JsonGenerator;

/** The board of a queue: what is the same for everybody in it. */
public final class BoardJson {

  private BoardJson() {}

  public static Buffer of(QueueId queue, LineState line, Pauses pauses) {
    return Json.object(
        json -> {
          write(json, queue, line, pauses);
          write(json, line.state(), line.settings().times(), pauses.now());
        });
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
      time(json, "opensAt", times.entryFrom(), now);
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
