package io.naru.server.people;

import io.naru.queue.Micros;
import io.naru.rate.Heard;
import io.naru.rate.RatePoint;
import io.naru.rate.RateState;
import io.naru.rate.RateView;
import io.naru.server.http.Json;
import io.vertx.core.buffer.Buffer;
import tools.jackson.core.JsonGenerator;

/** The rate of a queue, as operators read it. */
final class RateJson {

  private RateJson() {}

  static Buffer of(RateView view) {
    return Json.object(
        json -> {
          Json.rate(json, "ratePerSecond", view.now().perSecond());
          RateState state = view.state();
          limit(json, view.now().insideLimit());
          json.writeStringProperty("limitedBy", view.now().limitedBy());
          json.writeStringProperty(
              "reason", state == null ? "the rate is set" : state.reason().text());
          json.writeArrayPropertyStart("signals");
          if (state != null) {
            state.signals().heard().forEach(heard -> write(json, heard));
          }
          json.writeEndArray();
          json.writeArrayPropertyStart("history");
          view.points().forEach(point -> write(json, point));
          json.writeEndArray();
        });
  }

  private static void write(JsonGenerator json, Heard heard) {
    json.writeStartObject();
    json.writeStringProperty("source", heard.source());
    Json.time(json, "at", heard.at());
    json.writeNumberProperty("count", heard.count());
    json.writeNumberProperty("errors", heard.errors());
    number(json, "p95Millis", heard.p95Millis());
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, RatePoint point) {
    json.writeStartObject();
    json.writeStringProperty("at", Micros.iso(point.at()));
    number(json, "ratePerSecond", point.perSecond());
    limit(json, Math.round(point.insideLimit()));
    json.writeNumberProperty("inside", point.inside());
    number(json, "p95Millis", point.p95Millis());
    number(json, "errorPercent", point.errorPercent());
    json.writeStringProperty("reason", point.reason().word());
    json.writeEndObject();
  }

  private static void limit(JsonGenerator json, long insideLimit) {
    if (insideLimit > 0) {
      json.writeNumberProperty("insideLimit", insideLimit);
    }
  }

  /** To three digits, which is how it is kept. */
  private static void number(JsonGenerator json, String name, double value) {
    json.writeNumberProperty(name, Math.round(value * 1_000) / 1_000.0);
  }
}
