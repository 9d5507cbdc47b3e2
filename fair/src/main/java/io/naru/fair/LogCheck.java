package io.naru.fair;

import io.naru.admission.Pacing;
import io.naru.fair.LogRecord.Back;
import io.naru.fair.LogRecord.ByHand;
import io.naru.fair.LogRecord.Close;
import io.naru.fair.LogRecord.Coin;
import io.naru.fair.LogRecord.Cut;
import io.naru.fair.LogRecord.Delete;
import io.naru.fair.LogRecord.Done;
import io.naru.fair.LogRecord.Drawn;
import io.naru.fair.LogRecord.End;
import io.naru.fair.LogRecord.Enter;
import io.naru.fair.LogRecord.Handoff;
import io.naru.fair.LogRecord.Join;
import io.naru.fair.LogRecord.Move;
import io.naru.fair.LogRecord.Pass;
import io.naru.fair.LogRecord.Present;
import io.naru.fair.LogRecord.Rate;
import io.naru.fair.LogRecord.Return;
import io.naru.fair.LogRecord.Rules;
import io.naru.fair.LogRecord.Seal;
import io.naru.fair.LogRecord.Seeds;
import io.naru.fair.LogRecord.Settle;
import io.naru.fair.LogRecord.Settled;
import io.naru.fair.LogRecord.Stock;
import io.naru.line.Score;
import io.naru.queue.Adaptive;
import io.naru.queue.Json;
import io.naru.queue.Lanes;
import io.naru.queue.Micros;
import io.naru.queue.Settings;
import io.naru.queue.Units;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Goes through a log from its beginning, and holds every record against the rules that were in
 * force then. What it knows at any moment is what the queue knew: who waits where, who is inside,
 * what is allowed.
 */
final class LogCheck implements LogReader {

  /** A clock that is so far behind those who joined went back. */
  private static final long CLOCK_BEHIND = Micros.PER_SECOND;

  private static final int BANDS = Score.LAST_LANE - Score.FALLBACK + 1;

  final Findings findings = new Findings();
  final GrowingTree tree = new GrowingTree();
  final List<String> checkpoints = new ArrayList<>();
  final List<DrawCheck> draws = new ArrayList<>();
  final People people = new People();

  private final Drand chain;
  private final RecordScan scan = new RecordScan();
  private final LaneNames lanes = new LaneNames();
  private final LaneLine[] lines = new LaneLine[BANDS];
  private final LeafSet leaves = new LeafSet();
  private final PaceCheck pace = new PaceCheck();
  private final WindowCheck windows = new WindowCheck(findings, people);
  private String windowCommitment = "";

  private Settings settings = Settings.DEFAULT;
  private boolean hasRules;
  private boolean entryOpen;
  private boolean isPaused = true;
  private long endedAt;
  private Units units = Units.NONE;

  // What follows from those, for every admission.
  private int mostInside;
  private long admissionFrom;
  private long end;
  private long stay;

  private long inside;
  private long admitted;
  private long removed;
  private long byHand;
  private long moved;

  /** The last number that gave somebody a place; negative if none is known. */
  private long lastNumber = -1;

  // Of the change that is read.
  private long change = -1;
  private long at;
  private long numberedIn = -1;
  private boolean isOutOfOrder;
  private long expired;
  private long returned;
  private long byHandLeft;

  LogCheck(Drand chain) {
    this.chain = chain;
    for (int i = 0; i < BANDS; i++) {
      lines[i] = new LaneLine(people);
    }
  }

  long admitted() {
    return admitted;
  }

  /** From when on people stand in line, by the rules at the end. */
  long opening() {
    return settings.times().opening();
  }

  @Override
  public void record(byte[] bytes, int offset, int length) {
    tree.append(Merkle.leafHash(bytes, offset, length));
    try {
      if (scan.read(bytes, offset, length)) {
        begin(scan.change, scan.time, false);
        applyScanned();
      } else {
        LogRecord event = Records.read(new String(bytes, offset, length, StandardCharsets.UTF_8));
        begin(event.change(), event.at(), event instanceof Rules);
        apply(event);
      }
    } catch (IllegalArgumentException e) {
      findings.add("unreadable", String.valueOf(e.getMessage()));
    }
    findings.record++;
  }

  @Override
  public void leaves(long number, byte[] part) {
    DrawCheck draw = draw(number);
    if (draw != null) {
      draw.leaves(part);
    }
  }

  @Override
  public void checkpoint(String note) {
    checkpoints.add(note);
  }

  private void begin(long nextChange, long nextAt, boolean isRules) {
    if (!hasRules && !isRules) {
      if (findings.record == 0) {
        findings.add("removed", "the log does not begin with the rules");
      }
    }
    isOutOfOrder = nextChange < change;
    if (isOutOfOrder) {
      findings.add("swapped", "change " + nextChange + " behind change " + change);
      return;
    }
    if (nextChange == change) {
      if (nextAt != at) {
        findings.add("inserted", "change " + change + " has two times");
      }
      return;
    }
    change = nextChange;
    at = nextAt;
    expired = 0;
    returned = 0;
    byHandLeft = 0;
  }

  private void applyScanned() {
    switch (scan.kind) {
      case JOIN ->
          join(scan.joined, scan.leaf, scan.lane, scan.hasScore ? (Long) scan.score : null);
      case SETTLE -> settle(scan.joined, scan.lane, scan.score);
      case ENTER -> enter(scan.joined, scan.until);
      case END -> end(scan.joined, scan.status, scan.reason);
      case PASS -> pass(scan.joined, true);
      case BACK -> pass(scan.joined, false);
    }
  }

  private void apply(LogRecord event) {
    switch (event) {
      case Rules rules -> rules(rules);
      case LogRecord.Lobby lobby -> lobby(lobby);
      case Join join -> join(join.joined(), Leaves.ofText(join.leaf()), join.lane(), join.score());
      case Settle settle -> settle(settle.joined(), settle.lane(), settle.score());
      case Settled step -> settled(step);
      case Enter enter -> enter(enter.joined(), enter.until());
      case End end -> end(end.joined(), end.status(), end.reason());
      case Return back -> cut(back.joined(), back.until());
      case Move move -> move(move);
      case Handoff handoff -> handoff(handoff);
      case Pass passed -> pass(passed.joined(), true);
      case Back back -> pass(back.joined(), false);
      case Present _ -> present();
      case Cut cut -> cut(cut.joined(), cut.until());
      case ByHand next -> byHandLeft = next.count();
      case Stock stock -> {
        units = new Units(stock.remaining(), stock.held(), stock.at());
        repace();
      }
      case Rate rate -> rate(rate);
      case Close close -> {
        DrawCheck draw = known(close.number());
        if (draw != null) {
          draw.close(close, opening());
        }
      }
      case Seal seal -> {
        DrawCheck draw = known(seal.number());
        if (draw != null) {
          draw.seal(seal);
        }
      }
      case Coin coin -> {
        DrawCheck draw = known(coin.number());
        if (draw != null) {
          draw.coin(coin);
        }
      }
      case Drawn drawn -> {
        DrawCheck draw = known(drawn.number());
        if (draw != null) {
          draw.drawn(drawn);
        }
      }
      case Done done -> {
        DrawCheck draw = known(done.number());
        if (draw != null) {
          draw.done();
        }
      }
      case Seeds seeds -> seeds(seeds);
      case Delete _ -> {}
    }
  }

  // --- the rules

  private void rules(Rules rules) {
    hasRules = true;
    Settings next = Settings.ofText(Json.write(rules.settings()));
    relabel(settings.lanes(), next.lanes());
    if (!next.lanes().equals(settings.lanes())) {
      lanes.forgetBands();
    }
    settings = next;
    entryOpen = rules.entryOpen();
    isPaused = rules.admissionPaused();
    endedAt = rules.endedAt();
    if (next.supply().stock().isEmpty()) {
      units = Units.NONE;
    }
    DrawCheck draw = underWay();
    if (draw != null && endedAt > 0) {
      draw.over();
    } else if (draw != null && !draw.isClosed() && next.times().lobbyOpensAt().isEmpty()) {
      findings.remark("draw " + draw.number() + " was called off");
      draw.over();
    }
    admissionFrom = next.times().admissionFrom();
    end = next.times().end();
    stay = next.stay().passTtlSeconds() * Micros.PER_SECOND;
    windows.rules(next.fairness());
    repace();
  }

  /** Who stood in the one line stands in the last lane, and the other way round. */
  private void relabel(Lanes before, Lanes next) {
    if (before.isNone() == next.isNone() || people.count() == 0) {
      return;
    }
    int label = lanes.of(next.isNone() ? "" : next.lanes().getLast().name());
    int fallback = lanes.of(Lanes.FALLBACK);
    for (int person = 0; person < people.count(); person++) {
      if (people.state(person) != People.OVER && people.lane(person) != fallback) {
        people.setLane(person, label);
      }
    }
  }

  /** The rate that nothing may exceed. */
  private void repace() {
    Optional<Adaptive> rule = settings.pace().adaptive();
    Pacing pacing = settings.pacing();
    if (rule.isPresent()) {
      pacing = pacing.atRate(rule.get().ceilingPerSecond());
    }
    mostInside = settings.mostInside(units);
    double share = settings.supply().slowing(units);
    pace.pace(share == 1 ? pacing : pacing.atRate(share * pacing.perSecond()), at);
  }

  private void rate(Rate rate) {
    Optional<Adaptive> rule = settings.pace().adaptive();
    if (rule.isPresent() && rate.perSecond().doubleValue() > rule.get().ceilingPerSecond() + 1e-3) {
      findings.add("admitted-too-fast", "a rate of " + rate.perSecond() + ", above its ceiling");
    }
  }

  private void lobby(LogRecord.Lobby lobby) {
    windowCommitment = lobby.windowCommitment();
    if (lobby.number() > 0) {
      DrawCheck last = draws.isEmpty() ? null : draws.getLast();
      if (last != null && last.isUnderWay() && last.isClosed()) {
        findings.add("drawn-otherwise", "draw " + lobby.number() + " begins in the middle of one");
      } else if (last != null && last.number() == lobby.number()) {
        if (!last.isChangedTo(lobby)) {
          findings.add("seed-changed", "draw " + lobby.number() + " has another seed");
        }
        draws.removeLast();
      }
      draws.add(new DrawCheck(lobby, chain, findings, people, lanes));
    }
  }

  private void seeds(Seeds seeds) {
    byte[] seed = Hashes.ofHex("seed", seeds.windowSeed(), Hashes.LENGTH);
    if (!Hashes.hex(Hashes.sha256(seed)).equals(windowCommitment)) {
      findings.add("seed-changed", "not the seed of windows whose hash was published");
    }
    windows.reveal(seed);
  }

  private @Nullable DrawCheck draw(long number) {
    return draws.reversed().stream().filter(d -> d.number() == number).findFirst().orElse(null);
  }

  private @Nullable DrawCheck known(long number) {
    DrawCheck draw = draw(number);
    if (draw == null) {
      findings.add("drawn-otherwise", "draw " + number + " was never announced");
    }
    return draw;
  }

  /** The draw because of which those who come have no place; null if there is none. */
  private @Nullable DrawCheck underWay() {
    return draws.isEmpty() || !draws.getLast().isUnderWay() ? null : draws.getLast();
  }

  // --- places

  /** Every place has a number of its own, later than all before: the next, or the time. */
  private void number(long number, String what) {
    if (isOutOfOrder) {
      return;
    }
    if (lastNumber >= 0 && number <= lastNumber) {
      String name = numberedIn == change ? "swapped" : "inserted";
      findings.add(name, what + " " + number + " behind " + lastNumber);
      return;
    }
    if (number < at) {
      findings.add("inserted", what + " " + number + " is of before it was decided, at " + at);
    } else if (lastNumber >= 0 && number > Math.max(lastNumber + 1, at)) {
      findings.add("removed", "before " + what + " " + number + " others are missing");
    }
    lastNumber = number;
    numberedIn = change;
  }

  private void join(long joined, byte[] leaf, String lane, @Nullable Long score) {
    number(joined, "the entry");
    if (!leaves.add(leaf)) {
      findings.add("inserted", "the entry " + joined + " has the leaf of another one");
    }
    if (!people.isLast(joined)) {
      return;
    }
    boolean isAgain = expired > 0;
    expired -= isAgain ? 1 : 0;
    if (lane.equals(Lanes.FALLBACK)) {
      if (returned == 0) {
        findings.add("inserted", "the entry " + joined + " is in front, and nobody came back");
      }
      returned -= returned > 0 ? 1 : 0;
    } else if (!isAgain && !mayEnter()) {
      findings.add("joined-while-closed", "the entry " + joined);
    }
    int person = people.add(joined, leaf, lanes.of(lane));
    DrawCheck draw = underWay();
    if (score == null) {
      people.become(person, People.UNSETTLED);
      if (draw == null) {
        windows.join(person, joined);
      }
      return;
    }
    if (!isAgain && (draw != null || windows.isOn())) {
      findings.add("inserted", "the entry " + joined + " has a place while nobody gets one");
    }
    if (score - Score.laneFrom(score) != joined) {
      findings.add("inserted", "the entry " + joined + " has the place " + score);
    }
    place(person, lane, score);
  }

  private boolean mayEnter() {
    return entryOpen && endedAt == 0 && settings.times().letsEnter(at);
  }

  /** Somebody has a place from here on. */
  private void place(int person, String lane, long score) {
    int band = Score.lane(score);
    boolean isFallback = band == Score.FALLBACK;
    if (Score.isUnsettled(band)
        || isFallback != lane.equals(Lanes.FALLBACK)
        || !lanes.standsIn(lane, band)) {
      findings.add("inserted", "the place " + score + " is not in the lane " + lane);
      if (Score.isUnsettled(band)) {
        return;
      }
    }
    LaneLine line = lines[band - Score.FALLBACK];
    if (!line.isBehind(score)) {
      findings.add("inserted", "the place " + score + " is before others of its lane");
    }
    people.become(person, People.WAITING);
    people.setPlace(person, band, line.add(person, score));
  }

  private LaneLine line(int person) {
    return lines[people.band(person) - Score.FALLBACK];
  }

  /** Somebody is in line no more. */
  private void leaveLine(int person) {
    if (people.state(person) == People.WAITING) {
      line(person).leave(people.place(person));
    }
    people.setPassed(person, false);
  }

  /** Who is meant; negative, and a finding, if nobody who waits or is inside. */
  private int live(long joined, String what) {
    int person = people.find(joined);
    if (person < 0) {
      findings.add("removed", what + " " + joined + ", who never joined");
    } else if (people.state(person) == People.OVER) {
      findings.add("ended-twice", what + " " + joined + ", whose entry is over");
      return -1;
    }
    return person;
  }

  private void settle(long joined, String lane, long score) {
    number(score - Score.laneFrom(score), "the place");
    int person = live(joined, "a place for");
    if (person < 0) {
      return;
    }
    if (people.state(person) != People.UNSETTLED) {
      findings.add("swapped", "the entry " + joined + " has a place already");
      leaveLine(person);
    }
    DrawCheck draw = underWay();
    if (draw != null && draw.isListed(joined)) {
      findings.add("drawn-otherwise", "the entry " + joined + " was drawn, and got another place");
    } else if (draw != null) {
      if (!draw.isSettled()) {
        findings.add("settled-out-of-order", "the entry " + joined + " before all who were drawn");
      }
      late(person, Score.lane(score));
    } else if (windows.isOurs(person) && windows.isOn() && lastNumber - at <= CLOCK_BEHIND) {
      windows.settle(person, Score.lane(score), at, change);
    } else if (windows.isOn()) {
      // The clock went back, and nobody was let wait for it.
      windows.begin();
    } else {
      late(person, Score.lane(score));
    }
    if (!lanes.name(people.lane(person)).equals(lane)) {
      findings.add("swapped", "the entry " + joined + " is in another lane");
    }
    place(person, lane, score);
  }

  private final long[] lastLate = new long[BANDS];

  /** Who came after the closing stands behind, in the order in which they came. */
  private void late(int person, int band) {
    if (Score.isUnsettled(band)) {
      return;
    }
    long joined = people.joined(person);
    if (joined < lastLate[band - Score.FALLBACK]) {
      findings.add("settled-out-of-order", "the entry " + joined + " came before the one in front");
    }
    lastLate[band - Score.FALLBACK] = joined;
  }

  private void settled(Settled step) {
    DrawCheck draw = known(step.number());
    if (draw == null) {
      return;
    }
    step.firsts().values().stream()
        .mapToLong(first -> first.score() - Score.laneFrom(first.score()))
        .min()
        .ifPresent(first -> number(first, "the place"));
    long last =
        draw.step(
            step,
            (person, band, number) ->
                place(person, lanes.name(people.lane(person)), Score.inBand(band, number)));
    lastNumber = Math.max(lastNumber, last);
  }

  private void move(Move move) {
    int person = live(move.joined(), "a move of");
    Long score = move.score();
    if (score != null) {
      number(score - Score.laneFrom(score), "the place");
    }
    if (person < 0) {
      return;
    }
    moved++;
    DrawCheck draw = underWay();
    if (draw != null && draw.isClosed() && people.state(person) == People.UNSETTLED) {
      findings.add("drawn-otherwise", "the entry " + move.joined() + " moves in the middle of it");
    }
    leaveLine(person);
    windows.except(person);
    people.setLane(person, lanes.of(move.lane()));
    people.become(person, People.UNSETTLED);
    if (score != null) {
      place(person, move.lane(), score);
    }
  }

  private void handoff(Handoff handoff) {
    number(handoff.newJoined(), "the entry");
    byte[] leaf = Leaves.ofText(handoff.leaf());
    if (!leaves.add(leaf)) {
      findings.add("inserted", "the entry " + handoff.newJoined() + " has the leaf of another one");
    }
    int person = live(handoff.joined(), "a place is taken over from");
    if (person < 0 || !people.isLast(handoff.newJoined())) {
      return;
    }
    int taken = people.add(handoff.newJoined(), leaf, people.lane(person));
    people.become(taken, people.state(person));
    if (people.state(person) == People.WAITING) {
      int place = people.place(person);
      people.setPlace(taken, people.band(person), place);
      line(person).take(place, taken);
    }
    people.setPassed(person, false);
    people.become(person, People.OVER);
  }

  // --- who is there

  private void pass(long joined, boolean isPassed) {
    int person = live(joined, isPassed ? "passed over:" : "back:");
    if (person < 0 || people.state(person) != People.WAITING) {
      return;
    }
    people.setPassed(person, isPassed);
    if (isPassed) {
      line(person).passed(people.place(person));
    } else {
      line(person).back(people.place(person));
    }
  }

  private void present() {
    for (int person = 0; person < people.count(); person++) {
      people.setPassed(person, false);
    }
    for (LaneLine line : lines) {
      line.allBack();
    }
  }

  // --- going in and out

  private void enter(long joined, long until) {
    int person = people.find(joined);
    if (person < 0) {
      findings.add("removed", "the entry " + joined + " goes in, and never joined");
      return;
    }
    switch (people.state(person)) {
      case People.WAITING -> {
        LaneLine line = line(person);
        int first = line.first();
        if (first != people.place(person)) {
          findings.add("admitted-out-of-order", "the entry " + joined + " before others");
        }
        line.leave(people.place(person));
      }
      case People.UNSETTLED ->
          findings.add("admitted-out-of-order", "the entry " + joined + " has no place");
      default -> {
        findings.add("admitted-twice", "the entry " + joined);
        return;
      }
    }
    people.setPassed(person, false);
    people.become(person, People.INSIDE);
    people.setUntil(person, until);
    inside++;
    admitted++;
    checkEntrance(joined, until);
  }

  private void checkEntrance(long joined, long until) {
    if (inside > mostInside) {
      entrance("admitted-above-capacity", joined, " as number " + inside + " of " + mostInside);
    }
    if (endedAt > 0 || at >= end) {
      entrance("admitted-after-end", joined, "");
    } else if (isPaused) {
      entrance("admitted-while-paused", joined, "");
    } else if (at < admissionFrom) {
      entrance("admitted-before-opening", joined, "");
    } else if (settings.supply().isDoubted(units, at)) {
      entrance("admitted-without-stock", joined, "");
    }
    if (until != at + stay) {
      entrance("stay-otherwise", joined, " may stay until " + Micros.iso(until));
    }
    if (byHandLeft > 0) {
      byHandLeft--;
      byHand++;
    } else if (!pace.enter(at)) {
      entrance("admitted-too-fast", joined, "");
    }
  }

  private void entrance(String name, long joined, String more) {
    findings.add(name, "the entry " + joined + more);
  }

  private void cut(long joined, long until) {
    int person = live(joined, "a shorter stay of");
    if (person < 0) {
      return;
    }
    if (people.state(person) != People.INSIDE || until > people.until(person)) {
      findings.add("stay-otherwise", "the entry " + joined + " until " + Micros.iso(until));
    }
    people.setUntil(person, until);
  }

  private void end(long joined, String status, String reason) {
    int person = live(joined, "the end of");
    if (person < 0) {
      return;
    }
    boolean wasInside = people.state(person) == People.INSIDE;
    if (wasInside) {
      inside--;
    } else {
      leaveLine(person);
    }
    boolean isReturned = reason.equals("returned");
    boolean isOther = reason.equals("absent") || reason.equals("unproven");
    switch (status) {
      case "COMPLETED" -> {
        if (!wasInside) {
          findings.add("ended-otherwise", "the entry " + joined + " is complete, and was not in");
        }
      }
      case "EXPIRED" -> {
        boolean isInTime =
            wasInside ? isReturned || at >= people.until(person) : isOther || isEnded();
        if (!isInTime) {
          findings.add("expired-early", "the entry " + joined);
        }
        expired += wasInside ? 1 : 0;
        returned += wasInside && isReturned ? 1 : 0;
      }
      default -> removed += reason.equals("removed") || reason.equals("revoked") ? 1 : 0;
    }
    people.become(person, People.OVER);
  }

  private boolean isEnded() {
    return endedAt > 0;
  }

  /** What is no finding, and still worth a word. */
  void remark() {
    if (windows.unchecked() > 0) {
      findings.remark(
          windows.unchecked()
              + " places by jitter or window can be checked when the seed is published, at the end");
    }
    count(byHand, "went in by an operator's hand, beside the rate");
    count(removed, "were taken out by an operator");
    count(moved, "were moved to another lane");
  }

  private void count(long number, String what) {
    if (number > 0) {
      findings.remark(number + " " + what);
    }
  }
}
