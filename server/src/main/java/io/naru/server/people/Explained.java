package io.naru.server.people;

import io.naru.history.Past;
import io.naru.line.Score;
import io.naru.queue.EndReason;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.Owed;
import io.naru.queue.Place;
import io.naru.queue.Queue;
import io.naru.queue.RateNow;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Units;
import io.naru.server.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Why somebody is where they are, in words: only what is sure by what is stored, nothing guessed.
 *
 * @param code stable, for programs that have words of their own
 * @param text in English
 * @param values that the words are made of: numbers and texts
 */
record Explained(String code, String text, Map<String, Object> values) {

  /**
   * About somebody's latest entry.
   *
   * @param place where it stands, if the line knows it
   * @param isAway whether nobody can be let in, because what decides about it does not work
   */
  static List<Explained> of(
      Past latest, @Nullable Place place, Overview overview, boolean isAway, long now) {
    Entry entry = place == null ? latest.entry() : place.entry();
    return switch (entry.status()) {
      // Who is just leaving the line has no place in it: nothing is sure until the next look.
      case WAITING -> place == null ? List.of() : whyNotYet(latest, place, overview, isAway, now);
      case ENTERED -> List.of(inside(entry));
      case COMPLETED, EXPIRED, LEFT -> over(latest, overview.queue(), now);
    };
  }

  private static List<Explained> whyNotYet(
      Past latest, Place place, Overview overview, boolean isAway, long now) {
    List<Explained> why = new ArrayList<>();
    if (Score.isUnsettled(Score.lane(place.score()))) {
      return List.of(withoutPlace(place, overview.queue()));
    }
    why.add(behind(place));
    Queue queue = overview.queue();
    if (latest.absentSince() > 0) {
      why.add(absent(latest.absentSince(), queue.settings()));
    }
    if (latest.owed() != Owed.NOTHING) {
      why.add(owing(latest.owed()));
    }
    long admissionFrom = queue.settings().times().admissionFrom();
    if (queue.state().admissionPaused()) {
      why.add(pausedByOperator(queue.state()));
    }
    if (isAway) {
      why.add(say("paused-by-store", "nobody is let in while what decides cannot be reached"));
    }
    if (now < admissionFrom) {
      String from = Micros.iso(admissionFrom);
      why.add(say("paused-by-schedule", "nobody is let in before " + from, "notBefore", from));
    }
    if (queue.settings().supply().isOut(queue.units(), now)) {
      why.add(outOfStock(queue, now));
    }
    if (why.size() == 1) {
      why.add(bound(overview));
    }
    return why;
  }

  private static Explained withoutPlace(Place place, Queue queue) {
    return switch (place.line().drawing().phase()) {
      case LOBBY -> {
        String opensAt = Micros.iso(queue.settings().times().opening());
        yield say(
            "in-lobby",
            "is in the lobby, where nobody has a place; a draw decides at " + opensAt,
            "opensAt",
            opensAt);
      }
      case CLOSED, DRAWN ->
          place.entry().key().joined() <= place.line().drawing().lastJoined()
              ? say("in-draw", "is in the draw that is under way")
              : say(
                  "behind-draw", "came after the lobby closed, and stands behind all in the draw");
      case NONE, DONE -> say("unsettled", "has just come; chance decides the place in a moment");
    };
  }

  private static Explained behind(Place place) {
    long ahead = place.ahead();
    String text =
        ahead == 0
            ? "this one is the first in line"
            : ahead == 1
                ? "1 person is before this one"
                : number(ahead) + " people are before this one";
    return say(
        "behind",
        text,
        "ahead",
        ahead,
        "position",
        place.position(),
        "waiting",
        place.line().waiting());
  }

  private static Explained absent(long since, Settings settings) {
    String at = Micros.iso(since);
    String until = Micros.iso(since + settings.door().absenceGraceMicros());
    return say(
        "absent",
        "was not there when the turn came at %s; next if back by %s".formatted(at, until),
        "at",
        at,
        "until",
        until);
  }

  private static Explained owing(Owed owed) {
    return switch (owed) {
      case SLOW -> say("slow", "has no scripts: others go in before for a while");
      default -> say("owing", "has not brought the proof that the queue asks for; next with it");
    };
  }

  private static Explained pausedByOperator(State state) {
    return state.reason().isEmpty()
        ? say("paused-by-operator", "an operator has paused admission")
        : say(
            "paused-by-operator",
            "an operator has paused admission: " + state.reason(),
            "reason",
            state.reason());
  }

  private static Explained outOfStock(Queue queue, long now) {
    Units units = queue.units();
    if (queue.settings().supply().seemsDoubted(units, now)) {
      return say("paused-by-stock", "the site has not said lately what there is");
    }
    return say(
        "paused-by-stock",
        "%s units are left, too few to go in for; %s are held and not paid for"
            .formatted(number(units.remaining()), number(units.held())),
        "remaining",
        units.remaining(),
        "held",
        units.held());
  }

  /** What holds the line up, or keeps it from being faster. */
  private static Explained bound(Overview overview) {
    Settings settings = overview.queue().settings();
    long inside = overview.figures().inside();
    int capacity = settings.pace().maxCapacity();
    if (inside >= capacity) {
      return say(
          "bound-by-capacity",
          number(inside) + " of " + number(capacity) + " places inside are taken",
          "inside",
          inside,
          "maxCapacity",
          capacity);
    }
    Units units = overview.queue().units();
    if (inside >= settings.mostInside(units)) {
      return say(
          "bound-by-stock",
          "%s are inside, and %s units are left or held"
              .formatted(number(inside), number(units.remaining() + units.held())),
          "inside",
          inside,
          "remaining",
          units.remaining(),
          "held",
          units.held());
    }
    if (!overview.rate().limitedBy().equals("settings")) {
      return rateNow(overview.rate());
    }
    int batch = settings.pace().entryBatchSize();
    int seconds = settings.pace().entryIntervalSeconds();
    return say(
        "bound-by-rate",
        "at most %s are let in every %s s".formatted(number(batch), seconds),
        "entryBatchSize",
        batch,
        "entryIntervalSeconds",
        seconds);
  }

  /** A rate that is not what was set. */
  private static Explained rateNow(RateNow rate) {
    String perSecond = Json.rate(rate.perSecond());
    return say(
        "bound-by-rate-now",
        "at most %s a second are let in now (%s)".formatted(perSecond, rate.limitedBy()),
        "perSecond",
        rate.perSecond(),
        "limitedBy",
        rate.limitedBy());
  }

  /** Whether it is the pace of the queue that somebody waits for. */
  boolean isOfPace() {
    return code.equals("bound-by-capacity") || code.startsWith("bound-by-rate");
  }

  private static Explained inside(Entry entry) {
    String until = Micros.iso(entry.until());
    return say("inside-until", "inside, until " + until + " at the latest", "until", until);
  }

  private static List<Explained> over(Past latest, Queue queue, long now) {
    State state = queue.state();
    List<Explained> why = new ArrayList<>();
    why.add(how(latest));
    if (!state.isEnded() && !state.within(queue.settings().times(), now).entryOpen()) {
      why.add(say("closed", "nobody new may enter this queue"));
    }
    return why;
  }

  private static Explained how(Past latest) {
    Entry entry = latest.entry();
    if (entry.isWaiting() || entry.isEndedWithQueue()) {
      return say("ended", "the queue ended while this one was waiting");
    }
    String at = Micros.iso(latest.ended());
    if (latest.reason() == EndReason.ABSENT) {
      return say(
          "absent-over", "was not there when the turn came, and not in time until " + at, "at", at);
    }
    if (latest.reason() == EndReason.UNPROVEN) {
      return say("unproven", "had not brought the proof in time, until " + at, "at", at);
    }
    if (latest.reason() == EndReason.RETURNED) {
      return entry.status() == Status.EXPIRED
          ? say("returned", "came back after a failed payment at " + at, "at", at)
          : say("fallback-over", "waited in vain for something to come back until " + at, "at", at);
    }
    if (latest.reason() == EndReason.HANDOFF) {
      return say("handoff", "took the place along to another device at " + at, "at", at);
    }
    return switch (entry.status()) {
      case COMPLETED -> say("completed", "completed at " + at, "at", at);
      case LEFT ->
          latest.reason() == EndReason.NONE
              ? say("left", "left at " + at, "at", at)
              : say(
                  "removed",
                  "an operator ended this at " + at,
                  "at",
                  at,
                  "reason",
                  latest.reason().text());
      default -> say("expired", "the turn ran out at " + at, "at", at);
    };
  }

  private static Explained say(String code, String text, Object... namesAndValues) {
    Map<String, Object> values = new TreeMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      values.put(namesAndValues[i].toString(), namesAndValues[i + 1]);
    }
    return new Explained(code, text, values);
  }

  private static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
