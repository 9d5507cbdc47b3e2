package io.naru.journal;

import io.naru.queue.EventKind;
import io.naru.queue.Json;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened in a queue, for systems behind.
 *
 * @param n its number within the change, from 0
 * @param data what belongs to it, as a JSON object
 */
public record Event(EventKind kind, int n, String data) {

  /**
   * @param line as the decision noted it: the word of the kind, and right behind it the data
   */
  static Event of(int n, String line) {
    int end = line.indexOf('{');
    String word = line.substring(0, end);
    EventKind kind =
        EventKind.of(word)
            .orElseThrow(() -> new IllegalStateException("no such kind of event: " + word));
    return new Event(kind, n, line.substring(end));
  }

  /** A name that no other event anywhere has. */
  public String id(Unread of, Happened change) {
    return of.original() + "/" + change.change() + "/" + n;
  }

  /** All that is told of it, as one JSON object: where, in which change, when, and the data. */
  public String json(QueueId queue, Happened change) {
    var out = new StringBuilder(160 + data.length());
    out.append("{\"eventType\":\"").append(queue.type());
    out.append("\",\"eventId\":\"").append(queue.id());
    out.append("\",\"kind\":\"").append(kind.word());
    out.append("\",\"change\":").append(change.change());
    out.append(",\"n\":").append(n);
    out.append(",\"at\":\"").append(Micros.iso(change.at())).append('"');
    return (data.length() > 2 ? out.append(',') : out).append(data, 1, data.length()).toString();
  }

  /** The data, by name. */
  public Map<String, @Nullable Object> values() {
    return Json.readObject(data);
  }
}
