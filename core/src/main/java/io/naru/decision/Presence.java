package io.naru.decision;

import static io.naru.queue.Micros.PER_SECOND;

import io.naru.line.Score;
import io.naru.queue.Figures;
import io.naru.queue.Json;
import io.naru.queue.Owed;
import io.naru.queue.Sightings.Goes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Who near the front is there, as far as a queue goes by that. Servers say whom they see; somebody
 * of whom none has heard for a while is passed over when their turn comes.
 *
 * <p>Who is not known is present. So nobody is judged unless servers have been looking without a
 * gap, and have been looking at this very part of the line, for longer than one may be away; and
 * when a server falls silent or stops, whoever it saw has some time to be seen by another one.
 *
 * <p>And who owes something: they are passed over in the same way, whether they are there or not.
 *
 * <p>In each band all who wait before its <em>turn</em> were passed over, and nobody behind it: so
 * they are kept in mind one by one, and the line is read from there on.
 */
public final class Presence {

  /** Who was seen within this time is there. */
  static final long AWAY = 10 * PER_SECOND;

  /** For so long somebody must have been looked at; longer by the way of the news. */
  static final long LOOKED = AWAY + 2 * PER_SECOND;

  /** A server that has said nothing for so long is silent; it has something to say every second. */
  static final long SILENCE = 3 * PER_SECOND;

  /** Browsers that lost their server try again after 15 seconds at the latest, and may fail. */
  static final long GOODWILL = 60 * PER_SECOND;

  /** What was seen is forgotten after a while, some of it at a time. */
  static final long KEPT = 60 * PER_SECOND;

  private static final long SWEEP = 10 * PER_SECOND;
  private static final int MAX_SERVERS = 256;

  /** When each server that looks was last heard. */
  private final TreeMap<String, Long> servers = new TreeMap<>();

  /** How far was looked, about once a second. */
  private final Deque<Look> looks = new ArrayDeque<>();

  private final TreeMap<Integer, Passed> passed = new TreeMap<>();

  /** Since when at least one server has looked at any time; never if none does. */
  private long watchedSince = QueueState.NEVER;

  private long goodUntil;

  /** Whether the last server that looked fell silent or went down, and none has since. */
  private boolean isLost;

  /** Nobody who is still away was passed over before. */
  private long oldest = QueueState.NEVER;

  /** By when the first must have proved something who was passed over for that, or a bit before. */
  private long nextOwed = QueueState.NEVER;

  /** How many who wait owe something, and how many of them were passed over for that. */
  private long owing;

  private long held;

  /** How many have proved it, and did not in time. */
  private long proved;

  private long unproven;

  /** How many left their place for one in another lane. */
  private long moved;

  private long sweptAt;

  /**
   * At some moment servers looked at those with fewer than {@code near} before them, and so many
   * had gone from their places by then.
   */
  private record Look(long at, long gone, long near) {}

  /** Those of one band who were passed over. */
  private static final class Passed {
    long turn;
    long absent;
    long back;

    /** Nobody of those who are back has a smaller score. */
    long firstBack;

    long all() {
      return absent + back;
    }
  }

  /** The inverse of {@link #text()}. */
  public static @Nullable Presence ofText(@Nullable String text) {
    if (text == null) {
      return null;
    }
    var presence = new Presence();
    Map<String, @Nullable Object> all = Json.readObject(text);
    presence.watchedSince = number(all.get("since"), QueueState.NEVER);
    presence.goodUntil = number(all.get("good"), 0);
    presence.isLost = all.containsKey("lost");
    presence.oldest = number(all.get("oldest"), QueueState.NEVER);
    presence.moved = number(all.get("moved"), 0);
    presence.sweptAt = number(all.get("swept"), 0);
    presence.nextOwed = number(all.get("nextOwed"), QueueState.NEVER);
    presence.owing = number(all.get("owing"), 0);
    presence.held = number(all.get("held"), 0);
    presence.proved = number(all.get("proved"), 0);
    presence.unproven = number(all.get("unproven"), 0);
    ((Map<?, ?>) all.getOrDefault("servers", Map.of()))
        .forEach((name, at) -> presence.servers.put((String) name, number(at, 0)));
    for (Object look : (List<?>) all.getOrDefault("looks", List.of())) {
      var numbers = (List<?>) look;
      presence.looks.add(
          new Look(
              number(numbers.get(0), 0), number(numbers.get(1), 0), number(numbers.get(2), 0)));
    }
    ((Map<?, ?>) all.getOrDefault("passed", Map.of()))
        .forEach(
            (band, value) -> {
              var numbers = (List<?>) value;
              Passed some = presence.in(Integer.parseInt((String) band));
              some.turn = number(numbers.get(0), 0);
              some.absent = number(numbers.get(1), 0);
              some.back = number(numbers.get(2), 0);
              // Servers of an earlier version do not know it: then it is found out with a step.
              long unknown = Score.inBand(Integer.parseInt((String) band), 0);
              some.firstBack = numbers.size() > 3 ? number(numbers.get(3), unknown) : unknown;
            });
    return presence;
  }

  private static long number(@Nullable Object value, long otherwise) {
    return value instanceof Number number ? number.longValue() : otherwise;
  }

  /** As one text, for stores. */
  public String text() {
    Map<String, Object> all = new LinkedHashMap<>();
    if (watchedSince != QueueState.NEVER) {
      all.put("since", watchedSince);
    }
    if (oldest != QueueState.NEVER) {
      all.put("oldest", oldest);
    }
    if (isLost) {
      all.put("lost", true);
    }
    if (nextOwed != QueueState.NEVER) {
      all.put("nextOwed", nextOwed);
    }
    if (owing + proved + unproven > 0) {
      all.put("owing", owing);
      all.put("held", held);
      all.put("proved", proved);
      all.put("unproven", unproven);
    }
    all.put("good", goodUntil);
    all.put("moved", moved);
    all.put("swept", sweptAt);
    all.put("servers", servers);
    all.put("looks", looks.stream().map(l -> List.of(l.at, l.gone, l.near)).toList());
    Map<String, Object> bands = new LinkedHashMap<>();
    passed.forEach(
        (band, some) ->
            bands.put(
                Integer.toString(band),
                List.of(some.turn, some.absent, some.back, some.firstBack)));
    all.put("passed", bands);
    return Json.write(all);
  }

  Presence copy() {
    var copy = new Presence();
    copy.servers.putAll(servers);
    copy.looks.addAll(looks);
    passed.forEach(
        (band, some) -> {
          Passed same = copy.in(band);
          same.turn = some.turn;
          same.absent = some.absent;
          same.back = some.back;
          same.firstBack = some.firstBack;
        });
    copy.watchedSince = watchedSince;
    copy.goodUntil = goodUntil;
    copy.isLost = isLost;
    copy.oldest = oldest;
    copy.moved = moved;
    copy.sweptAt = sweptAt;
    copy.nextOwed = nextOwed;
    copy.owing = owing;
    copy.held = held;
    copy.proved = proved;
    copy.unproven = unproven;
    return copy;
  }

  private Passed in(int band) {
    return passed.computeIfAbsent(band, _ -> new Passed());
  }

  // Who looks.

  /** Notices what time has brought; says whether that was a server that fell silent. */
  boolean notice(long now) {
    // A clock that was set back or ahead is as good as an outage: nobody knows how long it was.
    boolean isSilent = servers.values().removeIf(at -> Math.abs(now - at) > SILENCE);
    if (isSilent) {
      doubt(now);
    }
    goodUntil = Math.min(goodUntil, now + GOODWILL);
    return isSilent;
  }

  /** A server looks, or stops to. */
  void heard(String server, Goes goes, long now) {
    if (goes == Goes.ON) {
      if (servers.isEmpty()) {
        watchedSince = now;
        looks.clear();
      }
      if (isLost) {
        goodUntil = now + GOODWILL;
        isLost = false;
      }
      if (servers.containsKey(server) || servers.size() < MAX_SERVERS) {
        servers.put(server, now);
      }
      return;
    }
    boolean wasThere = servers.remove(server) != null;
    if (goes == Goes.DOWN && wasThere) {
      doubt(now);
    } else if (servers.isEmpty()) {
      watchedSince = QueueState.NEVER;
    }
  }

  private void doubt(long now) {
    goodUntil = now + GOODWILL;
    looks.clear();
    if (servers.isEmpty()) {
      watchedSince = QueueState.NEVER;
      isLost = true;
    }
  }

  /** Notes how far is looked from now on. */
  void look(long now, long gone, long near) {
    long total = gone + moved;
    Look last = looks.peekLast();
    if (last != null && last.at > now) {
      looks.clear();
      last = null;
    }
    if (last != null && now - last.at < PER_SECOND) {
      if (near < last.near) {
        looks.removeLast();
        looks.add(new Look(last.at, last.gone, near));
      }
      return;
    }
    looks.add(new Look(now, total, near));
    List<Look> over = new ArrayList<>(looks.stream().filter(l -> l.at <= now - LOOKED).toList());
    if (!over.isEmpty()) {
      over.removeLast();
      looks.removeAll(over);
    }
  }

  /** Somebody left their place for one in another lane; those behind them moved up. */
  void moved() {
    moved++;
  }

  /** Whether servers have looked for long enough, and without a gap. */
  private boolean isJudging(long now) {
    return watchedSince != QueueState.NEVER
        && now - watchedSince >= LOOKED
        && goodUntil <= now
        && !looks.isEmpty()
        && looks.getFirst().at <= now - LOOKED;
  }

  /**
   * Who has fewer than these before them in their lane has been looked at for long enough: those
   * were near enough then, however many have gone from before them since.
   */
  long reach(long now, long gone) {
    if (!isJudging(now)) {
      return 0;
    }
    long nearest = looks.stream().mapToLong(Look::near).min().orElse(0);
    return nearest - (gone + moved - looks.getFirst().gone);
  }

  /** Whether somebody who was looked at is not there. Nobody looks before they have a place. */
  static boolean isAway(EntryState entry, long now) {
    long placed = entry.score - Score.laneFrom(entry.score);
    return now - Math.max(Math.max(entry.joined, placed), entry.seen) > AWAY;
  }

  /** When the first who was passed over has been away for as long as they may be. */
  long overAt(long graceMicros) {
    return oldest == QueueState.NEVER
        ? QueueState.NEVER
        : Math.max(oldest + graceMicros, goodUntil);
  }

  /**
   * @param first when the first one was passed over who is still away, if anybody is
   */
  boolean setOldest(long first) {
    long before = oldest;
    oldest = absent() == held ? QueueState.NEVER : first;
    return oldest != before;
  }

  /** Before which moment nobody was seen who matters; 0 if it is not time to forget them. */
  long sweep(long now) {
    if (Math.abs(now - sweptAt) < SWEEP) {
      return 0;
    }
    sweptAt = now;
    return now - KEPT;
  }

  // Who was passed over.

  long absent() {
    return passed.values().stream().mapToLong(some -> some.absent).sum();
  }

  long absent(int band) {
    Passed some = passed.get(band);
    return some == null ? 0 : some.absent;
  }

  /** How many of a band were passed over and seen again. */
  long back(int band) {
    Passed some = passed.get(band);
    return some == null ? 0 : some.back;
  }

  /** Nobody of a band who was passed over and seen again has a smaller score, if anybody was. */
  long firstBack(int band) {
    return in(band).firstBack;
  }

  void setFirstBack(int band, long score) {
    in(band).firstBack = score;
  }

  /** How many of a band were passed over, also those who were seen again. */
  long passed(int band) {
    Passed some = passed.get(band);
    return some == null ? 0 : some.all();
  }

  long passed() {
    return passed.values().stream().mapToLong(Passed::all).sum();
  }

  /** In which bands people were. */
  List<Integer> bands() {
    return passed.keySet().stream().filter(band -> passed(band) > 0).toList();
  }

  /** From where on nobody was passed over in a band; {@code front} if nobody was at all. */
  long turn(int band, long front) {
    Passed some = passed.get(band);
    return some == null || some.all() == 0 ? front : some.turn;
  }

  void setTurn(int band, long score) {
    in(band).turn = score;
  }

  /** Whether somebody who waits there was. */
  boolean isBefore(long score) {
    return score < turn(Score.lane(score), Long.MIN_VALUE);
  }

  /**
   * Others go in before this one, who is not there, or owes something.
   *
   * @param until when that is over, if it owes
   */
  void pass(EntryState entry, long now, long until) {
    Passed some = in(Score.lane(entry.score));
    if (entry.isPassed) {
      some.back--;
    }
    some.absent++;
    entry.isPassed = true;
    if (entry.owes()) {
      entry.absentSince = EntryState.OWING;
      entry.owedUntil = until;
      held++;
      nextOwed = Math.min(nextOwed, until);
    } else {
      entry.absentSince = now;
      oldest = Math.min(oldest, now);
    }
  }

  /** This one was seen again; false if they were known to be there, or that is not enough. */
  boolean back(EntryState entry) {
    if (!entry.isPassed || entry.absentSince == 0 || entry.owes()) {
      return false;
    }
    Passed some = in(Score.lane(entry.score));
    some.firstBack = some.back == 0 ? entry.score : Math.min(some.firstBack, entry.score);
    some.absent--;
    some.back++;
    release(entry);
    return true;
  }

  /** This one waits there no more. */
  void drop(EntryState entry) {
    Passed some = in(Score.lane(entry.score));
    if (entry.absentSince == 0) {
      some.back--;
    } else {
      some.absent--;
    }
    entry.isPassed = false;
    release(entry);
    entry.owedUntil = 0;
  }

  private void release(EntryState entry) {
    if (entry.absentSince == EntryState.OWING) {
      held--;
    }
    entry.absentSince = 0;
  }

  // Who owes something.

  Figures.Proofs proofs() {
    return new Figures.Proofs(owing, proved, unproven);
  }

  boolean isOwed() {
    return owing > 0;
  }

  /** How many will be passed over for what they owe, once it is their turn. */
  long owingInLine() {
    return owing - held;
  }

  void owe(EntryState entry, Owed owed) {
    entry.owed = owed;
    owing++;
  }

  /** This one owes nothing more, or is no more. */
  void forgive(EntryState entry) {
    entry.owed = Owed.NOTHING;
    entry.owedUntil = 0;
    owing--;
  }

  void proved() {
    proved++;
  }

  void unproven() {
    unproven++;
  }

  /** When it is over for the first who was passed over for what they owe. */
  long owedOverAt() {
    return nextOwed == QueueState.NEVER ? QueueState.NEVER : Math.max(nextOwed, goodUntil);
  }

  /**
   * @param next by when the first must have proved something, if anybody must
   */
  boolean setNextOwed(long next) {
    long before = nextOwed;
    nextOwed = held == 0 ? QueueState.NEVER : next;
    return nextOwed != before;
  }
}
