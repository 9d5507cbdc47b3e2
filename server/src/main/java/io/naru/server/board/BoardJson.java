package io.naru.server.board;

import io.naru.queue.LineState;
import io.naru.queue.Look;
import io.naru.queue.QueueId;
import io.naru.queue.State;
import io.naru.queue.Words;
import io.naru.server.entry.PausedBy;
import io.naru.server.http.Json;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** The board of a queue: what is the same for everybody in it. */
public final class BoardJson {

  private BoardJson() {}

  public static Buffer of(QueueId queue, LineState line, @Nullable PausedBy paused) {
    return Json.object(json -> write(json, queue, line, paused));
  }

  private static void write(
      JsonGenerator json, QueueId queue, LineState line, @Nullable PausedBy paused) {
    State state = line.state();
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
    json.writeNumberProperty("turnSeconds", line.settings().stay().passTtlSeconds());
    json.writeNumberProperty("waiting", line.waiting());
  }

  private static void words(JsonGenerator json, String name, Words words) {
    json.writeObjectPropertyStart(name);
    words.texts().forEach(json::writeStringProperty);
    json.writeEndObject();
  }
}
