package io.naru.e2e.crash;

import static java.util.Comparator.comparingLong;

import io.naru.e2e.crash.Call.Act;
import io.naru.e2e.crash.Call.Outcome;
import io.naru.e2e.crash.Evidence.Absent;
import io.naru.e2e.crash.Evidence.Excuse;
import io.naru.e2e.crash.Evidence.Limits;
import io.naru.e2e.crash.Evidence.Line;
import io.naru.line.Score;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A run written by hand. What is not said is as it should be. */
final class Sketch {

  /** Long after everything else, when everybody is let in. */
  private static final long DRAIN = 1_000_000_000;

  private static final long STAY = 2_000_000_000;

  final List<Call> calls = new ArrayList<>();
  final List<Excuse> excuses = new ArrayList<>();
  final List<Row> quiet = new ArrayList<>();
  final List<Row> drained = new ArrayList<>();
  final List<Absent> absent = new ArrayList<>();
  final Map<String, Map<String, Call>> shown = new HashMap<>();
  @Nullable Line line;
  Limits limits = new Limits(100, 10, 1, Pacing.STEPS);
  long paused = DRAIN / 2;
  boolean hasPresence;

  static Seen waiting(long joined, long position, long change) {
    return new Seen("WAITING", joined, "t" + joined, position, 0, change);
  }

  static Seen entered(long joined, long entered, long change) {
    return new Seen("ENTERED", joined, "t" + joined, 0, entered, change);
  }

  static Row row(String user, long score) {
    return new Row(user, score, score, "WAITING", 0, 0, 0);
  }

  private static long fallback(long joined) {
    return Score.FALLBACK * Score.BAND_MICROS + joined;
  }

  /** Somebody who came back then, and waits. */
  static Row returned(String user, long joined) {
    return new Row(user, joined, fallback(joined), "WAITING", 0, 0, 0);
  }

  /** The same of somebody who came in once more, and completed. */
  static Row returned(String user, long joined, long entered, long ended) {
    return new Row(user, joined, fallback(joined), "COMPLETED", entered, entered + STAY, ended);
  }

  static Row inside(String user, long score, long entered) {
    return new Row(user, score, score, "ENTERED", entered, entered + STAY, 0);
  }

  static Row ended(String user, long score, String status, long entered, long ended) {
    return new Row(user, score, score, status, entered, entered == 0 ? 0 : entered + STAY, ended);
  }

  Sketch call(Act act, String user, long asked, long answered, int code, @Nullable Seen seen) {
    Outcome outcome =
        seen != null || (code >= 200 && code < 300)
            ? Outcome.OK
            : code == 0 || code >= 500 ? Outcome.UNKNOWN : Outcome.REFUSED;
    String problem = code >= 400 ? "S8" : "";
    calls.add(new Call(act, user, 0, "one", asked, answered, outcome, code, problem, seen, 0));
    return this;
  }

  /** Leaves or completes the entry that joined then. */
  Sketch end(Act act, String user, long joined, long asked, long answered, int code) {
    Outcome outcome = code == 200 ? Outcome.OK : Outcome.UNKNOWN;
    calls.add(new Call(act, user, joined, "one", asked, answered, outcome, code, "", null, 0));
    return this;
  }

  /** Says what there is; of an answer at 0 nothing was heard. */
  Sketch stock(long version, long asked, long answered, int most) {
    boolean isHeard = answered != 0;
    calls.add(
        new Call(
            Act.STOCK,
            "site",
            version,
            "one",
            asked,
            isHeard ? answered : asked + 1,
            isHeard ? Outcome.OK : Outcome.UNKNOWN,
            isHeard ? 200 : 0,
            "",
            null,
            most));
    return this;
  }

  Sketch process(long asked, long answered, int count) {
    calls.add(
        new Call(
            Act.PROCESS, "operator", 0, "one", asked, answered, Outcome.OK, 200, "", null, count));
    return this;
  }

  Sketch rows(Row... rows) {
    quiet.addAll(List.of(rows));
    return this;
  }

  List<String> breaches() {
    return Checker.check(
        new Evidence(
            limits,
            calls,
            excuses,
            paused,
            quiet,
            copy(),
            shown(),
            drained(),
            hasPresence,
            absent,
            Evidence.LedgerClock.TRUE));
  }

  private Line copy() {
    if (line != null) {
      return line;
    }
    Map<String, Long> waiting = new HashMap<>();
    Map<String, Long> entered = new HashMap<>();
    quiet.stream().filter(Row::isWaiting).forEach(row -> waiting.put(row.user(), row.score()));
    quiet.stream().filter(Row::isInside).forEach(row -> entered.put(row.user(), row.expires()));
    return new Line(waiting, entered);
  }

  private Map<String, Map<String, Call>> shown() {
    if (!shown.isEmpty()) {
      return shown;
    }
    Map<String, Call> answers = new HashMap<>();
    Map<String, Long> places = PlaceRule.places(quiet);
    for (Row row : quiet.stream().sorted(comparingLong(Row::joined)).toList()) {
      @Nullable Seen seen =
          switch (row.status()) {
            case "LEFT" -> null;
            case "WAITING" -> waiting(row.joined(), places.getOrDefault(row.user(), 0L), DRAIN);
            default -> new Seen(row.status(), row.joined(), "t", 0, row.entered(), DRAIN);
          };
      answers.put(row.user(), status(row.user(), seen));
    }
    return Map.of("one", answers, "two", answers);
  }

  static Call status(String user, @Nullable Seen seen) {
    return new Call(
        Act.STATUS,
        user,
        0,
        "two",
        DRAIN,
        DRAIN,
        seen == null ? Outcome.REFUSED : Outcome.OK,
        seen == null ? 404 : 200,
        seen == null ? "S803" : "",
        seen,
        0);
  }

  private List<Row> drained() {
    return drained.isEmpty()
        ? Stream.concat(
                quiet.stream().filter(row -> !row.isWaiting()),
                quiet.stream()
                    .filter(Row::isWaiting)
                    .map(
                        row ->
                            new Row(
                                row.user(),
                                row.joined(),
                                row.score(),
                                "ENTERED",
                                DRAIN,
                                DRAIN + STAY,
                                0)))
            .toList()
        : drained;
  }
}
