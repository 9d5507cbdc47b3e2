package io.naru.decision;

import io.naru.admission.Allowance;
import io.naru.audit.Act;
import io.naru.history.Minute;
import io.naru.line.Change;
import io.naru.line.Fact;
import io.naru.line.Score;
import io.naru.queue.Actor;
import io.naru.queue.Adaptive;
import io.naru.queue.Admission;
import io.naru.queue.Admitted;
import io.naru.queue.Claim;
import io.naru.queue.Coded;
import io.naru.queue.Doors;
import io.naru.queue.DrawStep;
import io.naru.queue.DrawView;
import io.naru.queue.Drawing;
import io.naru.queue.Draws;
import io.naru.queue.Edit;
import io.naru.queue.Edited;
import io.naru.queue.EndReason;
import io.naru.queue.Ended;
import io.naru.queue.Entry;
import io.naru.queue.Entry.Status;
import io.naru.queue.EntryKey;
import io.naru.queue.Erased;
import io.naru.queue.Fallback;
import io.naru.queue.HandedOff;
import io.naru.queue.InvalidValue;
import io.naru.queue.Joined;
import io.naru.queue.Joined.Reason;
import io.naru.queue.LineState;
import io.naru.queue.Micros;
import io.naru.queue.Overview;
import io.naru.queue.Owed;
import io.naru.queue.Place;
import io.naru.queue.Proved;
import io.naru.queue.Pushed;
import io.naru.queue.Redeemed;
import io.naru.queue.Removed;
import io.naru.queue.Returned;
import io.naru.queue.Seal;
import io.naru.queue.Seen;
import io.naru.queue.Settings;
import io.naru.queue.Shifted;
import io.naru.queue.Sightings;
import io.naru.queue.Sightings.Sight;
import io.naru.queue.Signal;
import io.naru.queue.Signaled;
import io.naru.queue.State;
import io.naru.queue.Stay.CompletedBy;
import io.naru.queue.Stock;
import io.naru.queue.Stocked;
import io.naru.queue.Times;
import io.naru.rate.RatePoint;
import io.naru.rate.RateState;
import io.naru.transfer.MovedEntry;
import io.naru.transfer.MovedQueue;
import io.naru.transfer.RestoreStep;
import io.naru.transfer.Restored;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What is decided about one queue at one moment: who gets which place, who goes in, who is out. The
 * same state, requests and moment give the same outcome, on any server and in any store.
 *
 * <p>All that is decided together is one change: {@code change + 1}, on the queue and on every
 * entry touched.
 */
public final class Decision {

  /** New places are counted per minute, and so are the changes of a queue. */
  public static final long MINUTE = Minute.MICROS;

  private static final Comparator<EntryState> BY_SCORE = Comparator.comparingLong(e -> e.score);

  private static final Comparator<EntryState> BY_JOINED = Comparator.comparingLong(e -> e.joined);

  private static final Comparator<EntryState> BY_RETURN =
      Comparator.comparingLong(e -> e.reason == EndReason.RETURNED ? e.until : 0);

  private final QueueState queue;
  private final long now;
  private final long changeBefore;
  private final Minute lastMinute;

  /** Every entry that was read or made, by when it joined, so that each is one object. */
  private final TreeMap<Long, EntryState> entries = new TreeMap<>();

  /** Those of the users asked about, oldest first. */
  private final Map<String, List<EntryState>> byUser = new HashMap<>();

  /**
   * The first who waited, by their scores; in the stead of who took their place along, who has it
   * now. Others who wait may have been read as well, since somebody asked about them; but people
   * stand before those who were not.
   */
  private final List<EntryState> first;

  /** How those completed who are asked about, however long ago. */
  private final Map<String, EntryState> completed = new HashMap<>();

  private final TreeMap<Long, EntryState> touched = new TreeMap<>();
  private final Set<EntryState> made = new LinkedHashSet<>();
  private final List<Act> acts = new ArrayList<>(0);

  /** Names that are to be forgotten, and what is to stand in their place. */
  private final Map<String, String> erased = new HashMap<>();

  /** Those who have their place from this decision: nobody knows who stands before them. */
  private final Set<EntryState> placed = new LinkedHashSet<>();

  /** The codes that were shown and are good, with their lanes. */
  private final Map<String, String> codes;

  private final Map<String, String> newCodes = new HashMap<>(0);
  private final Set<String> usedCodes = new HashSet<>(0);

  /** Whether a copy must hear of more than of people. */
  private boolean hasNewRules;

  private boolean isDeleted;

  /** Those who were passed over or are no more, and those who were seen just now. */
  private final Set<EntryState> passed = new LinkedHashSet<>(0);

  private final Set<Long> seen = new LinkedHashSet<>(0);

  /** Those of whom it is different what they owe. */
  private final Set<EntryState> owing = new LinkedHashSet<>(0);

  /** Who was seen last before this is forgotten. */
  private long forgotten;

  /** Whether something is different of who is there that no copy needs to know. */
  private boolean isNoted;

  /** Whether the queue went by who is there, and does no more: then the line was read in part. */
  private boolean isPresenceOver;

  private final long passedOverBefore;

  /** What is told of all that is decided here, where that is logged. */
  private final Events events;

  /** What systems behind are told of it, where any of them reads. */
  private final Telling telling;

  private final Drawing drawingBefore;

  /** The first who had no place, by when they joined; of those who joined later not all. */
  private final List<EntryState> unsettled;

  private final long unsettledUpTo;

  /** Of bands in which more who were passed over are back than were read, the last one read. */
  private final Map<Integer, Long> lastBack = new HashMap<>(0);

  /** In each band the first of those who had been passed over, by their score. */
  private final Map<Integer, Long> firstPassed = new HashMap<>(0);

  /** Bands whose front is behind some who wait in them. */
  private final List<Integer> missed;

  private @Nullable LineState lineState;

  Decision(
      QueueState queue,
      Needs needs,
      Collection<EntryState> read,
      Map<String, String> codes,
      long now,
      boolean hasReaders) {
    this.codes = codes;
    this.queue = queue;
    this.now = now;
    this.changeBefore = queue.change;
    this.lastMinute = queue.lastMinute();
    this.events = new Events(queue);
    this.telling = new Telling(queue, hasReaders);
    read.forEach(entry -> entries.putIfAbsent(entry.joined, entry));
    this.passedOverBefore = queue.passedOver();
    this.drawingBefore = queue.drawing();
    this.first = new ArrayList<>(firstOf(needs.fronts()));
    this.missed = needs.fronts().stream().filter(this::misses).map(this::numberOf).toList();
    entries.values().stream()
        .filter(entry -> entry.isWaiting() && entry.isPassed)
        .forEach(e -> firstPassed.merge(Score.lane(e.score), e.score, Math::min));
    this.unsettled = firstOf(needs.unsettled()).stream().sorted(BY_JOINED).toList();
    this.unsettledUpTo = knownUpTo(needs.unsettled());
    needs.passed().back().forEach(this::noteLastBack);
    for (EntryState entry : entries.values()) {
      if (needs.users().contains(entry.user)) {
        if (entry.status == Status.COMPLETED) {
          completed.put(entry.user, entry);
        }
        if (needs.includes(entry)) {
          ofUser(entry.user).add(entry);
        }
      }
    }
  }

  /**
   * Reads what these requests need, decides them, and writes what came of it.
   *
   * @param hasReaders whether anybody reads what happens, so that it has to be told
   */
  public static <E extends Exception> Outcome make(
      Book<E> book, List<? extends Request<?>> requests, long now, boolean hasReaders) throws E {
    Needs needs = Needs.of(book.queue(), requests, now);
    Map<String, String> codes = needs.codes().isEmpty() ? Map.of() : book.codes(needs.codes());
    List<EntryState> read = fetch(book, needs);
    Outcome outcome =
        new Decision(book.queue(), needs, read, codes, now, hasReaders).decide(requests);
    if (outcome.isKept()) {
      book.write(outcome);
    }
    return outcome;
  }

  private static <E extends Exception> List<EntryState> fetch(Book<E> book, Needs needs) throws E {
    List<EntryState> read = book.fetch(needs);
    Presence presence = book.queue().presence;
    if (presence == null) {
      return read;
    }
    Needs.Passed wanted = needs.passed().with(read, presence);
    List<EntryState> all = new ArrayList<>();
    if (!wanted.isNobody()) {
      // In front, so that they count where others are the same.
      all.addAll(book.passed(wanted));
    }
    all.addAll(read);
    Set<Long> waiting = new LinkedHashSet<>();
    all.stream().filter(EntryState::isWaiting).forEach(entry -> waiting.add(entry.joined));
    // Also if all who wait were passed over: of those who owe nothing more it matters then.
    boolean mayGoIn = !needs.fronts().isEmpty() || !wanted.isNobody();
    if (!waiting.isEmpty() && mayGoIn && book.queue().settings.door().looks()) {
      Map<Long, Long> seen = book.seen(waiting);
      all.forEach(entry -> entry.seen = seen.getOrDefault(entry.joined, 0L));
    }
    if (!waiting.isEmpty() && presence.isOwed()) {
      Map<Long, Book.Debt> owed = book.owed(waiting);
      for (EntryState entry : all) {
        Book.Debt debt = owed.get(entry.joined);
        if (debt != null) {
          entry.owing(debt.owed(), debt.until());
        }
      }
    }
    return all;
  }

  private Outcome decide(List<? extends Request<?>> requests) {
    if (!queue.isBeingRestored()) {
      endInTime();
      openInTime();
      closeInTime();
      settleInTime();
      if (queue.presence != null) {
        isNoted |= queue.presence.notice(now);
      }
    }
    List<Supplier<? extends Answer<?>>> decided = new ArrayList<>(requests.size());
    requests.forEach(_ -> decided.add(Decision::undecided));
    IntStream.range(0, requests.size())
        .boxed()
        .sorted(Comparator.comparing(i -> requests.get(i).phase()))
        .forEach(i -> decided.set(i, answerOf(requests.get(i))));
    missed.forEach(this::lookFromTheVeryFront);
    if (queue.passedOver() != passedOverBefore || !queue.drawing().equals(drawingBefore)) {
      hasNewRules = true;
      touchQueue();
    }
    List<Answer<?>> answers = new ArrayList<>(requests.size());
    decided.forEach(answer -> answers.add(answer.get()));
    // Only with something that is kept anyway.
    RatePoint point = queue.change == changeBefore ? null : queue.note(now);
    return new Outcome(
        queue,
        touched.values(),
        made,
        change(),
        closed(),
        Map.copyOf(erased),
        Map.copyOf(newCodes),
        Set.copyOf(usedCodes),
        isDeleted,
        noted(),
        point,
        queue.hasRoom(now),
        acts,
        events.text(),
        telling.text(),
        answers);
  }

  private Outcome.@Nullable Noted noted() {
    return isNoted || isPresenceOver
        ? new Outcome.Noted(seen, now, passed, owing, forgotten, isPresenceOver)
        : null;
  }

  private static Answer<?> undecided() {
    throw new IllegalStateException("not decided");
  }

  private <A> Supplier<Answer<A>> answerOf(Request<A> request) {
    try {
      boolean isOfRestoring =
          request instanceof Request.Restore || request instanceof Request.Delete;
      if (queue.isBeingRestored() && !isOfRestoring) {
        A answer = request.whileRestored();
        return () -> new Answer<>(request, answer, null);
      }
      Supplier<A> answer = request.decide(this);
      return () -> new Answer<>(request, answer.get(), null);
    } catch (InvalidValue e) {
      return () -> new Answer<>(request, null, e);
    }
  }

  /**
   * From its end on nothing is decided as if it were still to come, whoever is the first to ask.
   */
  private void endInTime() {
    State ended = queue.stateAt(now);
    if (!ended.equals(queue.state)) {
      change(Edit.of(Edit.Act.END, ""), queue.settings, ended);
      become(ended);
    }
  }

  /** What a time makes of the entry is told before anything that follows from it. */
  private void openInTime() {
    Openness is = Openness.at(queue.state, queue.settings.times(), now);
    if (!is.equals(queue.openness)) {
      telling.entry(is);
      queue.openness = is;
      touchQueue();
    }
  }

  /** From the opening on it is fixed who is drawn; whoever comes now stands behind them. */
  private void closeInTime() {
    if (queue.draw != null && queue.closesLobby(now)) {
      queue.draw.close(now, queue.lastJoined, queue.bands.lobby());
      touchQueue();
      events.close(queue.draw);
    }
    finishDraw();
  }

  /** Everybody has a place, or nobody is left who could get one. */
  private void finishDraw() {
    if (queue.draw != null && queue.draw.isUnderWay() && queue.bands.unsettled() == 0) {
      queue.draw.finish();
      touchQueue();
      events.add("done", queue.draw.number());
    }
  }

  /** Those get their places whose time has come, and who need not be named. */
  private void settleInTime() {
    if (!queue.settlesAt(now)) {
      return;
    }
    Map<Integer, Long> fronts = new HashMap<>();
    unsettled.forEach(e -> fronts.merge(Score.lane(e.score), e.score + 1, Math::max));
    List<EntryState> due = due();
    for (EntryState entry : due) {
      settle(entry);
      events.settle(entry);
      telling.place(entry);
    }
    unsettled.stream()
        .filter(EntryState::isUnsettled)
        .forEach(e -> fronts.merge(Score.lane(e.score), e.score, Math::min));
    fronts.forEach(this::setUnsettledFront);
    settleFronts();
    finishDraw();
    // Also if it was nobody's: then it is known better when the next one's time comes.
    isNoted |= due.isEmpty();
  }

  private List<EntryState> due() {
    Draw draw = queue.draw;
    if (draw == null || draw.isUnderWay()) {
      return unsettled.stream()
          .filter(entry -> entry.joined <= unsettledUpTo)
          .limit(Draws.MAX_STEP)
          .toList();
    }
    return draw.arrivals()
        .take(
            unsettled,
            unsettledUpTo,
            queue.settings.fairness(),
            draw.windowSeed(),
            now,
            queue.lastJoined);
  }

  /** When those joined at the latest of whom everybody was read. */
  private long knownUpTo(List<Needs.Front> fronts) {
    long upTo = QueueState.NEVER;
    for (Needs.Front front : fronts) {
      int number = Score.lane(front.from());
      if (queue.bands.waiting(number) > front.count()) {
        long last =
            unsettled.stream()
                .filter(e -> Score.lane(e.score) == number)
                .mapToLong(e -> e.joined)
                .max()
                .orElse(0);
        upTo = Math.min(upTo, last);
      }
    }
    return upTo;
  }

  private void setUnsettledFront(int number, long front) {
    Bands.Band band = queue.bands.find(number);
    if (band != null) {
      band.front = front;
    }
  }

  /** After somebody got a place who stood before everybody, for want of one. */
  private void settleFronts() {
    queue.frontScore =
        queue.bands.isOne()
            ? Math.max(queue.frontScore, Score.inBand(Bands.EVERYBODY, 0))
            : queue.bands.front(queue.frontScore);
  }

  /** Gives somebody a place at the end of their lane. */
  private void settle(EntryState entry) {
    place(entry, Score.settled(Score.lane(entry.score)));
    if (queue.draw != null) {
      queue.draw.out(entry.joined);
    }
  }

  /** Notes that the operator, or a time that they set, changes what the queue is. */
  private void change(Edit edit, Settings settings, State state) {
    boolean isNew = queue.version == 0;
    queue.version++;
    hasNewRules = true;
    touchQueue();
    acts.add(new EditedQueue(queue, isNew).act(edit, settings, state));
    events.rules(settings, state);
    Openness next = Openness.at(state, settings.times(), now);
    telling.rules(settings, state, next);
    queue.openness = next;
  }

  private void become(State next) {
    if (next.isActive() && !queue.state.isActive()) {
      queue.activatedAt = now;
    } else if (!next.isActive() && queue.state.isActive()) {
      queue.deactivatedAt = now;
    }
    if (next.isEnded() && !queue.state.isEnded() && queue.draw != null) {
      events.add("seeds", queue.draw.windowSeed());
    }
    queue.state = next;
    boolean isAnybodyPassed = queue.presence != null && queue.presence.passed() > 0;
    if (queue.settlePresence()) {
      isPresenceOver = true;
      events.present(isAnybodyPassed);
      // What was read of that holds no more.
      entries.values().forEach(EntryState::forgetPresence);
    }
  }

  /**
   * @throws InvalidValue if a setting is out of range; nothing is changed then
   */
  Edited edit(Edit edit) {
    boolean isNew = queue.version == 0;
    if (isNew && !edit.makesQueue()) {
      return new Edited.NoQueue();
    }
    if (edit.ifVersion().isPresent() && edit.ifVersion().getAsLong() != queue.version) {
      return new Edited.Conflict(queue.version);
    }
    if (queue.state.isEnded() && edit.act().isOverWithTheEnd()) {
      return new Edited.HasEnded();
    }
    if (queue.state.isEnded() && edit.act() == Edit.Act.ACTIVATE && queue.waiting > 0) {
      // They were told that it is over, so nobody may be let in for them.
      return new Edited.StillEnding(queue.waiting);
    }
    Settings changed = queue.settings.with(edit.changes());
    requireFair(changed);
    Bands.Band occupied = queue.bands.occupied(changed.lanes());
    if (occupied != null) {
      return new Edited.LaneOccupied(occupied.name, occupied.waiting);
    }
    State next = queue.state.after(edit.act(), edit.reason(), now);
    // Whoever opens a queue again must say until when.
    Times before = next.isEnded() ? queue.settings.times() : Times.DEFAULT;
    changed.times().requireEndToCome(before, now);
    if (isNew || !changed.equals(queue.settings) || !next.equals(queue.state)) {
      change(edit, changed, next);
    }
    queue.bands.edit(queue.settings.lanes(), changed.lanes(), queue);
    boolean isReopened = queue.state.isEnded() && !next.isEnded();
    boolean isOtherLobby =
        !changed.times().lobbyOpensAt().equals(queue.settings.times().lobbyOpensAt());
    queue.settle(changed, now);
    prepareDraw(edit.entropy(), isOtherLobby, isReopened);
    events.rate();
    if (isNew) {
      queue.createdAt = now;
      // Nobody joins before the queue was made, whatever the clock does.
      queue.lastJoined = now - 1;
    }
    if (next.isActive() && queue.activatedAt == 0) {
      queue.allowance = Allowance.full(queue.pacingAt(now), now);
    }
    become(next);
    var overview =
        new Overview(queue.asQueue(now), queue.figures(longestWait()), queue.rateNow(now));
    return isNew ? new Edited.Created(overview) : new Edited.Updated(overview);
  }

  /**
   * Chance gets no part in an order that people stand in, and what has begun to be published goes
   * on.
   *
   * @throws InvalidValue if these settings would
   */
  private void requireFair(Settings changed) {
    Settings before = queue.settings;
    if (before.isLogged() && !changed.isLogged() && queue.change > 0) {
      throw new InvalidValue(
          "log",
          "true for as long as the queue lives, once it is published",
          before.fairness().log()
              ? "cannot be off"
              : "is off, and nothing else keeps it on any more: send \"log\": true along");
    }
    if (queue.waiting == 0 && queue.inside == 0) {
      return;
    }
    Optional<Instant> lobby = changed.times().lobbyOpensAt();
    boolean isOver = queue.draw != null && queue.draw.isDone() && lobby.isEmpty();
    if (!lobby.equals(before.times().lobbyOpensAt()) && !isOver) {
      throw notNow("lobbyOpensAt");
    }
    if (changed.fairness().jitterMillis() > 0 && before.fairness().jitterMillis() == 0) {
      throw notNow("jitterMillis");
    }
    if (changed.fairness().fairWindowMillis() > 0 && before.fairness().fairWindowMillis() == 0) {
      throw notNow("fairWindowMillis");
    }
    if (changed.isLogged() && !before.isLogged()) {
      throw notNow("log");
    }
  }

  private static InvalidValue notNow(String field) {
    return new InvalidValue(
        field, "only while nobody waits or is inside", "cannot be set while somebody does");
  }

  /** Gives chance the part that the settings say. */
  private void prepareDraw(String entropy, boolean isOtherLobby, boolean isReopened) {
    if (!queue.settings.isLogged()) {
      return;
    }
    boolean isNew = queue.draw == null;
    Draw draw = isNew ? Draw.begin(entropy) : Objects.requireNonNull(queue.draw);
    queue.draw = draw;
    if (isReopened && !isNew) {
      draw.renew(entropy);
    }
    boolean isLobby = queue.settings.times().lobbyOpensAt().isPresent();
    if (isLobby && (isNew || isReopened || (isOtherLobby && !draw.isLobby()))) {
      draw.open(entropy, queue.settings.fairness().draw());
    } else if (!isLobby && draw.isLobby()) {
      draw.callOff();
    }
    boolean wasDrawn = draw.isDrawn();
    draw.decideBy(queue.settings.fairness().draw(), now);
    events.lobby(draw);
    tellDrawn(draw, wasDrawn);
  }

  /**
   * A queue comes from another ledger. Its people follow in parts, and until the last one nothing
   * else is decided.
   *
   * @throws InvalidValue if it cannot be; nothing is changed then
   */
  Restored restore(RestoreStep step, Actor by) {
    if (queue.version == 0 && step instanceof RestoreStep.Begin begin) {
      Restoring.check(begin.queue());
      begin(begin, by);
      return new Restored.Taken(0);
    }
    Restoring known = queue.restoring;
    if (known == null || !known.id().equals(step.id())) {
      return new Restored.Exists();
    }
    return switch (step) {
      // Whoever begins wants a queue that was not there.
      case RestoreStep.Begin _ ->
          known.isWhole() ? new Restored.Exists() : new Restored.Taken(known.done());
      case RestoreStep.Part part -> restore(part, known);
      case RestoreStep.End _ -> finish(known, by);
    };
  }

  private void begin(RestoreStep.Begin begin, Actor by) {
    MovedQueue moved = begin.queue();
    queue.version = 1;
    // It is another one than that which is left behind, and counts its changes anew.
    queue.createdAt = now;
    queue.settle(moved.settings(), now);
    queue.bands = Bands.restored(moved.lanes(), moved.tickets(), moved.settings().lanes());
    boolean isEnded = moved.state().isEnded();
    queue.state = isEnded ? moved.state() : new State(false, true, moved.state().reason(), 0);
    queue.activatedAt = moved.activatedAt();
    queue.deactivatedAt = moved.state().isActive() ? now : moved.deactivatedAt();
    queue.lastJoined = moved.lastJoined();
    queue.lastEnteredAt = moved.lastEnteredAt();
    queue.joined = moved.totals().joined();
    queue.entered = moved.totals().admitted();
    queue.completed = moved.totals().completed();
    queue.left = moved.totals().left();
    queue.expired = moved.totals().expired();
    queue.allowance = Allowance.full(queue.pacingAt(now), now);
    if (moved.settings().isLogged()) {
      queue.draw =
          Draw.restored(
              begin.entropy(), moved.draw(), moved.draws(), moved.settings().fairness().draw());
    }
    queue.settlePresence();
    queue.restoring = Restoring.begin(begin.id(), begin.entries());
    // Its log begins here. What was before it knows of nobody who follows.
    events.rules(queue.settings, queue.state);
    if (queue.draw != null) {
      events.lobby(queue.draw);
    }
    events.rate();
    hasNewRules = true;
    touchQueue();
    note(by, Act.Kind.IMPORT, Map.of(), Map.of("entries", begin.entries(), "id", begin.id()));
  }

  private Restored restore(RestoreStep.Part part, Restoring known) {
    if (known.isWhole() || part.from() < known.done()) {
      return new Restored.Taken(known.done());
    }
    if (part.from() > known.done()) {
      return new Restored.NotNext(known.done());
    }
    Restoring after = known;
    Set<String> live = new HashSet<>();
    Set<Long> joined = new HashSet<>();
    for (MovedEntry entry : part.entries()) {
      requireRestorable(entry, after, live);
      if (!joined.add(entry.joined())) {
        throw new InvalidValue("joined", "each once", "is twice " + entry.joined());
      }
      after = after.with(entry);
    }
    if (after.done() > after.count()) {
      throw new InvalidValue("entries", "as many as were announced", "are more");
    }
    part.entries().forEach(this::restore);
    queue.restoring = after;
    touchQueue();
    return new Restored.Taken(after.done());
  }

  private void requireRestorable(MovedEntry entry, Restoring before, Set<String> live) {
    if (!before.isNext(entry) || entries.containsKey(entry.joined())) {
      throw new InvalidValue(
          "joined", "each once, those who wait last, as they stand", "is " + entry.joined());
    }
    if (entry.isLive() && (!live.add(entry.user()) || hasLive(entry.user()))) {
      throw new InvalidValue("user", "in one place at a time", "has another one");
    }
    if (entry.isWaiting() && !queue.bands.has(entry.score())) {
      throw new InvalidValue("score", "in a lane of the queue", "is " + entry.score());
    }
    if (entry.isUnsettled() && (queue.draw == null || !queue.draw.isLobby())) {
      throw new InvalidValue(
          "score", "a place", "is of somebody who has none yet; export the queue again in a while");
    }
  }

  private boolean hasLive(String user) {
    return ofUser(user).stream().anyMatch(EntryState::isLive);
  }

  private void restore(MovedEntry moved) {
    EntryState entry = EntryState.of(moved);
    entries.put(entry.joined, entry);
    ofUser(entry.user).add(entry);
    made.add(entry);
    queue.lastJoined = Math.max(queue.lastJoined, entry.joined);
    if (entry.isWaiting()) {
      queue.lastJoined = Math.max(queue.lastJoined, entry.score - Score.laneFrom(entry.score));
      queue.bands.restore(entry.score);
      queue.frontScore = queue.waiting == 0 ? entry.score : Math.min(queue.frontScore, entry.score);
      queue.waiting++;
      owe(entry, moved.owed());
      events.join(entry);
    } else if (entry.status == Status.ENTERED) {
      queue.inside++;
      events.join(entry);
      events.enter(entry);
    }
  }

  private Restored finish(Restoring known, Actor by) {
    if (known.isWhole()) {
      return new Restored.Taken(known.done());
    }
    if (known.done() < known.count()) {
      return new Restored.NotNext(known.done());
    }
    queue.bands.tidy();
    queue.followAnew(now);
    queue.restoring = known.whole();
    queue.openness = Openness.at(queue.state, queue.settings.times(), now);
    hasNewRules = true;
    touchQueue();
    note(by, Act.Kind.IMPORT, Map.of(), queue.people());
    telling.imported();
    return new Restored.Taken(known.done());
  }

  /**
   * Somebody has read who is to be drawn.
   *
   * @throws InvalidValue if it cannot be them; nothing is changed then
   */
  DrawStep seal(Seal seal) {
    Draw draw = queue.draw;
    if (draw == null || draw.number() == 0) {
      return new DrawStep.NoDraw();
    }
    if (draw.isSealedBy(seal)) {
      return new DrawStep.Taken(view(draw));
    }
    if (queue.state.isEnded() || !draw.canSeal(seal)) {
      return new DrawStep.NotTaken(view(draw));
    }
    if (!draw.fits(seal)) {
      throw new InvalidValue(
          "counts", "of all in the lobby who still wait", "are " + seal.counts());
    }
    draw.seal(seal, now);
    touchQueue();
    events.seal(draw);
    tellDrawn(draw, false);
    passLobby(draw);
    return new DrawStep.Taken(view(draw));
  }

  DrawStep coin(String commitment, long round, String signature) {
    Draw draw = queue.draw;
    if (draw == null || draw.number() == 0) {
      return new DrawStep.NoDraw();
    }
    if (draw.isDrawnBy(commitment, round, signature)) {
      return new DrawStep.Taken(view(draw));
    }
    if (queue.state.isEnded() || !draw.canTake(commitment, round)) {
      return new DrawStep.NotTaken(view(draw));
    }
    draw.coin(signature, now);
    touchQueue();
    events.add("coin", draw.number(), round, signature);
    tellDrawn(draw, false);
    return new DrawStep.Taken(view(draw));
  }

  private void tellDrawn(Draw draw, boolean wasDrawn) {
    events.drawn(draw, wasDrawn);
    if (draw.isDrawn() && !wasDrawn) {
      telling.drawn(draw.number());
    }
  }

  /**
   * The next of the drawn order get their places.
   *
   * @throws InvalidValue if more are named than were drawn; nothing is changed then
   */
  DrawStep settle(String commitment, long from, List<Long> joined) {
    Draw draw = queue.draw;
    if (draw == null || draw.number() == 0) {
      return new DrawStep.NoDraw();
    }
    if (queue.state.isEnded() || !draw.isNext(commitment, from)) {
      return new DrawStep.NotTaken(view(draw));
    }
    long most = Math.min(Draws.MAX_STEP, draw.unnamed());
    if (joined.size() > most) {
      throw new InvalidValue("joined", "at most " + most, "are " + joined.size());
    }
    List<EntryState> placedNow = new ArrayList<>();
    List<Long> gone = new ArrayList<>(0);
    for (long each : joined) {
      EntryState entry = entries.get(each);
      if (entry != null && entry.isUnsettled() && entry.joined <= draw.lastJoined()) {
        settle(entry);
        placedNow.add(entry);
        telling.place(entry);
      } else {
        gone.add(each);
      }
    }
    draw.named(joined.size());
    events.settled(draw.number(), from, placedNow, gone);
    passLobby(draw);
    settleFronts();
    finishDraw();
    return new DrawStep.Taken(view(draw));
  }

  /**
   * Once nobody who was drawn is without a place, the others stand behind where they stood.
   * Somebody whom the order did not name is not lost: they are the first of those others.
   */
  private void passLobby(Draw draw) {
    if (draw.isNamed() && draw.isOut()) {
      for (Bands.Band band : queue.bands.all()) {
        if (band.isUnsettled()) {
          band.front = Score.inBand(band.number, draw.lastJoined() + 1);
        }
      }
    }
  }

  private DrawView view(Draw draw) {
    return draw.view(queue.state.isEnded());
  }

  /**
   * Somebody says how the site does.
   *
   * @throws InvalidValue if that cannot be; nothing is changed then
   */
  Signaled signal(Signal signal) {
    RateState state = queue.rate;
    Optional<Adaptive> rule = queue.settings.pace().adaptive();
    if (state == null || rule.isEmpty()) {
      return Signaled.NOT_ADAPTIVE;
    }
    RateState next = state.heard(signal, rule.get(), queue.site(now));
    queue.repace(now, () -> queue.rate = next);
    touchQueue();
    events.rate();
    return Signaled.HEARD;
  }

  /** A server says whom it has seen near the front. */
  Seen see(Sightings sightings) {
    Presence presence = queue.presence;
    if (presence == null) {
      return Seen.IN_VAIN;
    }
    presence.heard(sightings.server(), sightings.goes(), now);
    presence.look(now, queue.gone(), queue.lineState().near());
    forgotten = Math.max(forgotten, presence.sweep(now));
    isNoted = true;
    Set<Long> back = new HashSet<>();
    boolean looks = queue.settings.door().looks();
    for (Sight sight : sightings.people()) {
      if (looks) {
        seen.add(sight.joined());
      }
      EntryState entry = entries.get(sight.joined());
      if (entry != null && entry.isPassed && !entry.owes() && isInLine(entry)) {
        seeAgain(entry);
        back.add(entry.joined);
      }
    }
    return new Seen(true, back);
  }

  /** Somebody who was passed over is there, and next. */
  private void seeAgain(EntryState entry) {
    if (queue.presence != null && queue.presence.back(entry)) {
      entry.seen = now;
      passed.add(entry);
      if (queue.settings.door().looks()) {
        seen.add(entry.joined);
      }
      isNoted = true;
      toldOfPresence(events.back(entry));
    }
  }

  /** Where it is logged who was passed over, that is a change as all others. */
  private void toldOfPresence(boolean isLogged) {
    if (isLogged) {
      touchQueue();
    }
  }

  /** Others go in before this one, who is not there, or owes something. */
  private void passOver(EntryState entry, Presence presence) {
    passOver(entry, presence, entry.owes() ? now + doors().micros(entry.owed) : 0);
  }

  private void passOver(EntryState entry, Presence presence, long owedUntil) {
    presence.pass(entry, now, owedUntil);
    passed.add(entry);
    isNoted = true;
    toldOfPresence(events.pass(entry));
    if (entry.owes()) {
      owing.add(entry);
    }
  }

  /** Of a queue that asks for something. */
  private Doors doors() {
    return queue.settings.door().doors().orElseThrow();
  }

  /** Notes what a newcomer owes. */
  private void owe(EntryState entry, Owed owed) {
    if (owed != Owed.NOTHING && queue.presence != null) {
      queue.presence.owe(entry, owed);
      owing.add(entry);
      isNoted = true;
    }
  }

  /** This one owes nothing more, or is no more. */
  private void forgive(EntryState entry) {
    if (entry.owes() && queue.presence != null) {
      queue.presence.forgive(entry);
      owing.add(entry);
      isNoted = true;
    }
  }

  /** Whoever proves something is there. */
  Proved prove(EntryKey key) {
    EntryState entry = find(key);
    if (entry == null || !isInLine(entry)) {
      return Proved.UNKNOWN;
    }
    if (entry.owes() && queue.presence != null) {
      queue.presence.proved();
      forgive(entry);
      seeAgain(entry);
    }
    return Proved.DONE;
  }

  /** Nobody needs to know any more that it was passed over. */
  private void forgetPassed(EntryState entry) {
    if (entry.isPassed && queue.presence != null) {
      queue.presence.drop(entry);
      passed.add(entry);
      if (entry.owes()) {
        owing.add(entry);
      }
      isNoted = true;
    }
  }

  /** Those who were passed over and are there, by their scores: none before whom more may be. */
  private List<EntryState> back() {
    return entries.values().stream()
        .filter(e -> e.isWaiting() && e.isPassed && e.absentSince == 0)
        .filter(e -> e.score <= lastBack.getOrDefault(Score.lane(e.score), Long.MAX_VALUE))
        .sorted(BY_SCORE)
        .toList();
  }

  private void noteLastBack(Needs.Front read) {
    int band = Score.lane(read.from());
    if (queue.presence != null && queue.presence.back(band) > read.count()) {
      back().stream()
          .filter(e -> Score.lane(e.score) == band)
          .skip(read.count() - 1)
          .findFirst()
          .ifPresent(last -> lastBack.put(band, last.score));
    }
  }

  /** Otherwise somebody may be back who was not read, and nobody goes in from behind them. */
  private boolean isBackKnown(int band) {
    return !lastBack.containsKey(band);
  }

  /** What the site says of its stock. It may come late, twice, or in another order. */
  Pushed push(Stock said) {
    if (queue.settings.supply().stock().isEmpty()) {
      return new Pushed.Off();
    }
    Stocked known = queue.stock;
    if (known != null && said.version() <= known.stock().version()) {
      return new Pushed.Older(known);
    }
    var next = new Stocked(said, now);
    queue.repace(now, () -> queue.stock = next);
    hasNewRules = true;
    touchQueue();
    events.stock(next.units());
    telling.stock(known, next);
    return new Pushed.Taken(next);
  }

  Ended leave(EntryKey key) {
    EntryState entry = find(key);
    if (entry == null || !(isInLine(entry) || entry.isInside(now))) {
      return Ended.UNKNOWN;
    }
    end(entry, Status.LEFT);
    queue.left++;
    return Ended.DONE;
  }

  /** Whoever waits in a queue that has ended does not know, or has been told. */
  private boolean isInLine(EntryState entry) {
    return entry.isWaiting() && !queue.state.isEnded();
  }

  Ended complete(EntryKey key, CompletedBy by) {
    EntryState entry = find(key);
    if (entry == null || entry.status == Status.LEFT) {
      return Ended.UNKNOWN;
    }
    if (entry.isInside(now)) {
      if (queue.settings.stay().keepsFromCompleting(by)) {
        return Ended.SITE_ONLY;
      }
      end(entry, Status.COMPLETED, EndReason.NONE);
      completed.put(entry.user, entry);
      queue.completed++;
      return Ended.DONE;
    }
    return entry.status == Status.COMPLETED ? Ended.DONE : Ended.NOT_INSIDE;
  }

  /** Somebody inside comes back; or did, and says so again. */
  Returned giveBack(EntryKey key, boolean givesUp, CompletedBy by) {
    List<EntryState> all = ofUser(key.user());
    EntryState entry = all.stream().filter(each -> each.is(key)).findFirst().orElse(null);
    if (entry == null) {
      return new Returned.NotInside();
    }
    boolean isBack = entry.reason == EndReason.RETURNED;
    if (!entry.isLive() && isBack && isBehind(all.getLast())) {
      return has(all.getLast());
    }
    if (!(entry.isInside(now) || (isBack && entry.isOverdue(now)))) {
      return new Returned.NotInside();
    }
    if (queue.settings.stay().keepsFromCompleting(by)) {
      return new Returned.SiteOnly();
    }
    if (queue.state.isEnded()) {
      return new Returned.HasEnded();
    }
    Fallback rule = queue.settings.fallback();
    boolean isTooOften = isTakenOver(entry) || returnsOf(key.user()) >= rule.maxReturns();
    if (!isBack && isTooOften) {
      return new Returned.TooOften(rule.maxReturns());
    }
    if (givesUp || rule.retrySeconds() == 0 || entry.isOverdue(now)) {
      return has(fallBack(entry));
    }
    if (!isBack) {
      entry.reason = EndReason.RETURNED;
      entry.ended = entry.until;
      entry.until = Math.min(entry.until, now + rule.retryMicros());
      touch(entry);
      events.comesBack(entry);
      telling.retry(entry);
    }
    return has(entry);
  }

  private Returned has(EntryState entry) {
    return new Returned.Has(new EntryKey(queue.queue, entry.user, entry.joined));
  }

  /** Whether it is in line because its visitor came back. */
  private boolean isBehind(EntryState entry) {
    return isInLine(entry) && Score.lane(entry.score) == Score.FALLBACK;
  }

  /**
   * Whether somebody else came back for this turn and handed the place on. How often they may is
   * counted by name, and anybody may have a new one: so there is no other return for it.
   */
  private static boolean isTakenOver(EntryState entry) {
    return Score.lane(entry.score) == Score.FALLBACK && returnedAt(entry) != entry.joined;
  }

  /** How many turns of theirs ended so. */
  private long returnsOf(String user) {
    return entries.values().stream()
        .filter(entry -> entry.user.equals(user) && entry.entered > 0)
        .filter(entry -> entry.reason == EndReason.RETURNED && entry.status == Status.EXPIRED)
        .count();
  }

  /** One entry, one turn, one pass: nothing revives, and what comes late touches nothing new. */
  private EntryState fallBack(EntryState entry) {
    entry.reason = EndReason.RETURNED;
    expire(entry);
    return append(entry.user, Score.FALLBACK);
  }

  /** The same place, as an entry of another user. */
  HandedOff handOff(EntryKey key, String to) {
    EntryState entry = find(key);
    if (entry == null || !isInLine(entry)) {
      return takenBefore(key, to);
    }
    if (to.equals(key.user())) {
      return new HandedOff.Has(key);
    }
    if (hasPlace(to)) {
      return new HandedOff.HasOwn();
    }
    if (hasCompletedOnce(to)) {
      return new HandedOff.OnceOnly();
    }
    long wait = enterLimitWait(ofUser(to));
    if (wait > 0) {
      return new HandedOff.TooOften(Math.ceilDiv(wait, Micros.PER_SECOND));
    }
    if (entry.isUnsettled()) {
      return handOffLobby(entry, to);
    }
    EntryState taken = make(to, entry.score);
    taken.ticket = entry.ticket;
    events.handOff(entry, taken);
    telling.handOff(entry, taken);
    takeOver(entry, taken);
    entry.status = Status.LEFT;
    entry.reason = EndReason.HANDOFF;
    entry.ended = now;
    touch(entry);
    queue.left++;
    standInStead(entry, taken);
    return new HandedOff.Has(new EntryKey(queue.queue, to, taken.joined));
  }

  /** Whoever took it over and did not hear so asks again: it is theirs already. */
  private HandedOff takenBefore(EntryKey key, String to) {
    boolean isTheirs =
        hasPlace(to)
            && ofUser(key.user()).stream()
                .anyMatch(entry -> entry.is(key) && isFrom(entry, ofUser(to).getLast()));
    return isTheirs
        ? new HandedOff.Has(new EntryKey(queue.queue, to, ofUser(to).getLast().joined))
        : new HandedOff.NoPlace();
  }

  /** A place is nobody else's. Before a draw there is none: then it is who joined as it ended. */
  private static boolean isFrom(EntryState before, EntryState entry) {
    boolean wasInLobby = Score.isUnsettled(Score.lane(before.score));
    return before.reason == EndReason.HANDOFF
        && (wasInLobby ? entry.joined == before.ended : entry.score == before.score);
  }

  /** There is no place to take over yet, so it is as good to come anew. */
  private HandedOff handOffLobby(EntryState entry, String to) {
    if (!(queue.draw != null && queue.draw.isLobby())) {
      return new HandedOff.NotNow();
    }
    Owed owed = entry.owed;
    int band = Score.settled(Score.lane(entry.score));
    end(entry, Status.LEFT, EndReason.HANDOFF);
    queue.left++;
    EntryState taken = append(to, band);
    // By this it is known who has it now: no two join at the same moment.
    entry.ended = taken.joined;
    owe(taken, owed);
    return new HandedOff.Has(new EntryKey(queue.queue, to, taken.joined));
  }

  /** Whoever takes a place over is there; but what is owed goes along, and until when. */
  private void takeOver(EntryState entry, EntryState taken) {
    boolean isPassed = entry.isPassed;
    Owed owed = entry.owed;
    long until = entry.owedUntil;
    forgetPassed(entry);
    forgive(entry);
    owe(taken, owed);
    if (isPassed && queue.presence != null) {
      passOver(taken, queue.presence, until);
      seeAgain(taken);
    }
  }

  /**
   * Who has the place now goes in from there with this very decision, as whoever had it would have:
   * nobody's turn may wait for places that change hands. Of one that was passed over or not even
   * read, nothing else is known than before.
   */
  private void standInStead(EntryState entry, EntryState taken) {
    first.replaceAll(each -> each == entry ? taken : each);
    if (placed.contains(entry)) {
      placed.add(taken);
    }
  }

  /** Whether somebody waits, is inside, or is to come back into the line. */
  private boolean hasPlace(String user) {
    List<EntryState> all = ofUser(user);
    EntryState last = all.isEmpty() ? null : all.getLast();
    return last != null && (isInLine(last) || last.status == Status.ENTERED);
  }

  Redeemed redeem(EntryKey key, String session) {
    EntryState entry = find(key);
    if (entry == null || entry.status == Status.LEFT) {
      return Redeemed.UNKNOWN;
    }
    if (!entry.isInside(now)) {
      return Redeemed.NOT_INSIDE;
    }
    if (entry.redeemedBy.isEmpty()) {
      entry.redeemedBy = session;
      touch(entry);
    }
    return entry.redeemedBy.equals(session) ? Redeemed.DONE : Redeemed.OTHER_SESSION;
  }

  Removed remove(String user, EndReason reason, Actor by) {
    Removed removed = remove(user, reason);
    if (removed instanceof Removed.Done(Entry entry)) {
      String joinedAt = Micros.iso(entry.key().joined());
      note(
          by,
          Act.Kind.REMOVE,
          Map.of("joinedAt", joinedAt, "status", entry.status().name()),
          Map.of("status", Status.LEFT.name(), "reason", reason.text()));
    }
    return removed;
  }

  private Removed remove(String user, EndReason reason) {
    List<EntryState> all = ofUser(user);
    EntryState last = all.isEmpty() ? null : all.getLast();
    if (last == null || !(isInLine(last) || last.isInside(now))) {
      return new Removed.Nobody();
    }
    Entry before = last.in(queue.queue);
    end(last, Status.LEFT, reason);
    queue.left++;
    return new Removed.Done(before);
  }

  /** From here on nothing is known of somebody, also not that they completed or came too often. */
  Erased erase(String user, String name, Actor by) {
    for (EntryState entry : ofUser(user)) {
      if (entry.isOverdue(now) || (entry.isWaiting() && !isInLine(entry))) {
        expire(entry);
      }
    }
    remove(user, EndReason.REMOVED);
    byUser.remove(user);
    completed.remove(user);
    erased.put(user, name);
    telling.erase(user);
    touchQueue();
    note(by, Act.Kind.ERASE, Map.of(), Map.of("name", name));
    return Erased.DONE;
  }

  /** Whether it was this request that removed the queue. */
  boolean delete(Actor by) {
    boolean isFirst = !isDeleted;
    isDeleted = true;
    if (isFirst) {
      events.add("delete");
      telling.delete();
      note(by, Act.Kind.DELETE, queue.people(), Map.of());
    }
    return isFirst;
  }

  /**
   * An operator did something to this queue or to somebody in it. It is kept with the change.
   *
   * @param before what is different now, as it was; nobody's name, see {@link Act}
   */
  void note(
      Actor by,
      Act.Kind kind,
      Map<String, ? extends @Nullable Object> before,
      Map<String, ? extends @Nullable Object> after) {
    acts.add(new Act(by, kind, queue.queue, before, after));
  }

  private List<EntryState> ofUser(String user) {
    return byUser.computeIfAbsent(user, _ -> new ArrayList<>(1));
  }

  /** Only a user's latest entry can be meant; what was before is over. */
  private @Nullable EntryState find(EntryKey key) {
    List<EntryState> all = ofUser(key.user());
    return !all.isEmpty() && all.getLast().is(key) ? all.getLast() : null;
  }

  /**
   * One step of admission over the entries that were read: overdue ones, stays that reach too far,
   * and the first in line.
   */
  Admitted admit(Admission admission) {
    cutStays();
    List<EntryState> overdue = expireOverdue();
    int expired = overdue.size();
    if (!queue.state.isEnded()) {
      expired += endFallback() + endAbsent() + endOwing();
    }
    if (queue.state.isEnded()) {
      expired += expireLine();
      return new Admitted.NotActive(expired, queue.waiting > 0, queue.figures(longestWait()));
    }
    if (queue.state.admissionPaused()) {
      requeue(overdue);
      return new Admitted.NotActive(expired, false, queue.figures(longestWait()));
    }
    if (queue.follow(now) || now < queue.allowance.refilledAt()) {
      touchQueue();
    }
    events.rate();
    queue.allowance = queue.allowanceAt(now);
    long admissionFrom = queue.settings.times().admissionFrom();
    long wanted = queue.isHeldUp(now) ? 0 : admission.wanted(queue.allowed(now));
    List<Entry> admitted = letIn(Math.min(Admission.MAX_STEP, queue.places(wanted)), admission);
    if (admission instanceof Admission.Paced) {
      queue.allowance = queue.allowance.spend(admitted.size(), queue.pacingAt(now));
    }
    if (admission instanceof Admission.ByHand(_, Actor by) && !admitted.isEmpty()) {
      note(by, Act.Kind.PROCESS, Map.of(), Map.of("admitted", admitted.size()));
    }
    requeue(overdue);
    boolean more =
        expired >= Admission.MAX_STEP
            || (queue.present() > 0 && queue.places(wanted - admitted.size()) > 0);
    long next =
        now < admissionFrom ? admissionFrom : queue.allowance.nextRefillAt(queue.pacingAt(now));
    next = Math.min(next, Math.min(queue.settings.times().end(), queue.settlingFrom()));
    return new Admitted.Done(
        admitted, expired, more, Math.max(0, next - now), queue.figures(longestWait()));
  }

  /** Lets those in whose turn it is, and notes who is first then. */
  private List<Entry> letIn(int count, Admission admission) {
    if (isPresenceOver) {
      // Who was passed over was not read, and may be the first: the next step is at once.
      return List.of();
    }
    List<EntryState> first = queue.bands.isOne() ? takeFirst(count) : takeTurns(count);
    List<Entry> admitted = new ArrayList<>(first.size());
    if (admission instanceof Admission.ByHand && !first.isEmpty()) {
      events.add("byhand", first.size());
    }
    for (EntryState entry : first) {
      forgetPassed(entry);
      entry.status = Status.ENTERED;
      entry.entered = now;
      entry.until = queue.furthestStay(now);
      touch(entry);
      events.enter(entry);
      telling.enter(entry);
      admitted.add(entry.in(queue.queue));
    }
    if (!admitted.isEmpty()) {
      queue.waiting -= admitted.size();
      queue.inside += admitted.size();
      queue.entered += admitted.size();
      queue.lastEnteredAt = Math.max(queue.lastEnteredAt, now);
    }
    return admitted;
  }

  private List<EntryState> takeFirst(int count) {
    var judge = new Judge();
    List<EntryState> first = new ArrayList<>();
    List<EntryState> back = back();
    for (int i = 0; i < back.size() && first.size() < count; i++) {
      judge.takeOrPass(back.get(i), first);
    }
    List<EntryState> front = front();
    int most = isBackKnown(Bands.EVERYBODY) ? front.size() : 0;
    int next = 0;
    while (next < most && first.size() < count) {
      judge.takeOrPass(front.get(next++), first);
    }
    if (next < front.size()) {
      // Also if nobody goes in: those before the first one have left.
      queue.frontScore = frontOf(Bands.EVERYBODY, front.get(next).score);
    } else if (next > 0) {
      queue.frontScore = frontOf(Bands.EVERYBODY, front.getLast().score + 1);
    }
    return first;
  }

  /**
   * Says of those whose turn it is, one after the other, whether they are there and owe nothing.
   */
  private final class Judge {
    private final @Nullable Presence presence = queue.presence;
    private final long reach =
        presence == null || !queue.settings.door().looks() ? 0 : presence.reach(now, queue.gone());

    /** How many of each band stand before the next one who was not passed over. */
    private final Map<Integer, Long> before = new HashMap<>();

    /** Whether this one goes in; otherwise others do before them. */
    boolean takeOrPass(EntryState entry, List<EntryState> first) {
      boolean isAway = presence != null && isAway(entry, presence);
      if (presence != null && (isAway || entry.owes())) {
        passOver(entry, presence);
        return false;
      }
      first.add(entry);
      return true;
    }

    private boolean isAway(EntryState entry, Presence presence) {
      int band = Score.lane(entry.score);
      long rank = before.getOrDefault(band, presence.passed(band));
      if (!entry.isPassed) {
        before.put(band, rank + 1);
      }
      return (entry.isPassed ? reach > 0 : rank < reach) && Presence.isAway(entry, now);
    }
  }

  /**
   * Notes from where on nobody of a band was passed over.
   *
   * @return before which nobody of it waits
   */
  private long frontOf(int band, long turn) {
    Presence presence = queue.presence;
    if (presence == null) {
      return turn;
    }
    presence.setTurn(band, turn);
    long[] read =
        entries.values().stream()
            .filter(e -> e.isWaiting() && e.isPassed && Score.lane(e.score) == band)
            .mapToLong(e -> e.score)
            .toArray();
    // If others were passed over, nobody knows who is the first of them once that one has gone.
    long others =
        read.length < presence.passed(band)
            ? firstPassed.getOrDefault(band, Score.inBand(band, 0))
            : turn;
    return Math.min(Arrays.stream(read).reduce(turn, Math::min), others);
  }

  /** One after the other from the bands whose turn it is, as far as those were read. */
  private List<EntryState> takeTurns(int count) {
    Map<Integer, Deque<EntryState>> read = new HashMap<>();
    List<EntryState> next = new ArrayList<>(back());
    front().stream().filter(e -> isBackKnown(Score.lane(e.score))).forEach(next::add);
    next.forEach(e -> read.computeIfAbsent(Score.lane(e.score), _ -> new ArrayDeque<>()).add(e));
    // Who has just come goes in with the next step.
    List<Bands.Band> come =
        placed.stream().filter(EntryState::isWaiting).map(this::bandOf).toList();
    come.forEach(band -> band.waiting--);
    queue.bands.all().forEach(band -> band.waiting -= queue.absent(band.number));
    List<EntryState> first = new ArrayList<>();
    Map<Integer, Long> turn = takeTurns(count, read, first);
    queue.bands.all().forEach(band -> band.waiting += queue.absent(band.number));
    come.forEach(band -> band.waiting++);
    read.forEach(
        (band, waiting) ->
            waiting.stream()
                .filter(e -> !e.isPassed)
                .limit(1)
                .forEach(e -> turn.put(band, e.score)));
    turn.forEach(this::setFront);
    queue.bands.tidy();
    queue.frontScore = queue.bands.front(queue.frontScore);
    return first;
  }

  /** Says from where on nobody was looked at, of those bands in which somebody was. */
  private Map<Integer, Long> takeTurns(
      int count, Map<Integer, Deque<EntryState>> read, List<EntryState> first) {
    var judge = new Judge();
    var turns = new Turns(queue.bands, queue.settings.lanes());
    Map<Integer, Long> turn = new HashMap<>();
    boolean goesOn = true;
    while (goesOn && first.size() < count) {
      Bands.Band band = turns.take();
      goesOn = band != null;
      if (band != null && !takesTurn(band, judge, read, turn, first)) {
        turns.putBack(band);
        // Others go on if it is known that nobody of this one is there.
        goesOn = band.waiting == 0;
      }
    }
    if (!first.isEmpty()) {
      // Otherwise nothing has happened of which anybody would be told.
      turns.end();
    }
    return turn;
  }

  /** Whether somebody of this band was found who goes in. */
  private static boolean takesTurn(
      Bands.Band band,
      Judge judge,
      Map<Integer, Deque<EntryState>> read,
      Map<Integer, Long> turn,
      List<EntryState> first) {
    Deque<EntryState> waiting = read.getOrDefault(band.number, new ArrayDeque<>());
    while (!waiting.isEmpty()) {
      EntryState entry = waiting.remove();
      if (!entry.isPassed) {
        turn.put(band.number, entry.score + 1);
      }
      if (judge.takeOrPass(entry, first)) {
        return true;
      }
      band.waiting--;
    }
    return false;
  }

  private void setFront(int number, long turn) {
    Bands.Band band = queue.bands.find(number);
    if (band != null) {
      band.front = frontOf(number, turn);
    }
  }

  private Bands.Band bandOf(EntryState entry) {
    return Objects.requireNonNull(queue.bands.find(Score.lane(entry.score)), entry.user);
  }

  /** Tells the first in line that the queue has ended; says how many they were. */
  private int expireLine() {
    if (isPresenceOver) {
      // Who was passed over was not read.
      return 0;
    }
    List<EntryState> first = front().stream().limit(Admission.MAX_STEP).toList();
    boolean isOne = queue.bands.isOne();
    if (!first.isEmpty()) {
      first.stream().filter(_ -> !isOne).forEach(entry -> bandOf(entry).front = entry.score + 1);
      first.forEach(this::expire);
      long behind = first.getLast().score + 1;
      // Of bands perhaps not all were read who stand before the last of these.
      queue.frontScore = isOne ? behind : queue.bands.front(queue.frontScore);
    }
    return first.size();
  }

  /**
   * The first who wait, as far as they were read. Those who have their place from this decision are
   * not among them: people may stand before them who were not even read. Nor are those who were
   * passed over, perhaps by an admission that is decided together with this one: they stand before
   * the turn, and who of them is there is found by {@link #back}.
   */
  private List<EntryState> front() {
    return first.stream().filter(e -> e.isWaiting() && !e.isPassed && !placed.contains(e)).toList();
  }

  private int numberOf(Needs.Front front) {
    return queue.bands.isOne() ? Bands.EVERYBODY : Score.lane(front.from());
  }

  /**
   * Whether fewer were found than wait there: then the others stand before the front. It was once
   * noted too far behind, where somebody had been passed over.
   */
  private boolean misses(Needs.Front front) {
    int band = numberOf(front);
    if (queue.passed(band) > 0 || front.from() <= Score.inBand(band, 0)) {
      return false;
    }
    boolean isOne = queue.bands.isOne();
    long found =
        first.stream()
            .filter(e -> e.score >= front.from() && (isOne || Score.lane(e.score) == band))
            .count();
    long waiting = isOne ? queue.waiting : queue.bands.waiting(band);
    return found < Math.min(front.count(), waiting);
  }

  /** Whoever was missed is found by the next step, which is at once. */
  private void lookFromTheVeryFront(int number) {
    long front = Score.inBand(number, 0);
    Bands.Band band = queue.bands.find(number);
    if (band != null) {
      band.front = front;
    }
    queue.frontScore = Math.min(queue.frontScore, front);
    touchQueue();
  }

  private List<EntryState> firstOf(List<Needs.Front> fronts) {
    List<EntryState> waiting =
        fronts.isEmpty()
            ? List.of()
            : entries.values().stream().filter(EntryState::isWaiting).sorted(BY_SCORE).toList();
    return fronts.stream()
        .flatMap(
            front -> waiting.stream().filter(e -> e.score >= front.from()).limit(front.count()))
        .distinct()
        .sorted(BY_SCORE)
        .toList();
  }

  /** The right to be inside ends at most one pass life from now, whatever the clock did. */
  private void cutStays() {
    if (!queue.isAheadOf(now)) {
      return;
    }
    long furthest = queue.furthestStay(now);
    int cut = 0;
    for (EntryState entry : entries.values()) {
      if (entry.status == Status.ENTERED && entry.until > furthest) {
        entry.until = furthest;
        touch(entry);
        events.cut(entry);
        cut++;
      }
    }
    if (cut < Admission.MAX_STEP) {
      queue.lastEnteredAt = now;
      touchQueue();
    }
  }

  /** Those whose time is up, by when they joined; but those who came back by when they did. */
  private List<EntryState> expireOverdue() {
    List<EntryState> overdue =
        entries.values().stream()
            .filter(entry -> entry.isOverdue(now))
            .limit(Admission.MAX_STEP)
            .sorted(BY_RETURN)
            .toList();
    overdue.forEach(this::expire);
    return overdue;
  }

  /**
   * Gives those who expired new places: before everybody if they came back; at the end of their
   * lane, if that is the queue's rule.
   */
  private void requeue(List<EntryState> expired) {
    expired.stream()
        .filter(entry -> entry.reason == EndReason.RETURNED)
        .forEach(entry -> append(entry.user, Score.FALLBACK));
    if (queue.settings.stay().requeues()) {
      expired.stream()
          .filter(entry -> entry.reason != EndReason.RETURNED)
          .forEach(entry -> append(entry.user, queue.bands.again(entry.score)));
    }
  }

  /** Those who came back and have waited for as long as they may; says how many they were. */
  private int endFallback() {
    // Of a queue that has just ended to go by who is there, the line was read in part.
    if (queue.fallbackOverAt() > now || isPresenceOver) {
      return 0;
    }
    long since = now - queue.settings.fallback().fallbackMicros();
    int ended = 0;
    for (EntryState entry : ofFallback(back())) {
      if (returnedAt(entry) <= since && ended < Admission.MAX_STEP) {
        endReturned(entry);
        ended++;
      }
    }
    noteFirstBack();
    List<EntryState> front = ofFallback(front());
    List<EntryState> over =
        front.stream()
            .filter(e -> returnedAt(e) <= since)
            .limit(Admission.MAX_STEP - ended)
            .toList();
    // Also if it is over for nobody: those before the first one have left.
    front.stream().skip(over.size()).limit(1).forEach(e -> setFront(Score.FALLBACK, e.score));
    if (over.size() == front.size() && !over.isEmpty()) {
      setFront(Score.FALLBACK, over.getLast().score + 1);
    }
    over.forEach(this::endReturned);
    queue.frontScore = queue.bands.front(queue.frontScore);
    touchQueue();
    return ended + over.size();
  }

  private static List<EntryState> ofFallback(List<EntryState> some) {
    return some.stream().filter(entry -> Score.lane(entry.score) == Score.FALLBACK).toList();
  }

  private void endReturned(EntryState entry) {
    entry.reason = EndReason.RETURNED;
    end(entry, Status.LEFT);
    queue.left++;
  }

  /** Who may be the first of those who came back, were passed over and are there. */
  private void noteFirstBack() {
    Presence presence = queue.presence;
    if (presence != null && presence.back(Score.FALLBACK) > 0) {
      List<EntryState> back = ofFallback(back());
      // If it was over for all who were read: the others stand behind them, and before the turn.
      long turn = presence.turn(Score.FALLBACK, Long.MAX_VALUE);
      long others = lastBack.getOrDefault(Score.FALLBACK, turn);
      presence.setFirstBack(Score.FALLBACK, back.isEmpty() ? others : back.getFirst().score);
    }
  }

  /** Whoever took the place over has it for no longer than whoever came back with it. */
  private static long returnedAt(EntryState entry) {
    return entry.score - Score.laneFrom(entry.score);
  }

  /** Those who were passed over and did not come in time; says how many they were. */
  private int endAbsent() {
    Presence presence = queue.presence;
    if (presence == null || queue.absentOverAt() > now) {
      return 0;
    }
    boolean looks = queue.settings.door().looks();
    long since = now - queue.settings.door().absenceGraceMicros();
    List<EntryState> absent =
        entries.values().stream()
            .filter(e -> e.isWaiting() && e.isPassed && e.absentSince > 0 && !e.owes())
            .sorted(Comparator.comparingLong(e -> e.absentSince))
            .toList();
    List<EntryState> over =
        absent.stream().filter(e -> e.absentSince <= since).limit(Admission.MAX_STEP).toList();
    for (EntryState entry : over) {
      if (looks) {
        entry.reason = EndReason.ABSENT;
        expire(entry);
      } else {
        // It mattered once whether anybody is there.
        seeAgain(entry);
      }
    }
    // Of those who were not read, nobody was passed over before.
    long next = over.size() < absent.size() ? absent.get(over.size()).absentSince : since;
    isNoted |= presence.setOldest(next);
    return looks ? over.size() : 0;
  }

  /**
   * Those who were passed over for what they owe, for as long as they may be: who owes only time
   * owes nothing more, the others are out. Says how many those were.
   */
  private int endOwing() {
    Presence presence = queue.presence;
    if (presence == null || queue.owedOverAt() > now) {
      return 0;
    }
    List<EntryState> owing =
        entries.values().stream()
            .filter(e -> e.isWaiting() && e.owedUntil > 0)
            .sorted(Comparator.comparingLong(e -> e.owedUntil))
            .toList();
    List<EntryState> over =
        owing.stream().filter(e -> e.owedUntil <= now).limit(Admission.MAX_STEP).toList();
    int expired = 0;
    for (EntryState entry : over) {
      if (entry.owed == Owed.SLOW) {
        forgive(entry);
        if (presence.back(entry)) {
          toldOfPresence(events.back(entry));
        }
        passed.add(entry);
      } else {
        presence.unproven();
        entry.reason = EndReason.UNPROVEN;
        expire(entry);
        expired++;
      }
    }
    long next = over.size() < owing.size() ? owing.get(over.size()).owedUntil : now;
    isNoted |= presence.setNextOwed(next);
    return expired;
  }

  private void expire(EntryState entry) {
    end(entry, Status.EXPIRED);
    queue.expired++;
  }

  private void end(EntryState entry, Status status) {
    end(entry, status, entry.reason);
  }

  private void end(EntryState entry, Status status, EndReason reason) {
    if (entry.isWaiting()) {
      forgetPassed(entry);
      forgive(entry);
      queue.waiting--;
      queue.bands.remove(entry.score);
      if (entry.isUnsettled() && queue.draw != null) {
        queue.draw.out(entry.joined);
      }
    } else {
      queue.inside--;
      if (entry.reason == EndReason.RETURNED) {
        // Perhaps it was cut: gates know a turn that is over by the end of the pass, and passes of
        // both ends are about.
        entry.cut = entry.isInside(now) && entry.until < entry.ended ? entry.until : 0;
        entry.until = Math.max(entry.until, entry.ended);
      }
    }
    entry.status = status;
    entry.reason = reason;
    entry.ended = now;
    touch(entry);
    events.end(entry);
    telling.end(entry);
  }

  /**
   * A place at the end of a lane for somebody whose entries were read.
   *
   * @param claim to a lane
   */
  Supplier<JoinOutcome> join(String user, Claim claim) {
    List<EntryState> earlier = ofUser(user);
    EntryState last = earlier.isEmpty() ? null : earlier.getLast();
    if (last != null && isInLine(last)) {
      seeAgain(last);
      return claim.code().isEmpty() ? inLine(last) : inLine(last, claim.code());
    }
    if (last != null && last.isInside(now)) {
      return () -> new JoinOutcome.Final(new Joined.AlreadyIn(beyond(last)));
    }
    if (queue.state.isEnded()) {
      return refused(Reason.NOT_ACTIVE, 0);
    }
    if (last != null && last.isOverdue(now) && last.reason == EndReason.RETURNED) {
      return inLine(fallBack(last));
    }
    if (last != null && last.isOverdue(now) && queue.settings.stay().requeues()) {
      expire(last);
      return inLine(append(user, queue.bands.again(last.score)));
    }
    if (hasCompletedOnce(user)) {
      EntryState done = Objects.requireNonNull(completed.get(user));
      return () -> new JoinOutcome.Final(new Joined.Over(beyond(done)));
    }
    Times times = queue.settings.times();
    if (!queue.state.entryOpen() || now >= times.entryUntil()) {
      return refused(Reason.NOT_ACTIVE, 0);
    }
    if (now < times.entryFrom()) {
      return () -> new JoinOutcome.Final(new Joined.NotYet(times.entryFrom()));
    }
    Optional<Doors> doors = queue.settings.door().doors();
    if (doors.isPresent() && doors.get().signedOnly() && !claim.from().isNamed()) {
      return refused(Reason.SIGNED_ONLY, 0);
    }
    if (!isGood(claim.code())) {
      return refused(Reason.CODE_INVALID, 0);
    }
    if (queue.waiting >= queue.settings.door().maxWaiting()) {
      return refused(Reason.LINE_FULL, 0);
    }
    if (last != null && last.isOverdue(now)) {
      expire(last);
    }
    long wait = enterLimitWait(earlier);
    if (wait > 0) {
      return refused(Reason.TOO_OFTEN, Math.ceilDiv(wait, Micros.PER_SECOND));
    }
    int band = queue.bands.of(codes.getOrDefault(claim.code(), claim.lane()));
    use(claim.code());
    int at = where(band);
    long ahead =
        queue.bands.isOne() && !Score.isUnsettled(at) ? queue.waiting : queue.bands.waiting(at);
    EntryState entry = append(user, band);
    doors.ifPresent(each -> owe(entry, each.owedBy(claim.from())));
    return () -> new JoinOutcome.Final(new Joined.Waiting(placeOf(entry, ahead)));
  }

  /** Whether somebody has completed where this may be done once only. */
  private boolean hasCompletedOnce(String user) {
    EntryState done = queue.settings.stay().once() ? completed.get(user) : null;
    // It is deleted some time after that; until when one is refused must not depend on it.
    return done != null && done.ended + EntryState.ENDED_KEPT > now;
  }

  private Supplier<JoinOutcome> inLine(EntryState entry) {
    return () -> new JoinOutcome.InLine(new EntryKey(queue.queue, entry.user, entry.joined));
  }

  /** Who waits already is moved by a code, unless they stand in its lane, or before all lanes. */
  private Supplier<JoinOutcome> inLine(EntryState entry, String code) {
    if (!isGood(code)) {
      return refused(Reason.CODE_INVALID, 0);
    }
    int band = queue.bands.of(codes.getOrDefault(code, ""));
    boolean isThere = band == Score.settled(Score.lane(entry.score));
    if (isThere || isBehind(entry) || isBeingDrawn()) {
      return inLine(entry);
    }
    use(code);
    long ahead = entry.isUnsettled() ? shift(entry, band) : move(entry, band);
    return () -> new JoinOutcome.Final(new Joined.Waiting(placeOf(entry, ahead)));
  }

  /** Whether a code gives a place; no code is none that could be wrong. */
  private boolean isGood(String code) {
    String lane = codes.get(code);
    return code.isEmpty()
        || (lane != null && !usedCodes.contains(code) && queue.settings.lanes().share(lane) > 0);
  }

  private void use(String code) {
    if (!code.isEmpty()) {
      usedCodes.add(code);
    }
  }

  Coded makeCodes(String lane, Set<String> hashes, Actor by) {
    if (queue.settings.lanes().share(lane) == 0) {
      return Coded.NO_LANE;
    }
    hashes.forEach(hash -> newCodes.put(hash, lane));
    touchQueue();
    note(by, Act.Kind.MAKE_CODES, Map.of(), Map.of("lane", lane, "count", hashes.size()));
    return Coded.DONE;
  }

  Shifted move(String user, String lane, Actor by) {
    if (queue.settings.lanes().share(lane) == 0) {
      return new Shifted.NoLane();
    }
    List<EntryState> all = ofUser(user);
    EntryState last = all.isEmpty() ? null : all.getLast();
    if (last == null || !isInLine(last)) {
      return new Shifted.Nobody();
    }
    int band = queue.bands.of(lane);
    Bands.Band from = bandOf(last);
    if (Score.settled(from.number) == band) {
      return new Shifted.Done(0, false);
    }
    if (isBeingDrawn()) {
      return new Shifted.NotNow();
    }
    String joinedAt = Micros.iso(last.joined);
    note(by, Act.Kind.MOVE, Map.of("joinedAt", joinedAt, "lane", from.name), Map.of("lane", lane));
    if (last.isUnsettled()) {
      shift(last, band);
      return new Shifted.Done(Shifted.NO_PLACE, true);
    }
    return new Shifted.Done(move(last, band), true);
  }

  /** Whether an order is being made, into which nobody may be moved. */
  private boolean isBeingDrawn() {
    return queue.draw != null && queue.draw.isUnderWay();
  }

  /** The same entry without a place, for one in another lane; says how many are before it there. */
  private long shift(EntryState entry, int lane) {
    int band = Score.unsettled(lane);
    queue.bands.remove(entry.score);
    entry.score = Score.inBand(band, entry.joined);
    entry.isMoved = true;
    long ahead = queue.bands.waiting(band);
    entry.ticket = queue.bands.add(entry.score, queue);
    queue.frontScore = Math.min(queue.frontScore, entry.score);
    touch(entry);
    events.move(entry);
    telling.move(entry);
    return ahead;
  }

  /** The same entry, at the end of another band; says how many are before it there. */
  private long move(EntryState entry, int band) {
    long ahead = place(entry, band);
    events.move(entry);
    telling.move(entry);
    return ahead;
  }

  private long place(EntryState entry, int band) {
    forgetPassed(entry);
    if (queue.presence != null && !entry.isUnsettled()) {
      queue.presence.moved();
    }
    queue.bands.remove(entry.score);
    long ahead = queue.bands.waiting(band);
    queue.lastJoined = Score.next(queue.lastJoined, now);
    entry.score = Score.inBand(band, queue.lastJoined);
    entry.isMoved = true;
    entry.ticket = queue.bands.add(entry.score, queue);
    queue.frontScore = Math.min(queue.frontScore, entry.score);
    placed.add(entry);
    touch(entry);
    return ahead;
  }

  private static Supplier<JoinOutcome> refused(Reason reason, long retryAfterSeconds) {
    return () -> new JoinOutcome.Final(new Joined.Refused(reason, retryAfterSeconds));
  }

  private Place placeOf(EntryState entry, long ahead) {
    return new Place(entry.in(queue.queue), entry.score, ahead, entry.ticket, lineState());
  }

  private Place beyond(EntryState entry) {
    return Place.beyond(entry.in(queue.queue), lineState());
  }

  /** Answers are made when all is decided, so it is the same for everybody who is told. */
  private LineState lineState() {
    if (lineState == null) {
      lineState = queue.lineState();
    }
    return lineState;
  }

  /** In which band somebody stands who comes to another one: perhaps without a place at first. */
  private int where(int band) {
    return band != Score.FALLBACK && queue.placesLater() ? Score.unsettled(band) : band;
  }

  /** A new entry at the end of a band. */
  private EntryState append(String user, int band) {
    boolean isFirst = queue.bands.unsettled() == 0;
    EntryState entry = make(user, Score.inBand(where(band), Score.next(queue.lastJoined, now)));
    if (entry.isUnsettled() && queue.draw != null && queue.settings.fairness().settlesLater()) {
      queue.draw.join(entry.joined, isFirst, queue.settings.fairness(), now);
    }
    placed.add(entry);
    entry.ticket = queue.bands.add(entry.score, queue);
    queue.frontScore = queue.waiting == 0 ? entry.score : Math.min(queue.frontScore, entry.score);
    queue.waiting++;
    events.join(entry);
    telling.join(entry);
    return entry;
  }

  private EntryState make(String user, long score) {
    queue.lastJoined = Score.next(queue.lastJoined, now);
    var entry = EntryState.joining(user, queue.lastJoined, score);
    entries.put(entry.joined, entry);
    ofUser(user).add(entry);
    made.add(entry);
    touchQueue();
    queue.joined++;
    return entry;
  }

  /** How long until this user may take another new place, in microseconds; 0 if they may now. */
  private long enterLimitWait(List<EntryState> earlier) {
    int limit = queue.settings.door().newPlacesPerMinute();
    if (limit == 0 || earlier.size() < limit) {
      return 0;
    }
    // People join ahead of the clock when many arrive in one microsecond; a minute does not get
    // longer by that. What lies ahead is left from before the clock went back.
    long[] recent =
        earlier.stream()
            .filter(entry -> !entry.isLive())
            .mapToLong(entry -> Math.min(entry.joined, entry.ended))
            .filter(at -> at > now - MINUTE && at <= now)
            .toArray();
    return recent.length < limit ? 0 : recent[recent.length - limit] + MINUTE - now;
  }

  private long longestWait() {
    return entries.values().stream()
        .filter(EntryState::isWaiting)
        .min(BY_SCORE)
        .map(first -> first.joined)
        .or(() -> queue.bands.isOne() ? Optional.empty() : Optional.of(now))
        .map(first -> queue.longestWait(first, now))
        .orElse(0L);
  }

  private void touch(EntryState entry) {
    if (!made.contains(entry)) {
      touched.put(entry.joined, entry);
    }
    touchQueue();
  }

  private void touchQueue() {
    queue.change = changeBefore + 1;
    queue.changedMinute = Minute.of(now);
  }

  /** Nothing was counted before the first change, and nothing is over within the same minute. */
  private @Nullable Minute closed() {
    return changeBefore == 0 || queue.changedMinute == lastMinute.number() ? null : lastMinute;
  }

  /** What a copy must be told. */
  private Change change() {
    List<Fact> facts = new ArrayList<>(touched.size() + made.size());
    touched.values().forEach(entry -> facts.add(entry.fact()));
    made.stream().filter(EntryState::isLive).forEach(entry -> facts.add(entry.fact()));
    return new Change(
        changeBefore,
        queue.change,
        facts,
        queue.waiting,
        queue.bands.counts(),
        queue.inside,
        hasNewRules ? queue.rules() : null);
  }
}
