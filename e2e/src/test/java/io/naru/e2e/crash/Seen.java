package io.naru.e2e.crash;

import io.naru.queue.Micros;
import io.naru.testkit.HttpConnection.Reply;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An entry as an answer shows it. Times are microseconds since 2026; {@code joined} is also the
 * score.
 *
 * @param pass what its owner completes with; empty unless entered
 * @param position 0 unless waiting
 * @param entered 0 while waiting
 */
record Seen(String status, long joined, String pass, long position, long entered, long change) {

  /** The entry in an answer, on its own or as a member of a problem. */
  static Optional<Seen> in(Reply reply) {
    if (reply.body().isEmpty()) {
      return Optional.empty();
    }
    Map<String, @Nullable Object> json = reply.json();
    return of(json.get("entry") instanceof Map<?, ?> member ? member : json);
  }

  private static Optional<Seen> of(Map<?, ?> entry) {
    if (!entry.containsKey("entryToken")) {
      return Optional.empty();
    }
    String status = text(entry, "status");
    boolean isWaiting = status.equals("WAITING");
    return Optional.of(
        new Seen(
            status,
            micros(text(entry, "joinedAt")),
            status.equals("ENTERED") ? text(entry, "pass") : "",
            isWaiting ? number(entry, "position") : 0,
            isWaiting ? 0 : micros(text(entry, "enteredAt")),
            number(entry, "change")));
  }

  private static String text(Map<?, ?> entry, String name) {
    return "" + entry.get(name);
  }

  private static long number(Map<?, ?> entry, String name) {
    return Long.parseLong(text(entry, name));
  }

  private static long micros(String time) {
    return Micros.of(Instant.parse(time));
  }

  boolean isWaiting() {
    return status.equals("WAITING");
  }

  boolean isEntered() {
    return status.equals("ENTERED");
  }
}
