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
import org.jspecify.annotations.Nullable;

/** The messages of a stream, in the words of one channel. They are the same on each. */
interface Frames {

  /** The id of {@code queue-entered}: whoever comes back with it has been told. */
  String ENTERED_ID = "entered";

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

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** When to come back, in milliseconds; not the same for all. */
    int retry() {
      return between(minRetry, maxRetry);
    }
  }

  private static int between(int min, int max) {
    return ThreadLocalRandom.current().nextInt(min, max + 1);
  }

  /** How long to wait before coming back, not the same for all: they were all cut off at once. */
  default Buffer retry() {
    return retry(between(2_000, 5_000));
  }

  Buffer retry(int millis);

  /** What a channel writes around a status: before its id, between that and the JSON, after it. */
  final class Around {

    private static final int SIZE = 576;

    private final byte[] before;
    private final byte[] between;
    private final byte[] after;

    Around(String before, String between, String after) {
      this.before = Ascii.text(before);
      this.between = Ascii.text(between);
      this.after = Ascii.text(after);
    }
  }

  Around aroundStatus();

  /** The place as it is now, which is said most often. */
  default Buffer waiting(WaitingJson json, Spot spot, long ticket, LineState line) {
    Around around = aroundStatus();
    Ascii out = new Ascii(Around.SIZE).add(around.before).add(spot.change()).add(around.between);
    return json.addTo(out, spot.score(), spot.ahead(), ticket, line, spot.change())
        .add(around.after)
        .buffer();
  }

  /**
   * @param id what the visitor comes back with; null if it says nothing of the place
   */
  Buffer message(String event, @Nullable String id, Buffer json);

  Buffer farewell(Farewell why);

  /** What is said last to somebody who no longer waits. */
  default Buffer last(Place place, EntryJson entries, String requestId) {
    if (place.entry().isEndedWithQueue()) {
      return status(place, entries);
    }
    return switch (place.entry().status()) {
      case ENTERED -> message("queue-entered", ENTERED_ID, entries.of(place));
      case EXPIRED, LEFT ->
          ended(Problems.over(place.entry()).json(requestId, entries.asMember(place)));
      case WAITING, COMPLETED -> status(place, entries);
    };
  }

  private Buffer status(Place place, EntryJson entries) {
    return message("queue-status", Long.toString(place.line().change()), entries.of(place));
  }

  /**
   * @param problem why there is nothing more to say
   */
  default Buffer ended(Buffer problem) {
    return message("queue-ended", null, problem);
  }

  default Buffer board(Buffer json) {
    return message("queue-board", null, json);
  }
}
