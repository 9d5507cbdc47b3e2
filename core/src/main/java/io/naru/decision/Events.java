package io.naru.decision;

import io.naru.line.Score;
import io.naru.queue.DrawView;
import io.naru.queue.Fairness;
import io.naru.queue.Json;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Units;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The events of one change, noted where each is decided, in that order: what the journal keeps. A
 * line each, a JSON array whose first value is the kind; in the public record of it the change and
 * its time stand behind the kind, and a salted hash instead of a name.
 *
 * <p>Of a queue that is not logged nothing is noted, and nothing is made in order to find that out.
 */
final class Events {

  private final QueueState queue;
  private final StringBuilder text = new StringBuilder(0);
  private boolean isOn;

  /** What was last told of the draw's beginning; null if nothing was. */
  private @Nullable List<Object> toldLobby;

  /** The last one that is known to whoever reads the journal; negative if none is. */
  private long toldRate;

  Events(QueueState queue) {
    this.queue = queue;
    this.isOn = queue.settings.isLogged();
    this.toldRate = rateNow();
    this.toldLobby = isOn && queue.draw != null ? lobbyOf(queue.draw) : null;
  }

  /**
   * Notes anything.
   *
   * @param values as {@link Json} writes them
   * @return whether this is logged
   */
  boolean add(String kind, @Nullable Object... values) {
    if (isOn) {
      text.append(text.isEmpty() ? "[\"" : "\n[\"").append(kind).append('"');
      for (Object value : values) {
        Json.write(text.append(','), value);
      }
      text.append(']');
    }
    return isOn;
  }

  /** The settings and the state that hold from here on; they may be those that begin a log. */
  void rules(Settings settings, State state) {
    isOn |= settings.isLogged();
    if (isOn) {
      add(
          "rules",
          queue.version,
          plain(settings.deciding()),
          state.word().name(),
          state.entryOpen(),
          state.admissionPaused(),
          state.endedAt());
    }
    isOn = settings.isLogged();
  }

  /** There is one text for each number; Java has several for fractions. */
  private static @Nullable Object plain(@Nullable Object value) {
    return switch (value) {
      case Map<?, ?> map -> {
        Map<Object, @Nullable Object> all = new LinkedHashMap<>();
        map.forEach((name, each) -> all.put(name, plain(each)));
        yield all;
      }
      case List<?> list -> list.stream().map(Events::plain).toList();
      case Double number -> new BigDecimal(new BigDecimal(number.toString()).toPlainString());
      case null, default -> value;
    };
  }

  void join(EntryState entry) {
    if (isOn) {
      boolean isSettled = !Score.isUnsettled(Score.lane(entry.score));
      add(
          "join",
          entry.joined,
          entry.user,
          queue.bands.name(entry.score),
          isSettled ? entry.score : null,
          isSettled ? entry.ticket : 0);
    }
  }

  /** Somebody who had none has a place. */
  void settle(EntryState entry) {
    place("settle", entry);
  }

  void move(EntryState entry) {
    place("move", entry);
  }

  private void place(String kind, EntryState entry) {
    if (isOn) {
      boolean isSettled = !Score.isUnsettled(Score.lane(entry.score));
      add(
          kind,
          entry.joined,
          queue.bands.name(entry.score),
          isSettled ? entry.score : null,
          isSettled ? entry.ticket : 0);
    }
  }

  /** What will decide, if that is something else than before: seeds, and perhaps a coin. */
  void lobby(Draw draw) {
    // Whoever changes their mind behind the closing has promised something else.
    if (isOn && !draw.isUnderWay()) {
      List<Object> lobby = lobbyOf(draw);
      if (!lobby.equals(toldLobby)) {
        add("lobby", lobby.toArray());
      }
      toldLobby = lobby;
    }
  }

  private static List<Object> lobbyOf(Draw draw) {
    DrawView view = draw.view(false);
    boolean isCoin = view.kind() == Fairness.Draw.COIN;
    return List.of(
        view.number(),
        view.kind().name(),
        view.commitment(),
        view.windowCommitment(),
        isCoin ? Draw.CHAIN : "");
  }

  /** Who is drawn is fixed. */
  void close(Draw draw) {
    if (isOn) {
      long count = draw.lanes().stream().mapToLong(DrawView.OfLane::waiting).sum();
      add("close", draw.number(), draw.lastJoined(), count);
    }
  }

  void seal(Draw draw) {
    if (isOn) {
      DrawView view = draw.view(false);
      List<Object> lanes = new ArrayList<>();
      draw.lanes().forEach(lane -> lanes.add(List.of(lane.name(), lane.drawn())));
      add("seal", view.number(), view.root(), view.count(), lanes, view.round());
    }
  }

  /**
   * The order is known, if it was not.
   *
   * @param wasDrawn whether it was
   */
  void drawn(Draw draw, boolean wasDrawn) {
    if (isOn && draw.isDrawn() && !wasDrawn) {
      DrawView view = draw.view(false);
      Fairness.Draw by = view.signature().isEmpty() ? Fairness.Draw.SEED : Fairness.Draw.COIN;
      add("draw", view.number(), by.name(), view.seed());
    }
  }

  /**
   * A step of the drawn order.
   *
   * @param placed who got a place, in that order
   * @param gone who was named and waits no more
   */
  void settled(int number, long from, List<EntryState> placed, List<Long> gone) {
    if (isOn && placed.size() + gone.size() > 0) {
      Map<String, Object> firsts = new LinkedHashMap<>();
      placed.forEach(
          e -> firsts.putIfAbsent(queue.bands.name(e.score), List.of(e.score, e.ticket)));
      add("settled", number, from, from + placed.size() + gone.size(), firsts, gone);
    }
  }

  void handOff(EntryState entry, EntryState taken) {
    if (isOn) {
      add("handoff", entry.joined, taken.joined, taken.user);
    }
  }

  void enter(EntryState entry) {
    if (isOn) {
      add("enter", entry.joined, entry.until);
    }
  }

  /** Somebody inside came back; their turn is over then, or earlier. */
  void comesBack(EntryState entry) {
    if (isOn) {
      add("return", entry.joined, entry.until);
    }
  }

  /** A stay reached too far, since the clock went back. */
  void cut(EntryState entry) {
    if (isOn) {
      add("cut", entry.joined, entry.until);
    }
  }

  void end(EntryState entry) {
    if (isOn) {
      add("end", entry.joined, entry.status.name(), entry.reason.text());
    }
  }

  /** Others go in before this one. Says whether this is logged. */
  boolean pass(EntryState entry) {
    return isOn && add("pass", entry.joined);
  }

  /** That is over. Says whether this is logged. */
  boolean back(EntryState entry) {
    return isOn && add("back", entry.joined);
  }

  /** It is over for everybody, if there was anybody. */
  void present(boolean isAnybodyPassed) {
    if (isAnybodyPassed) {
      add("present");
    }
  }

  void stock(Units units) {
    if (isOn) {
      add("stock", units.remaining(), units.held());
    }
  }

  /** The rate that follows the site, if it is another one than before. */
  void rate() {
    long rate = rateNow();
    if (rate >= 0 && rate != toldRate) {
      add("rate", BigDecimal.valueOf(rate, 3));
    }
    toldRate = rate;
  }

  /** In thousandths, so that there is one text for it; negative if there is none. */
  private long rateNow() {
    return isOn ? Math.round(queue.followedRate() * 1_000) : -1;
  }

  /** All of it; empty if there is nothing. */
  String text() {
    return text.toString();
  }
}
