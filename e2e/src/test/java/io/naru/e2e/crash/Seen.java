package io.naru.e2e.crash;

import io.naru.queue.Micros;
import io.naru.testkit.HttpConnection.Reply;
import java.time.Instant;
import java.util.Optional;

/**
 * An entry as an answer shows it. Times are microseconds since 2026; {@code joined} is also the
 * score.
 *
 * @param pass what its owner completes with; empty unless entered
 * @param position 0 unless waiting
 * @param entered 0 while waiting
 */
record Seen(String status, long joined, String pass, long position, long entered, long change) {

  private static final String MEMBER = "\"entry\":";

  /** The entry in an answer, on its own or as a member of a problem. */
  static Optional<Seen> in(Reply reply) {
    int member = reply.body().indexOf(MEMBER);
    var entry =
        member < 0
            ? reply
            : new Reply(reply.status(), reply.body().substring(member + MEMBER.length()));
    if (!entry.body().contains("\"entryToken\":")) {
      return Optional.empty();
    }
    boolean isWaiting = entry.field("status").equals("WAITING");
    return Optional.of(
        new Seen(
            entry.field("status"),
            micros(entry.field("joinedAt")),
            entry.field("status").equals("ENTERED") ? entry.field("pass") : "",
            isWaiting ? entry.number("position") : 0,
            isWaiting ? 0 : micros(entry.field("enteredAt")),
            entry.number("change")));
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
