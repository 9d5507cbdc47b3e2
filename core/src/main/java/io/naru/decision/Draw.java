package io.naru.decision;

import io.naru.queue.DrawView;
import io.naru.queue.Drawing;
import io.naru.queue.Drawing.Phase;
import io.naru.queue.Fairness;
import io.naru.queue.Json;
import io.naru.queue.Micros;
import io.naru.queue.Seal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What chance has to do with the order of a queue: its seeds, and how far the draw of its lobby is.
 *
 * <p>A lobby is closed at its time; then who is in it is fixed for good, before the last piece of
 * chance exists. So it is <em>sealed</em> with a root over all of them, and drawn by a coin of a
 * round that comes later; or by the seed alone, which was fixed in the beginning.
 */
public final class Draw {

  /** A coin is taken so long after the list is fixed, at least: it does not exist before. */
  private static final long COIN_AFTER = 10 * Micros.PER_SECOND;

  /**
   * The rounds of drand's <em>quicknet</em>: when the first one was, and how far they are apart.
   */
  private static final long FIRST_ROUND = Micros.of(Instant.ofEpochSecond(1_692_803_367));

  /** Which chain of drand that is. */
  static final String CHAIN = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";

  private static final long ROUND = 3 * Micros.PER_SECOND;

  private String windowSeed;
  private Arrivals arrivals = new Arrivals();
  private int number;
  private Phase phase = Phase.NONE;
  private Fairness.Draw kind = Fairness.Draw.SEED;
  private String seed;
  private long closedAt;
  private long lastJoined;
  private List<DrawView.OfLane> lanes = List.of();

  /** How many of those in the lobby when it was closed still wait for their place. */
  private long remaining;

  private long sealedAt;
  private String sealId = "";
  private String root = "";
  private long count;
  private long round;
  private String signature = "";
  private long drawnAt;
  private long settled;

  private Draw(String seed, String windowSeed) {
    this.seed = seed;
    this.windowSeed = windowSeed;
  }

  /** Of a queue in which chance has a part from now on. */
  static Draw begin(String entropy) {
    return new Draw(Chance.derive(entropy, "draw"), Chance.derive(entropy, "window"));
  }

  /**
   * Of a queue that comes from another ledger: its lobby is drawn here, with another seed; what was
   * drawn there is done.
   *
   * @param draws how many it has had, with that of the lobby
   */
  static Draw restored(String entropy, Phase phase, int draws, Fairness.Draw by) {
    Draw draw = begin(entropy);
    if (phase == Phase.LOBBY) {
      draw.number = Math.max(0, draws - 1);
      draw.open(entropy, by);
    } else {
      draw.number = draws;
      draw.kind = by;
      draw.phase = phase;
    }
    return draw;
  }

  /** The inverse of {@link #text()}. */
  public static @Nullable Draw ofText(@Nullable String text) {
    if (text == null) {
      return null;
    }
    Map<String, @Nullable Object> all = Json.readObject(text);
    var draw = new Draw(word(all, "seed"), word(all, "windowSeed"));
    if (all.get("arrivals") instanceof List<?> numbers) {
      draw.arrivals = Arrivals.ofNumbers(numbers);
    }
    draw.number = (int) number(all, "number");
    draw.phase = Phase.valueOf(word(all, "phase"));
    draw.kind = Fairness.Draw.valueOf(word(all, "kind"));
    draw.closedAt = number(all, "closedAt");
    draw.lastJoined = number(all, "lastJoined");
    List<DrawView.OfLane> lanes = new ArrayList<>();
    for (Object lane : (List<?>) Objects.requireNonNullElse(all.get("lanes"), List.of())) {
      var values = (List<?>) lane;
      lanes.add(
          new DrawView.OfLane(
              (String) values.get(0),
              ((Number) values.get(1)).intValue(),
              ((Number) values.get(2)).longValue(),
              ((Number) values.get(3)).longValue()));
    }
    draw.lanes = lanes;
    draw.remaining = number(all, "remaining");
    draw.sealedAt = number(all, "sealedAt");
    draw.sealId = word(all, "sealId");
    draw.root = word(all, "root");
    draw.count = number(all, "count");
    draw.round = number(all, "round");
    draw.signature = word(all, "signature");
    draw.drawnAt = number(all, "drawnAt");
    draw.settled = number(all, "settled");
    return draw;
  }

  private static String word(Map<String, @Nullable Object> all, String name) {
    return all.get(name) instanceof String text ? text : "";
  }

  private static long number(Map<String, @Nullable Object> all, String name) {
    return all.get(name) instanceof Number number ? number.longValue() : 0;
  }

  /** As one text, for stores. It has secrets. */
  public String text() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("number", number);
    all.put("phase", phase.name());
    all.put("kind", kind.name());
    all.put("seed", seed);
    all.put("windowSeed", windowSeed);
    all.put("arrivals", arrivals.numbers());
    all.put("closedAt", closedAt);
    all.put("lastJoined", lastJoined);
    all.put(
        "lanes",
        lanes.stream().map(l -> List.of(l.name(), l.band(), l.waiting(), l.drawn())).toList());
    all.put("remaining", remaining);
    all.put("sealedAt", sealedAt);
    all.put("sealId", sealId);
    all.put("root", root);
    all.put("count", count);
    all.put("round", round);
    all.put("signature", signature);
    all.put("drawnAt", drawnAt);
    all.put("settled", settled);
    return Json.write(all);
  }

  Draw copy() {
    var copy = new Draw(seed, windowSeed);
    copy.arrivals = arrivals.copy();
    copy.number = number;
    copy.phase = phase;
    copy.kind = kind;
    copy.closedAt = closedAt;
    copy.lastJoined = lastJoined;
    copy.lanes = lanes;
    copy.remaining = remaining;
    copy.sealedAt = sealedAt;
    copy.sealId = sealId;
    copy.root = root;
    copy.count = count;
    copy.round = round;
    copy.signature = signature;
    copy.drawnAt = drawnAt;
    copy.settled = settled;
    return copy;
  }

  /**
   * @param isEnded whether its queue has: then nothing is decided with the seed of windows any more
   */
  public DrawView view(boolean isEnded) {
    return new DrawView(
        number,
        kind,
        drawing(),
        Chance.commitment(seed),
        Chance.commitment(windowSeed),
        closedAt,
        lanes,
        sealedAt,
        sealId,
        root,
        count,
        round,
        signature,
        drawnAt,
        drawnAt > 0 ? seed : "",
        isEnded ? windowSeed : "");
  }

  public Drawing drawing() {
    return phase == Phase.NONE ? Drawing.NONE : new Drawing(phase, lastJoined, settled);
  }

  /** Somebody comes who has no place at first; drawn ones need no moment of their own. */
  void join(long joined, boolean isFirst, Fairness fairness, long now) {
    if (!isLobby() && !isUnderWay()) {
      arrivals.join(joined, isFirst, fairness, windowSeed, now);
    }
  }

  Arrivals arrivals() {
    return arrivals;
  }

  String windowSeed() {
    return windowSeed;
  }

  public int number() {
    return number;
  }

  /** Under which name the leaves are kept of those who are drawn; empty as long as that is open. */
  public String sealId() {
    return sealId;
  }

  long lastJoined() {
    return lastJoined;
  }

  /** By which lanes people were listed. */
  public List<DrawView.OfLane> lanes() {
    return lanes;
  }

  boolean isLobby() {
    return phase == Phase.LOBBY;
  }

  boolean isUnderWay() {
    return phase == Phase.CLOSED || phase == Phase.DRAWN;
  }

  boolean isDrawn() {
    return phase == Phase.DRAWN;
  }

  boolean isDone() {
    return phase == Phase.DONE;
  }

  /** Whether all of the drawn order were named. */
  boolean isNamed() {
    return isDrawn() && settled == count;
  }

  /** What was known at the end of the queue decides nothing any more. */
  void renew(String entropy) {
    windowSeed = Chance.derive(entropy, "window");
    arrivals = new Arrivals();
    if (phase != Phase.NONE) {
      phase = Phase.DONE;
    }
  }

  /** A lobby, of which nothing is decided. */
  void open(String entropy, Fairness.Draw by) {
    number++;
    phase = Phase.LOBBY;
    kind = by;
    seed = Chance.derive(entropy, "draw");
    closedAt = 0;
    lastJoined = 0;
    lanes = List.of();
    remaining = 0;
    sealedAt = 0;
    sealId = "";
    root = "";
    count = 0;
    round = 0;
    signature = "";
    drawnAt = 0;
    settled = 0;
  }

  /** There is to be no lobby, and nobody is in it. */
  void callOff() {
    phase = Phase.NONE;
  }

  /** From now on it is known who is drawn: those in the lobby, as long as they wait. */
  void close(long now, long last, List<DrawView.OfLane> waiting) {
    phase = Phase.CLOSED;
    closedAt = now;
    lastJoined = last;
    lanes = List.copyOf(waiting);
    remaining = waiting.stream().mapToLong(DrawView.OfLane::waiting).sum();
  }

  /** Somebody has a place now, or is no more. */
  void out(long joined) {
    if (isUnderWay() && joined <= lastJoined) {
      remaining--;
    }
  }

  /** Whether all who were drawn have a place, or are no more. */
  boolean isOut() {
    return remaining == 0;
  }

  /** Whether this is meant, and not one of before, or of another queue of this name. */
  private boolean is(String commitment) {
    return Chance.commitment(seed).equals(commitment);
  }

  /** Whether this very list was taken. */
  boolean isSealedBy(Seal seal) {
    return is(seal.commitment()) && seal.id().equals(sealId);
  }

  boolean canSeal(Seal seal) {
    return is(seal.commitment()) && phase == Phase.CLOSED && sealedAt == 0;
  }

  /** Whether everybody may be in this list who still waits, and nobody else is. */
  boolean fits(Seal seal) {
    boolean fits = seal.counts().size() == lanes.size();
    for (int i = 0; fits && i < lanes.size(); i++) {
      fits = seal.counts().get(i) >= 0 && seal.counts().get(i) <= lanes.get(i).waiting();
    }
    return fits && seal.count() >= remaining;
  }

  void seal(Seal seal, long now) {
    List<DrawView.OfLane> drawn = new ArrayList<>();
    for (int i = 0; i < lanes.size(); i++) {
      DrawView.OfLane lane = lanes.get(i);
      drawn.add(
          new DrawView.OfLane(lane.name(), lane.band(), lane.waiting(), seal.counts().get(i)));
    }
    lanes = drawn;
    sealedAt = now;
    sealId = seal.id();
    root = seal.root();
    count = seal.count();
    if (kind == Fairness.Draw.SEED || count == 0) {
      draw(now);
    } else {
      round = roundFrom(now + COIN_AFTER);
    }
  }

  /** The first round that is at a moment or later. */
  static long roundFrom(long micros) {
    return Math.ceilDiv(micros - FIRST_ROUND, ROUND) + 1;
  }

  private void draw(long now) {
    phase = Phase.DRAWN;
    drawnAt = now;
  }

  /** What is to decide; whoever goes over to the seed waits for no coin any more. */
  void decideBy(Fairness.Draw by, long now) {
    if (drawnAt > 0 || phase == Phase.DONE) {
      return;
    }
    kind = by;
    if (waitsForCoin() && by == Fairness.Draw.SEED) {
      draw(now);
    }
  }

  private boolean waitsForCoin() {
    return phase == Phase.CLOSED && round > 0;
  }

  boolean canTake(String ofDraw, long ofRound) {
    return waitsForCoin() && is(ofDraw) && ofRound == round;
  }

  /** Whether it was drawn by this very coin. */
  boolean isDrawnBy(String ofDraw, long ofRound, String brought) {
    return is(ofDraw) && ofRound == round && brought.equals(signature);
  }

  void coin(String brought, long now) {
    signature = brought;
    draw(now);
  }

  boolean isNext(String ofDraw, long from) {
    return isDrawn() && is(ofDraw) && from == settled;
  }

  /** How many of the drawn order are still to be named. */
  long unnamed() {
    return count - settled;
  }

  void named(int some) {
    settled += some;
  }

  void finish() {
    phase = Phase.DONE;
  }
}
