package io.naru.server.stream;

import io.naru.line.Spot;
import io.naru.queue.LineState;
import io.naru.queue.Place;
import io.naru.server.entry.EntryJson;
import io.naru.server.entry.Problems;
import io.naru.server.entry.WaitingJson;
import io.naru.server.http.Ascii;
import io.vertx.core.buffer.Buffer;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The messages of a stream, as {@code text/event-stream} writes them. The data is JSON on one line,
 * so nothing in it can end a message.
 */
final class Frames {

  /** The id of {@code queue-entered}: whoever comes back with it has been told. */
  static final String ENTERED_ID = "entered";

  private static final int STATUS_SIZE = 576;
  private static final byte[] STATUS = Ascii.text("event: queue-status\nid: ");
  private static final byte[] DATA = Ascii.text("\ndata: ");
  private static final byte[] END = Ascii.text("\n\n");

  /** Why a stream ends although its visitor still waits. */
  enum Farewell {
    /** This server stops; another one goes on. */
    STOPPING(500, 5_000),
    /** It has been open for long enough; a new one may find a less busy server. */
    LIFETIME(200, 2_000),
    /** The same entry is watched in newer tabs. */
    REPLACED(30_000, 60_000);

    private final int minRetry;
    private final int maxRetry;

    Farewell(int minRetry, int maxRetry) {
      this.minRetry = minRetry;
      this.maxRetry = maxRetry;
    }
  }

  private Frames() {}

  /** How long to wait before coming back, not the same for all: they were all cut off at once. */
  static Buffer retry() {
    return retry(Buffer.buffer(64), 2_000, 5_000).appendString("\n");
  }

  private static Buffer retry(Buffer out, int min, int max) {
    int millis = ThreadLocalRandom.current().nextInt(min, max + 1);
    return out.appendString("retry: ").appendString(Integer.toString(millis)).appendString("\n");
  }

  static Buffer waiting(WaitingJson json, Spot spot, long ticket, LineState line) {
    Ascii out = new Ascii(STATUS_SIZE).add(STATUS).add(spot.change()).add(DATA);
    return json.addTo(out, spot.score(), spot.ahead(), ticket, line, spot.change())
        .add(END)
        .buffer();
  }

  /** What is said last to somebody who no longer waits. */
  static Buffer last(Place place, EntryJson entries, String requestId) {
    if (place.entry().isEndedWithQueue()) {
      return status(place, entries);
    }
    return switch (place.entry().status()) {
      case ENTERED -> message("queue-entered", ENTERED_ID, entries.of(place));
      case EXPIRED ->
          ended(Problems.expired(place.entry()).json(requestId, entries.asMember(place)));
      case LEFT -> ended(Problems.ENTRY_NOT_FOUND.json(requestId));
      case WAITING, COMPLETED -> status(place, entries);
    };
  }

  private static Buffer status(Place place, EntryJson entries) {
    return message("queue-status", Long.toString(place.line().change()), entries.of(place));
  }

  /**
   * @param problem why there is nothing more to say
   */
  static Buffer ended(Buffer problem) {
    return Buffer.buffer()
        .appendString("event: queue-ended\ndata: ")
        .appendBuffer(problem)
        .appendString("\n\n");
  }

  /** Without an id: it says nothing of the place that one comes back with. */
  static Buffer board(Buffer json) {
    return Buffer.buffer()
        .appendString("event: queue-board\ndata: ")
        .appendBuffer(json)
        .appendString("\n\n");
  }

  /** Keeps a connection alive that has nothing to say. */
  static Buffer nothing() {
    return Buffer.buffer(":\n\n");
  }

  static Buffer farewell(Farewell why) {
    Buffer out = Buffer.buffer(128).appendString("event: reconnect\n");
    return retry(out, why.minRetry, why.maxRetry)
        .appendString("data: {\"reason\":\"")
        .appendString(why.name().toLowerCase(Locale.ROOT))
        .appendString("\"}\n\n");
  }

  private static Buffer message(String event, String id, Buffer json) {
    return Buffer.buffer()
        .appendString("event: " + event + "\nid: " + id + "\ndata: ")
        .appendBuffer(json)
        .appendString("\n\n");
  }
}
