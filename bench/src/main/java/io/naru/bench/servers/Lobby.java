package io.naru.bench.servers;

import io.naru.testkit.Poll;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A queue in which all who come before its opening are drawn by the operator's seed. Whatever is
 * waited for is told with the moment in which it was seen, on the clock that the server has, too.
 */
public final class Lobby {

  private static final Pattern PLACED = Pattern.compile("\"position\":|\"pass\":");
  private static final Pattern DRAWN_AT = Pattern.compile("\"drawnAt\":\"([^\"]+)\"");
  private static final Pattern CLOSED_AT = Pattern.compile("\"closedAt\":\"([^\"]+)\"");
  private static final String DONE = "\"phase\":\"DONE\"";
  private static final Duration PATIENCE = Duration.ofMinutes(15);
  private static final Duration FAR = Duration.ofHours(1);

  private final Admin admin;
  private final Queue queue;

  Lobby(Admin admin, Queue queue) {
    this.admin = admin;
    this.queue = queue;
    admin.openLobby(queue, in(Duration.ofSeconds(-1)), in(FAR));
  }

  private static Instant in(Duration span) {
    return Instant.now().plus(span).truncatedTo(ChronoUnit.MICROS);
  }

  public Queue queue() {
    return queue;
  }

  /** Opens the line; those in the lobby are drawn now. */
  public void open() {
    admin.openAt(queue, in(Duration.ZERO));
  }

  /** When they were drawn. */
  public Instant awaitDrawn() {
    Poll.until(
        PATIENCE, () -> "nothing is drawn: " + draw(), () -> DRAWN_AT.matcher(draw()).find());
    return moment(DRAWN_AT);
  }

  /** When the list was closed. */
  public Instant closedAt() {
    return moment(CLOSED_AT);
  }

  private Instant moment(Pattern pattern) {
    var found = pattern.matcher(draw());
    if (!found.find()) {
      throw new IllegalStateException("no " + pattern + " in " + draw());
    }
    return Instant.parse(found.group(1));
  }

  /** When the last of so many people, all over the lobby, could be told a place. */
  public Instant awaitPlaces(int people) {
    long known = queue.users().known();
    List<String> without = new ArrayList<>();
    for (int i = 0; i < people; i++) {
      without.add(queue.users().name(i * known / people));
    }
    Poll.until(
        PATIENCE,
        () -> "no place for " + without.getFirst(),
        () -> {
          while (!without.isEmpty()
              && PLACED.matcher(admin.status(queue, without.getLast())).find()) {
            without.removeLast();
          }
          return without.isEmpty();
        });
    return Instant.now();
  }

  /** When all of them stood in line. */
  public Instant awaitDone() {
    Poll.until(PATIENCE, () -> "the draw does not end: " + draw(), () -> draw().contains(DONE));
    return Instant.now();
  }

  private String draw() {
    return admin.draw(queue);
  }
}
