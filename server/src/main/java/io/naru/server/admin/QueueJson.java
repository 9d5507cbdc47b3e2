package io.naru.server.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import io.naru.queue.Figures;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.Queue;
import io.naru.server.http.Json;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** A queue as its operator sees it: settings and live figures. */
final class QueueJson {

  private QueueJson() {}

  static Buffer of(Overview overview) {
    return Json.object(json -> write(json, overview));
  }

  static Buffer of(List<Overview> overviews) {
    return Json.object(
        json -> {
          json.writeArrayFieldStart("queues");
          for (Overview overview : overviews) {
            json.writeStartObject();
            write(json, overview);
            json.writeEndObject();
          }
          json.writeEndArray();
        });
  }

  private static void write(JsonGenerator json, Overview overview) throws IOException {
    Queue queue = overview.queue();
    json.writeStringField("eventType", queue.id().type());
    json.writeStringField("eventId", queue.id().id());
    json.writeBooleanField("isActive", queue.active());
    for (Map.Entry<String, Object> setting : queue.settings().asMap().entrySet()) {
      if (setting.getValue() instanceof Integer number) {
        json.writeNumberField(setting.getKey(), number);
      } else {
        json.writeStringField(setting.getKey(), setting.getValue().toString());
      }
    }
    time(json, "createdAt", queue.createdAt());
    time(json, "activatedAt", queue.activatedAt());
    time(json, "deactivatedAt", queue.deactivatedAt());
    json.writeNumberField("version", queue.version());
    write(json, overview.figures());
  }

  private static void write(JsonGenerator json, Figures figures) throws IOException {
    json.writeObjectFieldStart("figures");
    json.writeNumberField("change", figures.change());
    json.writeNumberField("waiting", figures.waiting());
    json.writeNumberField("inside", figures.inside());
    json.writeNumberField("longestWaitSeconds", figures.longestWaitMicros() / Micros.PER_SECOND);
    json.writeNumberField("joined", figures.joined());
    json.writeNumberField("entered", figures.entered());
    json.writeNumberField("completed", figures.completed());
    json.writeNumberField("left", figures.left());
    json.writeNumberField("expired", figures.expired());
    json.writeEndObject();
  }

  private static void time(JsonGenerator json, String field, long micros) throws IOException {
    if (micros == 0) {
      json.writeNullField(field);
    } else {
      json.writeStringField(field, Micros.iso(micros));
    }
  }
}
