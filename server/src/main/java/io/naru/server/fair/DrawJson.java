package io.naru.server.fair;

import io.naru.fair.Drand;
import io.naru.queue.DrawView;
import io.naru.queue.Draws;
import io.naru.queue.Fairness;
import io.naru.queue.QueueId;
import io.naru.server.http.Json;
import io.vertx.core.buffer.Buffer;
import java.util.HexFormat;
import tools.jackson.core.JsonGenerator;

/** A draw as anybody may see it: with what is published by then, anybody can recompute it. */
final class DrawJson {

  private DrawJson() {}

  static Buffer of(QueueId queue, DrawView view, Drand chain) {
    return Json.object(
        json -> {
          json.writeStringProperty("eventType", queue.type());
          json.writeStringProperty("eventId", queue.id());
          json.writeNumberProperty("number", view.number());
          json.writeStringProperty("kind", view.kind().name());
          json.writeStringProperty("phase", view.drawing().phase().name());
          json.writeStringProperty("commitment", view.commitment());
          json.writeStringProperty("windowCommitment", view.windowCommitment());
          if (view.kind() == Fairness.Draw.COIN) {
            json.writeStringProperty("chain", chain.chain());
          }
          list(json, view);
          coin(json, view, chain);
          text(json, "seed", view.seed());
          if (view.isDrawn()) {
            Json.time(json, "drawnAt", view.drawnAt());
            json.writeNumberProperty("settled", view.drawing().settled());
          }
          text(json, "windowSeed", view.windowSeed());
        });
  }

  private static void list(JsonGenerator json, DrawView view) {
    if (view.closedAt() == 0) {
      return;
    }
    Json.time(json, "closedAt", view.closedAt());
    json.writeArrayPropertyStart("lanes");
    for (DrawView.OfLane lane : view.lanes()) {
      json.writeStartObject();
      json.writeStringProperty("name", lane.name());
      json.writeNumberProperty("people", view.isSealed() ? lane.drawn() : lane.waiting());
      json.writeEndObject();
    }
    json.writeEndArray();
    if (view.isSealed()) {
      Json.time(json, "sealedAt", view.sealedAt());
      json.writeStringProperty("root", view.root());
      json.writeNumberProperty("count", view.count());
      json.writeNumberProperty("parts", Math.ceilDiv(view.count(), (long) Draws.PART));
    }
  }

  private static void coin(JsonGenerator json, DrawView view, Drand chain) {
    if (view.round() > 0) {
      json.writeNumberProperty("round", view.round());
      Json.time(json, "coinAt", chain.startOf(view.round()));
    }
    if (!view.signature().isEmpty()) {
      json.writeStringProperty("signature", view.signature());
      byte[] signature = HexFormat.of().parseHex(view.signature());
      json.writeStringProperty("randomness", HexFormat.of().formatHex(Drand.randomness(signature)));
    }
  }

  private static void text(JsonGenerator json, String name, String text) {
    if (!text.isEmpty()) {
      json.writeStringProperty(name, text);
    }
  }
}
