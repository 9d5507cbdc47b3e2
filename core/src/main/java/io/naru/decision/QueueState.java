package io.naru.decision;

import io.naru.admission.Allowance;
import io.naru.admission.Pacing;
import io.naru.history.Counts;
import io.naru.history.Minute;
import io.naru.line.Part;
import io.naru.line.Rules;
import io.naru.line.Score;
import io.naru.queue.Adaptive;
import io.naru.queue.DrawView;
import io.naru.queue.Drawing;
import io.naru.queue.Figures;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.Queue;
import io.naru.queue.QueueId;
import io.naru.queue.RateNow;
import io.naru.queue.Settings;
import io.naru.queue.State;
import io.naru.queue.Stocked;
import io.naru.queue.Times;
import io.naru.queue.Units;
import io.naru.rate.RatePoint;
import io.naru.rate.RateState;
import io.naru.rate.Signals;
import io.naru.rate.Site;
import io.naru.transfer.MovedQueue;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A queue as it is stored, which a {@link Decision} changes. */
public class QueueState {

  /** A moment that does not come. */
  public static final long NEVER = Times.NEVER;

  public final QueueId queue;
  public Settings settings = Settings.DEFAULT;
  public State state = State.INACTIVE;

  /** 0 as long as nobody has said what this queue is to be: then there is none. */
  public long version;

  public long createdAt;
  public long activatedAt;
  public long deactivatedAt;
  public long change;

  /** When the last one joined; the next one joins later, whatever the clock does. */
  public long lastJoined;

  public long waiting;
  public long inside;

  /** Nobody who waits has a smaller score. */
  public long frontScore;

  /** Who waits in which lane. */
  public Bands bands = new Bands();

  public Allowance allowance = new Allowance(0, 0);

  /** How the rate follows the site; null if it follows nothing. */
  public @Nullable RateState rate;

  public long lastEnteredAt;
  public long joined;
  public long entered;
  public long completed;
  public long left;
  public long expired;

  /** In which minute it changed last. */
  public long changedMinute;

  /** What the site said last of what there is; null if nothing. */
  public @Nullable Stocked stock;

  /** Who is there; null if the queue does not go by that. */
  public @Nullable Presence presence;

  /** What chance has to do with its order; null if nothing. */
  public @Nullable Draw draw;

  /** Of one that came from another ledger, how far it is; or null. */
  public @Nullable Restoring restoring;

  /** What was told last of whether people may enter. */
  public Openness openness = Openness.NONE;

  public QueueState(QueueId queue) {
    this.queue = queue;
  }

  public QueueState copy() {
    var copy = new QueueState(queue);
    copy.settings = settings;
    copy.state = state;
    copy.version = version;
    copy.createdAt = createdAt;
    copy.activatedAt = activatedAt;
    copy.deactivatedAt = deactivatedAt;
    copy.change = change;
    copy.lastJoined = lastJoined;
    copy.waiting = waiting;
    copy.inside = inside;
    copy.frontScore = frontScore;
    copy.bands = bands.copy();
    copy.allowance = allowance;
    copy.rate = rate;
    copy.lastEnteredAt = lastEnteredAt;
    copy.joined = joined;
    copy.entered = entered;
    copy.completed = completed;
    copy.left = left;
    copy.expired = expired;
    copy.changedMinute = changedMinute;
    copy.stock = stock;
    copy.presence = presence == null ? null : presence.copy();
    copy.draw = draw == null ? null : draw.copy();
    copy.restoring = restoring;
    copy.openness = openness;
    return copy;
  }

  /** As it is at {@code now}, also if nobody has carried out yet that it ended. */
  public Queue asQueue(long now) {
    return new Queue(
        queue,
        settings,
        stateAt(now),
        version,
        createdAt,
        activatedAt,
        deactivatedAt,
        stock,
        drawing());
  }

  /** Whether it is on its way here from another ledger: until it is whole, there is none. */
  public boolean isBeingRestored() {
    return restoring != null && !restoring.isWhole();
  }

  /** Everybody in it joined then or later; no other queue of this name has the same. */
  public long born() {
    return restoring == null ? createdAt : restoring.born(createdAt);
  }

  /** As it is moved to another ledger, without its people. */
  public MovedQueue moved() {
    return new MovedQueue(
        settings,
        state,
        activatedAt,
        deactivatedAt,
        lastJoined,
        lastEnteredAt,
        bands.text(),
        bands.tickets(),
        waiting,
        inside,
        new Counts(joined, entered, completed, left, expired),
        drawing().phase(),
        draw == null ? 0 : draw.number());
  }

  /** Its state, which its time may have ended. */
  State stateAt(long now) {
    return state.endedBy(settings.times(), now);
  }

  public Figures figures(long longestWaitMicros) {
    return new Figures(
        change,
        waiting,
        bands.lanes(),
        inside,
        absent(),
        longestWaitMicros,
        joined,
        entered,
        completed,
        left,
        expired,
        presence == null ? Figures.Proofs.NONE : presence.proofs());
  }

  /** How many are in it, for the audit. */
  Map<String, Integer> people() {
    return Map.of("waiting", (int) waiting, "inside", (int) inside);
  }

  /** All that was counted up to now, as of the minute in which it changed last. */
  public Minute lastMinute() {
    return new Minute(changedMinute, new Counts(joined, entered, completed, left, expired));
  }

  public LineState lineState() {
    return new LineState(
        change,
        waiting,
        bands.counts(),
        version,
        state,
        settings,
        units(),
        passedOver(),
        drawing());
  }

  public Rules rules() {
    return new Rules(version, state, settings, units(), passedOver(), drawing());
  }

  /** How far its draw is. */
  Drawing drawing() {
    return draw == null ? Drawing.NONE : draw.drawing();
  }

  /** What anybody may know of its draw; empty if chance has no part in it. */
  public Optional<DrawView> drawView(long now) {
    return Optional.ofNullable(draw).map(known -> known.view(stateAt(now).isEnded()));
  }

  /** Whether its draw goes on only if somebody does something. */
  public boolean isDrawUnderWay(long now) {
    return draw != null && draw.isUnderWay() && !stateAt(now).isEnded();
  }

  /**
   * Where those stand who are to be drawn, of one lane; empty if nobody is.
   *
   * @param lane its number in {@link DrawView#lanes}
   * @param after only those who joined later than this
   */
  public Optional<Part> toDraw(int lane, long after, long now) {
    if (!isDrawUnderWay(now) || draw == null || draw.isDrawn() || lane >= draw.lanes().size()) {
      return Optional.empty();
    }
    int band = Score.unsettled(draw.lanes().get(lane).band());
    long behind = Math.clamp(after, 0, draw.lastJoined());
    return Optional.of(
        new Part(false, Score.inBand(band, behind), Score.inBand(band, draw.lastJoined())));
  }

  /** Whether whoever comes has no place at first. */
  boolean placesLater() {
    return settings.fairness().settlesLater()
        || (draw != null && (draw.isLobby() || draw.isUnderWay()))
        || bands.unsettled() > 0;
  }

  /** Whether it is time to close the lobby. */
  boolean closesLobby(long now) {
    return draw != null && draw.isLobby() && now >= settings.times().opening() && !state.isEnded();
  }

  /**
   * When the first gets a place who has none yet, or a bit before; of those who are drawn somebody
   * has to say who that is.
   */
  long settlingFrom() {
    if (bands.unsettled() == 0) {
      return NEVER;
    }
    if (draw == null) {
      return 0;
    }
    if (draw.isLobby()) {
      return settings.times().opening();
    }
    if (draw.isUnderWay()) {
      return draw.isNamed() ? 0 : NEVER;
    }
    return settings.fairness().settlesLater() ? draw.arrivals().next() : 0;
  }

  /** Whether some may get their places now, who were not named. */
  boolean settlesAt(long now) {
    if (stateAt(now).isEnded() || bands.unsettled() == 0) {
      return false;
    }
    if (draw != null && (draw.isLobby() || draw.isUnderWay())) {
      return draw.isNamed();
    }
    return settlingFrom() <= now || Arrivals.isBehind(now, lastJoined);
  }

  /** Whether a time has come that makes a difference, whoever is in it. */
  public boolean turnsAt(long now) {
    return openness.until() <= now;
  }

  /** How many were passed over, and have not been seen since or still owe something. */
  public long absent() {
    return presence == null ? 0 : presence.absent();
  }

  long absent(int band) {
    return presence == null ? 0 : presence.absent(band);
  }

  /** How many of a band were passed over, also those who were seen again. */
  long passed(int band) {
    return presence == null ? 0 : presence.passed(band);
  }

  long passedOver() {
    return LineState.roundedUp(absent());
  }

  /** How many wait who may go in. */
  long present() {
    return waiting - absent() - bands.unsettled();
  }

  /**
   * From where on those are read whose turn it is.
   *
   * @param front nobody in the band has a smaller score
   */
  long turn(int band, long front) {
    return presence == null ? front : presence.turn(band, front);
  }

  /** How many have gone from their places since the beginning. */
  long gone() {
    return joined - waiting;
  }

  /**
   * Begins or ends to go by who is there and who owes something; says whether what was known of
   * that is over. If nobody is asked for anything any more, nobody owes anything.
   */
  boolean settlePresence() {
    boolean matters = settings.door().passesOver() && !state.isEnded();
    boolean isForgiven = presence != null && presence.isOwed() && !settings.door().asks();
    if (matters == (presence != null) && !isForgiven) {
      return false;
    }
    boolean isOver = presence != null;
    presence = matters ? new Presence() : null;
    return isOver;
  }

  /**
   * When the first who was passed over has been away for as long as they may be, or a bit before.
   */
  long absentOverAt() {
    return presence == null ? NEVER : presence.overAt(settings.door().absenceGraceMicros());
  }

  /** When it is over for the first who was passed over for what they owe, or a bit before. */
  long owedOverAt() {
    return presence == null ? NEVER : presence.owedOverAt();
  }

  /** When either of them is. */
  private long passedOverAt() {
    return Math.min(absentOverAt(), owedOverAt());
  }

  private Units units() {
    return stock == null ? Units.NONE : stock.units();
  }

  /**
   * How long the first in line has been waiting.
   *
   * @param first when it joined; of lanes, their fronts tell
   */
  public long longestWait(long first, long now) {
    return waiting == 0 ? 0 : Math.max(0, now - bands.firstJoined(first));
  }

  /**
   * The rate that is in force: all that it depends on is put together here. Its interval is that of
   * the settings, by which the allowance is counted; what changes it in another way than by time
   * goes through {@link #repace}.
   */
  Pacing pacingAt(@SuppressWarnings("unused") long now) {
    return pacing();
  }

  /** The rate as it was last decided, and slowed where little stock is left. */
  public Pacing pacing() {
    Pacing pacing = followed();
    double share = settings.supply().slowing(units());
    return share == 1 ? pacing : pacing.atRate(share * pacing.perSecond());
  }

  /** The rate that follows the site, before stock slows it; -1 if none does. */
  double followedRate() {
    return rate == null || settings.pace().adaptive().isEmpty() ? -1 : followed().perSecond();
  }

  private Pacing followed() {
    RateState state = rate;
    Optional<Adaptive> rule = settings.pace().adaptive();
    return state == null || rule.isEmpty()
        ? settings.pacing()
        : settings.pacing().atRate(rule.get().clamp(state.perSecond()));
  }

  public RateNow rateNow(long now) {
    RateState state = rate;
    Optional<Adaptive> rule = settings.pace().adaptive();
    double perSecond = pacing().perSecond();
    boolean isSlowed = settings.supply().slowing(units()) < 1;
    if (state == null || rule.isEmpty()) {
      return new RateNow(perSecond, isSlowed ? "stock" : "settings");
    }
    String by = isSlowed ? "stock" : state.limitedBy(rule.get());
    return new RateNow(
        perSecond, by, Math.round(state.insideLimit()), state.signals().seen(now).site());
  }

  /** What the queue itself knows of the site behind it. */
  Site site(long now) {
    return new Site(now, inside, entered - inside, settings.stay().passTtlSeconds());
  }

  /** Takes settings over, and begins or ends to follow the site as they say. */
  void settle(Settings changed, long now) {
    repace(
        now,
        () -> {
          rate = rateUnder(changed, now);
          settings = changed;
          if (changed.supply().stock().isEmpty()) {
            // Whoever goes by stock again begins with what the site says then.
            stock = null;
          }
        });
  }

  private @Nullable RateState rateUnder(Settings changed, long now) {
    Optional<Adaptive> next = changed.pace().adaptive();
    Optional<Adaptive> rule = settings.pace().adaptive();
    if (next.isEmpty()) {
      return null;
    }
    return rate == null || rule.isEmpty()
        ? RateState.first(next.get(), site(now))
        : rate.under(next.get(), rule.get(), site(now));
  }

  /** Begins to follow the site anew: what was counted came from elsewhere, and nobody left now. */
  void followAnew(long now) {
    rate = settings.pace().adaptive().map(rule -> RateState.first(rule, site(now))).orElse(null);
  }

  /** Follows the site up to now; says whether anything is different. */
  boolean follow(long now) {
    RateState state = rate;
    Optional<Adaptive> rule = settings.pace().adaptive();
    if (state == null || rule.isEmpty()) {
      return false;
    }
    RateState next = state.at(rule.get(), site(now));
    if (next.equals(state)) {
      return false;
    }
    repace(now, () -> rate = next);
    return true;
  }

  /** What is to be kept of the rate for the record, once a second; or null. */
  @Nullable RatePoint note(long now) {
    RateState state = rate;
    if (state == null || now / Micros.PER_SECOND == state.notedAt() / Micros.PER_SECOND) {
      return null;
    }
    rate = state.noted(now);
    Signals.Seen seen = state.signals().seen(now);
    return new RatePoint(
        now,
        state.perSecond(),
        state.insideLimit(),
        inside,
        seen.p95Millis(),
        seen.errorPercent(),
        state.reason());
  }

  Allowance allowanceAt(long now) {
    return allowance.at(now, pacingAt(now));
  }

  /** How many the rate would let in at {@code now}. */
  long allowed(long now) {
    return allowanceAt(now).tokens(settings.pacing());
  }

  /**
   * Changes something that the rate depends on. What was earned up to now was earned at the rate
   * before, and the new one makes no more of it.
   */
  void repace(long now, Runnable change) {
    Pacing before = pacingAt(now);
    change.run();
    allowance = allowance.repaced(before, pacingAt(now), now);
  }

  int places(long wanted) {
    return Allowance.places(settings.mostInside(units()), inside, wanted);
  }

  /** Whether nobody may go in at {@code now}, whoever waits and whoever asks. */
  boolean isHeldUp(long now) {
    return now < settings.times().admissionFrom() || settings.supply().isDoubted(units(), now);
  }

  /**
   * From when on people wait who could go in, or who must hear that the queue has ended, or the
   * queue ends for those who are in it, if nobody does anything until then: 0 for at once, {@link
   * #NEVER} if only somebody's act can make it so.
   */
  public long roomFrom() {
    if ((waiting == 0 && inside == 0) || isBeingRestored()) {
      return NEVER;
    }
    if (state.isEnded()) {
      return waiting > 0 ? 0 : NEVER;
    }
    return Math.min(Math.min(goingInFrom(), dueAnyway()), settings.times().end());
  }

  /** When something is to be done whether or not anybody may go in. */
  long dueAnyway() {
    return Math.min(Math.min(fallbackOverAt(), passedOverAt()), settlingFrom());
  }

  /** When the first who came back has waited for as long as they may; perhaps a little later. */
  long fallbackOverAt() {
    long first = bands.returnedAt(this);
    return first == NEVER ? NEVER : first + settings.fallback().fallbackMicros();
  }

  private long goingInFrom() {
    if (state.admissionPaused() || present() == 0 || places(1) == 0) {
      return NEVER;
    }
    Pacing pacing = pacingAt(allowance.refilledAt());
    return Math.max(allowance.roomFrom(pacing), settings.times().admissionFrom());
  }

  /** Whether a step of admission would find something to do in the line at {@code now}. */
  public boolean hasRoom(long now) {
    boolean isDueAnyway = stateAt(now).isEnded() || dueAnyway() <= now;
    return roomFrom() <= now && (isDueAnyway || !isHeldUp(now));
  }

  /** The right to be inside ends at most one pass life from now. */
  long furthestStay(long now) {
    return now + settings.stay().passTtlSeconds() * Micros.PER_SECOND;
  }

  /** Whether the clock went back behind somebody's admission: then stays may reach too far. */
  public boolean isAheadOf(long now) {
    return now < lastEnteredAt;
  }
}
