package io.naru.e2e.crash;

import io.naru.e2e.crash.Call.Act;
import io.naru.e2e.crash.Call.Outcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * 1. An acknowledged entry is found, with the same score, by every server, until it is admitted,
 * leaves, or falls under a published rule.
 */
final class KeptRule implements Rule {

  @Override
  public int number() {
    return 1;
  }

  @Override
  public void check(Evidence evidence, Told told, Consumer<String> broken) {
    Map<Name, Row> rows = evidence.quiet().stream().collect(Collectors.toMap(Name::of, row -> row));
    for (Told.Entry entry : told.entries()) {
      Row row = rows.get(entry.name());
      if (row == null) {
        broken.accept("the ledger has lost " + entry.answers().getFirst());
      } else {
        endedOnlyIfAsked(told.of(row.user()), row, broken);
      }
      neverUnknown(told, entry, broken);
    }
    acknowledgedEndsAreKept(evidence, rows, broken);
    everyServerFindsThem(evidence, broken);
    everybodyComesOut(evidence, broken);
  }

  private static void endedOnlyIfAsked(List<Call> calls, Row row, Consumer<String> broken) {
    boolean isFine =
        switch (row.status()) {
          case "WAITING", "ENTERED" -> true;
          case "LEFT" -> isAsked(Act.LEAVE, calls, row);
          case "COMPLETED" -> isAsked(Act.COMPLETE, calls, row);
          case "EXPIRED" -> row.ended() >= row.expires() || isAsked(Act.RETURN, calls, row);
          default -> false;
        };
    if (!isFine) {
      broken.accept("nobody asked for the end of " + row);
    }
  }

  private static boolean isAsked(Act act, List<Call> calls, Row row) {
    return calls.stream()
        .anyMatch(call -> call.act() == act && call.mayEnd() && call.meant() == row.joined());
  }

  /** Told "unknown" after an acknowledgement, and before the owner gave the place up. */
  private static void neverUnknown(Told told, Told.Entry entry, Consumer<String> broken) {
    long mayEnd = told.mayEnd(entry);
    for (Call call : told.of(entry.name().user())) {
      if (call.act() == Act.STATUS
          && call.outcome() == Outcome.REFUSED
          && call.asked() > entry.acknowledged()
          && call.answered() < mayEnd) {
        broken.accept(
            "%s, which was acknowledged, is unknown to: %s".formatted(entry.name(), call));
      }
    }
  }

  private static void acknowledgedEndsAreKept(
      Evidence evidence, Map<Name, Row> rows, Consumer<String> broken) {
    for (Call call : evidence.calls()) {
      if (call.mayEnd() && call.isOk()) {
        Row row = rows.get(new Name(call.user(), call.meant()));
        if (row == null || row.isLive()) {
          broken.accept("an end that was acknowledged is not kept: " + call);
        }
      }
    }
  }

  private static void everyServerFindsThem(Evidence evidence, Consumer<String> broken) {
    Map<String, Row> latest = new HashMap<>();
    evidence.quiet().forEach(row -> latest.merge(row.user(), row, KeptRule::later));
    evidence
        .shown()
        .forEach(
            (server, answers) ->
                answers.forEach(
                    (user, call) -> {
                      Row row = latest.get(user);
                      // Who is done is known for an hour, and that may have been over at once.
                      boolean mayBeForgotten =
                          row != null && !row.isLive() && evidence.clock().isAheadOf(row.ended());
                      if (!agree(row, call) && !mayBeForgotten) {
                        broken.accept(
                            "%s and the ledger (%s) do not agree: %s".formatted(server, row, call));
                      }
                    }));
  }

  private static Row later(Row one, Row two) {
    return one.joined() > two.joined() ? one : two;
  }

  private static boolean agree(@Nullable Row row, Call call) {
    Seen seen = call.seen();
    if (row == null || row.status().equals("LEFT")) {
      return seen == null && call.outcome() == Outcome.REFUSED;
    }
    return seen != null && seen.joined() == row.joined() && seen.status().equals(row.status());
  }

  /** After the capacity was opened, nobody is left over. */
  private static void everybodyComesOut(Evidence evidence, Consumer<String> broken) {
    Map<Name, Row> drained =
        evidence.drained().stream().collect(Collectors.toMap(Name::of, row -> row));
    for (Row row : evidence.quiet()) {
      Row after = drained.get(Name.of(row));
      if (after == null || (row.isWaiting() && !after.wasAdmitted())) {
        broken.accept("did not come out: " + row);
      }
    }
  }
}
