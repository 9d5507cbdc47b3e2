package io.naru.server.entry;

import com.fasterxml.jackson.core.JsonGenerator;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryTokens;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.server.http.Json;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;

/** An entry as visitors see it. */
public final class EntryJson {

  private final EntryTokens tokens;

  public EntryJson(EntryTokens tokens) {
    this.tokens = tokens;
  }

  Buffer of(Place place) {
    return Json.object(json -> write(json, place));
  }

  /** The same as a member {@code entry} of a problem. */
  Json.Fields asMember(Place place) {
    return json -> {
      json.writeObjectFieldStart("entry");
      write(json, place);
      json.writeEndObject();
    };
  }

  private void write(JsonGenerator json, Place place) throws IOException {
    Entry entry = place.entry();
    json.writeStringField("eventType", entry.key().queue().type());
    json.writeStringField("eventId", entry.key().queue().id());
    json.writeStringField("status", entry.status().name());
    json.writeStringField("entryToken", tokens.tokenOf(entry.key()));
    if (entry.isWaiting()) {
      json.writeNumberField("position", place.position());
      json.writeNumberField("ahead", place.ahead());
      json.writeNumberField("totalWaiting", place.line().waiting());
      json.writeNumberField("estimatedWaitSeconds", place.estimatedWaitSeconds());
    }
    json.writeStringField("joinedAt", Micros.iso(entry.key().joined()));
    if (!entry.isWaiting()) {
      json.writeStringField("enteredAt", Micros.iso(entry.entered()));
    }
    if (entry.status() == Status.ENTERED) {
      json.writeStringField("passExpiresAt", Micros.iso(entry.until()));
      if (!place.line().targetUrl().isEmpty()) {
        json.writeStringField("targetUrl", place.line().targetUrl());
      }
    }
    json.writeNumberField("change", place.line().change());
  }
}
