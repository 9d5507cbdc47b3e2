package io.naru.server.admin;

import io.naru.queue.Drawing;
import io.naru.queue.Figures;
import io.naru.queue.LaneCount;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.Queue;
import io.naru.queue.QueueId;
import io.naru.queue.State;
import io.naru.queue.Stock;
import io.naru.queue.Stocked;
import io.naru.queue.Units;
import io.naru.server.board.StockWord;
import io.naru.server.entry.PausedBy;
import io.naru.server.entry.Pauses;
import io.naru.server.http.Json;
import io.naru.server.http.Paging;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** A queue as its operator sees it: settings, live figures, and what visitors find right now. */
public final class QueueJson {

  private final Pauses pauses;

  public QueueJson(Pauses pauses) {
    this.pauses = pauses;
  }

  /**
   * @param warnings what the operator should know about what they have set
   */
  Buffer of(Overview overview, List<String> warnings) {
    return Json.object(
        json -> {
          write(json, overview);
          if (!warnings.isEmpty()) {
            json.writeArrayPropertyStart("warnings");
            warnings.forEach(json::writeString);
            json.writeEndArray();
          }
        });
  }

  /**
   * @param found up to one more than {@code limit}
   */
  Buffer of(List<Overview> found, int limit) {
    return Json.object(
        json ->
            Paging.write(
                json,
                "queues",
                found,
                limit,
                overview -> write(json, overview),
                last -> last.queue().id().toString()));
  }

  /** Its members. */
  public void write(JsonGenerator json, Overview overview) {
    Queue queue = overview.queue();
    json.writeStringProperty("eventType", queue.id().type());
    json.writeStringProperty("eventId", queue.id().id());
    json.writeBooleanProperty("isActive", queue.state().isActive());
    queue.settings().asMap().forEach((name, value) -> write(json, name, value));
    write(json, queue.state());
    writeNow(json, queue.id(), overview.line());
    if (queue.stock() != null) {
      write(json, "stockFigures", queue.stock());
    }
    if (queue.drawing().phase() != Drawing.Phase.NONE) {
      json.writeStringProperty("drawPhase", queue.drawing().phase().name());
    }
    Json.time(json, "createdAt", queue.createdAt());
    Json.time(json, "activatedAt", queue.activatedAt());
    Json.time(json, "deactivatedAt", queue.deactivatedAt());
    json.writeNumberProperty("version", queue.version());
    write(json, overview.figures());
  }

  /** The state that visitors find, within the times that are set and with what there is. */
  private void writeNow(JsonGenerator json, QueueId queue, LineState read) {
    long now = pauses.now();
    LineState line = read.asOf(now);
    PausedBy paused = pauses.by(queue, line);
    json.writeStringProperty("at", Micros.iso(now));
    json.writeStringProperty("stateNow", pauses.stateOf(line).word().name());
    if (paused != null) {
      json.writeStringProperty("pausedBy", paused.word());
    }
    if (line.settings().supply().stock().isPresent()) {
      json.writeStringProperty("stockNow", StockWord.of(line, now).word());
    }
  }

  private static void write(JsonGenerator json, String name, @Nullable Object value) {
    switch (value) {
      case null -> json.writeNullProperty(name);
      case Integer number -> json.writeNumberProperty(name, number);
      case Double number -> json.writeNumberProperty(name, number);
      case Boolean yes -> json.writeBooleanProperty(name, yes);
      case Map<?, ?> members -> {
        json.writeObjectPropertyStart(name);
        members.forEach((member, one) -> write(json, "" + member, one));
        json.writeEndObject();
      }
      case List<?> list -> {
        json.writeArrayPropertyStart(name);
        for (Object one : list) {
          if (one instanceof Map<?, ?> members) {
            write(json, members);
          } else {
            json.writeString(String.valueOf(one));
          }
        }
        json.writeEndArray();
      }
      case Object text -> json.writeStringProperty(name, text.toString());
    }
  }

  private static void write(JsonGenerator json, Map<?, ?> members) {
    json.writeStartObject();
    members.forEach((member, one) -> write(json, "" + member, one));
    json.writeEndObject();
  }

  /** What the site said last, and when. */
  static void write(JsonGenerator json, String name, Stocked stocked) {
    Units units = stocked.units();
    json.writeObjectPropertyStart(name);
    json.writeNumberProperty("version", stocked.stock().version());
    json.writeStringProperty("at", Micros.iso(stocked.at()));
    json.writeNumberProperty("remaining", units.remaining());
    json.writeNumberProperty("held", units.held());
    json.writeArrayPropertyStart("pools");
    for (Stock.Pool pool : stocked.stock().pools()) {
      json.writeStartObject();
      json.writeStringProperty("name", pool.name());
      json.writeNumberProperty("remaining", pool.remaining());
      json.writeNumberProperty("held", pool.held());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, State state) {
    json.writeStringProperty("state", state.word().name());
    json.writeBooleanProperty("entryOpen", state.entryOpen());
    json.writeBooleanProperty("admissionPaused", state.admissionPaused());
    json.writeStringProperty("pausedReason", state.reason());
    Json.time(json, "endedAt", state.endedAt());
  }

  private static void write(JsonGenerator json, Figures figures) {
    json.writeObjectPropertyStart("figures");
    json.writeNumberProperty("change", figures.change());
    json.writeNumberProperty("waiting", figures.waiting());
    if (!figures.lanes().isEmpty()) {
      json.writeArrayPropertyStart("lanes");
      for (LaneCount lane : figures.lanes()) {
        json.writeStartObject();
        json.writeStringProperty("name", lane.name());
        json.writeNumberProperty("waiting", lane.waiting());
        json.writeEndObject();
      }
      json.writeEndArray();
    }
    json.writeNumberProperty("absent", figures.absent());
    json.writeNumberProperty("inside", figures.inside());
    json.writeNumberProperty("longestWaitSeconds", figures.longestWaitMicros() / Micros.PER_SECOND);
    json.writeNumberProperty("joined", figures.joined());
    json.writeNumberProperty("entered", figures.entered());
    json.writeNumberProperty("completed", figures.completed());
    json.writeNumberProperty("left", figures.left());
    json.writeNumberProperty("expired", figures.expired());
    if (!figures.proofs().equals(Figures.Proofs.NONE)) {
      json.writeObjectPropertyStart("proofs");
      json.writeNumberProperty("owing", figures.proofs().owing());
      json.writeNumberProperty("proved", figures.proofs().proved());
      json.writeNumberProperty("unproven", figures.proofs().unproven());
      json.writeEndObject();
    }
    json.writeEndObject();
  }
}
