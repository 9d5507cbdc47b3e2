package io.naru.fair;

import io.naru.fair.LogRecord.Close;
import io.naru.fair.LogRecord.Coin;
import io.naru.fair.LogRecord.Drawn;
import io.naru.fair.LogRecord.Seal;
import io.naru.line.Score;
import io.naru.queue.Fairness.Draw;
import io.naru.queue.Micros;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One draw, from its commitment to the last who got a place by it: was it the list that had been
 * closed, the coin that did not exist then, the seed whose hash was known, and the order that
 * follows from these three?
 */
final class DrawCheck {

  /** So much the operator's clock may be behind the coin's. */
  private static final long CLOCKS_APART = 5 * Micros.PER_SECOND;

  private static final byte[] NO_COIN = new byte[0];

  private final LogRecord.Lobby promised;
  private final Drand chain;
  private final Findings findings;
  private final People people;
  private final LaneNames lanes;

  private final Lobby list = new Lobby();
  private boolean isListWrong;
  private @Nullable Close closed;
  private @Nullable Seal sealed;
  private long sealedRecord;
  private @Nullable Coin coin;
  private @Nullable Order order;

  /** Who the people of the list are; negative for nobody. */
  private int[] listed = new int[0];

  private long settled;
  private boolean isDone;

  DrawCheck(
      LogRecord.Lobby promised, Drand chain, Findings findings, People people, LaneNames lanes) {
    this.promised = promised;
    this.chain = chain;
    this.findings = findings;
    this.people = people;
    this.lanes = lanes;
    if (promised.draw() == Draw.COIN && !promised.chain().equals(chain.chain())) {
      findings.add("coin-changed", "the coin is of the chain " + promised.chain());
    }
  }

  long number() {
    return promised.number();
  }

  /** Whether those who come have no place because of it. */
  boolean isUnderWay() {
    return !isDone;
  }

  boolean isClosed() {
    return closed != null;
  }

  /** Whether all of the list have what the draw gave them. */
  boolean isSettled() {
    return sealed != null && order != null && settled >= sealed.count();
  }

  boolean isListed(long joined) {
    return closed != null && joined <= closed.lastJoined();
  }

  void close(Close close, long opening) {
    if (closed != null) {
      findings.add("drawn-otherwise", "closed a second time");
      return;
    }
    closed = close;
    if (close.at() < opening) {
      findings.add("closed-early", "closed at " + Micros.iso(close.at()) + ", before the opening");
    }
    int here = people.noteClose(close.lastJoined());
    compare(close.count(), here, "the lobby");
  }

  private void compare(long said, long here, String where) {
    if (said < here) {
      findings.add("inserted", here - said + " more in " + where + " than were counted");
    } else if (said > here) {
      findings.add("removed", said - here + " fewer in " + where + " than were counted");
    }
  }

  void seal(Seal seal) {
    Close before = closed;
    if (before == null || sealed != null) {
      findings.add("drawn-otherwise", "a list is sealed that is not closed, or was already");
      return;
    }
    sealed = seal;
    sealedRecord = findings.record;
    people.noteSeal(before.lastJoined());
    if (promised.draw() == Draw.COIN && seal.round() != 0) {
      long due = chain.roundFor(seal.at());
      if (seal.round() != due) {
        findings.add("coin-changed", "round " + seal.round() + ", by the rule it is " + due);
      }
    }
  }

  void leaves(byte[] part) {
    try {
      list.add(part);
    } catch (IllegalArgumentException e) {
      isListWrong = true;
      findings.add("sealed-otherwise", "the list: " + e.getMessage());
    }
  }

  void coin(Coin given) {
    Seal seal = sealed;
    if (seal == null || coin != null) {
      findings.add("coin-changed", "a coin for a list that is not sealed, or has one");
      return;
    }
    coin = given;
    if (given.round() != seal.round()) {
      findings.add("coin-changed", "round " + given.round() + " instead of " + seal.round());
    }
    if (!chain.verifies(given.round(), given.signature())) {
      findings.add("coin-forged", "not the signature of round " + given.round());
    }
    if (given.round() > 0 && given.at() < chain.startOf(given.round()) - CLOCKS_APART) {
      findings.add(
          "closed-late",
          "the coin is there before it is made: the clock is behind, and so may be the closing");
    }
  }

  void drawn(Drawn drawn) {
    Seal seal = sealed;
    if (seal == null || order != null) {
      findings.add("drawn-otherwise", "drawn without a list, or a second time");
      return;
    }
    byte[] seed = Hashes.ofHex("seed", drawn.seed(), Hashes.LENGTH);
    if (!Hashes.hex(Hashes.sha256(seed)).equals(promised.commitment())) {
      findings.add("seed-changed", "not the seed whose hash was published");
    }
    boolean isByCoin = drawn.draw() == Draw.COIN;
    if (promised.draw() == Draw.COIN && !isByCoin) {
      findings.add(
          "drawn-by-seed-instead-of-coin", "a coin was promised, and the operator's seed decided");
    }
    Coin given = coin;
    if (isByCoin && given == null) {
      findings.add("coin-missing", "drawn by a coin that is not in the log");
    }
    checkList(seal);
    byte[] randomness =
        isByCoin && given != null
            ? Drand.randomness(Hashes.ofHex("signature", given.signature(), Drand.SIGNATURE_BYTES))
            : NO_COIN;
    byte[] root = Hashes.ofHex("root", seal.root(), Hashes.LENGTH);
    order = Order.of(list, Order.key(seed, root, randomness));
  }

  private void checkList(Seal seal) {
    if (list.count() == 0 && seal.count() > 0) {
      findings.add("leaves-missing", "the list of draw " + number() + " is not there");
    } else if (!isListWrong && !Hashes.hex(list.root()).equals(seal.root())) {
      findings.add("sealed-otherwise", "the list has another root than was sealed");
    }
    if (list.count() != seal.count()) {
      compare(seal.count(), list.count(), "the list");
    }
    List<Seal.InLane> counts = seal.lanes();
    for (int lane = 0; lane < counts.size(); lane++) {
      if (counts.get(lane).count() != list.count(lane)) {
        findings.add(
            "sealed-otherwise",
            "other people in the lane " + counts.get(lane).lane() + " than said");
      }
    }
    listed = new int[list.count()];
    for (int i = 0; i < listed.length; i++) {
      listed[i] = personAt(i, counts);
    }
    int[] byPerson = listed.clone();
    Arrays.sort(byPerson);
    for (int person = 0; person < people.count(); person++) {
      if (people.wasAtSeal(person) && Arrays.binarySearch(byPerson, person) < 0) {
        findings.add("removed", "who joined at " + people.joined(person) + " is not in the list");
      }
    }
  }

  private int personAt(int index, List<Seal.InLane> counts) {
    long joined = list.joined(index);
    int person = people.find(joined);
    if (person < 0 || !people.hasLeaf(person, list.leaf(index)) || !people.wasAtClose(person)) {
      findings.add("inserted", "the list has somebody who was not in the lobby, at " + joined);
      return -1;
    }
    int lane = list.lane(index);
    String name = lane < counts.size() ? counts.get(lane).lane() : "";
    if (!lanes.name(people.lane(person)).equals(name)) {
      findings.add("sealed-otherwise", "who joined at " + joined + " is in another lane");
    }
    return person;
  }

  /** Where those get their places. */
  interface Places {
    /** Somebody has this number, in their lane's band. */
    void settle(int person, int band, long number);
  }

  /**
   * A step: gives everybody in it the place that is theirs.
   *
   * @return the last number that was used; negative if none was
   */
  long step(LogRecord.Settled step, Places places) {
    Order drawn = order;
    if (drawn == null
        || step.from() != settled
        || step.upTo() > drawn.count()
        || step.upTo() < step.from()) {
      findings.add("drawn-otherwise", "the places " + step.from() + " to " + step.upTo());
      return -1;
    }
    long next =
        step.firsts().values().stream()
            .mapToLong(first -> first.score() - Score.laneFrom(first.score()))
            .min()
            .orElse(-1);
    // By lane: the band, once its first one was seen.
    Integer[] bands = new Integer[LaneNames.MOST];
    int seen = 0;
    int gone = 0;
    for (int rank = (int) step.from(); rank < step.upTo(); rank++) {
      int person = listed[drawn.indexAt(rank)];
      long joined = drawn.joinedAt(rank);
      boolean isNamed = gone < step.gone().size() && step.gone().get(gone) == joined;
      gone += isNamed ? 1 : 0;
      if (person < 0 || people.state(person) != People.UNSETTLED) {
        if (!isNamed && person >= 0) {
          findings.add("drawn-otherwise", "who joined at " + joined + " was gone, and has a place");
          next++;
        }
      } else if (isNamed) {
        findings.add("removed", "who joined at " + joined + " waits, and is passed as gone");
      } else {
        int lane = people.lane(person);
        Integer band = bands[lane];
        if (band == null) {
          band = firstBand(step, lanes.name(lane), next, joined);
          bands[lane] = band;
          seen++;
        }
        places.settle(person, band, next++);
      }
    }
    if (gone < step.gone().size() || seen < step.firsts().size()) {
      findings.add("drawn-otherwise", "a step names people or lanes that are not in it");
    }
    settled = step.upTo();
    return next - 1;
  }

  /** The band of a lane, of which this is the first one in a step. */
  private int firstBand(LogRecord.Settled step, String lane, long number, long joined) {
    LogRecord.Settled.First first = step.firsts().get(lane);
    int band = first == null ? 0 : Score.lane(first.score());
    if (first == null || Score.isUnsettled(band)) {
      findings.add("drawn-otherwise", "nobody of the lane " + lane + " should be in this step");
      return 0;
    }
    if (Score.inBand(band, number) != first.score()) {
      findings.add(
          "drawn-otherwise", "the first of the lane " + lane + " is not who joined at " + joined);
    }
    return band;
  }

  void done() {
    isDone = true;
    int without = people.unsettled();
    if (without > 0) {
      findings.add("drawn-otherwise", "done, and " + without + " have no place");
    }
  }

  /** It will not be carried on. */
  void over() {
    isDone = true;
  }

  /**
   * What it is decided by is announced again, before it is closed.
   *
   * @return whether it is the same seed
   */
  boolean isChangedTo(LogRecord.Lobby next) {
    if (promised.draw() != next.draw()) {
      findings.remark(
          "draw "
              + number()
              + ": "
              + next.draw()
              + " instead of "
              + promised.draw()
              + ", before it was closed");
    }
    return promised.commitment().equals(next.commitment());
  }

  /** When the coin was made, or the list sealed: the latest moment to close. */
  private long coinMade() {
    Seal seal = sealed;
    return seal == null || seal.round() < 1 ? Long.MAX_VALUE : chain.startOf(seal.round());
  }

  /**
   * What the times say about the closing, as far as somebody else can attest them.
   *
   * @param seen checkpoints that visitors hold
   */
  void judge(List<Checkpoint> seen, long opening) {
    Close close = closed;
    Seal seal = sealed;
    if (close == null || seal == null) {
      return;
    }
    boolean isAttested = false;
    for (Checkpoint checkpoint : seen) {
      boolean hasSeal = checkpoint.size() > sealedRecord;
      if (!hasSeal && checkpoint.at() >= coinMade()) {
        findings.addAt(
            sealedRecord,
            "closed-late",
            "a receipt of "
                + Micros.iso(checkpoint.at())
                + " shows a log without the list, when"
                + " the coin was known");
      } else if (!hasSeal && checkpoint.at() > seal.at() + CLOCKS_APART) {
        findings.addAt(
            sealedRecord,
            "closed-late",
            "a receipt of "
                + Micros.iso(checkpoint.at())
                + " shows a log without the list, which"
                + " is said to be of "
                + Micros.iso(seal.at()));
      }
      // Where the operator's seed decides alone, a list of any moment could have been tried.
      isAttested |= hasSeal && seal.round() > 0 && checkpoint.at() < coinMade();
    }
    String late =
        opening > 0 && close.at() > opening
            ? ", " + (close.at() - opening) / Micros.PER_SECOND + " s after the opening,"
            : "";
    findings.remark(
        "draw "
            + number()
            + ": closed at "
            + Micros.iso(close.at())
            + late
            + (isAttested
                ? " as a receipt shows that was given out before the coin"
                : " by the operator's clock alone"));
  }
}
