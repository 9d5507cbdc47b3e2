package io.naru.server.people;

import static java.util.concurrent.CompletableFuture.completedStage;
import static java.util.stream.Collectors.joining;

import io.naru.audit.Act;
import io.naru.audit.AuditRow;
import io.naru.audit.AuditTrail;
import io.naru.queue.Micros;
import io.naru.queue.QueueId;
import io.naru.server.http.Blocking;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Who last changed how fast a line can move, as the audit has it. */
final class RateChange {

  private static final List<String> PACE =
      List.of(
          "maxCapacity", "entryBatchSize", "entryIntervalSeconds", "pacing", "burst", "adaptive");

  /** What is longer ago than so many acts explains nothing of today. */
  private static final int LOOKED_AT = 100;

  private RateChange() {}

  /**
   * Empty if nobody has since it was made.
   *
   * @param trail null where none is kept
   */
  static CompletionStage<Optional<Explained>> last(@Nullable AuditTrail trail, QueueId queue) {
    if (trail == null) {
      return completedStage(Optional.empty());
    }
    return Blocking.call(
        () ->
            trail.list(queue, Long.MAX_VALUE, LOOKED_AT).stream()
                // A queue of this name that is gone is another one.
                .takeWhile(row -> row.act().kind() != Act.Kind.CREATE)
                .filter(row -> PACE.stream().anyMatch(row.act().after()::containsKey))
                .findFirst()
                .map(RateChange::explained));
  }

  private static Explained explained(AuditRow row) {
    Act act = row.act();
    String at = Micros.iso(row.at());
    String what =
        PACE.stream()
            .filter(act.after()::containsKey)
            .map(name -> name + " " + act.before().get(name) + " → " + act.after().get(name))
            .collect(joining(", "));
    return new Explained(
        "rate-changed",
        act.by().who() + " changed " + what + " at " + at,
        Map.of("who", act.by().who(), "what", what, "at", at));
  }
}
