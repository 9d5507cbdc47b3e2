package io.naru.e2e.crash;

import static java.util.Comparator.comparingLong;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * What breaks when, round by round. It follows from the seed alone, so the same seed breaks the
 * same things at the same times, however long it goes on.
 */
final class Plan {

  /** In which a round breaks things; after that it heals. */
  static final long ROUND_MILLIS = 40_000;

  private static final int PER_ROUND = 9;
  private static final int TRIES = 200;

  /** Between two things that cannot be broken at once: what is healed takes some time to be up. */
  private static final long APART_MILLIS = 4_000;

  /** What is broken. */
  enum Part {
    SERVER,
    /** A server's own way to Redis. */
    WAY_TO_REDIS,
    /** A server's own way to the database. */
    WAY_TO_DATABASE,
    REDIS,
    DATABASE;

    boolean isOfAServer() {
      return this == SERVER || this == WAY_TO_REDIS || this == WAY_TO_DATABASE;
    }
  }

  /** How it is broken. */
  enum Kind {
    KILL_SERVER("F1", "a server is killed", Part.SERVER, 500, 4_000),
    STOP_SERVER("F3", "a server is stopped in order", Part.SERVER, 0, 2_000),
    FREEZE_SERVER("F12", "a server is frozen", Part.SERVER, 1_500, 6_000),
    KILL_REDIS("F5", "Redis is killed and loses everything", Part.REDIS, 0, 4_000),
    FREEZE_REDIS("F7", "Redis is frozen", Part.REDIS, 1_000, 6_000),
    FLUSH_REDIS("F5", "Redis is emptied", Part.REDIS, 0, 0),
    SPOIL_REDIS("F5", "a key of Redis is of the wrong type", Part.REDIS, 0, 0),
    REPLACE_REDIS("F6", "a replica takes over from a killed Redis", Part.REDIS, 0, 3_000),
    KILL_DATABASE("F9", "the database is killed", Part.DATABASE, 0, 4_000),
    FREEZE_DATABASE("F9", "the database is frozen", Part.DATABASE, 1_000, 6_000),
    REPLACE_DATABASE("F20", "a standby takes over from a killed database", Part.DATABASE, 0, 3_000),
    SLOW_DATABASE("F9", "the database is slow for a server", Part.WAY_TO_DATABASE, 2_000, 6_000),
    CUT_COMMITS("F10", "links are cut after COMMIT", Part.WAY_TO_DATABASE, 500, 2_000),
    RESET_DATABASE("F10", "all links to the database are reset", Part.WAY_TO_DATABASE, 0, 0),
    REFUSE_DATABASE(
        "F11", "a server is cut off from the database", Part.WAY_TO_DATABASE, 1_000, 5_000),
    MUTE_DATABASE("F11", "answers of the database are lost", Part.WAY_TO_DATABASE, 1_000, 5_000),
    REFUSE_REDIS("F11", "a server is cut off from Redis", Part.WAY_TO_REDIS, 1_000, 5_000),
    MUTE_REDIS("F8", "answers of Redis are lost", Part.WAY_TO_REDIS, 1_000, 5_000),
    DEAFEN_REDIS("F11", "what is sent to Redis is lost", Part.WAY_TO_REDIS, 1_000, 5_000);

    final String fault;
    final String words;
    final Part part;
    final int leastMillis;
    final int mostMillis;

    Kind(String fault, String words, Part part, int leastMillis, int mostMillis) {
      this.fault = fault;
      this.words = words;
      this.part = part;
      this.leastMillis = leastMillis;
      this.mostMillis = mostMillis;
    }
  }

  /**
   * One thing that breaks.
   *
   * @param server whose, 0 or 1; −1 if it is nobody's
   * @param start from the beginning of the round
   */
  record Fault(Kind kind, int server, long start, long lasts) {

    long end() {
      return start + lasts;
    }

    @Override
    public String toString() {
      String who = server < 0 ? "" : " (server %d)".formatted(server + 1);
      return "%5.1f s to %4.1f s: %s %s%s"
          .formatted(start / 1e3, end() / 1e3, kind.fault, kind.words, who);
    }
  }

  private Plan() {}

  /**
   * What breaks in this round, by when it does.
   *
   * @param kinds what can be broken
   */
  static List<Fault> round(long seed, int number, Set<Kind> kinds) {
    var random = new Random(seed * 1_000_003 + number);
    List<Fault> all = new ArrayList<>();
    for (int i = 0; i < TRIES && all.size() < PER_ROUND; i++) {
      Fault next = fault(random, List.copyOf(kinds));
      if (all.stream().noneMatch(other -> exclude(next, other))) {
        all.add(next);
      }
    }
    all.sort(comparingLong(Fault::start));
    return all;
  }

  private static Fault fault(Random random, List<Kind> kinds) {
    Kind kind = kinds.get(random.nextInt(kinds.size()));
    long lasts = random.nextInt(kind.leastMillis, kind.mostMillis + 1);
    long start = random.nextLong(ROUND_MILLIS - lasts);
    return new Fault(kind, kind.part.isOfAServer() ? random.nextInt(2) : -1, start, lasts);
  }

  /**
   * Whether one of them would leave nothing to break for the other: the same part twice, a way
   * whose server or store is down. Anything else may be broken at the same time.
   */
  static boolean exclude(Fault one, Fault other) {
    boolean isApart =
        one.end() + APART_MILLIS <= other.start || other.end() + APART_MILLIS <= one.start;
    if (isApart) {
      return false;
    }
    Part a = one.kind.part;
    Part b = other.kind.part;
    if (a.isOfAServer() && b.isOfAServer()) {
      return one.server == other.server && (a == b || a == Part.SERVER || b == Part.SERVER);
    }
    return a == b || leadsTo(a, b) || leadsTo(b, a);
  }

  private static boolean leadsTo(Part way, Part store) {
    return (way == Part.WAY_TO_REDIS && store == Part.REDIS)
        || (way == Part.WAY_TO_DATABASE && store == Part.DATABASE);
  }
}
