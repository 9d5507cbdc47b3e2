package io.naru.journal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.naru.queue.Entry.Status;
import io.naru.queue.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a queue is, as far as its journal tells: nothing here asks the queue. Also says if something
 * in it cannot be.
 */
final class Replayed {

  private final TreeMap<Long, Known> entries = new TreeMap<>();
  private final Map<String, Integer> kinds = new HashMap<>();
  private final List<Long> changes = new ArrayList<>();
  private long lastJoined;
  private int byHand;

  /** An entry as it is known. */
  static final class Known {
    final String user;
    final long joined;
    String lane;
    @Nullable Long score;
    long ticket;
    Status status = Status.WAITING;
    long until;
    boolean isPassed;

    Known(String user, long joined, String lane, @Nullable Long score, long ticket) {
      this.user = user;
      this.joined = joined;
      this.lane = lane;
      this.score = score;
      this.ticket = ticket;
    }
  }

  void add(Journaled change) {
    if (!changes.isEmpty()) {
      assertThat(change.change()).isGreaterThan(changes.getLast());
    }
    changes.add(change.change());
    change.lines().forEach(this::add);
    assertThat(byHand).as("let in by hand in %s", change).isZero();
  }

  private void add(String line) {
    List<@Nullable Object> event = Json.readList(line);
    String kind = (String) event.getFirst();
    if (kinds.isEmpty()) {
      assertThat(kind).isEqualTo("rules");
    }
    kinds.merge(kind, 1, Integer::sum);
    switch (kind) {
      case "rules", "stock", "rate", "lobby", "seeds", "done" -> {}
      case "join" ->
          come(
              new Known(
                  (String) event.get(2),
                  number(event, 1),
                  (String) event.get(3),
                  place(event, 4),
                  number(event, 5)));
      case "handoff" -> {
        Known before = waiting(event);
        before.status = Status.LEFT;
        before.isPassed = false;
        come(
            new Known(
                (String) event.get(3), number(event, 2), before.lane, before.score, before.ticket));
      }
      case "move", "settle" -> {
        Known moved = waiting(event);
        moved.lane = (String) event.get(2);
        moved.score = place(event, 3);
        moved.ticket = number(event, 4);
        moved.isPassed = false;
      }
      case "byhand" -> byHand = (int) number(event, 1);
      case "enter" -> {
        Known inside = waiting(event);
        inside.status = Status.ENTERED;
        inside.until = number(event, 2);
        inside.isPassed = false;
        byHand = Math.max(0, byHand - 1);
      }
      case "return", "cut" -> {
        Known inside = known(event);
        assertThat(inside.status).as(line).isEqualTo(Status.ENTERED);
        assertThat(number(event, 2)).as(line).isLessThanOrEqualTo(inside.until);
        inside.until = number(event, 2);
      }
      case "end" -> {
        Known over = known(event);
        assertThat(over.status).as(line).isIn(Status.WAITING, Status.ENTERED);
        over.status = Status.valueOf((String) event.get(2));
        over.isPassed = false;
      }
      case "pass" -> waiting(event).isPassed = true;
      case "back" -> {
        Known back = waiting(event);
        assertThat(back.isPassed).as(line).isTrue();
        back.isPassed = false;
      }
      case "present" -> entries.values().forEach(entry -> entry.isPassed = false);
      default -> throw new AssertionError("what is " + line);
    }
  }

  private void come(Known entry) {
    assertThat(entry.joined).isGreaterThan(lastJoined);
    assertThat(live(entry.user)).as("two places of %s", entry.user).isNull();
    lastJoined = entry.joined;
    entries.put(entry.joined, entry);
  }

  private Known known(List<@Nullable Object> event) {
    return requireNonNull(entries.get(number(event, 1)), () -> "who is meant by " + event);
  }

  private Known waiting(List<@Nullable Object> event) {
    Known entry = known(event);
    assertThat(entry.status).as("%s", event).isEqualTo(Status.WAITING);
    return entry;
  }

  private static long number(List<@Nullable Object> event, int at) {
    return ((Number) event.get(at)).longValue();
  }

  /** Null of somebody who has none. */
  private static @Nullable Long place(List<@Nullable Object> event, int at) {
    return event.get(at) == null ? null : (Long) number(event, at);
  }

  @Nullable Known live(String user) {
    return entries.values().stream()
        .filter(entry -> entry.user.equals(user))
        .filter(entry -> entry.status == Status.WAITING || entry.status == Status.ENTERED)
        .findFirst()
        .orElse(null);
  }

  Collection<Known> entries() {
    return entries.values();
  }

  long count(Status status) {
    return entries.values().stream().filter(entry -> entry.status == status).count();
  }

  long passed() {
    return entries.values().stream().filter(entry -> entry.isPassed).count();
  }

  int events(String kind) {
    return kinds.getOrDefault(kind, 0);
  }

  Map<String, Integer> kinds() {
    return kinds;
  }
}
