package io.naru.server.console;

import io.naru.admission.Estimate;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.QueueId;
import io.naru.queue.SiteNow;
import io.naru.server.admin.QueueJson;
import io.naru.server.entry.Outlook;
import io.naru.server.entry.PausedBy;
import io.naru.server.http.Json;
import io.vertx.core.buffer.Buffer;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;
import tools.jackson.core.JsonGenerator;

/** What a console is told each second: the queue as operators see it, and how it moves. */
public final class FiguresJson {

  private final Outlook outlook;
  private final ToIntFunction<QueueId> streams;
  private final BooleanSupplier isDegraded;
  private final InstantSource clock;
  private final QueueJson queues;

  /**
   * @param outlook whether nobody can be let in, and how long it takes to get in
   * @param streams how many visitors of a queue watch their place on this server
   * @param isDegraded whether something of this server is not as it should be, also if people are
   *     let in
   */
  public FiguresJson(
      Outlook outlook,
      ToIntFunction<QueueId> streams,
      BooleanSupplier isDegraded,
      InstantSource clock) {
    this.outlook = outlook;
    this.streams = streams;
    this.isDegraded = isDegraded;
    this.clock = clock;
    this.queues = new QueueJson(outlook.pauses());
  }

  /**
   * @param readMillis how long it took to read the queue
   */
  Buffer event(Overview overview, Optional<Rates.PerSecond> rates, long readMillis) {
    return Buffer.buffer("event: figures\ndata: ")
        .appendBuffer(Json.object(json -> write(json, overview, rates, readMillis)))
        .appendString("\n\n");
  }

  private void write(
      JsonGenerator json, Overview overview, Optional<Rates.PerSecond> rates, long readMillis) {
    QueueId queue = overview.queue().id();
    long now = Micros.now(clock);
    LineState line = overview.line();
    PausedBy paused = outlook.pauses().by(queue, line);
    boolean isAway = paused == PausedBy.STORE;
    queues.write(json, overview);
    json.writeStringProperty("boundBy", Bound.of(overview, isAway, now).word());
    json.writeObjectPropertyStart("rate");
    Json.rate(json, "perSecond", overview.rate().perSecond());
    json.writeStringProperty("limitedBy", overview.rate().limitedBy());
    if (overview.rate().insideLimit() > 0) {
      json.writeNumberProperty("insideLimit", overview.rate().insideLimit());
    }
    SiteNow site = overview.rate().site();
    if (site.isKnown()) {
      json.writeNumberProperty("p95Millis", Math.round(site.p95Millis() * 1_000) / 1_000.0);
      json.writeNumberProperty("errorPercent", Math.round(site.errorPercent() * 1_000) / 1_000.0);
    }
    json.writeEndObject();
    rates.ifPresent(
        r -> {
          json.writeObjectPropertyStart("ratePerSecond");
          json.writeNumberProperty("joined", r.joined());
          json.writeNumberProperty("admitted", r.admitted());
          json.writeNumberProperty("left", r.left());
          json.writeEndObject();
        });
    Estimate wait =
        outlook.pauses().stateOf(line).entryOpen()
            ? outlook.wait(queue, line.waiting(), line, paused)
            : null;
    if (wait != null) {
      json.writeObjectPropertyStart("newcomerWait");
      json.writeNumberProperty("lowSeconds", wait.lowSeconds());
      json.writeNumberProperty("highSeconds", wait.highSeconds());
      json.writeEndObject();
    }
    json.writeNumberProperty("streams", streams.applyAsInt(queue));
    json.writeObjectPropertyStart("server");
    json.writeNumberProperty("readMillis", readMillis);
    json.writeStringProperty(
        "line", isAway ? "away" : isDegraded.getAsBoolean() ? "degraded" : "ok");
    json.writeEndObject();
  }
}
