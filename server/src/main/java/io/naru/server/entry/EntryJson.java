package io.naru.server.entry;

import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.EntryTokens;
import io.naru.queue.Micros;
import io.naru.queue.Place;
import io.naru.server.http.Ascii;
import io.naru.server.http.Json;
import io.naru.server.pass.Passes;
import io.naru.server.presence.Lookout;
import io.vertx.core.buffer.Buffer;
import tools.jackson.core.JsonGenerator;

/** An entry as visitors see it. */
public final class EntryJson {

  private static final int SIZE = 512;

  private final EntryTokens tokens;
  private final Passes passes;
  private final Outlook outlook;
  private final Salts salts;

  public EntryJson(EntryTokens tokens, Passes passes, Outlook outlook, Salts salts) {
    this.salts = salts;
    this.tokens = tokens;
    this.passes = passes;
    this.outlook = outlook;
  }

  public Outlook outlook() {
    return outlook;
  }

  public Pauses pauses() {
    return outlook.pauses();
  }

  public Lookout lookout() {
    return outlook.lookout();
  }

  public Buffer of(Place place) {
    Entry entry = place.entry();
    return entry.isWaiting()
        ? waiting(entry.key())
            .addTo(
                new Ascii(SIZE),
                place.score(),
                place.ahead(),
                place.ticket(),
                place.line(),
                place.line().change())
            .buffer()
        : Json.object(json -> write(json, place));
  }

  /** For those who are told again and again. */
  public WaitingJson waiting(EntryKey key) {
    return new WaitingJson(key, tokens.tokenOf(key), outlook, salts);
  }

  /** The same as a member {@code entry} of a problem. */
  public Json.Fields asMember(Place place) {
    return json -> {
      json.writeName("entry");
      json.writeRawValue(of(place).toString());
    };
  }

  /** Somebody who is or was inside, or with whose queue it is over. */
  private void write(JsonGenerator json, Place place) {
    Entry entry = place.entry();
    json.writeStringProperty("eventType", entry.key().queue().type());
    json.writeStringProperty("eventId", entry.key().queue().id());
    json.writeStringProperty("status", entry.status().name());
    json.writeStringProperty("entryToken", tokens.tokenOf(entry.key()));
    json.writeStringProperty("joinedAt", Micros.iso(entry.key().joined()));
    String reason = entry.isEndedWithQueue() ? "ended" : entry.reason().text();
    if (!reason.isEmpty()) {
      json.writeStringProperty("reason", reason);
    }
    if (reason.isEmpty() || entry.isReturned()) {
      json.writeStringProperty("enteredAt", Micros.iso(entry.entered()));
    }
    if (entry.status() == Status.ENTERED) {
      json.writeStringProperty("pass", passes.of(place));
      json.writeStringProperty("passExpiresAt", Micros.iso(entry.until()));
      String targetUrl = place.line().settings().look().targetUrl();
      if (!targetUrl.isEmpty()) {
        json.writeStringProperty("targetUrl", targetUrl);
      }
    }
    if (place.line().settings().isLogged()) {
      json.writeStringProperty("salt", salts.of(entry.key().queue(), entry.key().user()));
    }
    json.writeNumberProperty("change", place.line().change());
  }
}
